"""The store or the workspace is deleted, moved or replaced during a run or while the server is open."""

import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.engine.runs.bench import Bench, Scripted, said, task
from tests.faults.author import Author
from tests.faults.leftovers import finished, until, wait_for_nothing
from tests.faults.suites import TASKS, Case, performed, started
from tests.slow import first_quick
from waza_engine.executors.base import ExecutorOptions, TrialRequest
from waza_engine.model.results.records import RunRecord
from waza_engine.model.trajectory import Trajectory
from waza_engine.runs.events import Note
from waza_engine.runs.store.schema import migrate
from waza_engine.runs.store.store import FILE_NAME, RunStore

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="what is open cannot be deleted there")

ALL = [(index, 1) for index in range(4)]
NEW = "was deleted or replaced during the run. The new store holds only this run"


def delete(store: Path) -> None:
    shutil.rmtree(store)


def delete_the_database(store: Path) -> None:
    (store / FILE_NAME).unlink()


def move(store: Path) -> None:
    store.rename(store.with_name("moved"))


def replace(store: Path) -> None:
    shutil.rmtree(store)
    shutil.copytree(store.with_name("other"), store)


def put_a_file_there(store: Path) -> None:
    shutil.rmtree(store)
    store.write_text("no folder")


def delete_the_workspace(store: Path) -> None:
    shutil.rmtree(store.parent)


Harm = Callable[[Path], None]


async def run(folder: Path, harms: dict[str, Harm]) -> tuple[Bench, RunRecord]:
    """A run of four tasks; what is done to the store while a task is performed, by task."""
    store = folder / "workspace" / ".waza-lsp"
    bench, executor = Bench(folder), Scripted(ExecutorOptions(folder))

    async def perform(request: TrialRequest) -> Trajectory:
        if request.task.id in harms:
            harms[request.task.id](store)
        return said(f"hello from {request.task.id}")

    executor.perform = perform
    with RunStore(store) as bench.store:
        record = await bench.run(bench.suite(*map(task, TASKS)), executor)
        # Reports are written now, and look at all trials again.
        outputs = [trial.trajectory.output for it in record.tasks for trial in it.trials]
        assert outputs == [f"hello from {it}" for it in TASKS]
    assert record.status == "passed"
    return bench, record


def notes(bench: Bench) -> list[str]:
    return [f"{it.level}: {it.message}" for it in bench.events if isinstance(it, Note)]


@pytest.mark.parametrize("harm", [delete, delete_the_database, move, replace])
@pytest.mark.parametrize("when", ["a", "c", "d"])
async def test_what_is_finished_is_in_the_store_that_is_there_now(
    tmp_path: Path, harm: Harm, when: str
) -> None:
    other = tmp_path / "workspace" / "other"
    with RunStore(other):
        pass
    bench, _ = await run(tmp_path, {when: harm})
    store = tmp_path / "workspace" / ".waza-lsp"
    assert finished(store) == [ALL]
    assert notes(bench) == [f"warning: The run store {store / FILE_NAME} {NEW}"]
    with RunStore(store) as there:
        [stored] = there.runs()
        assert (stored.status, stored.run_id) == ("passed", "run-1")
        assert [it.record.trajectory.output for it in there.trials("run-1")] == [
            f"hello from {it}" for it in TASKS
        ]


async def test_the_store_may_be_deleted_repeatedly(tmp_path: Path) -> None:
    bench, _ = await run(tmp_path, dict.fromkeys(TASKS, delete))
    assert finished(tmp_path / "workspace" / ".waza-lsp") == [ALL]
    assert len(notes(bench)) == 4


async def test_each_verdict_is_stored_once(tmp_path: Path) -> None:
    await run(tmp_path, {"b": delete, "d": move})
    for it in (".waza-lsp", "moved"):
        connection = sqlite3.connect(tmp_path / "workspace" / it / FILE_NAME)
        rows = connection.execute(
            "SELECT count(*) FROM results JOIN trials ON trials.id = trial_id"
        ).fetchone()
        trials = connection.execute("SELECT count(*) FROM trials").fetchone()
        connection.close()
        assert trials == ((4,) if it == ".waza-lsp" else (3,))
        assert rows[0] % trials[0] == 0


