"""The run store: what is finished is there, whatever happens to the process, the file or the other writers."""

import gc
import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.runs.bench import Bench, Scripted, contains, said, task
from waza_engine.executors.base import TrialRequest
from waza_engine.model.results.records import GraderOutcome, TrialRecord
from waza_engine.model.trajectory import Trajectory
from waza_engine.runs.events import Note
from waza_engine.runs.run_header import RunFrame
from waza_engine.runs.store.store import FILE_NAME, RunStore, StoreError, default_store_dir, workspace_root

EVAL = Path("/project/evals/eval.yaml")


def trial(task_id: str = "a", number: int = 1, output: str = "hello") -> TrialRecord:
    graders = (
        GraderOutcome(
            "says", "text", "failed", 0.5, 2.0, "missing: x", {"failures": ["x"]}, 3, EVAL, ("graders", 0)
        ),
        GraderOutcome("_output_contains", "", "passed", 1.0, 1.0),
    )
    return TrialRecord(
        task_id, 0, number, "failed", 0.75, 2 / 3, Trajectory(output=output), graders, "", 2, 1234.5
    )


def started(store: RunStore, run_id: str, when: float = 1.0, eval_path: Path = EVAL) -> None:
    frame = RunFrame("demo", executor="mock", model="m")
    store.start_run(run_id, eval_path, frame, started_at=when)


def test_a_trial_comes_back_as_it_was(tmp_path: Path) -> None:
    with RunStore(tmp_path / "new" / "store") as store:
        started(store, "r1")
        store.save_trial("r1", trial())
        assert [it.record for it in store.trials("r1")] == [trial()]
        store.finish_run("r1", "failed", 0.75)
        only = store.runs()[0]
    assert (only.run_id, only.eval_path, only.executor, only.status, only.score) == (
        "r1",
        EVAL,
        "mock",
        "failed",
        0.75,
    )
    assert only.finished_at is not None
    assert (tmp_path / "new" / "store" / ".gitignore").read_text() == "*\n"


