"""Measure memory and time of a long run with the mock executor, of reading it and of its reports: `python bench/runs.py`.

Resident memory must not grow with the number of trials. The overhead is the cost of a trial
without the agent, which takes no time here. On a busy machine, compare the CPU time.
"""

import argparse
import asyncio
import resource
import tempfile
import time
from pathlib import Path

from waza_engine.executors.base import ExecutorOptions
from waza_engine.executors.mock import MockExecutor
from waza_engine.model.suite import GraderEntry, InputFile, RunSettings, Suite, Task
from waza_engine.runs.events import Event, TrialFinished
from waza_engine.runs.history import read_history
from waza_engine.runs.live import RunOutputs
from waza_engine.runs.past.read import read_flakiness
from waza_engine.runs.planning.plan import Overrides, make_plan
from waza_engine.runs.run import run_suite
from waza_engine.runs.store.record import stored_record
from waza_engine.runs.store.store import RunStore
from waza_engine.runs.trial.grade import Bench
from waza_lsp.cli.run.reports import Reports

GRADERS = (
    GraderEntry("text", "answers", config={"contains": ["mock response"]}),
    GraderEntry("text", "polite", config={"contains": ["please"]}),
    GraderEntry("behavior", "few", config={"max_tool_calls": 3}),
)
FILE = InputFile("notes.txt", b"a line of notes\n" * 100)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=50)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_run(Path(folder), options.tasks, options.trials, options.workers))


async def _run(folder: Path, tasks: int, trials: int, workers: int) -> None:
    settings = RunSettings(trials=trials, executor="mock", model="m")
    suite = Suite(
        "waza",
        folder / "eval.yaml",
        folder,
        "bench",
        "skill",
        settings,
        GRADERS,
        tuple(
            Task(f"task-{it}", f"Task {it}", "say something about the notes", files=(FILE,))
            for it in range(tasks)
        ),
    )
    watch = _Watch(tasks * trials)
    with RunStore(folder / "store") as store:
        record = await run_suite(
            Bench(
                make_plan(suite, Overrides(workers=workers)), MockExecutor(ExecutorOptions(folder)), folder
            ),
            RunOutputs(watch, folder, store),
            "bench",
        )
        seconds, cpu = time.perf_counter() - watch.started, time.process_time() - watch.cpu
        print(
            f"{watch.done:,} trials in {seconds:.1f} s: {1000 * seconds / watch.done:.2f} ms each, "
            f"{1000 * cpu / watch.done:.2f} ms of CPU"
        )
        grown = watch.sizes[-1] - watch.sizes[0]
        print(
            f"grown between the first and the last tenth: {grown:.0f} kB, {1000 * grown / watch.done:.0f} B a trial"
        )
        for what, read in (
            ("what is flaky", lambda: read_flakiness(store.directory, suite.path)),
            ("what the editor shows", lambda: read_history(store.directory, suite.path)),
            ("the record of the run", lambda: stored_record(store, store.runs(limit=1)[0])),
        ):
            before = time.perf_counter()
            read()
            print(f"{what} takes {time.perf_counter() - before:.2f} s")
        for name in ("results", "html", "junit", "github"):
            before = time.perf_counter()
            problems = Reports(**{name: folder / name}).write(record)
            size = (folder / name).stat().st_size / 1e6
            print(
                f"{name:<8} {size:6.1f} MB in {time.perf_counter() - before:5.1f} s, "
                f"resident {_resident():,.0f} kB, peak {_peak():,.0f} kB {' '.join(problems)}"
            )


class _Watch:
    """Records the size of the process at every tenth of the run."""

    def __init__(self, total: int) -> None:
        self.total, self.done = total, 0
        self.sizes: list[float] = []
        self.started, self.cpu = time.perf_counter(), time.process_time()

    def __call__(self, event: Event) -> None:
        if isinstance(event, TrialFinished):
            self.done += 1
            if self.done % (self.total // 10) == 0:
                self.sizes.append(_resident())
                print(f"{self.done:>7,} trials  resident {self.sizes[-1]:>9,.0f} kB")


def _resident() -> float:
    """In kB."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 1024


def _peak() -> float:
    """In kB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    main()
