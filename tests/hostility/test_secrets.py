"""Secrets of the user reach neither the run store nor reports, events, logs and messages; verdicts see the original text."""

import json
import logging
import shlex
import sqlite3
import sys
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.faults.endpoint import Endpoint, endpoint, vote
from waza_engine.lib.redaction import Redactor
from waza_engine.runs.run import _log_bug
from waza_lsp.cli import main
from waza_lsp.cli.console import print_err
from waza_lsp.server.startup.main import log_to

OPTION = "opt10n-s3cret"
"""Given to the agent on its command line."""
JUDGE = "judge-opaque-s3cret"
"""The key of the judge's endpoint, which quotes it."""
PLAIN = "plain-variable-s3cret"
"""A variable of the user that the agent gets and prints."""
SHAPED = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4"
"""A key that the agent found somewhere."""
SECRETS = (OPTION, JUDGE, PLAIN, SHAPED)
EVAL = """\
name: secrets
skill: s
version: "1.0"
config: {executor: command, model: m, trials_per_task: 2, timeout_seconds: 30}
metrics: [{name: task_completion, weight: 1, threshold: 0}]
graders:
  - {type: text, name: sees, config: {contains: [GHP, PLAIN, OPTION]}}
  - {type: prompt, name: judged, config: {prompt: Is it right?, model: m}}
tasks: ["tasks/*.yaml"]
"""
AGENT = """
import json, os, pathlib, sys
def say(kind, **data): print(json.dumps({"type": kind, "data": data}), flush=True)
found = " ".join(["GHP", os.environ["PLAIN_TOKEN"], sys.argv[2]])
pathlib.Path("left.txt").write_text(found)
say("tool.execution_start", toolName="bash", toolCallId="1", arguments={"command": found})
say("tool.execution_complete", toolCallId="1", success=True, result={"content": found})
say("assistant.message", content=found)
"""


