"""Checkpoints: graders that judge the state between two turns (docs/reference/waza-formats.md, section 5.3).

A checkpoint that did not pass makes the run `failed`, a grader that errors in one makes it `error`, also when the
graders of the run are skipped. Its scores count nowhere.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from waza_engine.grading.grade import grade_run
from waza_engine.model.records import CheckpointOutcome, TrialRecord
from waza_engine.model.scores import Status
from waza_engine.model.suite import Checkpoint, Task
from waza_engine.model.trajectory import Trajectory
from waza_engine.runs.trial.grade import Bench, grader_outcomes, grading_context
from waza_engine.runs.trial.workspace import capture


class Checkpoints:
    """The checkpoints of one trial; `outcomes` are those that were reached."""

    def __init__(self, bench: Bench, task: Task, workspace: Path) -> None:
        self._bench, self._task, self._workspace = bench, task, workspace
        self.outcomes: list[CheckpointOutcome] = []

    @property
    def error(self) -> str:
        """Why a checkpoint could not be judged, or ""."""
        return checkpoint_error(self.outcomes)

    async def after_turn(self, turn: int, so_far: Trajectory) -> bool:
        """Judge what there is after a turn; False when the rest of the turns must not be held."""
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
    """The verdict on a recorded trial with its checkpoints: those after its last turn with their graders of now.

    A recording does not hold what there was after the earlier turns: what was said of them `before` still holds, as
    long as the task has a checkpoint there.
    """
    last = last_turn(task)
    turns = {it.after_turn for it in task.checkpoints}
    reached = [it for it in before if it.after_turn in turns and it.after_turn != last]
    if reached_last_turn(task, before):
        at_the_end = [it for it in task.checkpoints if it.after_turn == last]
        reached += [_grade_checkpoint(bench, task, it, recorded, workspace) for it in at_the_end]
    return replace(
        record,
        status=status_with_checkpoints(record.status, reached),
        error=record.error or checkpoint_error(reached),
        checkpoints=tuple(reached),
    )


def last_turn(task: Task) -> int:
    """The number of the last turn; 0 with a simulated user, when nobody knows which it is."""
    return 0 if task.responder else 1 + len(task.follow_ups)


def reached_last_turn(task: Task, before: Sequence[CheckpointOutcome]) -> bool:
    """Whether the last turn of a recorded trial was held: no checkpoint before it has stopped the talk."""
    stopping = {it.after_turn for it in task.checkpoints if it.stops and it.after_turn != last_turn(task)}
    return not any(it.after_turn in stopping and it.status != "passed" for it in before)


def checkpoint_error(outcomes: Sequence[CheckpointOutcome]) -> str:
    """Why a checkpoint could not be judged, or ""."""
    failed = (g for it in outcomes for g in it.graders if g.status == "error")
    return next((f"checkpoint: grader '{it.name or it.type}': {it.feedback}" for it in failed), "")


def status_with_checkpoints(status: Status, checkpoints: Sequence[CheckpointOutcome]) -> Status:
    """The run's status when its checkpoints are looked at, too."""
    reached = {it.status for it in checkpoints}
    if status == "error" or "error" in reached:
        return "error"
    return "failed" if "failed" in reached else status


def _grade_checkpoint(
    bench: Bench, task: Task, checkpoint: Checkpoint, so_far: Trajectory, workspace: Path
) -> CheckpointOutcome:
    context = grading_context(bench, task, so_far, workspace, capture(workspace, task.files))
    verdict = grade_run((), checkpoint.graders, {}, context, bench.plan.suite.dialect)
    found = tuple(grader_outcomes(verdict, checkpoint.graders))
    status: Literal["passed", "failed", "error"] = verdict.status
    return CheckpointOutcome(checkpoint.after_turn, status, found)
