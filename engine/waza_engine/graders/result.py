"""The results of grading: verdicts of graders and runs, their failed checks, and failures to grade."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from waza_engine.graders.context import GradingContext
from waza_engine.lib.pointer import Pointer
from waza_engine.model.results.evidence import FailedCheck
from waza_engine.model.suite import Constraint, GraderEntry, Scoring


@dataclass(frozen=True, slots=True)
class Criterion:
    """The verdict on one criterion, or of one of several judges: vally's sub-results (docs/reference/vally.md, section 6)."""

    name: str
    score: float
    passed: bool
    evidence: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    status: Literal["", "error"] = ""
    criteria: tuple["Criterion", ...] = ()


@dataclass(frozen=True, slots=True)
class GraderResult:
    """A verdict: `score` in 0..1, `passed`, one line of feedback, and details for the report.

    `type_name` overrides the type in the result where waza shows another one (none for `tool_calls`). `parts` are the
    failed checks, if the grader has single checks. `status` is `error` if the grader could not decide: that counts as
    failed and is reported separately. `kind` says how the score was computed. With `infrastructure` it could not decide
    whatever the agent did, for example because the judge was down: it may decide when it is asked again.
    """

    score: float
    passed: bool
    feedback: str = ""
    details: dict[str, Any] | None = None
    type_name: str | None = None
    parts: tuple[FailedCheck, ...] = ()
    status: Literal["", "error"] = ""
    kind: Literal["code", "llm", "human"] = "code"
    label: Literal["", "correct", "incorrect"] = ""
    criteria: tuple[Criterion, ...] = ()
    infrastructure: bool = False

    @classmethod
    def of_checks(
        cls,
        total: int,
        failures: Sequence[str | FailedCheck],
        passed_text: str = "All checks passed",
        **details: Any,
    ) -> "GraderResult":
        """Return waza's usual verdict: the score is the share of passed checks, 1.0 if there are none."""
        score = (total - len(failures)) / total if total else 1.0
        texts = [it if isinstance(it, str) else it.message for it in failures]
        feedback = "; ".join(texts) if texts else passed_text
        parts = tuple(it for it in failures if isinstance(it, FailedCheck))
        return cls(score, not texts, feedback, go_details({**details, "failures": texts}), parts=parts)

    @classmethod
    def failed(
        cls, feedback: str, details: dict[str, Any] | None = None, parts: tuple[FailedCheck, ...] = ()
    ) -> "GraderResult":
        """Return a failed verdict with score 0, for when nothing could be checked."""
        return cls(0.0, False, feedback, details, parts=parts)

    @classmethod
    def undecided(cls, feedback: str, details: dict[str, Any] | None = None) -> "GraderResult":
        """Return the verdict of a grader that could not decide: failed with score 0, reported separately."""
        return cls(0.0, False, feedback, details, status="error")


@dataclass(frozen=True, slots=True)
class GraderVerdict:
    """One grader's result in a run. `type` is the one that waza shows, `duration_ms` is wall time."""

    name: str
    type: str
    weight: float
    result: GraderResult
    duration_ms: int = 0


@dataclass(frozen=True, slots=True)
class GraderFailure:
    """A grader without a result: it could not be built (`config`) or could not grade (`grade`).

    `infrastructure` is as in `GraderResult`.
    """

    name: str
    type: str
    kind: Literal["config", "grade"]
    message: str
    infrastructure: bool = False
    pointer: Pointer = ()
    """The place of the error in the entry."""

    def __str__(self) -> str:
        return f"grader '{self.name or self.type}': {self.message}"


@dataclass(frozen=True, slots=True)
class RunVerdict:
    """The verdict on one run. `results` are by grader name, in the order of first occurrence.

    With `infrastructure`, it depends on graders that could not decide for reasons of infrastructure.
    """

    status: Literal["passed", "failed", "error"]
    score: float = 0.0
    weighted_score: float = 0.0
    results: Mapping[str, GraderVerdict] = field(default_factory=dict)
    error: GraderFailure | None = None
    infrastructure: bool = False


@dataclass(frozen=True, slots=True)
class GradedTrial:
    """The input for a dialect's verdict on a trial.

    `graded` yields the outcome of each entry and grades lazily: if a caller stops reading, grading stops.
    """

    graded: Iterable[tuple[GraderEntry, GraderVerdict | GraderFailure]]
    context: GradingContext
    constraints: Sequence[Constraint]
    scoring: Scoring


def go_details(details: dict[str, Any]) -> dict[str, Any]:
    """Return details as waza writes them: empty lists are null at every depth.

    See docs/reference/waza-graders.md, section 2.2.
    """
    return {key: _go_value(it) for key, it in details.items()}


def _go_value(value: Any) -> Any:
    match value:
        case []:
            return None
        case list():
            return [_go_value(it) for it in value]
        case dict():
            return go_details(value)
        case _:
            return value
