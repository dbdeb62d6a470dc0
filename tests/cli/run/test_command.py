"""`waza-lsp run` from the outside: text, JSON, files, exit status, cancelling."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from contextlib import closing
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.slow import first_quick
from waza_engine.runs.store.store import FILE_NAME, RunStore
from waza_lsp.cli.run.command import run

EVAL = """
name: demo
skill: demo-skill
config:
  trials_per_task: 1
  timeout_seconds: 30
  executor: mock
graders:
  - type: text
    name: answers
    config:
      contains: [mock response]
tasks: [tasks/*.yaml]
"""


@pytest.fixture(autouse=True)
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A suite of two tasks, of which the second fails."""
    write(tmp_path / "eval.yaml", EVAL)
    add_task(tmp_path, "good")
    add_task(tmp_path, "poor", "graders: [{type: text, name: polite, config: {contains: [please]}}]")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "eval.yaml"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(text).lstrip(), encoding="utf-8")
    return path


def add_task(folder: Path, task_id: str, more: str = "") -> None:
    lines = [
        f"id: {task_id}",
        f"name: {task_id.title()} task",
        "inputs: {prompt: hello}",
        f"tags: [{task_id[0]}]",
        more,
    ]
    write(folder / "tasks" / f"{task_id}.yaml", "\n".join(lines) + "\n")


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(run, ["eval.yaml", *arguments])


def test_the_summary_says_what_failed() -> None:
    result = invoke()
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "PASS  good  score 1.00",
        "FAIL  poor  score 0.50",
        "      polite 0.00  tasks/poor.yaml:5",
        '        "please" not found in the output',
        "          starts with: 'Mock response for: hello Task: Poor task'",
        next(it for it in result.stdout.splitlines() if it.startswith("See more: waza-lsp trace 20")),
        result.stdout.splitlines()[-1],
    ]
    assert result.stdout.splitlines()[-1].startswith("FAILED: 1 of 2 tasks passed, score 0.75")
    assert "Running 2 tasks" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["--task", "good"], 0),
        (["--tag", "g"], 0),
        (["--task", "Poor *"], 1),
        (["--task", "nothing"], 2),
        (["--executor", "copilot-sdk"], 2),
        (["--executor", "unheard-of"], 2),
        (["--executor", "replay"], 2),
        (["--trials", "0"], 2),
        (["--output", "tasks"], 2),
        (["--events", "xml"], 2),
    ],
)
def test_exit_status(arguments: list[str], status: int) -> None:
    result = invoke(*arguments)
    assert result.exit_code == status, result.output
    assert "Traceback" not in result.output


def test_what_to_do_is_said_about_an_executor_that_is_not_there() -> None:
    result = invoke("--executor", "codex")
    assert "--executor command --agent-command 'codex exec " in result.stderr
    assert result.stdout == ""


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "copilot", None)
    monkeypatch.setitem(sys.modules, "acp", None)
    for executor, package in (("copilot-sdk", "github-copilot-sdk"), ("acp", "agent-client-protocol")):
        result = invoke("--executor", executor)
        assert (result.exit_code, f"-m pip install {package}==" in result.stdout) == (2, True)


@pytest.mark.parametrize(
    ("file", "text", "where"),
    [
        ("eval.yaml", EVAL.replace("contains", "containz"), r"eval\.yaml:11:7: error: .*containz"),
        ("eval.yaml", EVAL.replace("trials_per_task: 1", "trials_per_task: 0"), r"eval\.yaml:4:20: error: "),
        ("eval.yaml", "a: [1\n", r"eval\.yaml:2:1: error: "),
        ("eval.yaml", EVAL.replace("tasks/*", "missing/*"), r"eval\.yaml:\d+:\d+: error: "),
        ("tasks/good.yaml", "id: good\nname: x\nprompt: hello\n", r"tasks/good\.yaml:3:\d+: error: "),
        ("tasks/good.yaml", "id: good\ninputs:\n  prompt: 'open\n", r"tasks/good\.yaml:\d+:\d+: error: "),
    ],
)
def test_a_file_that_cannot_be_used_is_named_with_its_place(
    tmp_path: Path, file: str, text: str, where: str
) -> None:
    write(tmp_path / file, text)
    result = invoke()
    assert (result.exit_code, result.stdout) == (2, "")
    assert re.match(where, result.stderr), result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_files_that_are_no_evals_are_refused_without_a_traceback(tmp_path: Path) -> None:
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00")
    for name in ("missing.yaml", "binary.yaml"):
        result = CliRunner().invoke(run, [name])
        assert (result.exit_code, "error: " in result.stderr) == (2, True)
        assert "Traceback" not in result.output


def test_reports_are_written(tmp_path: Path) -> None:
    result = invoke("--output", "out/results.json", "--junit", "junit.xml", "--html", "run.html")
    assert result.exit_code == 1
    data = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    assert [it["status"] for it in data["tasks"]] == ["passed", "failed"]
    assert ET.parse(tmp_path / "junit.xml").getroot().get("failures") == "1"  # noqa: S314  # our own file
    assert (tmp_path / "run.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_flags_beat_the_file(tmp_path: Path) -> None:
    invoke("--trials", "3", "--workers", "2", "--model", "m1", "--judge-model", "j1", "--output", "r.json")
    data = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert data["config"] == {
        "runs_per_test": 3,
        "model_id": "m1",
        "engine_type": "mock",
        "timeout_sec": 30,
        "judge_model": "j1",
    }
    assert [len(it["runs"]) for it in data["tasks"]] == [3, 3]


def events(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_events_are_all_there_is_on_stdout(suite: Path) -> None:
    result = invoke("--events", "jsonl", "--trials", "2")
    told = events(result.stdout)
    assert [it["event"] for it in told] == [
        "run_started",
        *["task_started", *["trial_started", "trial_finished"] * 2, "task_finished"] * 2,
        "run_finished",
    ]
    assert len({it["run_id"] for it in told}) == 1
    grader = next(it for it in told if it["event"] == "trial_finished")["graders"][0]
    assert (grader["name"], grader["status"], grader["score"]) == ("answers", "passed", 1.0)
    assert (grader["path"], grader["pointer"]) == (str(suite), ["graders", 0])
    assert (told[-1]["status"], told[-1]["exit_status"], told[-1]["failed"]) == ("failed", 1, 1)
    assert result.stderr == ""


def test_a_run_is_stored_beside_the_eval_or_where_asked(tmp_path: Path) -> None:
    invoke()
    invoke("--store", "elsewhere")
    for folder in (".waza-lsp", "elsewhere"):
        with RunStore(tmp_path / folder) as store:
            assert [it.status for it in store.runs()] == ["failed"]
            assert len(store.trials(store.runs()[0].run_id)) == 2


def test_a_broken_store_does_not_stop_a_run(tmp_path: Path) -> None:
    write(tmp_path / ".waza-lsp" / FILE_NAME, "this is no database\n" * 100)
    result = invoke("--task", "good")
    assert result.exit_code == 0
    assert "This run is not stored" in result.stderr


def test_a_recorded_run_can_be_replayed(tmp_path: Path) -> None:
    write(tmp_path / "trigger_tests.yaml", "skill: demo-skill\nshould_trigger_prompts: [{prompt: do it}]\n")
    assert invoke("--record", "kept", "--trials", "2").exit_code == 1
    assert sorted(it.name for it in (tmp_path / "kept").iterdir()) == [
        *["good.2.json", "good.json", "poor.2.json", "poor.json", "triggers.json"]
    ]
    replayed = invoke("--executor", "replay", "--recordings", "kept", "--output", "r.json")
    assert replayed.exit_code == 1
    data = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert data["tasks"][0]["runs"][0]["final_output"].startswith("Mock response for: hello")
    assert data["trigger_metrics"]["accuracy"] == 1.0


def test_a_missing_recording_is_an_error_of_its_trial(tmp_path: Path) -> None:
    write(tmp_path / "recordings" / "good.json", '{"output": "mock response"}')
    result = invoke("--executor", "replay")
    assert result.exit_code == 1
    assert "PASS  good" in result.stdout
    assert f"neither {tmp_path / 'recordings' / 'poor.1.json'}" in result.stdout


SLOW = "graders: [{type: program, name: slow, config: {command: sleep, args: ['60'], timeout: 120}}]"


def start(*arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "waza_lsp", "run", "eval.yaml", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def read_until(process: "subprocess.Popen[str]", event: str, task: str) -> list[dict[str, Any]]:
    assert process.stdout is not None
    told: list[dict[str, Any]] = []
    for line in process.stdout:
        told.append(json.loads(line))
        if told[-1]["event"] == event and told[-1]["task"] == task:
            return told
    raise AssertionError(f"no {event} of {task}: {told}")


@pytest.mark.parametrize("number", first_quick([signal.SIGINT, signal.SIGTERM]))
def test_a_signal_ends_the_run_at_once_and_keeps_what_is_finished(
    tmp_path: Path, number: signal.Signals
) -> None:
    add_task(tmp_path, "slow", SLOW)
    process = start("--events", "jsonl")
    read_until(process, "trial_started", "slow")
    time.sleep(0.5)  # the grader is a child by now
    child = children_of(process.pid)
    assert child
    process.send_signal(number)
    before = time.monotonic()
    rest, _ = process.communicate(timeout=10)
    assert time.monotonic() - before < 1
    assert process.returncode == 130
    last = events(rest)
    assert [it["event"] for it in last] == ["trial_finished", "task_finished", "run_finished"]
    assert (last[-1]["status"], last[-1]["total"]) == ("cancelled", 2)
    wait_until_gone(child)
    with RunStore(tmp_path / ".waza-lsp") as store:
        assert [it.record.task for it in store.trials(store.runs()[0].run_id)] == ["good", "poor"]


def wait_until_gone(processes: list[int]) -> None:
    """The guard of the children ends by itself, a moment after us."""
    deadline = time.monotonic() + 2
    while any(map(is_alive, processes)):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_alive(pid: int) -> bool:
    # The first process of a container may take seconds to collect those that have ended.
    return state_of(Path(f"/proc/{pid}/stat"))[0] != "Z"


def children_of(pid: int) -> list[int]:
    paths = Path("/proc").glob("[0-9]*/stat")
    return [int(it.parent.name) for it in paths if state_of(it)[1] == str(pid)]


def state_of(path: Path) -> list[str]:
    """The state and the parent of a process."""
    try:
        return path.read_text().rpartition(")")[2].split()[:2]
    except OSError:
        return ["Z", ""]


def test_a_killed_run_leaves_a_store_that_can_be_read(tmp_path: Path) -> None:
    add_task(tmp_path, "slow", SLOW)
    process = start("--events", "jsonl")
    read_until(process, "trial_started", "slow")
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    with RunStore(tmp_path / ".waza-lsp") as store:
        only = store.runs()[0]
        assert (only.status, only.finished_at) == (None, None)
        assert [it.record.task for it in store.trials(only.run_id)] == ["good", "poor"]
    with closing(sqlite3.connect(tmp_path / ".waza-lsp" / FILE_NAME)) as sql:
        assert sql.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.slow
def test_a_killed_run_takes_its_hook_along(tmp_path: Path) -> None:
    write(tmp_path / "eval.yaml", EVAL + "hooks: {before_run: [{command: sleep 61}]}\n")
    process = start("--events", "jsonl")
    deadline = time.monotonic() + 20
    while not (hooks := [it for it in children_of(process.pid) if b"sleep" in command_of(it)]):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    time.sleep(0.2)  # the guard has been told of it
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    wait_until_gone(hooks)


def command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


@pytest.mark.slow
def test_a_run_ends_when_nobody_reads_its_events(tmp_path: Path) -> None:
    for number in range(30):
        add_task(tmp_path, f"more-{number}")
    process = start("--events", "jsonl", "--trials", "50")
    read_until(process, "trial_started", "good")
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait(timeout=20) == 130
    assert process.stderr is not None
    assert "Traceback" not in process.stderr.read()
    process.stderr.close()