@pytest.fixture(autouse=True)
def judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "one.yaml").write_text("id: one\nname: one\ninputs: {prompt: go}\n")
    text = EVAL.replace("GHP", SHAPED).replace("PLAIN", PLAIN).replace("OPTION", OPTION)
    (tmp_path / "eval.yaml").write_text(text)
    (tmp_path / "agent.py").write_text(AGENT.replace("GHP", SHAPED))
    monkeypatch.chdir(tmp_path)
    with endpoint(lambda _: vote()) as here:
        monkeypatch.setenv("OPENAI_BASE_URL", here.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", JUDGE)
        monkeypatch.setenv("PLAIN_TOKEN", PLAIN)
        monkeypatch.setenv("WAZA_LSP_PASS_ENV", "PLAIN_TOKEN")
        yield here


def command() -> str:
    return shlex.join([sys.executable, str(Path("agent.py").absolute()), "--api-key", OPTION])


def waza_lsp(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def run(*arguments: str) -> Result:
    return waza_lsp(
        *("run", "eval.yaml", "--agent-command", command(), "--agent-format", "copilot-jsonl", *arguments)
    )


def leaks(text: str | bytes) -> list[str]:
    shown = text if isinstance(text, str) else text.decode("utf-8", "replace")
    return [it for it in SECRETS if it in shown]


def written() -> Iterator[tuple[str, bytes]]:
    """Yield everything that a command wrote, packed records unpacked."""
    sources = {"agent.py", "eval.yaml"}
    for it in Path().rglob("*"):
        if it.is_file() and it.name not in sources:
            yield str(it), it.read_bytes()
    with closing(sqlite3.connect(".waza-lsp/runs.sqlite3")) as sql, sql:
        for (packed,) in sql.execute("SELECT trajectory FROM trials"):
            yield "trajectory", zlib.decompress(packed)
        for table in ("runs", "trials", "results"):
            yield table, repr(sql.execute(f"SELECT * FROM {table}").fetchall()).encode()  # noqa: S608  # our own names


REPORTS = (
    *("--junit", "j.xml", "--output", "r.json", "--github", "g.md", "--html", "p.html", "--record", "rec"),
    *("--transcript-dir", "transcripts"),
)


def test_a_run_keeps_no_secret_and_grades_the_original() -> None:
    result = run(*REPORTS)
    # The first grader passes only if it sees the secrets.
    assert result.exit_code == 0, result.output
    assert not leaks(result.output)
    found = dict(written())
    assert {name: leaks(it) for name, it in found.items() if leaks(it)} == {}
    kept = json.loads(found["trajectory"])
    assert kept["output"] == "ghp_[redacted] [redacted PLAIN_TOKEN] [redacted]"
    assert kept["files"]["left.txt"] == kept["output"]
    for arguments in (("report", "last", "--html", "again.html"), ("runs", "show", "last"), ("runs", "list")):
        assert not leaks(waza_lsp(*arguments).output)
    assert not leaks(Path("again.html").read_text())


def test_events_hold_no_secret() -> None:
    result = run("--events", "jsonl")
    assert "trial_finished" in result.stdout
    assert "[redacted PLAIN_TOKEN]" in result.stdout
    assert not leaks(result.output)


def test_an_endpoint_may_quote_the_key_that_it_refuses(judge: Endpoint) -> None:
    judge.answer = lambda _: (401, {"error": {"message": f"Incorrect API key provided: {JUDGE}"}}, {})
    result = run(*REPORTS)
    assert result.exit_code == 3
    assert "401: Incorrect API key provided: [redacted" in result.stdout
    assert not leaks(result.output)
    graded = waza_lsp("grade", "--run", "last")
    assert not leaks(graded.output)
    assert {name: leaks(it) for name, it in written() if leaks(it)} == {}


def test_a_recording_without_its_secrets_gets_no_verdict_in_place(judge: Endpoint) -> None:
    judge.answer = lambda _: (503, {"error": {"message": "down"}}, {"Retry-After": "0"})
    assert run().exit_code == 3
    judge.answer = lambda _: vote()
    graded = waza_lsp("grade", "--run", "last")
    assert "Repeat it with: waza-lsp run EVAL --resume" in graded.output
    with closing(sqlite3.connect(".waza-lsp/runs.sqlite3")) as sql, sql:
        assert sql.execute("SELECT DISTINCT status FROM trials").fetchall() == [("infrastructure",)]


def test_what_the_agent_writes_to_its_errors_is_redacted() -> None:
    Path("agent.py").write_text("import sys; sys.exit('cannot log in with ' + sys.argv[2])")
    result = run()
    assert "cannot log in with [redacted]" in result.output
    assert not leaks(result.output)
    assert {name: leaks(it) for name, it in written() if leaks(it)} == {}


def test_a_run_with_a_secret_in_its_command_needs_the_command_to_resume(judge: Endpoint) -> None:
    judge.answer = lambda _: (401, {"error": {"message": "no"}}, {})
    assert run().exit_code == 3
    judge.answer = lambda _: vote()
    refused = waza_lsp("run", "eval.yaml", "--resume")
    assert refused.exit_code == 2
    assert "Repeat the command with --agent-command" in refused.output
    assert not leaks(refused.output)
    form = ("--agent-command", command(), "--agent-format", "copilot-jsonl")
    resumed = waza_lsp("run", "eval.yaml", "--resume", *form)
    assert resumed.exit_code == 0, resumed.output


def test_the_changed_prompt_is_no_warning() -> None:
    Path("tasks/one.yaml").write_text(f"id: one\nname: one\ninputs: {{prompt: use {SHAPED}}}\n")
    assert run().exit_code == 0
    again = waza_lsp("run", "eval.yaml", "--replay-from", "last")
    assert "has changed" not in again.output


@pytest.mark.parametrize(
    "form",
    [f"'{OPTION}", f"no-such-program --api-key {OPTION} {SHAPED}", f"x --api-key {OPTION} {{unknown}}"],
)
def test_a_command_that_cannot_be_used_is_quoted_without_its_secrets(
    form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["run", "eval.yaml", "--agent-command", f"agent --api-key {form}" if form[0] == "'" else form]
    monkeypatch.setattr(sys, "argv", ["waza-lsp", *arguments])
    result = waza_lsp(*arguments)
    assert result.exit_code == 2
    assert not leaks(result.output)


def test_the_servers_log_holds_no_secret(tmp_path: Path) -> None:
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    try:
        log_to(tmp_path / "server.log")
        logging.getLogger("x").error("bug with %s", PLAIN, exc_info=ValueError(f"{JUDGE} and {SHAPED}"))
    finally:
        for it in root.handlers:
            it.close()
        root.handlers[:] = before
        root.setLevel(level)
    text = (tmp_path / "server.log").read_text()
    assert "ValueError" in text
    assert not leaks(text)


def test_the_log_of_a_bug_and_error_messages_hold_no_secret(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    redactor = Redactor.of({"A_KEY": JUDGE}, commands=[command()])
    message = _log_bug(ValueError(" ".join(SECRETS[:2])), tmp_path / "bug.log", redactor)
    print_err(f"{PLAIN} {SHAPED}")
    assert not leaks(message + (tmp_path / "bug.log").read_text() + capsys.readouterr().err)
