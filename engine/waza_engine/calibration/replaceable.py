"""Checks that decide as a judge does, on all recordings: they cost nothing and never change their mind."""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from waza_engine.calibration.subjects import Subject
from waza_engine.graders.base import Grader, GradingContext
from waza_engine.graders.drafts import GraderDraft, grader_drafts
from waza_engine.graders.result import GraderVerdict
from waza_engine.grading.grade import grade_entry
from waza_engine.runs.planning.plan import Plan
from waza_engine.runs.recordings.regrade import bench_for, replayed_trial
from waza_engine.runs.trial.grade import grading_context

_LEAST = 3
"""So many recordings must pass, and so many fail."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """A drafted check that agrees with the judge on `passed` recordings that pass and `failed` ones that fail."""

    draft: GraderDraft
    passed: int
    failed: int


def replacement(
    plan: Plan,
    judged: Sequence[tuple[Subject, bool]],
    kinds: Iterable[type[Grader]],
    dialect: str,
    process_dir: Path,
) -> Replacement | None:
    """Return a check that decides as the judge did on these recordings of one task, or None.

    Raises:
        WorkspaceError: a workspace cannot be created.

    """
    count = sum(passed for _, passed in judged)
    if count < _LEAST or len(judged) - count < _LEAST:
        return None
    with ExitStack() as stack:
        contexts = [(_context(stack, plan, it, process_dir), passed) for it, passed in judged]
        free = [it for it in kinds if it.deterministic and not (it.executes or it.asks_judge)]
        for draft in grader_drafts(free, [it for it, passed in contexts if passed]):
            if all(_passes(draft, it, dialect) is passed for it, passed in contexts):
                return Replacement(draft, count, len(judged) - count)
    return None


def _context(stack: ExitStack, plan: Plan, subject: Subject, process_dir: Path) -> GradingContext:
    recording = subject.recording
    trial = stack.enter_context(replayed_trial(subject.task, recording))
    bench = bench_for(plan, recording, process_dir)
    return grading_context(bench, subject.task, recording.trajectory, trial.workspace, trial.captured)


def _passes(draft: GraderDraft, context: GradingContext, dialect: str) -> bool | None:
    graded = grade_entry(draft.entry, context, dialect, "task")
    if not isinstance(graded, GraderVerdict) or graded.result.status == "error":
        return None
    return graded.result.passed
