"""What can go wrong around a run: each has a clear message, the right exit status, and leaves the rest unharmed."""

import json
import os
import shlex
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest
from click.testing import CliRunner, Result

from waza_engine.runs.store.store import FILE_NAME, RunStore
from waza_lsp.cli import main

EVAL = """
name: demo
skill: demo-skill
config: {trials_per_task: 1, timeout_seconds: 30, executor: mock}
graders: [{type: text, name: answers, config: {contains: [mock response]}}]
tasks: [tasks/*.yaml]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write(tmp_path / "eval.yaml", EVAL)
    for name in ("a", "b"):
        write(tmp_path / "tasks" / f"{name}.yaml", f"id: {name}\nname: {name}\ninputs: {{prompt: hello}}\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(text).lstrip(), encoding="utf-8")


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(main, ["run", "eval.yaml", *arguments])
    assert "Traceback" not in result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def test_a_missing_input_file_is_a_warning_and_the_agent_works_without_it(folder: Path) -> None:
    write(folder / "tasks" / "a.yaml", "id: a\ninputs: {prompt: hello, files: [{path: gone.txt}]}\n")
    result = run()
    assert (result.exit_code, "2 of 2 tasks passed" in result.stdout) == (0, True)
    assert (
        f"warning: a: inputs.files[0]: 'gone.txt' cannot be read from {folder / 'fixtures'}" in result.stderr
    )


def test_a_missing_fixture_is_an_error_of_its_task_alone(folder: Path) -> None:
    write(folder / "tasks" / "a.yaml", "id: a\ninputs: {prompt: hello, context: {fixture: gone}}\n")
    result = run()
    assert result.exit_code == 1
    assert "error: 'inputs.context.fixture': there is no 'gone'" in result.stdout
    assert "PASS  b" in result.stdout


@pytest.mark.parametrize(
    ("hooks", "status", "told"),
    [
        (
            "before_run: [{command: 'false', error_on_fail: true}]",
            2,
            "ERROR: hooks.before_run[0] (false) ended",
        ),
        (
            "before_run: [{command: no-such-program}]",
            0,
            "warning: hooks.before_run[0] (no-such-program) could not",
        ),
        ("before_task: [{command: 'false', error_on_fail: true}]", 1, "hooks.before_task[0] (false) ended"),
        (
            "after_run: [{command: 'false', error_on_fail: true}]",
            0,
            "warning: hooks.after_run[0] (false) ended",
        ),
        ("before_run: [{command: 'true', working_directory: nowhere}]", 0, "nowhere does not exist"),
    ],
)
def test_a_failing_hook(folder: Path, hooks: str, status: int, told: str) -> None:
    write(folder / "eval.yaml", f"{EVAL}hooks: {{{hooks}}}\n")
    result = run()
    assert (result.exit_code, told in result.output) == (status, True), result.output


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--executor", "command"], "--agent-command 'my-agent --print {prompt}'"),
        (
            ["--executor", "command", "--agent-command", "no-such-agent"],
            "Agent program 'no-such-agent' not found",
        ),
        (["--executor", "command", "--agent-command", "'open"], "cannot be split"),
        (["--executor", "nonsense"], "Unknown executor 'nonsense'. Use"),
        (["--executor", "mok"], "Unknown executor 'mok'. Did you mean 'mock'? Use"),
        (["--executor", "replay"], "Recordings folder"),
        (["--dask", "tcp://127.0.0.1:1", "--replay-from", "last"], "cannot be used with --dask"),
    ],
)
def test_an_executor_that_cannot_start(arguments: list[str], told: str) -> None:
    result = run(*arguments)
    assert (result.exit_code, told in result.output) == (2, True), result.output
    assert "See more" not in result.output  # The run is not in the store.


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ["evals.yaml"],
            "evals.yaml: error: The file cannot be read: No such file or directory. Did you mean 'eval.yaml'?",
        ),
        (["eval.yaml", "--task", "roll-bakc"], "Did you mean 'roll-back'? A pattern"),
        (["eval.yaml", "--task", "tasks/roll-back.yaml"], "Did you mean 'roll-back'? A pattern"),
        (["eval.yaml", "--task", "Something else"], "--task Something else. A pattern"),
    ],
)
def test_a_misspelt_eval_or_task_is_named_with_what_is_near(
    folder: Path, arguments: list[str], told: str
) -> None:
    write(folder / "tasks" / "c.yaml", "id: roll-back\nname: c\ninputs: {prompt: hello}\n")
    result = CliRunner().invoke(main, ["run", *arguments])
    assert (result.exit_code, told in result.stderr) == (2, True), result.stderr


def test_extras_that_are_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    for option, package in ((["--dask", "tcp://x:1"], "distributed"), (["--otel"], "opentelemetry-exporter")):
        result = run(*option)
        assert (result.exit_code, f"-m pip install {package}" in result.stderr) == (2, True)


def test_an_agent_without_authorisation_says_so_and_the_rest_goes_on(folder: Path) -> None:
    agent = folder / "agent.sh"
    agent.write_text(
        '#!/bin/sh\n[ "$WAZA_LSP_TASK" = a ] && { echo "401: not signed in" >&2; exit 4; }\necho mock response\n',
        encoding="utf-8",
    )
    agent.chmod(agent.stat().st_mode | stat.S_IXUSR)
    result = run("--executor", "command", "--agent-command", shlex.quote(str(agent)))
    assert result.exit_code == 1
    assert "error: The agent ended with exit code 4: 401: not signed in" in result.stdout
    assert "PASS  b" in result.stdout


@pytest.mark.parametrize("damage", ["text", "newer"])
def test_a_store_that_cannot_be_used_does_not_stop_a_run(folder: Path, damage: str) -> None:
    store = folder / ".waza-lsp"
    match damage:
        case "text":
            write(store / FILE_NAME, "this is no database\n" * 100)
        case _:
            RunStore(store).close()
            connection = sqlite3.connect(store / FILE_NAME)
            connection.execute("PRAGMA user_version = 999")
            connection.close()
    result = run("--output", "out.json")
    assert (result.exit_code, "2 of 2 tasks passed" in result.stdout) == (0, True)
    assert "This run is not stored" in result.stderr
    assert "--store DIR" in result.stderr
    assert len(json.loads((folder / "out.json").read_text())["tasks"]) == 2
    for command in (["report"], ["runs", "list"], ["run", "eval.yaml", "--resume"]):
        later = CliRunner().invoke(main, command)
        assert later.exit_code == 2
        assert isinstance(later.exception, SystemExit)


@pytest.mark.parametrize("options", [[], ["--store", "elsewhere/store"]])
@pytest.mark.parametrize(
    ("place", "reason"), [("", "Not a directory"), (FILE_NAME, "Is a directory"), ("", "Permission denied")]
)
def test_a_store_that_cannot_be_written_is_noticed_before_the_run(
    folder: Path, options: list[str], place: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = folder / (options[1] if options else ".waza-lsp")
    if place:
        (store / place).mkdir(parents=True)
    elif reason == "Not a directory":
        (folder / store.relative_to(folder).parts[0]).write_text("a file in its place", encoding="utf-8")
    else:
        RunStore(store).close()
        monkeypatch.setattr(os, "access", lambda path, _mode: Path(path) != store / FILE_NAME)
    result = run(*options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"error: {store / FILE_NAME}: the run store cannot be written: {reason}. Nothing was run. "
        "Name another folder with --store DIR\n"
    )
    assert run("--store", "free/store").exit_code == 0
    assert (folder / "free" / "store" / FILE_NAME).is_file()


def test_a_damaged_trial_is_named_when_it_is_looked_at(folder: Path) -> None:
    run()
    connection = sqlite3.connect(folder / ".waza-lsp" / FILE_NAME)
    connection.execute("UPDATE trials SET trajectory = x'00' WHERE task_id = 'b'")
    connection.commit()
    connection.close()
    result = CliRunner().invoke(main, ["report", "last", "--html", "x.html"])
    assert (result.exit_code, "cannot be used" in result.output) == (2, True)
    assert isinstance(result.exception, SystemExit)
    assert run("--task", "a").exit_code == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of 200 kB."""
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(place)], capture_output=True, check=False
    )
    if sys.platform != "linux" or mounted.returncode:
        pytest.skip("no small disk can be mounted here")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk_costs_what_does_not_fit_and_nothing_else(small_disk: Path) -> None:
    result = run("--trials", "60", "--store", str(small_disk), "--output", str(small_disk / "out.json"))
    assert result.exit_code == 2
    assert "2 of 2 tasks passed" in result.stdout
    assert "database or disk is full. Free some space" in result.stderr
    assert "Finished trials stay in memory" in result.stderr
    assert "out.json: cannot be written: No space left on device" in result.stderr
    assert CliRunner().invoke(main, ["runs", "list", "--store", str(small_disk)]).exit_code == 0


def test_a_store_that_is_full_is_not_to_be_deleted(folder: Path) -> None:
    from waza_engine.runs.run_header import RunFrame
    from waza_engine.runs.store.store import StoreError

    with RunStore(folder / "store") as store:
        pages = store.file.connection.execute("PRAGMA page_count").fetchone()[0]
        store.file.connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreError, match="Free some space") as error:
            store.start_run("r", folder / "eval.yaml", RunFrame("x" * 10_000_000), started_at=1.0)
    assert "Delete" not in str(error.value)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_nobody_may_write_is_named(folder: Path) -> None:
    (folder / "locked").mkdir(mode=0o500)
    result = run("--store", "locked/store")
    assert (result.exit_code, "cannot be written: Permission denied" in result.stderr) == (2, True)


def test_a_named_pipe_among_the_tasks_is_told_at_once(folder: Path) -> None:
    os.mkfifo(folder / "tasks" / "p.yaml")
    result = CliRunner().invoke(main, ["run", "eval.yaml"])
    assert result.exit_code == 2
    assert result.stderr == "tasks/p.yaml: error: The file cannot be read: it is not a regular file\n"
