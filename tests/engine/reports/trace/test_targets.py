"""What failed checks point to in a trace."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.slow import examples
from waza_engine.graders.close_calls import CALLS, SeenCall, calls_seen
from waza_engine.graders.excerpts import nearest_line, occurrence
from waza_engine.lib.text_diff import unified_diff
from waza_engine.model.results.evidence import FailedCheck, Place
from waza_engine.model.trajectory import Trajectory
from waza_engine.reports.trace.steps import Step, steps_of
from waza_engine.reports.trace.targets import Targets
from waza_engine.reports.trace.workspace import workspace_of

Event = dict[str, Any]


def target(check: FailedCheck, transcript: Sequence[Event] = (), **more: Any) -> tuple[Any, list[Step]]:
    trajectory = Trajectory(transcript=list(transcript), **more)
    steps = steps_of(trajectory)
    return Targets.of(trajectory, steps, workspace_of(trajectory, steps)).of_check(check), steps


def message(text: str) -> Event:
    return {"type": "assistant.message", "content": text}


def call(name: str, identity: str = "", **arguments: Any) -> Event:
    start = {"type": "tool.execution_start", "tool_call_id": identity}
    return {**start, "tool_name": name, "arguments": arguments}


_LINES = st.lists(
    st.sampled_from(["", "moon", "the sun", "a\x0bmoon", "\r", "\u2028x", " moon ", "m" * 300]), max_size=8
)


@given(_LINES, _LINES)
@settings(max_examples=examples(200), deadline=None)
def test_a_line_of_the_output_is_the_line_that_was_found(before: list[str], after: list[str]) -> None:
    output = "\n".join([*before, "my NEEDLE is here", *after])
    for found in (occurrence("NEEDLE", output, any_case=False), nearest_line("my NEEDLE was here", output)):
        it, _ = target(FailedCheck((), "found", found, place=Place("output")), output=output)
        assert it["kind"] == "output"
        assert output.split("\n")[it["line"] - 1] == "my NEEDLE is here"


@given(_LINES, _LINES)
@settings(max_examples=examples(200), deadline=None)
def test_a_line_of_a_file_and_of_its_diff_are_the_same_line(before: list[str], after: list[str]) -> None:
    text = "\n".join([*before, "my NEEDLE is here", *after])
    files = {"a": "x\n", "d/b.txt": text, "z": "z\n"}
    old = {"a": b"y\n", "d/b.txt": "\n".join([*before, *after]).encode(), "gone": b"1\n2\n"}
    patch = unified_diff(old, {name: it.encode() for name, it in files.items()})
    in_file = FailedCheck(
        (), "", occurrence("NEEDLE", text, any_case=False), place=Place("file", path="d/b.txt")
    )
    in_diff = FailedCheck((), "", occurrence("NEEDLE", patch, any_case=False), place=Place("diff"))
    for check in (in_file, in_diff):
        it, _ = target(check, files=files, patch=patch)
        assert (it["kind"], it["path"]) == ("file", "d/b.txt")
        assert text.split("\n")[it["line"] - 1] == "my NEEDLE is here"


@given(st.lists(_LINES, max_size=3), st.lists(_LINES, max_size=3), st.booleans())
@settings(max_examples=examples(200), deadline=None)
def test_a_line_of_the_transcript_leads_to_its_message(
    before: list[list[str]], after: list[list[str]], is_joined: bool
) -> None:
    texts = ["\n".join(it) for it in before]
    texts += ["my NEEDLE\nis here", *("\n".join(it) for it in after)]
    spoken = [it for it in texts if it.strip()]
    searched = "\n".join(spoken) if is_joined else "my NEEDLE\nis here"
    check = FailedCheck((), "", occurrence("NEEDLE", searched, any_case=False), place=Place("transcript"))
    it, steps = target(check, [message(text) for text in texts])
    assert it["kind"] == "step"
    # Another message may have the same lines as the excerpt.
    assert "NEEDLE" in steps[it["step"] - 1].text or not is_joined


@given(st.lists(st.sampled_from(["view", "edit", "bash"]), min_size=1, max_size=6), st.data())
@settings(max_examples=examples(100), deadline=None)
def test_a_call_in_the_digest_is_the_step_of_that_call(names: list[str], data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(names) - 1))
    seen = [SeenCall(it, {"n": at}) for at, it in enumerate(names)]
    check = FailedCheck((), "", calls_seen(seen, {index}), place=CALLS)
    digest = [{"id": f"c{at}", "name": it, "arguments": {}} for at, it in enumerate(names)]
    # The transcript tells of them in another order, with messages between.
    order = data.draw(st.permutations(range(len(names))))
    transcript = [it for at in order for it in (call(names[at], f"c{at}", n=at), message("so"))]
    it, steps = target(check, transcript, session={"tool_calls": digest})
    found = steps[it["step"] - 1].call
    assert found is not None
    assert (found.name, found.arguments) == (names[index], {"n": index})


def test_a_check_between_turns_points_to_what_was_then() -> None:
    transcript = [
        {"type": "user.message", "content": "one"},
        call("create", path="a.txt", file_text="1\n"),
        call("create", path="b.txt", file_text="b\n"),
        message("first"),
        {"type": "user.message", "content": "two"},
        call("create", path="a.txt", file_text="2\n"),
        message("second"),
    ]
    trajectory = Trajectory(transcript=transcript, files={"a.txt": "2\n", "b.txt": "b\n"}, output="second")
    steps = steps_of(trajectory)
    targets = Targets.of(trajectory, steps, workspace_of(trajectory, steps))

    def found(turn: int, place: Place) -> Any:
        return targets.of_check(FailedCheck((), "", place=place), turn)

    output, changed, same = Place("output", 1), Place("file", 1, "a.txt"), Place("file", 1, "b.txt")
    assert (found(1, output), found(2, output)) == (
        {"kind": "step", "step": 4},
        {"kind": "output", "line": 1},
    )
    in_file = {"kind": "file", "line": 1}
    assert (found(1, changed), found(2, changed)) == (
        {"kind": "step", "step": 2},
        in_file | {"path": "a.txt"},
    )
    assert found(1, same) == in_file | {"path": "b.txt"}


@pytest.mark.parametrize(
    ("check", "expected"),
    [
        (FailedCheck((), "no place"), None),
        (FailedCheck((), "", place=Place("output")), {"kind": "output", "line": 0}),
        (FailedCheck((), "", place=Place("calls", 9)), None),
        (FailedCheck((), "", place=Place("calls")), None),
        (FailedCheck((), "", place=Place("stderr", 3)), None),
        (FailedCheck((), "", place=Place("skills", 1)), {"kind": "step", "step": 1}),
        (FailedCheck((), "", place=Place("skills", 2)), None),
        (FailedCheck((), "", place=Place("file", 2, "./a.txt")), {"kind": "file", "path": "a.txt", "line": 2}),
        # The file is not there: the last call that names it.
        (FailedCheck((), "", place=Place("file", 0, "lost.txt")), {"kind": "step", "step": 3}),
        (FailedCheck((), "", place=Place("file", 0, "never.txt")), None),
        (FailedCheck((), "", place=Place("diff", 1)), None),
        (FailedCheck((), "", place=Place("transcript", 1)), None),
        # Numbers that no line has.
        (FailedCheck((), "", excerpt="1  so", place=Place("transcript", 99)), {"kind": "step", "step": 4}),
        (FailedCheck((), "", excerpt=f"{'9' * 5000}  so", place=Place("transcript", 1)), None),
    ],
)  # fmt: skip
def test_what_a_check_points_to(check: FailedCheck, expected: Mapping[str, object] | None) -> None:
    transcript = [
        {"type": "skill.invoked"},
        call("view", path="a.txt"),
        call("view", path="/w/lost.txt"),
        message("so"),
    ]
    assert target(check, transcript, files={"a.txt": "x\ny\n"})[0] == expected
