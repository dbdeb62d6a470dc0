"""`waza-lsp trace`: the page of trials from stored runs and from files of several formats."""

import json
import shutil
import webbrowser
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.engine.reports.trace.pages import Page
from waza_engine.reports.trace import read
from waza_lsp.cli import main

EXAMPLE = Path(__file__).parents[2] / "examples" / "release-notes"
ATIF = {
    "schema_version": "ATIF-v1.6",
    "session_id": "s1",
    "agent": {"name": "a", "version": "1", "model_name": "some-model"},
    "steps": [
        {"step_id": 1, "source": "user", "message": "Fix it", "timestamp": "2026-01-01T00:00:00Z"},
        {
            "step_id": 2,
            "source": "agent",
            "message": [{"type": "text", "text": "I "}, {"type": "image", "source": {}}],
            "reasoning_content": "Look first",
            "timestamp": "2026-01-01T00:00:02Z",
            "tool_calls": [
                {"tool_call_id": "c1", "function_name": "Read", "arguments": {"file_path": "a.py"}},
                {
                    "tool_call_id": "c2",
                    "function_name": "Edit",
                    "arguments": {"file_path": "a.py", "old_string": "x", "new_string": "y"},
                },
            ],
            "observation": {
                "results": [
                    {"source_call_id": "c1", "content": "x = 1"},
                    {"source_call_id": "c2", "content": [{"type": "text", "text": "no"}], "extra": {"is_error": True}},
                ]
            },
            "metrics": {"prompt_tokens": 10, "completion_tokens": 3},
        },
        {"step_id": 3, "source": "agent", "message": "Done", "metrics": {"prompt_tokens": 20}},
    ],
}  # fmt: skip


