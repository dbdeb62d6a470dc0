"""A judge model compares the trial with another one. Removed in vally 0.9.

## What it looks at
The timeline and final answer of the trial (A) and of the other trial (B). The judge compares them twice, with the
positions swapped.

## Score
1.0 if A is much better, 0.75 if slightly better, 0.5 for a tie, 0.25 if B is slightly better, 0.0 if B is much better. The
score is the mean of both comparisons, or 0.5 if they contradict each other. A score of at least `threshold` passes, so by
default a tie passes.

## Example
```yaml
type: pairwise
config:
  prompt: Which answer helps a beginner more?
```

## Watch out
- A single run has no second trial to compare with, so the check ends with an error. Compare two recorded runs instead.
"""

from dataclasses import replace
from typing import ClassVar

from pydantic import ConfigDict, Field

from waza_engine.dialects.vally.fields import Number, Text
from waza_engine.dialects.vally.graders._shared.base import VallyGrader
from waza_engine.dialects.vally.graders._shared.judging import DEFAULT_MODEL, WORDS_FOR_PROMPT
from waza_engine.dialects.vally.scoring.pairwise import comparison_message, comparison_system_message
from waza_engine.graders.base import Criterion, GraderResult, GradingContext
from waza_engine.judges.submit_pairwise import Comparison, compare_trials
from waza_engine.model.judge import JudgeError, JudgeMissing, JudgeRequest
from waza_engine.model.results.threshold import reaches
from waza_engine.model.schema_marks import marks


class PairwiseGrader(VallyGrader):
    type_name = "pairwise"

    model_config = ConfigDict(json_schema_extra=WORDS_FOR_PROMPT)

    determinism = "llm"
    cost_profile = "high"
    portability = "t3a-scenario"
    reference = "reference-based"
    temporal_scope = "cross-trajectory"
    score_kind = "llm"
    requires_llm_client: ClassVar[bool] = True
    deterministic: ClassVar[bool] = False
    asks_judge: ClassVar[bool] = True
    outdated: ClassVar[str] = "vally 0.9 removed 'pairwise'. Use 'prompt', and compare two recorded runs"
    successor: ClassVar[str] = "prompt"

    prompt: Text = Field(
        default="",
        description="Instructions for the comparison, in addition to the `rubric` of the stimulus.",
        examples=["Which answer helps a beginner more?"],
    )
    model: Text = Field(
        default="",
        description="Judge model. Default: the judge model of the run, then that of the spec.",
        examples=["claude-sonnet-4.6"],
        json_schema_extra=marks(reference="model"),
    )
    threshold: Number = Field(
        default=0.5,
        ge=0,
        le=1,
        description="Lowest score that passes: 0.5 means a tie or better.",
        examples=[0.75],
    )

    def grade(self, context: GradingContext) -> GraderResult:
        model = self.model or context.judge_model or DEFAULT_MODEL
        details = {"model": model, "threshold": self.threshold}
        other, judge = context.compared, context.judge
        if other is None or judge is None:
            reason = "no judge is configured" if judge is None else "there is no second run to compare with"
            return _undecided(f"Nothing was compared: {reason}", details)
        request = JudgeRequest(
            message="",
            system_message=comparison_system_message(self.prompt, context.rubric),
            model=model,
            reasoning_effort=context.judge_reasoning_effort,
        )
        try:
            comparison = compare_trials(
                judge, request, lambda swapped: comparison_message(context, other, swapped), context.sleep
            )
        except JudgeError as error:
            down = not isinstance(error, JudgeMissing)
            return replace(_undecided(f"The judge gave no verdict: {error}", details), infrastructure=down)
        return GraderResult(
            comparison.score,
            reaches(comparison.score, self.threshold),
            comparison.first.reasoning
            if comparison.consistent
            else "The judge prefers a position, not an answer: a tie",
            {**details, **_facts(comparison)},
            kind="llm",
            criteria=tuple(
                Criterion(name, comparison.score, reaches(comparison.score, self.threshold), reason)
                for name, reason in comparison.first.reasons
            ),
        )


def _undecided(feedback: str, details: dict[str, object]) -> GraderResult:
    return GraderResult(0.0, False, feedback, details, status="error", kind="llm")


def _facts(comparison: Comparison) -> dict[str, object]:
    return {
        "winner": comparison.first.winner if comparison.consistent else "tie",
        "magnitudes": [comparison.first.magnitude, comparison.second.magnitude],
        "consistent": comparison.consistent,
        "signed": comparison.signed,
        **({"usage": dict(comparison.usage)} if comparison.usage else {}),
    }
