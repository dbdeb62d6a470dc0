"""Tests of converting a stimulus' constraints: to graders, or to comments that the conversion back restores."""

from pathlib import Path

import pytest

from waza_engine.convert.graders.expectations import grader_of_constraint
from waza_engine.convert.to_vally import to_vally
from waza_engine.convert.to_waza import to_waza
from waza_engine.graders.base import Grader, GradingContext
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.suite import Constraint
from waza_engine.model.trajectory import Session, ToolCall
from waza_engine.project.reading import read_mapping


def converted(key: str, value: object) -> Grader | None:
    return grader_of_constraint(Constraint(key, value))


@pytest.mark.parametrize(
    ("key", "value"),
    [("expect_tools", ()), ("max_tokens", 0), ("max_turns", 3), ("reject_skills", ("*",))],
)
def test_what_waza_has_no_grader_for(key: str, value: object) -> None:
    assert converted(key, value) is None


def test_no_tool_at_all() -> None:
    grader = converted("reject_tools", ("*",))
    assert grader is not None
    called = Session(tool_calls=[ToolCall(id="1", name="bash", success=True)], tool_call_count=1)
    assert [grader.grade(GradingContext(session=it)).passed for it in (Session(), called)] == [True, False]


def test_what_is_not_said_comes_back(tmp_path: Path) -> None:
    constraints = "{max_turns: 3, max_tokens: 0, expect_tools: [bash], reject_skills: ['*']}"
    spec = f"name: n\nstimuli:\n  - name: s\n    prompt: p\n    constraints: {constraints}\n"
    (tmp_path / "eval.yaml").write_text(spec, encoding="utf-8")
    there, back = tmp_path / "there", tmp_path / "back"
    for convert, source, folder in ((to_waza, tmp_path, there), (to_vally, there, back)):
        for name, text in convert(source / "eval.yaml", folder, process_dir=tmp_path).files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
    [stimulus] = plain(read_mapping(back / "eval.yaml"))["stimuli"]
    assert stimulus["constraints"] == {
        "max_turns": 3,
        "max_tokens": 0,
        "expect_tools": ["bash"],
        "reject_skills": ["*"],
    }
    assert "graders" not in stimulus
