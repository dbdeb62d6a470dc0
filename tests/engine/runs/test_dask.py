"""Trials on a Dask cluster: several local worker processes, some killed in the middle of a trial."""

import asyncio
import contextlib
import importlib
import importlib.util
import os
import shlex
import signal
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.engine.runs.bench import Bench, contains, task, until
from waza_engine.executors.base import ExecutorOptions, UnavailableError
from waza_engine.executors.command import CommandExecutor
from waza_engine.model.results.records import RunRecord
from waza_engine.model.suite import InputFile, Suite
from waza_engine.runs.dask_trials import DaskTrials, Job, dask_trials, perform_on_worker
from waza_engine.runs.events import Note, TrialFinished, TrialProgress
from waza_engine.runs.live import RunOutputs
from waza_engine.runs.planning.plan import Overrides, make_plan, with_workers
from waza_engine.runs.run import run_suite
from waza_engine.runs.store.store import RunStore
from waza_engine.runs.trial.grade import Bench as RunBench

needs_dask = pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None,
    reason="Dask is not installed; install the extra: pip install 'waza-lsp[dask]'",
)
pytestmark = [
    # Workers that are killed, and loops that end with them, warn about sockets and pipes of their own.
    pytest.mark.filterwarnings("ignore"),
]

AGENT = """
import os, pathlib, sys, time
log = pathlib.Path(sys.argv[1])
name = os.environ["WAZA_LSP_TASK"] + "." + os.environ["WAZA_LSP_TRIAL"]
with log.open("a") as file:
    file.write(f"start {name} {os.getpid()}\\n")
assert pathlib.Path("in.txt").read_text() == "given"
time.sleep(float(sys.argv[2]))
with log.open("a") as file:
    file.write(f"end {name}\\n")
print("hello from", name)
"""


@contextlib.asynccontextmanager
async def cluster(folder: Path, seconds: float, workers: int = 3) -> AsyncIterator[tuple[Any, DaskTrials]]:
    """A cluster of processes, and the trials of run-1 on it with an agent that takes so long."""
    local_cluster: Any = importlib.import_module("distributed").LocalCluster

    agent = folder / "agent.py"
    agent.write_text(AGENT, encoding="utf-8")
    command = shlex.join([sys.executable, "-S", str(agent), str(folder / "log"), str(seconds)])
    options = ExecutorOptions(folder, agent_command=command)
    async with (
        local_cluster(
            n_workers=workers,
            threads_per_worker=2,
            processes=True,
            asynchronous=True,
            dashboard_address=None,
            host="127.0.0.1",
            local_directory=str(folder / "dask"),
        ) as found,
        dask_trials(found.scheduler_address, "run-1", "command", options) as trials,
    ):
        yield found, trials


def suite(bench: Bench, tasks: int, trials: int) -> Suite:
    files = (InputFile("in.txt", b"given"),)
    return bench.suite(
        *(task(f"t{it}", files=files) for it in range(tasks)),
        graders=(contains("hello"),),
        settings={"trials": trials, "executor": "command"},
    )


async def run(bench: Bench, what: Suite, trials: DaskTrials) -> RunRecord:
    return await run_suite(
        RunBench(
            with_workers(make_plan(what, Overrides()), trials.slots),
            CommandExecutor(ExecutorOptions(bench.folder, agent_command="true")),
            bench.folder,
        ),
        RunOutputs(bench.events.append, bench.folder / "logs", bench.store),
        "run-1",
        perform=trials.perform,
    )


def log_lines(folder: Path, kind: str) -> list[list[str]]:
    log = folder / "log"
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    return [it.split() for it in lines if it.startswith(kind)]


def is_running(pid: int) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):  # it can end while we read
        return False


