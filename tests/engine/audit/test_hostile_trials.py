"""Mutations and null agents take any recorded trial, however odd, and always make the same of it.

Recordings hold no lone surrogates, because reading replaces them. YAML refuses them.
"""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.audit.evals import audited, recording, text_grader, write_eval
from waza_engine.audit.mutations.base import Mutant, Subject, mutations
from waza_engine.audit.null_agents import NULL_AGENTS, Scene
from waza_engine.model.suite import InputFile, Task
from waza_engine.model.trajectory import Session, ToolCall, ToolEvent, Trajectory


def nested(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = {"in": [value]}
    return value


TEXTS = st.one_of(
    st.sampled_from(["", " ", "\n\n", "is not", "It is 5.\n\nBye", "\0", "é 7 not", "is"]),
    st.text(max_size=30),
)
NAMES = st.one_of(st.sampled_from(["a.md", "./a.md", "../out", "/etc/x", "", "b/c.md"]), st.text(max_size=8))
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXTS),
    lambda it: st.one_of(st.lists(it, max_size=2), st.dictionaries(TEXTS, it, max_size=2)),
    max_leaves=6,
)
ARGUMENTS = st.one_of(VALUES, st.dictionaries(TEXTS, VALUES, max_size=3), st.just(nested(60)))
EVENTS = st.dictionaries(
    st.sampled_from(["type", "tool_call_id", "tool_name", "arguments", "content", "success"]),
    st.one_of(
        VALUES,
        st.sampled_from(
            ["tool.execution_start", "tool.execution_complete", "skill.invoked", "assistant.message"]
        ),
        st.sampled_from(["c1", "c2", ""]),
    ),
    max_size=5,
)
TOOL_EVENTS = st.builds(
    lambda id_, name, args: ToolEvent.model_construct(
        turn=1, sequence=1, tool_call_id=id_, tool_name=name, args=args, success=True, result=None, error=""
    ),
    st.sampled_from(["c1", "c2", ""]),
    TEXTS,
    ARGUMENTS,
)
SESSIONS = st.builds(
    lambda calls: Session(
        tool_calls=[ToolCall(id=it, name=name, arguments={}, success=True) for it, name in calls],
        tools_used=[name for _, name in calls],
        tool_call_count=len(calls),
    ),
    st.lists(st.tuples(st.sampled_from(["c1", "c2", ""]), TEXTS), max_size=3),
)
TRIALS = st.builds(
    lambda output, transcript, events, session, files, removed: Trajectory(
        output=output, transcript=transcript, session=session, files=files, removed=removed
    ).model_copy(update={"tool_events": events}),
    TEXTS,
    st.lists(EVENTS, max_size=6),
    st.lists(TOOL_EVENTS, max_size=3),
    st.one_of(st.none(), SESSIONS),
    st.dictionaries(NAMES, TEXTS, max_size=3),
    st.lists(NAMES, max_size=2),
)
FILES = st.lists(
    st.builds(InputFile, NAMES, st.sampled_from([b"", b"a", b"\xff\x00", "é".encode()])), max_size=3
)


def made(subject: Subject) -> list[tuple[str, Mutant]]:
    return [(name, it) for name, mutation in mutations().items() for it in mutation.mutants(subject)]


@settings(max_examples=150, deadline=None)
@given(trial=TRIALS, other=TRIALS, files=FILES)
@pytest.mark.slow
def test_any_trial(trial: Trajectory, other: Trajectory, files: list[InputFile]) -> None:
    task = Task("t", "t", "Do it", files=tuple(files))
    found = made(Subject(task, trial, (other,)))
    assert found == made(Subject(task, trial, (other,)))
    for _, it in found:
        assert it.change
        assert isinstance(it.before + it.after, str)
    for agent in NULL_AGENTS.values():
        assert agent.perform(Scene(task, "skill", trial)) == agent.perform(Scene(task, "skill", trial))


def test_a_huge_output_and_many_calls_take_no_long(tmp_path: Path) -> None:
    calls = [("view", {"path": f"{it}.md"}) for it in range(2_000)]
    trial = recording("t", "It is 5. " * 100_000, calls, files={"a.md": "line\n" * 100_000})
    graders = [
        text_grader(contains=["5"]),
        {"type": "behavior", "name": "few", "config": {"max_tool_calls": 3_000}},
    ]
    audit = audited(write_eval(tmp_path / "e", [{"id": "t", "graders": graders}], recordings=[trial]))["t"]
    assert audit.problem == ""
    assert audit.trials == 1
    assert all(len(it.before) + len(it.after) <= 8_000 for it in audit.attempts)


@pytest.mark.parametrize("arguments", [{"a": nested(300)}, {"a": "\ud800"}, {"": None}])
def test_odd_arguments_are_graded(arguments: dict[str, Any], tmp_path: Path) -> None:
    calls = [("view", arguments), ("view", {"path": "a"})]
    graders = [{"type": "tool_calls", "name": "views", "config": {"required_tools": ["view"]}}]
    trial = recording("t", "out", calls)
    task = {"id": "t", "graders": graders}
    audit = audited(write_eval(tmp_path / "e", [task], recordings=[trial]))["t"]
    assert (audit.problem, audit.trials) == ("", 1)
    assert audit.mutants
