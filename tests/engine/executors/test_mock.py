"""Tests of the mock's exact output (docs/reference/waza-formats.md, section 16)."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from waza_engine.executors.base import ExecutorOptions, TrialRequest, TriggerRequest
from waza_engine.executors.mock import MockExecutor, mock_output
from waza_engine.lib.yaml.scalars import Scalar
from waza_engine.model.suite import InputFile, Task
from waza_engine.model.trajectory import Trajectory


def output(task: Task) -> str:
    return mock_output(task, task.prompt)


def test_a_bare_task_gives_one_line() -> None:
    assert output(Task("a", "", "Summarize notes.txt\n")) == "Mock response for: Summarize notes.txt\n"


def test_everything_is_echoed_in_order_without_a_line_end() -> None:
    task = Task(
        "a",
        "Summary",
        "go",
        description="short",
        context={"lang": "go", "deep": True},
        files=(
            InputFile("notes.txt", b"one\ntwo"),
            InputFile("src/b.py", b"x = 1\n"),
            InputFile("empty", b""),
        ),
    )
    assert output(task) == (
        "Mock response for: go\n"
        "Task: Summary\n"
        "Description: short\n"
        "Context:\n"
        "  lang: go\n"
        "  deep: true\n"
        "Analyzed 3 file(s):\n"
        "  - notes.txt\n"
        "one\ntwo\n"
        "  - src/b.py\n"
        "x = 1\n\n"
        "  - empty"
    )


def test_long_contents_are_cut_after_1024_bytes() -> None:
    task = Task("a", "", "p", files=(InputFile("a.txt", b"x" * 1024), InputFile("b.txt", b"y" * 1025)))
    first, second = output(task).split("  - b.txt\n")
    assert first.endswith("\n" + "x" * 1024 + "\n")
    assert second == "y" * 1024 + "...(truncated)"


def test_each_invalid_byte_becomes_one_replacement_character() -> None:
    cut = "x" * 1023 + "\u20ac"  # the euro sign has three bytes, of which one is left
    task = Task("a", "", "p", files=(InputFile("a", b"\xff\xfe!"), InputFile("b", cut.encode() + b"more")))
    assert "\n\ufffd\ufffd!\n" in output(task)
    assert output(task).endswith("x\ufffd...(truncated)")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "<nil>"),
        (False, "false"),
        (42, "42"),
        (1.5, "1.5"),
        (100000.0, "100000"),
        (1234567.0, "1.234567e+06"),
        (1e6, "1e+06"),
        (0.0001, "0.0001"),
        (0.00001, "1e-05"),
        (-0.0, "-0"),
        ([1, "a b", None], "[1 a b <nil>]"),
        ({"b": 1, "a": [True]}, "map[a:[true] b:1]"),
        (Scalar("yes", "yes"), "yes"),
        (Scalar("2026-01-02", datetime(2026, 1, 2, tzinfo=UTC)), "2026-01-02 00:00:00 +0000 UTC"),
    ],
)
def test_context_values_are_formatted_like_go(value: Any, shown: str) -> None:
    assert output(Task("a", "", "p", context={"k": value})).endswith(f"\n  k: {shown}")


async def run(task: Task) -> Trajectory:
    return await MockExecutor(ExecutorOptions(Path())).run(TrialRequest(task, 1, Path(), model="m"), print)


async def test_the_trajectory_has_only_the_output() -> None:
    done = await run(Task("a", "", "p"))
    assert (done.error, done.transcript, done.tool_events, done.skills) == ("", [], [], [])
    assert done.session is not None
    assert done.session.tool_call_count == 0
    assert done.session.usage is None
    assert done.session_id.startswith("mock-session-")
    assert done.model == "m"


async def test_the_last_follow_up_is_answered() -> None:
    left = ["second", "third"]

    async def after_turn(_turn: int, _so_far: Trajectory) -> str | None:
        return left.pop(0) if left else None

    request = TrialRequest(Task("a", "Name", "first"), 1, Path("unused"), after_turn=after_turn)
    done = await MockExecutor(ExecutorOptions(Path())).run(request, lambda _: None)
    assert done.output == "Mock response for: third\nTask: Name"


@pytest.mark.parametrize("expected", [True, False])
async def test_every_trigger_prediction_is_correct(*, expected: bool) -> None:
    executor = MockExecutor(ExecutorOptions(Path()))
    assert await executor.triggered(TriggerRequest("p", "skill", should_trigger=expected)) is expected
