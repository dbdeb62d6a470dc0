"""`waza-lsp review`: verdicts of people."""

import getpass
from pathlib import Path
from typing import NoReturn

import pytest
from click.testing import CliRunner

from waza_lsp.cli import main

EVAL = """
name: demo
skill: s
config: {executor: mock, model: m, trials_per_task: 1, timeout_seconds: 9}
graders: [{type: human, name: polite, config: {criteria: [Is it polite?]}}]
tasks: [task.yaml]
"""


def test_who_reviews_must_be_said_where_the_system_does_not_know(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "eval.yaml").write_text(EVAL, encoding="utf-8")
    (tmp_path / "task.yaml").write_text("id: a\nname: a\ninputs: {prompt: hi}\n", encoding="utf-8")
    CliRunner().invoke(main, ["run", "eval.yaml"])

    def nobody() -> NoReturn:
        raise KeyError("getpwuid(): uid not found: 4711")

    monkeypatch.setattr(getpass, "getuser", nobody)
    given = ["review", "submit", "a", "polite", "--passed"]
    unknown = CliRunner().invoke(main, given)
    assert (unknown.exit_code, "--reviewer NAME" in unknown.stderr) == (2, True)
    assert CliRunner().invoke(main, [*given, "--reviewer", "me"]).exit_code == 0


def test_a_review_counts_wherever_the_run_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "eval.yaml").write_text(EVAL, encoding="utf-8")
    (tmp_path / "task.yaml").write_text("id: a\nname: a\ninputs: {prompt: hi}\n", encoding="utf-8")

    def said(*arguments: str) -> str:
        return CliRunner().invoke(main, list(arguments)).stdout

    told = said("run", "eval.yaml")
    assert "failed" in said("runs", "list")
    assert f"\nWaiting for a person: waza-lsp review list --run {said('runs', 'list').split()[0]}" in told
    assert "a  trial 1  polite" in said("review", "list")
    assert CliRunner().invoke(main, ["grade", "--run", "last"]).exit_code == 1
    said("review", "submit", "a", "polite", "--passed", "--reviewer", "me")
    assert "passed     1.00" in said("runs", "list")
    assert "Waiting" not in said("report")
    assert said("runs", "show", "last").startswith(said("runs", "list"))
    assert "+" in said("runs", "history")
    graded = CliRunner().invoke(main, ["grade", "--run", "last"])
    assert (graded.exit_code, "PASS" in graded.stdout) == (0, True)
