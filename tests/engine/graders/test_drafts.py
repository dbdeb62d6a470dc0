"""Graders written from recorded trials: what they ask for, and that they pass on what they were written from."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.slow import first_quick
from waza_engine.graders.base import GradingContext
from waza_engine.graders.drafts import (
    GraderDraft,
    common_files,
    common_lines,
    common_phrases,
    common_tools,
    grader_drafts,
)
from waza_engine.graders.registry import graders
from waza_engine.graders.result import GraderVerdict
from waza_engine.grading.grade import grade_entry
from waza_engine.model.trajectory import Session, ToolCall


def trial(output: str = "", tools: Sequence[str] = (), **more: Any) -> GradingContext:
    session = Session(
        tool_call_count=len(tools), tools_used=list(tools), tool_calls=[ToolCall(name=it) for it in tools]
    )
    return GradingContext(output=output, session=session, **more)


def drafts(*trials: GradingContext) -> dict[str, GraderDraft]:
    return {it.type: it for it in grader_drafts(graders("waza").values(), trials)}


def config(draft: GraderDraft) -> Any:
    return draft.entry["config"]


def test_tools_that_every_trial_used() -> None:
    found = drafts(trial(tools=["view", "a.b", "view"]), trial(tools=["a.b", "view", "bash"]))
    assert config(found["tool_constraint"]) == {"expect_tools": [{"tool": "^view$"}, {"tool": r"^a\.b$"}]}
    assert config(found["behavior"]) == {"max_tool_calls": 5}
    assert found["tool_constraint"].about == "view, a.b"


def test_without_a_tool_in_common_none_is_asked_for() -> None:
    found = drafts(trial(tools=["view"]), trial(tools=["bash"]))
    assert "tool_constraint" not in found
    assert drafts(trial(tools=[]), trial(tools=[])) == {}


def test_phrases_of_the_output_that_the_prompt_does_not_have() -> None:
    output = "The **retry budget** of `call()` is in `retry.py`; see https://example.org/retry for more."
    [draft] = [drafts(trial(output, prompt="Explain retry.py"))["text"]]
    assert config(draft) == {"contains": ["call()", "retry budget", "https://example.org/retry"]}
    both = drafts(trial(output), trial("In short, CALL() and retry.py"))["text"]
    assert config(both) == {"contains": ["call()", "retry.py"]}


def test_an_output_with_nothing_to_ask_for() -> None:
    assert "text" not in drafts(trial("ok"), trial("ok"))
    assert common_phrases([], 3) == []
    assert common_tools([]) == common_files([]) == []
    assert common_lines([]) == {}


def test_files_that_were_made_and_lines_that_were_written(tmp_path: Any) -> None:
    before = {"old.py": b"a = 1\nb = 2\n", "same.py": b"x\n"}
    after = {"old.py": b"a = 1\nb = (3 + 4)\n", "same.py": b"x\n", "new.md": b"# New\n"}
    for name, data in after.items():
        (tmp_path / name).write_bytes(data)
    made = trial(captured_files=after, baseline_files=before, workspace_dir=tmp_path)
    draft = drafts(made)["file"]
    assert config(draft) == {
        "must_exist": ["new.md"],
        "content_patterns": [{"path": "old.py", "must_match": [r"b = \(3 \+ 4\)"]}],
    }
    assert draft.about == "new.md, old.py"


def test_what_was_there_before_must_be_known() -> None:
    assert "file" not in drafts(trial(captured_files={"new.md": b"x"}))


def test_a_recording_without_a_session_gives_what_the_output_gives() -> None:
    assert drafts(GradingContext(output="See `config.toml`.")).keys() == {"text"}


@pytest.mark.parametrize("folder", first_quick(["vally", "waza"]))
@settings(deadline=None)  # The first one imports.
@given(
    outputs=st.lists(st.text(max_size=300), min_size=1, max_size=3),
    tools=st.lists(st.text(min_size=1, max_size=8), max_size=4),
)
@pytest.mark.slow
def test_whatever_is_drafted_passes(folder: str, outputs: list[str], tools: list[str]) -> None:
    trials = [trial(it, tools, prompt="p") for it in outputs]
    generation = {"vally": "VALLY"}.get(folder, "G2+G3")
    for draft in grader_drafts(graders(folder).values(), trials):
        for it in trials:
            verdict = grade_entry(dict(draft.entry), it, generation)
            assert isinstance(verdict, GraderVerdict), verdict
            assert verdict.result.passed, (draft, verdict)


def test_vally_types_write_theirs() -> None:
    one = trial("See `config.toml`.", ["view", "bash"], captured_files={"a.md": b"x"}, baseline_files={})
    found = {it.type: config(it) for it in grader_drafts(graders("vally").values(), [one])}
    assert found["output-contains"] == {"substring": "config.toml"}
    assert found["tool-call-count"] == {"max": 4}
