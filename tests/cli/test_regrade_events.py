"""`waza-lsp grade --events jsonl`: the events of a regrading, as editors read them."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

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
TASK = "id: a\nname: a\ninputs: {prompt: hello}\n"


@pytest.fixture(autouse=True)
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "a.yaml").write_text(TASK, encoding="utf-8")
    (tmp_path / "eval.yaml").write_text(EVAL, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "eval.yaml"


def regrade(request: object) -> tuple[int, list[dict[str, Any]], str]:
    """Exit status, events and stderr of a grading process."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "waza_lsp", "grade", "--events", "jsonl"],
        input=request if isinstance(request, str) else json.dumps(request),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


@pytest.mark.slow
def test_a_recording_is_graded_with_texts_that_are_not_saved(suite: Path) -> None:
    assert CliRunner().invoke(main, ["run", "eval.yaml"]).exit_code == 0
    status, events, stderr = regrade({"eval": "eval.yaml"})
    assert [it["event"] for it in events] == [
        "run_started",
        "task_started",
        "trial_started",
        "trial_finished",
        "task_finished",
        "run_finished",
    ]
    assert (status, events[-1]["status"], stderr) == (0, "passed", "")
    edited = EVAL.replace("mock response", "moon cheese")
    status, events, _ = regrade({"eval": str(suite), "tasks": ["a"], "texts": {str(suite): edited}})
    assert (status, events[-1]["status"]) == (1, "failed")
    status, events, _ = regrade({"eval": str(suite), "grader": "answers"})
    [trial] = [it for it in events if it["event"] == "trial_finished"]
    assert (status, [it["name"] for it in trial["graders"]]) == (0, ["answers"])


def test_what_cannot_be_graded_is_one_line() -> None:
    assert regrade({"eval": "eval.yaml"}) == (
        2,
        [],
        "Nothing was recorded for this yet. Run it once, then grade the recording.\n",
    )
    assert CliRunner().invoke(main, ["run", "eval.yaml"]).exit_code == 0
    unknown = regrade({"eval": "eval.yaml", "grader": "polite"})
    assert unknown == (2, [], "The recorded tasks have no grader 'polite'.\n")


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ("no JSON", "The request is not valid JSON: Expecting value"),
        ([], "The request must be a JSON object"),
        ({"tasks": []}, "The request lacks 'eval'"),
        ({"eval": "eval.yaml", "texts": 1}, "The request must be a JSON object"),
    ],
)
def test_a_request_that_cannot_be_read(request_: object, message: str) -> None:
    status, events, stderr = regrade(request_)
    assert (status, events, stderr.startswith(message)) == (2, [], True), stderr


def test_events_exclude_other_inputs() -> None:
    done = CliRunner().invoke(main, ["grade", "--events", "jsonl", "--run", "last"])
    assert (done.exit_code, "Give only one of" in done.stderr) == (2, True)
