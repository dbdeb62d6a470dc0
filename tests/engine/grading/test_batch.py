"""The batch door: what a line may hold, what is answered, and that nothing is left behind.

See docs/reference/grade-batch.md.
"""

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest

from waza_engine.graders.registry import graders
from waza_engine.grading.batch import answer_line
from waza_engine.grading.batch_input import InputError, grading_context


def answer(**line: Any) -> dict[str, Any]:
    return answer_line(json.dumps({"id": "x", **line}))


def text(**config: Any) -> dict[str, Any]:
    return {"type": "text", "name": "t", "config": config}


def test_entries_are_graded_on_their_own() -> None:
    entries = [text(contains=["a"]), {"type": "nope", "name": "n"}, {**text(contains=["b"]), "weight": 3}]
    found = answer(graders=entries, context={"output": "a"})
    assert [it.get("passed", it.get("error", {}).get("kind")) for it in found["results"]] == [
        True,
        "config",
        False,
    ]
    assert (found["id"], found["status"], found["score"], found["weighted_score"]) == ("x", "error", 0.0, 0.0)

    found = answer(graders=[entries[0], entries[2]], context={"output": "a"})
    assert (found["status"], found["score"], found["weighted_score"]) == ("failed", 0.5, 0.25)


@pytest.mark.parametrize(
    "line",
    [
        "no json",
        "[]",
        '{"id": "x"}',
        '{"id": "x", "graders": [], "graders_yaml": ""}',
        '{"id": "x", "graders": {}}',
        '{"id": "x", "graders_yaml": 5}',
        '{"id": "x", "run": []}',
        '{"id": "x", "run": {"task": {"graders": {}}}}',
        '{"id": "x", "graders": [], "gen": "G9"}',
        '{"id": "x", "graders": [], "context": []}',
        '{"id": "x", "graders": [], "context": {"transcript": {}}}',
        '{"id": "x", "graders": [], "context": {"session": {"tool_calls": [5]}}}',
        '{"id": "x", "graders": [], "context": {"judge_tool_calls": {}}}',
        '{"id": "x", "graders": [], "context": {"judge_tool_calls": [[5]]}}',
        '{"id": "x", "graders": [], "context": {"judge_tool_calls": [5]}}',
        '{"id": "x", "graders": [], "context": {"judge_tool_calls": [{"tool": "a"}]}}',
        '{"id": "x", "run": {"task": {"expected": {"output_contains": [[1]]}}}}',
        '{"id": "x", "run": {"task": {"expected": {"output_not_contains": [{}]}}}}',
        '{"id": "x", "graders": [], "workspace_files": {"../a": ""}}',
        '{"id": "x", "graders": [], "workspace_files": {"a": 5}}',
        '{"id": "x", "graders": [], "workspace_files": []}',
        '{"id": "x", "graders": [], "workspace_dirs": [5]}',
        '{"id": "x", "graders": [], "cwd_files": {"a": "", "a/b": ""}}',
    ],
)
def test_a_line_that_cannot_be_understood(line: str) -> None:
    found = answer_line(line)
    assert found["error"]["kind"] == "input"
    assert found["error"]["message"]
    assert found["id"] == ("x" if line.startswith('{"id"') else None)


def test_a_run_of_a_task_that_does_not_load_is_an_error() -> None:
    found = answer_line(
        '{"id": "x", "run": {"eval_graders": [], "task": {"expected": {"output_contains": "x"}}}}'
    )
    assert (found["status"], found["results"], found["score"]) == ("error", [], 0)


def _expected(schema: dict[str, Any]) -> dict[str, Any]:
    return {"expect": [{"tool": "a", "args": {"p": {"json_schema": schema}}}]}


_LONG = "a" * 300
_HOSTILE: list[tuple[str, dict[str, Any], str]] = [
    *(
        ("tool_calls", _expected(it), "config")
        for it in (
            {"$ref": "../nope.json"},
            {"$ref": "../outside.txt"},
            {"$ref": "file:///etc/passwd"},
            {"$id": "http://[x"},
        )
    ),
    *(
        ("tool_constraint", {it: [{"tool": "a", "args": {"p": {"json_schema": {"$ref": "../nope"}}}}]}, "config")
        for it in ("expect_tools", "reject_tools", "allow_only")
    ),
    ("json_schema", {"schema": {"$id": "http://[x"}}, "grade"),
    ("json_schema", {"schema": {"$ref": "../nope.json"}}, "grade"),
    ("json_schema", {"schema": {"$schema": "https://json-schema.org/draft/2019-09/schema", "$recursiveRef": "x"}},
     "grade"),
    ("json_schema", {"schema_file": _LONG}, "grade"),
    ("trigger", {"skill_path": _LONG, "mode": "positive"}, "config"),
    ("trigger", {"skill_path": "a\0", "mode": "positive"}, "config"),
    ("prompt", {"rubric": "a\0.md"}, "config"),
    ("prompt", {"rubric": f"{_LONG}.md"}, "config"),
]  # fmt: skip


