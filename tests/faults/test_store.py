"""The run store is locked, damaged, too new or not writable: runs continue, and messages say what to do."""

import os
import shutil
import sqlite3
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.engine.runs.bench import Bench, Scripted, said, task
from tests.faults.leftovers import finished
from tests.faults.suites import TASKS, Case
from tests.slow import first_quick
from waza_engine.executors.base import TrialRequest
from waza_engine.model.trajectory import Trajectory
from waza_engine.runs.events import Note
from waza_engine.runs.store.store import FILE_NAME, BusyError, RunStore, StoreError
from waza_lsp.cli import main

CASE = Case("waza", "mock", trials=1)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A suite with one run that was stored."""
    CASE.written(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert invoke("run", "eval.yaml").exit_code == 0
    return tmp_path


def invoke(*arguments: str) -> Result:
    result = CliRunner().invoke(main, arguments)
    assert "Traceback" not in result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def set_version(store: Path, version: int) -> None:
    connection = sqlite3.connect(store / FILE_NAME)
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()


def other_program(store: Path) -> None:
    (store / FILE_NAME).unlink()
    connection = sqlite3.connect(store / FILE_NAME)
    connection.execute("CREATE TABLE runs (something TEXT)")
    connection.close()


def cut(store: Path, length: int) -> None:
    os.truncate(store / FILE_NAME, length)


MOVE, INSTALL = "Move {folder} away to start a new one", "Install that version, or a later one"
DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "garbage": (lambda it: (it / FILE_NAME).write_bytes(os.urandom(20_000)), MOVE),
    "a header and garbage": (
        lambda it: (it / FILE_NAME).write_bytes(b"SQLite format 3\0" + os.urandom(20_000)),
        MOVE,
    ),
    "cut in the header": (lambda it: cut(it, 100), MOVE),
    "cut after a page": (lambda it: cut(it, 4096), MOVE),
    "cut before the last page": (
        lambda it: cut(it, (it / FILE_NAME).stat().st_size - 4096),
        MOVE,
    ),
    "newer": (lambda it: set_version(it, 999), INSTALL),
    "another program's": (other_program, MOVE),
}


@pytest.mark.parametrize("damage", first_quick(DAMAGES, 2))
def test_a_store_that_cannot_be_used_stops_no_run_and_says_what_to_do(folder: Path, damage: str) -> None:
    store = folder / ".waza-lsp"
    harm, advice = DAMAGES[damage]
    harm(store)
    told = advice.format(folder=store)
    result = invoke("run", "eval.yaml", "--output", "out.json")
    assert (result.exit_code, (folder / "out.json").exists()) == (0, True)
    assert f"warning: The run store {store / FILE_NAME} cannot be used: " in result.stderr
    assert told in result.stderr
    assert "Delete" not in result.stderr
    for command in (
        ["report"],
        ["runs", "list"],
        ["run", "eval.yaml", "--resume"],
        ["grade", "--run", "last"],
    ):
        later = invoke(*command)
        assert later.exit_code == 2
        assert told in later.stderr
    # What is advised helps.
    store.rename(folder / "moved away")
    assert invoke("run", "eval.yaml").exit_code == 0
    assert finished(store) == [CASE.wanted]


@pytest.mark.parametrize("harmed", ["-wal", "-shm"])
def test_garbage_beside_the_database_hurts_nothing(folder: Path, harmed: str) -> None:
    (folder / ".waza-lsp" / (FILE_NAME + harmed)).write_bytes(os.urandom(40_000))
    assert len(invoke("runs", "list").stdout.splitlines()) == 1
    assert invoke("run", "eval.yaml").exit_code == 0
    assert finished(folder / ".waza-lsp") == [CASE.wanted] * 2


def test_a_store_of_no_bytes_is_a_new_one(folder: Path) -> None:
    cut(folder / ".waza-lsp", 0)
    assert invoke("run", "eval.yaml").exit_code == 0
    assert finished(folder / ".waza-lsp") == [CASE.wanted]


def test_a_log_that_is_gone_costs_what_only_it_had(folder: Path) -> None:
    store = folder / ".waza-lsp"
    # As after a kill: the last run stands in the log alone.
    with RunStore(store) as held:
        invoke("run", "eval.yaml")
        copy = folder / "killed"
        shutil.copytree(store, copy)
        assert held.runs()
    (copy / f"{FILE_NAME}-wal").unlink()
    assert len(invoke("runs", "list", "--store", str(copy)).stdout.splitlines()) == 1
    assert invoke("run", "eval.yaml", "--store", str(copy)).exit_code == 0


@pytest.fixture
def held(folder: Path) -> Iterator[sqlite3.Connection]:
    """Another program has the database for itself."""
    connection = sqlite3.connect(
        folder / ".waza-lsp" / FILE_NAME, isolation_level=None, check_same_thread=False
    )
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute("BEGIN EXCLUSIVE")
    connection.execute("UPDATE runs SET score = score")
    yield connection
    connection.close()


def test_a_lock_that_is_short_is_waited_for(folder: Path, held: sqlite3.Connection) -> None:
    alarm = threading.Timer(0.3, held.close)
    alarm.start()
    result = invoke("run", "eval.yaml")
    alarm.join()
    assert (result.exit_code, "run store" in result.stderr) == (0, False)
    assert finished(folder / ".waza-lsp") == [CASE.wanted] * 2


def test_a_lock_that_is_long_is_named_and_costs_no_run(
    folder: Path, held: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("waza_engine.runs.store.store.PATIENCE_SECONDS", 0.2)
    monkeypatch.setattr("waza_engine.runs.live.PATIENCE_SECONDS", 0.2)
    result = invoke("run", "eval.yaml")
    assert (result.exit_code, "4 of 4 tasks passed" in result.stdout) == (2, True)
    assert "database is locked. Wait until the other program is done" in result.stderr
    assert "warning: The run store still cannot be written" in result.stderr
    [saved] = (folder / ".waza-lsp").glob("unsaved-*.json")
    assert f"All results are in {saved}. Report them with: waza-lsp merge {saved}" in result.stderr
    merged = invoke("merge", str(saved))
    assert (merged.exit_code, "4 of 4 tasks passed" in merged.stdout) == (0, True), merged.output
    later = invoke("runs", "list")
    assert (later.exit_code, "Wait until the other program is done" in later.stderr) == (2, True)
    held.close()
    assert invoke("run", "eval.yaml").exit_code == 0
    assert finished(folder / ".waza-lsp") == [CASE.wanted] * 2


async def test_what_could_not_be_stored_is_stored_when_the_lock_is_gone(
    folder: Path, held: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench, executor = _bench(folder, monkeypatch, patience=0.1)

    async def perform(request: TrialRequest) -> Trajectory:
        if request.task.id == "c":
            held.close()
        return said("hello")

    executor.perform = perform
    bench.store = RunStore(folder / ".waza-lsp", may_come_later=True)
    record = await bench.run(bench.suite(*map(task, "abcd")), executor)
    bench.store.close()
    assert record.status == "passed"
    notes = [it for it in bench.events if isinstance(it, Note)]
    assert [it.level for it in notes] == ["warning", "info"]
    assert "Finished trials stay in memory" in notes[0].message
    assert "all finished trials are in it" in notes[1].message
    assert finished(folder / ".waza-lsp")[-1] == [(index, 1) for index in range(4)]


@pytest.mark.usefixtures("held")
def test_a_store_that_must_be_there_is_not_opened_later(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("waza_engine.runs.store.store.PATIENCE_SECONDS", 0.1)
    with pytest.raises(BusyError):
        RunStore(folder / ".waza-lsp")


async def test_a_disk_that_gets_room_again_gets_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench, executor = _bench(tmp_path, monkeypatch, patience=0.1)
    bench.store = RunStore(tmp_path / "store")
    limit = bench.store.file.connection

    async def perform(request: TrialRequest) -> Trajectory:
        if request.task.id == "b":
            pages = limit.execute("PRAGMA page_count").fetchone()[0]
            limit.execute(f"PRAGMA max_page_count = {pages}")
        if request.task.id == "d":
            limit.execute("PRAGMA max_page_count = 100000")
        return said(os.urandom(20_000).hex())

    executor.perform = perform
    await bench.run(bench.suite(*map(task, "abcd")), executor)
    bench.store.close()
    notes = [it.message for it in bench.events if isinstance(it, Note)]
    assert ("Free some space" in notes[0], "all finished trials are in it" in notes[1], len(notes)) == (
        True,
        True,
        2,
    )
    assert finished(tmp_path / "store") == [[(index, 1) for index in range(4)]]


async def test_a_trial_that_does_not_fit_costs_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench, executor = _bench(tmp_path, monkeypatch, patience=0.1)

    async def perform(request: TrialRequest) -> Trajectory:
        # No text of UTF-8: half a character, as a broken program may print it.
        return said("\ud800" if request.task.id == "b" else "hello")

    executor.perform = perform
    with RunStore(tmp_path / "store") as bench.store:
        record = await bench.run(bench.suite(*map(task, "abc")), executor)
    assert len(record.tasks) == 3
    there = finished(tmp_path / "store")[0]
    assert {(0, 1), (2, 1)} <= set(there)


def _bench(folder: Path, monkeypatch: pytest.MonkeyPatch, patience: float) -> tuple[Bench, Scripted]:
    from waza_engine.executors.base import ExecutorOptions

    monkeypatch.setattr("waza_engine.runs.store.store.PATIENCE_SECONDS", patience)
    monkeypatch.setattr("waza_engine.runs.live.PATIENCE_SECONDS", patience)
    return Bench(folder), Scripted(ExecutorOptions(folder))


@pytest.fixture
def read_only(folder: Path) -> Iterator[Path]:
    """The folder of a suite with a run that was killed, on a disk that nobody may write."""
    place = folder / "mounted"
    shutil.copytree(folder, place, ignore=shutil.ignore_patterns("mounted"))
    with RunStore(folder / ".waza-lsp") as held:
        # With trials that are in the log only.
        invoke("run", "eval.yaml")
        shutil.copytree(folder / ".waza-lsp", place / ".waza-lsp", dirs_exist_ok=True)
        assert held.runs()
    mount = [["mount", "--bind", str(place), str(place)], ["mount", "-o", "remount,ro,bind", str(place)]]
    for it in mount:
        if subprocess.run(it, capture_output=True, check=False).returncode:
            pytest.skip("nothing can be mounted here")
    try:
        yield place
    finally:
        os.chdir(folder)
        subprocess.run(["umount", str(place)], check=True)


def test_a_read_only_workspace_is_run_with_a_store_elsewhere_and_its_runs_are_read(
    read_only: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(read_only)
    assert len(invoke("runs", "list").stdout.splitlines()) == 2
    for command in (["report", "last"], ["runs", "show"], ["runs", "history"], ["grade", "--run", "last"]):
        result = invoke(*command)
        assert (result.exit_code, result.stderr) == (0, "")
    result = invoke("run", "eval.yaml", "--output", "out.json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "error: out.json: cannot be written: Permission denied. Nothing was run" in result.stderr
    result = invoke("run", "eval.yaml")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "cannot be written: Permission denied. Nothing was run. Name another folder" in result.stderr
    elsewhere = str(read_only.parent / "elsewhere")
    assert invoke("run", "eval.yaml", "--store", elsewhere).exit_code == 0
    assert finished(Path(elsewhere)) == [CASE.wanted]


def test_what_is_known_of_a_read_only_suite_is_shown_in_the_editor(read_only: Path) -> None:
    from waza_engine.runs.history import read_history
    from waza_engine.runs.recordings.find import recordings_of

    # The paths of its runs are those of the place where it was run.
    eval_path = read_only.parent / "eval.yaml"
    assert read_history(read_only / ".waza-lsp", eval_path).keys() == set(TASKS)
    assert len(recordings_of(eval_path, "a", read_only / ".waza-lsp")) == 1


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_store_folder_that_nobody_may_write_is_read(folder: Path) -> None:
    (folder / ".waza-lsp").chmod(0o500)
    try:
        assert len(invoke("runs", "list").stdout.splitlines()) == 1
        result = invoke("run", "eval.yaml")
        assert (result.exit_code, "can be written" in result.stderr) == (0, True)
    finally:
        (folder / ".waza-lsp").chmod(0o700)


def test_a_store_that_is_damaged_while_it_is_open_is_named(folder: Path) -> None:
    with RunStore(folder / ".waza-lsp") as store:
        size = store.path.stat().st_size
        with store.path.open("r+b") as file:
            file.write(os.urandom(size))
        with pytest.raises(StoreError, match="Move"):
            store.runs()