def test_the_newest_run_that_has_the_task_is_the_latest(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        for run_id, when, task_id in (("r1", 1.0, "a"), ("r2", 2.0, "a"), ("r3", 3.0, "b")):
            started(store, run_id, when)
            store.save_trial(run_id, trial(task_id, 1, output=run_id))
        store.save_trial("r2", trial("a", 2))
        started(store, "r4", 4.0, Path("/other/eval.yaml"))
        store.save_trial("r4", trial("a"))
        assert [(it.run_id, it.record.trial) for it in store.latest_trials(EVAL, "a")] == [
            ("r2", 1),
            ("r2", 2),
        ]
        assert [it.record.trajectory.output for it in store.latest_trials(EVAL, "b")] == ["r3"]
        assert store.latest_trials(EVAL, "c") == []
        assert [it.run_id for it in store.runs(EVAL)] == ["r3", "r2", "r1"]
        assert [it.run_id for it in store.runs(limit=2)] == ["r4", "r3"]


def test_the_store_stands_at_the_workspace_root(tmp_path: Path) -> None:
    eval_path = tmp_path / "a" / "evals" / "eval.yaml"
    eval_path.parent.mkdir(parents=True)
    assert workspace_root(eval_path) == eval_path.parent
    (tmp_path / ".git").mkdir()
    assert workspace_root(eval_path) == tmp_path
    (tmp_path / "a" / ".waza.yaml").touch()
    assert default_store_dir(eval_path) == tmp_path / "a" / ".waza-lsp"


@pytest.mark.parametrize("damage", ["text", "half", "newer"])
def test_a_store_that_cannot_be_used_says_so(tmp_path: Path, damage: str) -> None:
    path = tmp_path / FILE_NAME
    RunStore(tmp_path).close()
    if damage == "text":
        path.write_text("this is no database, but long enough to look like one " * 50)
    elif damage == "half":
        path.write_bytes(path.read_bytes()[:5000])
    else:
        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA user_version = 999")
        connection.close()
    with pytest.raises(StoreError, match=r"(Move|Install) .* --store DIR") as error:
        started(RunStore(tmp_path), "r1")
    assert str(path) in str(error.value)


def test_a_folder_that_cannot_be_made_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot be used"):
        RunStore(tmp_path / "file" / "store")


def test_a_damaged_trajectory_says_so(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        started(store, "r1")
        store.save_trial("r1", trial())
        store.file.connection.execute("UPDATE trials SET trajectory = x'00'")
        with pytest.raises(StoreError):
            store.trials("r1")


async def test_a_run_goes_on_when_the_store_breaks(bench: Bench, scripted: Scripted) -> None:
    async def breaks_the_store(request: TrialRequest) -> Trajectory:
        if request.task.id == "b" and bench.store:
            bench.store.close()
        return said("hello")

    scripted.perform = breaks_the_store
    bench.store = RunStore(bench.folder / "store")
    record = await bench.run(bench.suite(task("a"), task("b"), task("c")), scripted)
    assert (record.status, len(record.tasks)) == ("passed", 3)
    told = [it.message for it in bench.events if isinstance(it, Note)]
    assert len(told) == 2
    assert "Finished trials stay in memory" in told[0]
    assert "still cannot be written" in told[1]
    with RunStore(bench.folder / "store") as store:
        assert [it.record.task for it in store.trials("run-1")] == ["a"]


@pytest.mark.slow
async def test_a_locked_store_does_not_stop_the_run(bench: Bench) -> None:
    bench.store = RunStore(bench.folder / "store")
    bench.store.file.connection.execute("PRAGMA busy_timeout = 50")
    other = sqlite3.connect(bench.folder / "store" / FILE_NAME, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    record = await bench.run(bench.suite(task("a")))
    other.close()
    bench.store.close()
    assert record.status == "passed"
    assert any("locked" in it.message for it in bench.events if isinstance(it, Note))


async def test_what_a_run_says_is_what_the_store_has(bench: Bench, scripted: Scripted) -> None:
    bench.store = RunStore(bench.folder / "store")
    suite = bench.suite(task("a"), task("b"), graders=(contains("from b"),))
    record = await bench.run(suite, scripted, trials=2)
    stored = [it.record for it in bench.store.trials("run-1")]
    assert stored == [trial for it in record.tasks for trial in it.trials]
    assert bench.store.runs()[0].status == "failed"
    assert (
        bench.store.latest_trials(bench.folder / "eval.yaml", "b")[0].record.trajectory.output
        == "hello from b"
    )
    bench.store.close()


def _alive() -> int:
    gc.collect()
    return sum(isinstance(it, Trajectory | TrialRecord) for it in gc.get_objects())


@pytest.mark.slow
async def test_what_is_stored_is_not_kept(bench: Bench, scripted: Scripted) -> None:
    bench.store = RunStore(bench.folder / "store")
    suite = bench.suite(*(task(f"t{it}") for it in range(4)), graders=(contains("hello"),))
    bench.emit_nothing = True
    # Tests that failed before are kept by their tracebacks, with all that they had in hand.
    before = _alive()
    record = await bench.run(suite, scripted, trials=25, workers=2)
    assert _alive() - before < 10
    assert sum(len(it.trials) for it in record.tasks) == 100
    assert [it.trial for it in record.tasks[3].trials[-2:]] == [24, 25]
    bench.store.close()


def _write_many(folder: Path, name: str) -> None:
    with RunStore(folder) as store:
        started(store, name)
        for number in range(40):
            store.save_trial(name, trial("a", number))


@pytest.mark.slow
def test_two_processes_write_at_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write_many, args=(tmp_path, f"r{it}")) for it in range(2)]
    for it in writers:
        it.start()
    for it in writers:
        it.join(30)
    assert [it.exitcode for it in writers] == [0, 0]
    with RunStore(tmp_path) as store:
        assert [len(store.trials(f"r{it}")) for it in range(2)] == [40, 40]


_SLOW_RUN = """
import asyncio, sys
from pathlib import Path
from tests.engine.runs.bench import Bench, Scripted, said, task
from waza_engine.executors.base import ExecutorOptions
from waza_engine.runs.store.store import RunStore

folder = Path(sys.argv[1])
executor = Scripted(ExecutorOptions(folder))

async def third_hangs(request):
    if request.trial == 3:
        print("hanging", flush=True)
        await asyncio.sleep(60)
    return said("hello")

executor.perform = third_hangs
bench = Bench(folder, store=RunStore(folder / "store"))
asyncio.run(bench.run(bench.suite(task("a")), executor, trials=5))
"""


def test_a_killed_run_keeps_its_finished_trials(tmp_path: Path) -> None:
    run = subprocess.Popen([sys.executable, "-c", _SLOW_RUN, str(tmp_path)], stdout=subprocess.PIPE)
    assert run.stdout is not None
    assert run.stdout.readline() == b"hanging\n"
    os.kill(run.pid, signal.SIGKILL)
    run.communicate()
    with RunStore(tmp_path / "store") as store:
        assert [it.record.trial for it in store.trials("run-1")] == [1, 2]
        assert store.runs()[0].status is None