@pytest.mark.parametrize(("type_name", "config", "kind"), _HOSTILE)
@pytest.mark.parametrize("session", [{"tool_calls": [{"name": "a"}]}, None])
def test_what_no_file_or_schema_is(type_name: str, config: dict[str, Any], kind: str, session: Any) -> None:
    context = {"output": "{}", "session": session}
    hostile = {"type": type_name, "name": "h", "config": config}
    found = answer_line(json.dumps({"graders": [hostile, text(contains=["{"])], "context": context}))
    first, second = found["results"]
    assert (first["error"]["kind"], "internal" in first["error"]["message"]) == (kind, False)
    assert second["passed"]


def test_a_bad_schema_does_not_matter_to_an_output_that_is_no_json() -> None:
    bad = {"type": "json_schema", "config": {"schema": {"$id": "http://[x"}}}
    assert answer(graders=[bad], context={"output": "no"})["results"][0]["passed"] is False


@pytest.mark.parametrize("identity", [{}, [], 5, None])
def test_a_call_whose_id_is_none(identity: Any) -> None:
    events = [
        {"type": "tool.execution_start", "tool_name": "a", "tool_call_id": identity},
        {"type": "tool.execution_complete", "tool_call_id": identity},
    ]
    code = {"type": "code", "config": {"assertions": ["len(tool_calls) == 0"]}}
    assert answer(graders=[code], context={"transcript": events})["results"][0]["passed"]


@pytest.mark.parametrize("sub_path", ["a\0b", "a" * 300, "a/" * 3000, "loop"])
@pytest.mark.parametrize("entry", [{"type": "run-command", "config": {"command": "true"}},
                                   {"type": "program", "config": {"program": "true"}}])  # fmt: skip
def test_a_child_that_has_no_place_to_run_in(entry: dict[str, Any], sub_path: str) -> None:
    entry = {**entry, "config": {**entry["config"], "sub_path": sub_path}}
    found = answer(gen="VALLY", graders=[entry], workspace_symlinks={"loop": "loop"})["results"][0]
    assert (found["passed"], found["status"]) == (False, "error")


def _broken(_grader: Any, _context: Any) -> Any:
    raise ZeroDivisionError("a defect")


def test_a_defect_of_one_grader_leaves_the_others_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graders("waza")["behavior"], "grade", _broken)
    broken = {"type": "behavior", "name": "f", "config": {"max_tokens": 9}}
    first, second = answer(graders=[broken, text(contains=["a"])], context={"output": "a"})["results"]
    assert first["error"] == {"kind": "grade", "message": "internal error: ZeroDivisionError: a defect"}
    assert second["passed"]
    found = answer(run={"eval_graders": [broken, text(contains=["a"])]})
    assert (found["status"], found["results"]) == ("error", [])


def test_the_files_of_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    found = answer(
        graders=[
            {
                "type": "file",
                "config": {"must_exist": ["d/e", "f/g", "l", "../ws/f"], "must_not_exist": ["x"]},
            },
            {"type": "file", "config": {"content_patterns": [{"path": "l", "must_match": ["^outside$"]}]}},
            {"type": "file", "config": {"content_patterns": [{"path": "f/g", "must_match": ["^é\r\n$"]}]}},
            {"type": "json_schema", "config": {"schema_file": "s/a.json"}},
        ],
        workspace_dirs=["d/e"],
        workspace_files={"f/g": "é\r\n"},
        workspace_symlinks={"l": "../outside.txt", "f/h": "nowhere"},
        outside_files={"outside.txt": "outside"},
        cwd_files={"s/a.json": '{"$ref": "b.json"}', "b.json": "true"},
        context={"output": "{}"},
    )
    assert [it.get("passed") for it in found["results"]] == [True, True, True, True]
    assert list(tmp_path.iterdir()) == []


def test_without_a_workspace() -> None:
    found = answer(graders=[{"type": "file", "config": {"must_exist": ["a"]}}], context={"no_workspace": True},
                   workspace_files={"a": ""})  # fmt: skip
    assert found["results"][0]["score"] == 0


def test_a_decoded_entry_needs_no_name_but_an_empty_one_is_an_error() -> None:
    context = {"judge_tool_calls": [[{"tool": "set_waza_grade_pass", "args": {}}]]}
    prompt = {"type": "prompt", "config": {"prompt": "judge"}}
    assert answer(graders=[prompt], context=context)["results"][0]["passed"]
    assert (
        answer(graders=[{**prompt, "name": ""}], context=context)["results"][0]["error"]["kind"] == "config"
    )


