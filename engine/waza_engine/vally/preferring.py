"""A judge that says which of two recorded trials is better, by the rubric of their stimulus.

See docs/reference/vally.md, section 7.11.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from waza_engine.judges.base import Judge, JudgeRequest
from waza_engine.judges.submit_pairwise import Comparison, preferred
from waza_engine.model.pairwise import Pairwise
from waza_engine.runs.records import RunRecord, TrialRecord
from waza_engine.scalars import plain
from waza_engine.suite import Suite, Task
from waza_engine.vally.comparing import comparison_message, comparison_system_message
from waza_engine.vally.judging import DEFAULT_MODEL
from waza_engine.vally.pairing import Pair, comparison_record, pairs_of
from waza_engine.vally.recorded import context_of

_PROMPT = "prompt"


@dataclass(frozen=True, slots=True)
class Preference:
    """How trials are compared. Without a suite, or for stimuli that it has not, by criteria of our own."""

    judge: Judge
    suite: Suite | None = None
    model: str = ""
    sleep: Callable[[float], None] = time.sleep

    def __call__(self, one: TrialRecord, other: TrialRecord) -> Comparison:
        """Compare two trials of a stimulus.

        Raises:
            JudgeError: the judge gave no answer.

        """
        tasks = self.suite.tasks if self.suite is not None else ()
        task = next((it for it in tasks if it.id == one.task), None)
        options = _options(task)
        settings = self.suite.settings if self.suite is not None else None
        request = JudgeRequest(
            message="",
            system_message=comparison_system_message(
                str(options.get("prompt") or ""), task.rubric if task is not None else ()
            ),
            model=str(options.get("model") or "")
            or self.model
            or (settings.judge_model if settings is not None else "")
            or DEFAULT_MODEL,
            reasoning_effort=settings.judge_reasoning_effort if settings is not None else "",
        )
        a, b = context_of(one.trajectory), context_of(other.trajectory)
        return preferred(self.judge, request, lambda swapped: comparison_message(a, b, swapped), self.sleep)


@dataclass(frozen=True, slots=True)
class _Compared:
    """Two runs, compared by a preference: a `Pairwise`."""

    baseline: RunRecord
    treatment: RunRecord
    preference: Preference

    def pairs(self) -> Iterator[Pair]:
        return pairs_of(self.baseline, self.treatment, self.preference)

    def record(self, names: tuple[str, str], pairs: Sequence[Pair]) -> dict[str, Any]:
        return comparison_record(self.baseline, self.treatment, names, pairs)


def compared(
    baseline: RunRecord, treatment: RunRecord, judge: Judge, suite: Suite | None, model: str
) -> Pairwise:
    """The comparison of two runs by a judge; the `suite` has the rubrics."""
    return _Compared(baseline, treatment, Preference(judge, suite, model))


def _options(task: Task | None) -> Mapping[str, object]:
    """The options of the stimulus' first `prompt` grader."""
    for it in task.graders if task is not None else ():
        if it.type == _PROMPT and isinstance(options := plain(it.config), Mapping):
            return options
    return {}
