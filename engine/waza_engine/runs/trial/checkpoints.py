"""Grade checkpoints: graders that run between two turns (docs/reference/waza-formats.md, section 5.3).

A failed checkpoint makes the trial `failed`; a checkpoint whose grader has an error makes it `error`, even with
`skip_graders`. Checkpoint scores do not count.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from waza_engine.grading.grade import grade_run
from waza_engine.model.results.records import CheckpointOutcome, TrialRecord
from waza_engine.model.results.scores import Status
from waza_engine.model.suite import Checkpoint, Task
from waza_engine.model.trajectory import Trajectory
from waza_engine.runs.trial.grade import Bench, grader_outcomes, grading_context
from waza_engine.runs.trial.workspace import capture


class Checkpoints:
    """The checkpoints of one trial; `outcomes` holds those that it reached."""

    def __init__(self, bench: Bench, task: Task, workspace: Path) -> None:
        self._bench, self._task, self._workspace = bench, task, workspace
        self.outcomes: list[CheckpointOutcome] = []

    async def after_turn(self, turn: int, so_far: Trajectory) -> bool:
        """Grade the checkpoints after this turn. Return False if the conversation must stop."""
        # Imported late: grading recordings does not need it.
        import asyncio

        goes_on = True
        for it in self._task.checkpoints:
            if it.after_turn == turn:
                outcome = await asyncio.to_thread(
                    _grade_checkpoint, self._bench, self._task, it, so_far, self._workspace
                )
                self.outcomes.append(outcome)
                goes_on = goes_on and not (it.stops and outcome.status != "passed")
        return goes_on


def regrade_checkpoints(
    bench: Bench,
    task: Task,
    record: TrialRecord,
    before: Sequence[CheckpointOutcome],
    recorded: Trajectory,
    workspace: Path,
) -> TrialRecord:
    """Return the verdict on a recorded trial with its checkpoints; those after the last turn are graded again.

    A recording does not hold the state after earlier turns. Their outcomes in `before` remain, as long as the task still
    has a checkpoint at that turn.
    """
    last = last_turn(task)
    turns = {it.after_turn for it in task.checkpoints}
    reached = [it for it in before if it.after_turn in turns and it.after_turn != last]
    if reached_last_turn(task, before):
        final = [it for it in task.checkpoints if it.after_turn == last]
        reached += [_grade_checkpoint(bench, task, it, recorded, workspace) for it in final]
    return with_checkpoints(record, reached)


def with_checkpoints(record: TrialRecord, reached: Sequence[CheckpointOutcome]) -> TrialRecord:
    """Return the trial with its checkpoints taken into account."""
    status = status_with_checkpoints(record.status, reached)
    causes = [record.infrastructure] if record.status == "error" else []
    causes += [_is_open(it) for it in reached if it.status == "error"]
    return replace(
        record,
        status=status,
        error=record.error or checkpoint_error(reached),
        checkpoints=tuple(reached),
        infrastructure=status == "error" and all(causes),
    )


def _is_open(checkpoint: CheckpointOutcome) -> bool:
    return all(it.infrastructure for it in checkpoint.graders if it.status == "error")


def last_turn(task: Task) -> int:
    """Return the number of the last turn; 0 with a simulated user, where it is not known."""
    return 0 if task.responder else 1 + len(task.follow_ups)


def reached_last_turn(task: Task, before: Sequence[CheckpointOutcome]) -> bool:
    """Return whether a recorded trial reached its last turn: no earlier checkpoint stopped it."""
    stopping = {it.after_turn for it in task.checkpoints if it.stops and it.after_turn != last_turn(task)}
    return not any(it.after_turn in stopping and it.status != "passed" for it in before)


def checkpoint_error(outcomes: Sequence[CheckpointOutcome]) -> str:
    """Return why a checkpoint could not be graded, or ""."""
    failed = (g for it in outcomes for g in it.graders if g.status == "error")
    return next((f"checkpoint: grader '{it.name or it.type}': {it.feedback}" for it in failed), "")


def status_with_checkpoints(status: Status, checkpoints: Sequence[CheckpointOutcome]) -> Status:
    """Return the trial's status with its checkpoints taken into account."""
    statuses = {it.status for it in checkpoints}
    if status == "error" or "error" in statuses:
        return "error"
    return "failed" if "failed" in statuses else status


def _grade_checkpoint(
    bench: Bench, task: Task, checkpoint: Checkpoint, so_far: Trajectory, workspace: Path
) -> CheckpointOutcome:
    context = grading_context(bench, task, so_far, workspace, capture(workspace, task.files))
    verdict = grade_run((), checkpoint.graders, {}, context, bench.plan.suite.dialect)
    graders = tuple(grader_outcomes(verdict, checkpoint.graders))
    status: Literal["passed", "failed", "error"] = "error" if verdict.infrastructure else verdict.status
    return CheckpointOutcome(checkpoint.after_turn, status, graders)
