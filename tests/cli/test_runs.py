"""`waza-lsp runs` and `compare` on a terminal: tables."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from waza_lsp.cli import main

EVAL = """
name: demo
skill: demo-skill
config: {trials_per_task: 1, timeout_seconds: 30, executor: mock}
graders: [{type: text, name: answers, config: {contains: [mock response]}}]
tasks: [tasks/*.yaml]
"""


@pytest.fixture(autouse=True)
def two_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "a.yaml").write_text("id: a\nname: a\ninputs: {prompt: hello}\n", encoding="utf-8")
    (tmp_path / "eval.yaml").write_text(EVAL, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for name, value in (("COLUMNS", "160"), ("NO_COLOR", "1"), ("TERM", "xterm")):
        monkeypatch.setenv(name, value)
    show("run", "eval.yaml")
    show("run", "eval.yaml", "--model", "[bold]m")


def show(*arguments: str) -> list[list[str]]:
    """The words of each line that a command prints."""
    done = CliRunner().invoke(main, list(arguments))
    assert done.exit_code == 0, done.output
    return [line.split() for line in done.stdout.splitlines() if line.strip()]


def run_ids() -> list[str]:
    listed = CliRunner().invoke(main, ["runs", "list", "--format", "json"])
    return [it["run_id"] for it in json.loads(listed.stdout)]


def test_runs_are_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = show("runs", "list")
    monkeypatch.setattr("waza_lsp.cli.stored.runs.is_terminal", lambda: True)
    titles, _line, *rows = show("runs", "list")
    assert titles == ["run", "started", "(UTC)", "status", "score", "eval", "agent"]
    assert rows == plain
    assert rows[0][-1] == "[bold]m"


def test_a_comparison_is_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    newest, oldest = run_ids()
    plain = show("compare", oldest, newest)
    monkeypatch.setattr("waza_lsp.cli.stored.compare.is_terminal", lambda: True)
    first, second, titles, _line, *rows = show("compare", oldest, newest)
    assert [first, second] == plain[:2]
    assert titles == ["task", "1", "2", "delta", "status"]
    assert rows == plain[3:]