def test_a_run() -> None:
    run = {
        "eval_graders": [text(contains=["a"]), None],
        "task": {
            "inputs": {"prompt": "deploy the app"},
            "graders": [{"type": "trigger", "name": "g", "config": {"skill_path": "s", "mode": "positive"}}],
            "expected": {"output_contains": ["a", 5, None, True], "behavior": {"max_tool_calls": 0}},
        },
    }
    files = {"s": "deploy app"}
    found = answer(run=run, context={"output": "a 5"}, cwd_files=files)
    scores = {it["name"]: it["score"] for it in found["results"]}
    assert scores == {"t": 1.0, "g": 1.0, "_output_contains": pytest.approx(2 / 3)}
    assert found["status"] == "failed"
    # The prompt of the context comes first, even when it is empty.
    found = answer(run=run, context={"output": "a 5", "prompt": ""}, cwd_files=files)
    assert {it["name"]: it["score"] for it in found["results"]}["g"] == 0.0


def test_a_run_ends_with_its_first_error() -> None:
    run = {
        "eval_graders": [text(contains=["a"]), {"type": "file", "name": "f", "config": {"must_exist": ["/"]}}]
    }
    found = answer(run=run)
    assert (found["status"], found["results"], found["score"]) == ("error", [], 0.0)
    assert "grader 'f'" in found["message"]
    assert answer(run={"eval_graders": ["text"]})["status"] == "error"


def test_answers_are_plain_json() -> None:
    found = answer(graders=[text(contains=["\ud800"])], context={"output": "\udfff"})
    assert json.loads(json.dumps(found))["results"][0]["passed"]


def _context(**members: Any) -> Any:
    return grading_context(members, workspace_dir=None, process_dir=Path(), meaning=members.pop("gen", "G3"))


def test_what_is_left_of_events_and_arguments() -> None:
    context = _context(
        transcript=[
            {"type": "user.message", "content": "a", "message": "b"},
            {"type": "assistant.reasoning", "content": "a"},
            {"type": "session.error", "message": "boom", "content": "x"},
            {"type": "session.warning", "message": "boom"},
            {"type": "tool.execution_start", "tool_name": "t", "tool_call_id": "1", "arguments": [1], "x": 1},
            {"content": "a"},
        ],
        session={
            "tool_calls": [{"name": "t", "arguments": {"Path": "p", "command": 5, "query": "q", "skill": ""}}]
        },
    )
    assert context.transcript == [
        {"type": "user.message", "content": "a"},
        {"type": "assistant.reasoning"},
        {"type": "session.error", "message": "boom"},
        {"type": "session.warning"},
        {"type": "tool.execution_start", "tool_call_id": "1", "tool_name": "t", "arguments": [1]},
        {},
    ]
    assert context.session.tool_calls[0].arguments == {"path": "p", "skill": ""}


def test_the_python_generation_keeps_its_transcript() -> None:
    entries = [{"role": "tool", "name": "bash", "content": "ls"}]
    assert _context(gen="PY", transcript=entries).transcript == entries


@pytest.mark.parametrize(("generation", "outcome"), [("PY", {"status": "ok"}), ("G3", {}), ("G2+G3", {})])
def test_only_the_python_generation_had_an_outcome(generation: str, outcome: dict[str, Any]) -> None:
    assert _context(gen=generation, outcome={"status": "ok"}).outcome == outcome


def test_the_defaults_of_a_context() -> None:
    context = _context()
    assert (context.output, context.prompt, context.session, context.task) == ("", None, None, {"id": "t1"})
    assert _context(prompt=None).prompt is None
    assert _context(captured_files={"a": "é"}).captured_files == {"a": "é".encode()}
    assert [it.name for it in _context(skills=["a", "a"]).skills] == ["a", "a"]
    with pytest.raises(InputError):
        _context(duration_ms="1")


@pytest.mark.parametrize("choice", [{"gen": "VALLY"}, {"dialect": "vally"}])
def test_another_dialect(choice: dict[str, str]) -> None:
    grade = {"score": 4, "criteria": [{"name": "tone", "score": 5, "reasoning": "kind"}], "reasoning": "good"}
    context = {"output": "a", "judge_tool_calls": [[{"tool": "submit_grade", "args": grade}]]}
    found = answer(graders=[{"type": "prompt"}, {"type": "diff-empty"}], context=context, **choice)
    judged, undecided = found["results"]
    assert (judged["score"], judged["kind"], judged["criteria"][0]["name"]) == (0.75, "llm", "tone")
    assert (undecided["passed"], undecided["status"]) == (False, "error")
    assert (found["status"], found["score"]) == ("error", 0.375)


def test_a_context_of_another_dialect_that_is_none() -> None:
    found = answer(gen="VALLY", graders=[], context={"trajectory": 5})
    assert found["error"]["kind"] == "input"
    assert "trajectory" in found["error"]["message"]
