"""Draft checks that tell good trials from broken ones. Each draft was graded on all of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from waza_engine.audit.run import BrokenWork, broken_work, passing_trials
from waza_engine.audit.score import Attempt
from waza_engine.audit.task_grading import TaskGrading
from waza_engine.graders.base import Grader, GradingContext
from waza_engine.graders.drafts import GraderDraft, grader_drafts
from waza_engine.graders.result import GraderVerdict
from waza_engine.grading.grade import grade_entry
from waza_engine.model.trajectory import Trajectory
from waza_engine.runs.recordings.find import Recording


@dataclass(frozen=True, slots=True)
class ProvenDraft:
    """A drafted grader that passes on `passes` recorded trials, and fails on the broken work in `notices` (in words)."""

    draft: GraderDraft
    passes: int
    notices: tuple[str, ...]


def proven_drafts(
    grading: TaskGrading,
    kinds: Iterable[type[Grader]],
    recordings: Sequence[Recording],
    dialect: str,
    *,
    others: tuple[Trajectory, ...] = (),
    skill: str = "",
) -> list[ProvenDraft]:
    """Return graders that pass on all recorded trials that pass, and fail on broken work that passes; the best first.

    Raises:
        WorkspaceError: a workspace cannot be created.

    """
    passing = passing_trials(grading, recordings)
    if not passing:
        return []
    found = broken_work(grading, passing, others, skill)
    survivors = [it for it in found if _matters(it.attempt)]
    contexts = [grading.context(it.trajectory, it) for it in passing]
    broken = [(it, grading.context(it.trajectory, passing[0])) for it in survivors]
    drafts = [_proven(draft, contexts, broken, dialect) for draft in grader_drafts(kinds, contexts)]
    return sorted((it for it in drafts if it is not None), key=lambda it: -len(it.notices))


def _matters(attempt: Attempt) -> bool:
    """Whether a check should notice it. If no grader looks at the tool calls, the author does not mind them.

    Written files are the work itself.
    """
    is_seen = attempt.kind != "mutant" or bool(attempt.observers) or attempt.name == "delete-file"
    return attempt.passes and is_seen


def _proven(
    draft: GraderDraft,
    contexts: Sequence[GradingContext],
    broken: Sequence[tuple[BrokenWork, GradingContext]],
    dialect: str,
) -> ProvenDraft | None:
    """Grade the draft as the entry that would be written; None if it does not tell the trials apart."""

    def verdict(context: GradingContext) -> bool | None:
        graded = grade_entry(draft.entry, context, dialect, "task")
        is_decided = isinstance(graded, GraderVerdict) and graded.result.status != "error"
        return graded.result.passed if isinstance(graded, GraderVerdict) and is_decided else None

    if not all(verdict(it) for it in contexts):
        return None
    notices = tuple(it.attempt.change for it, context in broken if verdict(context) is False)
    return ProvenDraft(draft, len(contexts), notices) if notices else None
