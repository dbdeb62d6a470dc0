"""How often mocked programs were to be called (`command_mocks[].expect_calls`), as verdicts beside those of the graders."""

from collections.abc import Iterator

from waza_engine.runs.records import GraderOutcome
from waza_engine.suite import Task
from waza_engine.trajectory import Trajectory


def expected_calls(task: Task, trajectory: Trajectory) -> Iterator[GraderOutcome]:
    """A verdict for each mock that says how often it is to be called."""
    for it in task.command_mocks:
        if it.expect_calls is None:
            continue
        count = sum(call.command == it.name for call in trajectory.command_invocations)
        is_right = count == it.expect_calls
        yield GraderOutcome(
            name=f"_expect_calls:{it.name}",
            type="",
            status="passed" if is_right else "failed",
            score=float(is_right),
            weight=1.0,
            feedback="" if is_right else f"{it.name} was called {count} times, expected {it.expect_calls}",
            details={"calls": count, "expected": it.expect_calls},
        )