async def test_where_no_store_can_be_made_all_is_kept_in_memory_and_said(tmp_path: Path) -> None:
    bench, _ = await run(tmp_path, {"b": put_a_file_there})
    store = tmp_path / "workspace" / ".waza-lsp"
    told = notes(bench)
    assert len(told) == 2
    assert f"Move the file away that blocks the folder {store}" in told[0]
    assert "Finished trials stay in memory" in told[0]
    assert "still cannot be written" in told[1]


async def test_what_was_kept_is_stored_once_that_is_possible(tmp_path: Path) -> None:
    bench, _ = await run(tmp_path, {"b": put_a_file_there, "d": Path.unlink})
    assert finished(tmp_path / "workspace" / ".waza-lsp") == [ALL]
    assert [it.split(":")[0] for it in notes(bench)] == ["warning", "warning", "info"]


async def test_a_workspace_that_was_deleted_is_not_made_again(tmp_path: Path) -> None:
    bench, _ = await run(tmp_path, {"c": delete_the_workspace})
    assert not (tmp_path / "workspace").exists()
    assert f"Check that {tmp_path / 'workspace'} exists" in notes(bench)[0]


def test_a_store_deleted_while_opened_is_created_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = list[str]()

    def deleted_first(connection: sqlite3.Connection, patience: float) -> None:
        if len(said) < 2:
            shutil.rmtree(tmp_path / "store")
            with pytest.raises(sqlite3.OperationalError) as raised:
                migrate(connection, patience)
            said.append(raised.value.sqlite_errorname)
            raise raised.value
        migrate(connection, patience)

    monkeypatch.setattr("waza_engine.runs.store.file.migrate", deleted_first)
    with RunStore(tmp_path / "store") as there:
        assert there.runs() == []
    assert said == 2 * ["SQLITE_IOERR_FSTAT"]


def test_a_store_that_nobody_may_look_into_is_written_as_before(tmp_path: Path) -> None:
    # Asked of the module: root may look into everything.
    from waza_engine.runs.store import file

    class Closed(type(tmp_path)):  # type: ignore[misc]  # whichever path this system has
        def stat(self, **_: object) -> os.stat_result:
            raise PermissionError(13, "Permission denied")

    assert file.is_file_at(Closed(tmp_path), (1, 2))
    assert file.is_file_at(tmp_path, file.file_identity(tmp_path))
    assert not file.is_file_at(tmp_path / "none", (1, 2))


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Callable[..., "subprocess.Popen[str]"]]:
    """Has a run go on in `workspace`: one of its agents has ended, another one waits for the file `gate`."""
    case, folder = Case("waza", "command", trials=1, workers=1), tmp_path / "workspace"
    case.written(folder)
    agent = tmp_path / "agent.sh"
    (folder / "agent.sh").rename(agent)
    gate = f'[ "$WAZA_LSP_TASK" = a ] || while [ ! -e "{tmp_path}/gate" ]; do sleep 0.01; done'
    text = agent.read_text().replace("sleep 3600 &\n", gate + "\n")
    agent.write_text(text.replace(str(folder / "log"), str(tmp_path / "log")))
    begun: list[subprocess.Popen[str]] = []

    def go(*options: str) -> "subprocess.Popen[str]":
        arguments = ("run", "eval.yaml", "--agent-command", str(agent), *options)
        begun.append(started(folder, *arguments, temporary=tmp_path / "tmp"))
        until(lambda: performed(tmp_path) == 2 or begun[0].poll() is not None)
        return begun[0]

    yield go
    for it in begun:
        it.kill()
        it.communicate()


HARMS = [delete, put_a_file_there, delete_the_workspace]


@pytest.mark.parametrize("harm", first_quick(HARMS))
def test_the_report_comes_whatever_became_of_the_store(
    tmp_path: Path, begin: Callable[..., "subprocess.Popen[str]"], harm: Harm
) -> None:
    process, store = begin(), tmp_path / "workspace" / ".waza-lsp"
    harm(store)
    (tmp_path / "gate").touch()
    output, errors = process.communicate(timeout=60)
    assert "Traceback" not in errors
    # The programs of graders are started in the folder of the suite.
    passed = 1 if harm is delete_the_workspace else 4
    status = 0 if harm is delete else 2
    assert (process.returncode, f"{passed} of 4 tasks passed" in output) == (status, True), errors
    assert finished(store) == [ALL] if harm is delete else "still cannot be written" in errors
    if harm is not delete:
        [saved] = re.findall(r"All results are in (.*?\.json)\. Report", errors)
        assert len(json.loads(Path(saved).read_text())["tasks"]) == 4
        if Path(saved).is_relative_to(tmp_path / "tmp"):
            shutil.rmtree(Path(saved).parent)
    wait_for_nothing(tmp_path / "tmp")


