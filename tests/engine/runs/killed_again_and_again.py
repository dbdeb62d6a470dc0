"""Performs one run in child processes that are killed at random instants, hundreds of times, and then lets it end.

A program of its own, so that forking is cheap and nothing of pytest is in the children. Prints what became of the run.
"""

import asyncio
import json
import os
import random
import signal
import sqlite3
import sys
import time
from pathlib import Path

from tests.engine.runs.bench import Scripted, contains, said, task
from waza_engine.executors.base import ExecutorOptions, TrialRequest
from waza_engine.model.suite import RunSettings, Suite
from waza_engine.model.trajectory import Trajectory
from waza_engine.runs.live import RunOutputs
from waza_engine.runs.planning.plan import Overrides, Plan, make_plan
from waza_engine.runs.planning.resume import ResumeState, check_resumable, resume_state
from waza_engine.runs.run import run_suite
from waza_engine.runs.store.store import FILE_NAME, RunStore
from waza_engine.runs.trial.grade import Bench

TASKS, TRIALS = ("a", "b", "c"), 700
LONGEST_LIFE_SECONDS = 0.03


def main() -> None:
    folder, kills = Path(sys.argv[1]), int(sys.argv[2])
    chance = random.Random(kills)  # noqa: S311  # instants, no secret
    killed = 0
    for _ in range(kills):
        child = _born(folder)
        time.sleep(chance.uniform(0, LONGEST_LIFE_SECONDS))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        killed += os.WIFSIGNALED(status)
    _, status = os.waitpid(_born(folder), 0)
    with RunStore(folder) as store:
        runs = store.runs()
        trials = [(it.record.task, it.record.trial, it.record.status) for it in store.trials("run-1")]
    check = sqlite3.connect(folder / FILE_NAME).execute("PRAGMA integrity_check").fetchall()
    sys.stdout.write(
        json.dumps(
            {
                "killed": killed,
                "ended": status,
                "runs": [it.status for it in runs],
                "trials": trials,
                "performed": len((folder / "log").read_text(encoding="utf-8").splitlines()),
                "check": check,
            }
        )
    )


def _born(folder: Path) -> int:
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        asyncio.run(_life(folder))
        status = 0
    finally:
        os._exit(status)


async def _life(folder: Path) -> None:
    executor = Scripted(ExecutorOptions(folder))

    async def perform(request: TrialRequest) -> Trajectory:
        with (folder / "log").open("a", encoding="utf-8") as log:
            log.write(f"{request.task.id} {request.trial}\n")
        await asyncio.sleep(0.001)
        return said("hello")

    executor.perform = perform
    with RunStore(folder) as store:
        plan, there = _going_on(store, folder)
        await run_suite(
            Bench(plan, executor, folder), RunOutputs(lambda _: None, folder, store), "run-1", resumed=there
        )


def _going_on(store: RunStore, folder: Path) -> tuple[Plan, ResumeState]:
    settings = RunSettings(executor="scripted", timeout_seconds=5, trials=TRIALS)
    tasks = tuple(task(it) for it in TASKS)
    suite = Suite("waza", folder / "eval.yaml", folder, "demo", "", settings, (contains("hello"),), tasks)
    plan = make_plan(suite, Overrides())
    if not (known := store.runs()):
        return plan, ResumeState()
    check_resumable(known[0])
    return plan, resume_state(store, known[0], plan, folder)


if __name__ == "__main__":
    main()