@needs_dask
@pytest.mark.slow
async def test_killed_workers_lose_nothing_and_nothing_counts_twice(bench: Bench) -> None:
    tasks, trials = 8, 5
    async with cluster(bench.folder, 0.2) as (_, remote):
        assert remote.slots == 6
        with RunStore(bench.folder / "store") as bench.store:
            running = asyncio.create_task(run(bench, suite(bench, tasks, trials), remote))
            for kill in (6, 18):
                await until(lambda kill=kill: len(log_lines(bench.folder, "start")) >= kill)  # type: ignore[misc]  # a count
                victim = next(iter((await remote.client.run(os.getpid)).values()))
                os.kill(victim, signal.SIGKILL)
            record = await running
            stored = [
                (it.record.task, it.record.trial, it.record.status) for it in bench.store.trials("run-1")
            ]
    assert record.status == "passed", [it for it in bench.events if isinstance(it, Note)]
    wanted = [(f"t{it}", number, "passed") for it in range(tasks) for number in range(1, trials + 1)]
    assert stored == wanted
    told = [(it.task, it.trial) for it in bench.events if isinstance(it, TrialFinished)]
    assert sorted(told) == sorted((it[0], it[1]) for it in wanted)
    # The agents of the killed workers were killed with them.
    started, ended = log_lines(bench.folder, "start"), log_lines(bench.folder, "end")
    assert len(started) > len(wanted)
    assert len(ended) >= len(wanted)
    assert not [it for it in started if is_running(int(it[2]))]


@needs_dask
@pytest.mark.slow
async def test_cancelling_ends_the_agents_on_the_workers_within_a_second(bench: Bench) -> None:
    async with cluster(bench.folder, 60, workers=2) as (_, remote):
        running = asyncio.create_task(run(bench, suite(bench, 4, 1), remote))
        await until(lambda: len(log_lines(bench.folder, "start")) == 4)
        agents = [int(it[2]) for it in log_lines(bench.folder, "start")]
        before = time.monotonic()
        running.cancel()
        record = await running
        assert record.status == "cancelled"
        await remote.end()
        while any(is_running(it) for it in agents):
            assert time.monotonic() - before < 1
            await asyncio.sleep(0.02)
    assert time.monotonic() - before < 10


@needs_dask
@pytest.mark.slow
async def test_agents_end_when_nobody_waits_for_them_any_more(bench: Bench) -> None:
    async with cluster(bench.folder, 60, workers=1) as (found, remote):
        plan = make_plan(suite(bench, 1, 1), Overrides())
        job = Job("run-9", plan, 0, 1, "command", remote.options, bench.folder)
        other = await importlib.import_module("distributed").Client(
            found.scheduler_address, asynchronous=True, set_as_default=False
        )
        wanted = other.submit(perform_on_worker, job, key=job.key, pure=False)
        await until(lambda: len(log_lines(bench.folder, "start")) == 1)
        assert wanted.status == "pending"
        await other.close()  # as the scheduler does for a driver that was killed
        await until(lambda: not any(is_running(int(it[2])) for it in log_lines(bench.folder, "start")))


@needs_dask
@pytest.mark.slow
async def test_progress_arrives_while_agents_work(bench: Bench) -> None:
    code = """import json, time
print(json.dumps({"type": "assistant.message", "data": {"content": "hello"}}), flush=True)
time.sleep(0.5)"""
    async with cluster(bench.folder, 0, workers=1) as (found, _):
        command = shlex.join([sys.executable, "-c", code])
        options = ExecutorOptions(bench.folder, agent_command=command, agent_format="copilot-jsonl")
        async with dask_trials(found.scheduler_address, "run-1", "command", options) as remote:
            record = await run(bench, suite(bench, 1, 2), remote)
    assert record.status == "passed"
    assert [it.text for it in bench.events if isinstance(it, TrialProgress)] == ["hello", "hello"]


@needs_dask
@pytest.mark.slow
async def test_an_executor_that_no_worker_can_start_ends_the_run(bench: Bench) -> None:
    async with (
        cluster(bench.folder, 0, workers=1) as (found, _),
        dask_trials(found.scheduler_address, "run-2", "command", ExecutorOptions(bench.folder)) as remote,
    ):
        record = await run(bench, suite(bench, 1, 1), remote)
    assert (record.status, "needs an agent" in record.error) == ("error", True)


@needs_dask
async def test_an_address_without_scheduler_is_an_error(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("waza_engine.runs.dask_trials._CONNECT_SECONDS", 0.5)
    with pytest.raises(UnavailableError, match=r"There is no Dask scheduler at tcp://127.0.0.1:1"):
        async with dask_trials("tcp://127.0.0.1:1", "r", "mock", ExecutorOptions(bench.folder)):
            pass


async def test_without_dask_the_error_names_the_package(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UnavailableError, match="pip install distributed=="):
        async with dask_trials("tcp://127.0.0.1:1", "r", "mock", ExecutorOptions(bench.folder)):
            pass
