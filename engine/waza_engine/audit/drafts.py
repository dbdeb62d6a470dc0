"""Draft checks that tell good trials from a broken one. Each draft was graded on all of them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from waza_engine.audit.mutations.base import Mutant, Subject, mutations
from waza_engine.audit.null_agents import NULL_AGENTS, Scene
from waza_engine.audit.task_grading import TaskGrading
from waza_engine.graders.base import Grader
from waza_engine.graders.drafts import GraderDraft, grader_drafts
from waza_engine.graders.result import GraderVerdict
from waza_engine.grading.grade import grade_entry
from waza_engine.model.trajectory import Trajectory
from waza_engine.runs.recordings.find import Recording


@dataclass(frozen=True, slots=True)
class ProvenDraft:
    """A drafted grader that passes on `passes` recorded trials and fails on the broken one, for the reason in `fails_for`."""

    draft: GraderDraft
    passes: int
    fails_for: str


def telling_drafts(
    grading: TaskGrading,
    kinds: Iterable[type[Grader]],
    passing: Sequence[Recording],
    broken: Trajectory,
    dialect: str,
) -> Iterator[ProvenDraft]:
    """Yield graders that pass on all `passing` trials and fail on `broken`.

    Raises:
        WorkspaceError: a workspace cannot be created.

    """
    contexts = [grading.context(it.trajectory, it) for it in passing]
    if not contexts:
        return
    failing = grading.context(broken, passing[0])
    for draft in grader_drafts(kinds, contexts):
        verdicts = [grade_entry(draft.entry, it, dialect, "task") for it in (*contexts, failing)]
        # As an entry it can mean something else than the drafted model, so the entry is what is proven.
        decided = [it for it in verdicts if isinstance(it, GraderVerdict)]
        if len(decided) == len(verdicts) and all(it.result.passed for it in decided[:-1]):
            last = decided[-1].result
            if not last.passed and last.status != "error":
                yield ProvenDraft(draft, len(contexts), last.feedback)


def broken_trial(kind: str, name: str, change: str, subject: Subject, skill: str = "") -> Trajectory | None:
    """Return the trial of an attempt again, by its kind, name and change; None if it is not made any more."""
    if kind == "null agent":
        agent = NULL_AGENTS.get(name)
        return agent.perform(Scene(subject.task, skill, subject.trajectory)) if agent else None
    mutation = mutations().get(name)
    made: Iterable[Mutant] = mutation.mutants(subject) if mutation else ()
    return next((it.trajectory for it in made if it.change == change), None)