@pytest.fixture(autouse=True, scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A run of an example, whose second trial of the first task fails."""
    folder = tmp_path_factory.mktemp("trace") / "notes"
    shutil.copytree(EXAMPLE, folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        arguments = [
            "--executor",
            "replay",
            "--trials",
            "2",
            "--output",
            "results.json",
            "--trace",
            "run.html",
        ]
        assert invoke("run", "eval.yaml", *arguments).exit_code == 0
        assert invoke("report", "--json", "out.json").exit_code == 0
        yield folder


def invoke(*arguments: str) -> Result:
    result = CliRunner().invoke(main, list(arguments))
    assert "Traceback" not in result.output
    return result


def page(*arguments: str) -> Page:
    result = invoke("trace", *arguments)
    assert result.exit_code == 0, result.output
    return Page(Path("trace.html").read_text(encoding="utf-8"))


def test_the_newest_run_is_shown_with_what_failed() -> None:
    result = invoke("trace")
    assert result.output == "trace.html: 6 trials\n"
    found = Page(Path("trace.html").read_text(encoding="utf-8"))
    index = found.data("index")
    assert index["title"] == "release-notes"
    assert [(it["task"], it["trial"], it["status"]) for it in index["trials"][:2]] == [
        ("writes-the-notes", 1, "passed"),
        ("writes-the-notes", 2, "failed"),
    ]
    trial = found.data("1")
    [check] = next(it for it in trial["graders"] if it["name"] == "no-ticket-numbers")["checks"]
    assert check["target"] == {"kind": "file", "path": "RELEASE.md", "line": 3}
    assert check["source"]["file"].endswith("eval.yaml")
    assert [(it["step"], it["how"]) for it in trial["workspace"]["changes"]] == [(6, "told")]
    assert "CHANGELOG.md" in trial["workspace"]["initial"]
    # `run --trace` has written the same.
    assert Page(Path("run.html").read_text(encoding="utf-8")).data("1") == trial


def test_tasks_and_trials_are_chosen() -> None:
    found = page("last", "--task", "*version*", "--task", "writes-*", "--trial", "2").data("index")["trials"]
    assert [(it["task"], it["trial"]) for it in found] == [("writes-the-notes", 2), ("bumps-the-version", 2)]
    assert "No trial matches" in invoke("trace", "--trial", "9").output


def test_runs_and_files_stand_side_by_side() -> None:
    Path("golden.json").write_text(json.dumps(ATIF), encoding="utf-8")
    found = page("last", "results.json", "golden.json", "recordings/bumps-the-version.json")
    trials = found.data("index")["trials"]
    assert [it["origin"] for it in trials[::6]] == ["last", "results.json", "golden.json"]
    assert len(trials) == 14
    assert "run" not in found.data("index")
    edited = found.data("13")["workspace"]
    assert {it["path"] for it in edited["changes"]} == {"package.json", "src/version.js"}


def test_an_atif_trajectory_is_a_trial_without_a_verdict() -> None:
    Path("golden.json").write_text(json.dumps(ATIF), encoding="utf-8")
    found = page("golden.json")
    [entry] = found.data("index")["trials"]
    assert (entry["task"], entry["status"], entry["tool_calls"]) == ("golden", "skipped", 2)
    assert entry["score"] is None
    assert (entry["tokens_in"], entry["tokens_out"], entry["duration_ms"]) == (30, 3, 2000)
    trial = found.data("0")
    assert [(it["kind"], it["text"] or it["call"]["name"], it["at_ms"]) for it in trial["steps"]] == [
        ("user", "Fix it", 0),
        ("reasoning", "Look first", 2000),
        ("agent", "I [image]", 2000),
        ("tool", "Read", 2000),
        ("tool", "Edit", 2000),
        ("agent", "Done", None),
    ]
    assert [it["call"]["success"] for it in trial["steps"] if "call" in it] == [True, False]
    assert [it["duration_ms"] for it in trial["steps"] if "call" in it] == [None, None]
    assert trial["workspace"]["changes"] == []
    assert trial["output"] == "Done"


def test_the_data_of_the_page_is_json() -> None:
    assert invoke("trace", "results.json", "--json", "data.json").output == ""
    data = json.loads(Path("data.json").read_text(encoding="utf-8"))
    assert len(data["trials"]) == len(data["index"]["trials"]) == 6


def test_subagents_of_atif_that_name_one_another_are_shown_once() -> None:
    inner: list[dict[str, Any]] = []
    for number in range(8):
        result = {"content": "x", "subagent_trajectory_ref": [{"trajectory_id": "sub"}]}
        step = {"source": "agent", "message": f"level {number}", "observation": {"results": [result] * 50}}
        inner = [{"trajectory_id": "sub", "steps": [step] * 3, "subagent_trajectories": inner}]
    Path("nested.json").write_text(json.dumps(ATIF | inner[0]), encoding="utf-8")
    assert len(page("nested.json").data("0")["steps"]) == 8 * 3 * 51


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not valid JSON"),
        ("[]", "neither the results of a run nor the recording of a trial"),
        ('{"a": 1}', "neither the results of a run nor the recording of a trial"),
        ('{"schema_version": "ATIF-v1", "steps": [1, {"tool_calls": 3}], "agent": []}', ""),
        ('{"transcript": 3}', "has a wrong value at transcript"),
        ('{"version": 9, "transcript": []}', "has version 9"),
    ],
)
def test_a_file_that_is_no_trace_is_an_error_line(text: str, message: str) -> None:
    Path("x.json").write_text(text, encoding="utf-8")
    result = invoke("trace", "x.json")
    assert (result.exit_code, len(result.output.splitlines())) == (2 if message else 0, 1)
    assert message in result.output


def test_results_may_be_larger_than_a_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read, "MAX_BYTES", 1000)
    assert len(page("results.json").data("index")["trials"]) == 6


def test_the_page_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def open_tab(address: str) -> bool:
        opened.append(address)
        return len(opened) == 1

    monkeypatch.setattr(webbrowser, "open_new_tab", open_tab)
    assert invoke("trace", "--html", "my page.html", "--open").exit_code == 0
    assert opened[0].startswith("file://")
    assert opened[0].endswith("/my%20page.html")
    assert "No browser found" in invoke("trace", "--open").output
