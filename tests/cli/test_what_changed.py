"""Reports of a run say for a failed task what has changed since it passed."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from waza_lsp.cli import main

EVAL = """
name: demo
skill: demo-skill
config: {trials_per_task: 1, timeout_seconds: 30, executor: mock, skill_directories: [skill]}
graders: [{type: text, name: answers, config: {contains: [mock response]}}]
tasks: [tasks/*.yaml]
"""


def show(*arguments: str) -> str:
    return CliRunner().invoke(main, list(arguments), catch_exceptions=False).stdout


def test_reports_say_what_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("tasks", "skill"):
        (tmp_path / name).mkdir()
    for name in "ab":
        (tmp_path / f"tasks/{name}.yaml").write_text(f"id: {name}\nname: {name}\ninputs: {{prompt: hello}}\n")
    skill = tmp_path / "skill/SKILL.md"
    skill.write_text("---\nname: demo-skill\ndescription: d\n---\none\n")
    (tmp_path / "eval.yaml").write_text(EVAL)
    monkeypatch.chdir(tmp_path)
    show("run", "eval.yaml")
    skill.write_text("---\nname: demo-skill\ndescription: d\n---\ntwo\n")
    (tmp_path / "eval.yaml").write_text(EVAL.replace("[mock response]", "[no such words]"))
    printed = show("run", "eval.yaml", "--model", "m", "--output", "out.json")
    [first, last] = [it["run_id"] for it in json.loads(show("runs", "list", "--format", "json"))][::-1]
    sentence = f"last passed in run {first}; changed since: model (default -> m), grader text, skill text"
    assert printed.count(sentence) == 1
    assert "what changed: as in a" in printed
    for form in (("runs", "show"), ("report", last), ("report", "out.json")):
        assert show(*form).count(sentence) == 1
    for file in ("out.json", last):
        task = json.loads(show("report", file, "--format", "json"))["tasks"][1]
        assert task["since_green"]["run_id"] == first
        assert task["since_green"]["changes"] == [
            {"what": "model", "before": "default", "after": "m"},
            {"what": "grader text"},
            {"what": "skill text"},
        ]
        assert task["since_green"]["unknown"] == []
    assert r"model \(default \-\> m\), grader text, skill text" in show("report", last, "--format", "github")
    show("report", last, "--html", "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.count("last passed in run") == 2
    assert "changed: model (default -&gt; m), grader text, skill text" in page
    assert "since_green" not in show("report", first, "--format", "json")