@pytest.mark.slow
@pytest.mark.parametrize("harm", HARMS)
def test_a_cancelled_run_says_what_is_really_kept(
    tmp_path: Path, begin: Callable[..., "subprocess.Popen[str]"], harm: Harm
) -> None:
    process = begin()
    harm(tmp_path / "workspace" / ".waza-lsp")
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert "Traceback" not in errors
    kept = (
        "Cancelled: 1 finished trial kept"
        if harm is delete
        else "Cancelled. The run store has no finished trial of this run"
    )
    assert (process.returncode, kept in errors) == (130, True), errors
    for it in (tmp_path / "tmp").glob("waza-lsp-unsaved-*"):
        shutil.rmtree(it)
    wait_for_nothing(tmp_path / "tmp")


@pytest.mark.parametrize("is_cancelled", [False, True])
def test_a_store_elsewhere_outlives_the_workspace(
    tmp_path: Path, begin: Callable[..., "subprocess.Popen[str]"], *, is_cancelled: bool
) -> None:
    process = begin("--store", str(tmp_path / "elsewhere"), "--output", "results.json")
    delete_the_workspace(tmp_path / "workspace" / ".waza-lsp")
    if is_cancelled:
        process.send_signal(signal.SIGINT)
    (tmp_path / "gate").touch()
    _, errors = process.communicate(timeout=60)
    assert "Traceback" not in errors
    assert "error: results.json: cannot be written: No such file or directory" in errors
    assert process.returncode == (130 if is_cancelled else 2), errors
    assert finished(tmp_path / "elsewhere") == [ALL[:1] if is_cancelled else ALL]
    assert not (tmp_path / "workspace").exists()


@pytest.fixture
def author(tmp_path: Path) -> Iterator[Author]:
    """Somebody in whose editor a suite is open, that was run once."""
    Case("waza", "mock", trials=1).written(tmp_path)
    found = Author(tmp_path, random.Random(1))  # noqa: S311  # not used here
    found.greet()
    found.everything_works()
    yield found
    found.close()


@pytest.mark.slow
def test_the_server_goes_on_without_the_store_that_it_knew(tmp_path: Path, author: Author) -> None:
    [[before]] = [[*it] for it in author.told.values()]
    delete(tmp_path / ".waza-lsp")
    author.everything_works()
    author.leave()
    author.wire.wait()
    assert finished(tmp_path / ".waza-lsp") == [[(0, 1)]]
    assert before == (TASKS[0], 1)


@pytest.mark.slow
def test_the_server_says_what_stands_in_the_place_of_the_store(tmp_path: Path, author: Author) -> None:
    put_a_file_there(tmp_path / ".waza-lsp")
    author.bears.append("the run store cannot be written: Not a directory. Nothing was run")
    author.command("waza.runTask", task=TASKS[0])
    author.wait(lambda: any(author.bears[-1] in it for it in author.said), "nothing is said of the store")
    author.all_answered()
    (tmp_path / ".waza-lsp").unlink()
    author.everything_works()
    author.leave()
    author.wire.wait()


@pytest.mark.slow
def test_the_server_outlives_its_workspace(tmp_path: Path, author: Author) -> None:
    for it in tmp_path.iterdir():
        if it.name not in {"tmp", "cache"}:
            shutil.rmtree(it) if it.is_dir() else it.unlink()
    author.bears.append("eval.yaml is not on disk; save it first.")
    number = author.command("waza.runTask", task=TASKS[0])
    author.all_answered()
    assert author.answers[number] is None
    assert author.bears[-1] in author.said
    for _ in range(20):
        author.act()
    author.leave()
    author.wire.wait()
    assert not (tmp_path / ".waza-lsp").exists()
