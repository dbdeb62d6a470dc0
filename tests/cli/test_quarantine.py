"""A quarantined task runs and is reported, but does not decide the run, in every dialect and report."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from waza_lsp.cli import main

WAZA = """\
name: e
skill: s
config: {trials_per_task: 2, timeout_seconds: 9, executor: mock, fail_fast: true}
graders: [{type: text, name: says, config: {contains: [bread]}}]
tasks: [tasks/*.yaml]
"""
TASK = "id: {0}\nname: {0}\ninputs: {{prompt: {1}}}\n"
VALLY = """\
name: e
type: capability
defaults: {executor: mock, runs: 2}
stimuli:
  - name: bad
    prompt: cheese
    graders: [{type: output-contains, config: {substring: bread}}]
  - name: good
    prompt: bread
    graders: [{type: output-contains, config: {substring: bread}}]
"""
COMMENT = "  # waza-lsp: quarantine sleeps since May"


@pytest.fixture(params=["waza", "vally", "vally with a threshold"])
def path(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file with the comment."""
    monkeypatch.chdir(tmp_path)
    if request.param == "waza":
        (tmp_path / "tasks").mkdir()
        (tmp_path / "eval.yaml").write_text(WAZA)
        (tmp_path / "tasks/good.yaml").write_text(TASK.format("good", "bread"))
        found = tmp_path / "tasks/bad.yaml"
        found.write_text(TASK.format("bad", "cheese").replace("id: bad", f"id: bad{COMMENT}"))
        return found
    found = tmp_path / "eval.yaml"
    threshold = "scoring: {threshold: 0.9}\n" if "threshold" in request.param else ""
    found.write_text(VALLY.replace("- name: bad", f"- name: bad{COMMENT}") + threshold)
    return found


def waza_lsp(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments), catch_exceptions=False)


def data(*arguments: str) -> dict[str, Any]:
    return dict(json.loads(waza_lsp(*arguments).stdout))


def test_it_is_reported_and_does_not_decide(path: Path) -> None:
    files = (
        "--junit",
        "j.xml",
        "--github",
        "g.md",
        "--html",
        "h.html",
        "--output",
        "r.json",
        "--output-dir",
        "d",
    )
    result = waza_lsp("run", "eval.yaml", *files[:-2])
    assert result.exit_code == 0, result.output
    assert "FAIL  bad" in result.stdout
    assert "in quarantine: sleeps since May" in result.stdout
    last = result.stdout.splitlines()[-1]
    assert last.startswith("PASSED: ")
    assert "1 of 2 tasks passed, 1 in quarantine (1 of them not passed)" in last
    root = ET.parse("j.xml").getroot()  # noqa: S314  # our own report
    cases = 2 if "tasks" in str(path) else 4
    assert {it: root.get(it) for it in ("tests", "failures", "errors")} == {
        "tests": str(cases),
        "failures": "0",
        "errors": "0",
    }
    skipped = root.findall(".//skipped")
    assert {it.get("message") for it in skipped} == {"not passed, in quarantine: sleeps since May"}
    assert root[0].get("skipped") == str(len(skipped)) == str(cases // 2)
    markdown = Path("g.md").read_text()
    assert "✅ passed" in markdown.splitlines()[0]
    assert "**bad** in quarantine: sleeps since May" in markdown
    assert "Failures" not in markdown
    assert "in quarantine: sleeps since May" in Path("h.html").read_text()
    written = json.loads(Path("r.json").read_text())
    assert written["summary"]["failed"] == 1
    assert {it["test_id"]: it.get("quarantine") for it in written["tasks"]} == {
        "bad": {"reason": "sleeps since May"} | {"passed_runs_in_a_row": 0},
        "good": None,
    }
    # It makes no regression: as if it had passed before.
    Path("before.json").write_text(
        Path("r.json")
        .read_text()
        .replace('"passed": false', '"passed": true')
        .replace('"status": "failed"', '"status": "passed"')
        .replace('"score": 0.0', '"score": 1.0')
    )
    compared = waza_lsp("compare", "before.json", "r.json", "--fail-on-possible-regression")
    assert (compared.exit_code, "1 equal of 1 tasks" in compared.stdout) == (0, True), compared.output
    assert "Not compared, because in quarantine: bad." in compared.stdout
    total = next(it for it in compared.stdout.splitlines() if it.startswith("all tasks"))
    assert total.split()[2:] == ["1.00", "0.50", "+0.00"]
    for again in (("merge", "r.json"), ("grade", "--run", "last")):
        assert waza_lsp(*again).exit_code == 0, again
    assert "in quarantine: sleeps since May" in waza_lsp("report", "r.json").stdout
    assert "in quarantine: sleeps since May" in waza_lsp("runs", "show").stdout
    assert waza_lsp("run", "eval.yaml", "-q").stdout == ""
    # Without the comment the task decides again, also about the same run.
    path.write_text(path.read_text().replace(COMMENT, ""))
    assert waza_lsp("grade", "--run", "last").exit_code == 1
    assert waza_lsp("run", "eval.yaml").exit_code == 1


def test_a_task_that_passes_again_is_said_so(path: Path) -> None:
    hint = "in quarantine: sleeps since May. It passed in the last 5 runs: remove the comment"
    steady = path.read_text().replace("cheese", "bread")
    for number in range(6):
        if number == 1:
            path.write_text(steady)
        result = waza_lsp("run", "eval.yaml")
        assert (hint in result.stdout) == (number == 5)
    assert hint in waza_lsp("runs", "show").stdout
    flaky = waza_lsp("runs", "flaky", "eval.yaml").stdout
    assert (
        "bad  is in quarantine (sleeps since May), but passed in its last 5 runs: remove the comment" in flaky
    )
    [bad] = [
        it
        for it in data("runs", "flaky", "eval.yaml", "--format", "json")["evals"][0]["tasks"]
        if it["task"] == "bad"
    ]
    assert (bad["quarantine"], bad["passed_runs_in_a_row"]) == ("sleeps since May", 5)


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("path", ["waza"], indirect=True)
def test_a_baseline_leaves_it_out() -> None:
    result = waza_lsp("run", "eval.yaml", "--baseline")
    assert result.exit_code == 1
    assert "with skills 100% of the tasks passed, without 100%" in result.stdout
