"""Checkpoints: graders that judge the state between two turns (waza-formats.md, section 5.3).

A checkpoint that did not pass makes the run `failed`, a grader that errors in one makes it `error`, also when the
graders of the run are skipped. Its scores count nowhere.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from waza_engine.grading import grade_run
from waza_engine.runs.grade import Bench, grading_context, outcomes
from waza_engine.runs.records import CheckpointOutcome
from waza_engine.runs.workspace import capture
from waza_engine.scoring import Status
from waza_engine.suite import Checkpoint, Task
from waza_engine.trajectory import Trajectory


class Checkpoints:
    """The checkpoints of one trial; `outcomes` are those that were reached."""

    def __init__(self, bench: Bench, task: Task, workspace: Path) -> None:
        self._bench, self._task, self._workspace = bench, task, workspace
        self.outcomes: list[CheckpointOutcome] = []

    @property
    def error(self) -> str:
        """Why a checkpoint could not be judged, or ""."""
        failed = (g for it in self.outcomes for g in it.graders if g.status == "error")
        return next((f"checkpoint: grader '{it.name or it.type}': {it.feedback}" for it in failed), "")

    async def after_turn(self, turn: int, so_far: Trajectory) -> bool:
        """Judge what there is after a turn; False when the rest of the turns must not be held."""
        goes_on = True
        for it in self._task.checkpoints:
            if it.after_turn == turn:
                outcome = await asyncio.to_thread(self._judged, it, so_far)
                self.outcomes.append(outcome)
                goes_on = goes_on and not (it.stops and outcome.status != "passed")
        return goes_on

    def _judged(self, checkpoint: Checkpoint, so_far: Trajectory) -> CheckpointOutcome:
        captured = capture(self._workspace, self._task.files)
        context = grading_context(self._bench, self._task, so_far, self._workspace, captured)
        verdict = grade_run((), checkpoint.graders, {}, context, older_types=True)
        found = tuple(outcomes(verdict, checkpoint.graders))
        status: Literal["passed", "failed", "error"] = verdict.status
        return CheckpointOutcome(checkpoint.after_turn, status, found)


def status_with(status: Status, checkpoints: Sequence[CheckpointOutcome]) -> Status:
    """The run's status when its checkpoints are looked at, too."""
    reached = {it.status for it in checkpoints}
    if status == "error" or "error" in reached:
        return "error"
    return "failed" if "failed" in reached else status
