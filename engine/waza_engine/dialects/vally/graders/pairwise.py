"""A judge model compares the trial with another one. vally removed the type in 0.9.

## What it looks at
The trial (A) and the one that it is compared with (B), each with its timeline and final answer. The judge is asked
twice, with the places swapped.

## Score
Much better is 1.0 for A, slightly better 0.75, a tie 0.5; if B is better, 0.25 and 0.0. The mean of both answers counts, and
0.5 when they contradict each other. A score of at least `threshold` passes, so by default a tie does.

## Example
```yaml
type: pairwise
config:
  prompt: Which answer helps a beginner more?
```

## Watch out
- A single run has nothing to compare with: the check fails with an error. Compare two recorded runs instead.
"""

from typing import ClassVar

from pydantic import Field

from waza_engine.dialects.vally.fields import Number, Text
from waza_engine.dialects.vally.graders._shared.base import VallyGrader
from waza_engine.dialects.vally.graders._shared.judging import DEFAULT_MODEL
from waza_engine.dialects.vally.scoring.pairwise import comparison_message, comparison_system_message
from waza_engine.graders.base import Criterion, GraderResult, GradingContext
from waza_engine.judges.submit_pairwise import Comparison, preferred
from waza_engine.model.judge import JudgeError, JudgeRequest
from waza_engine.model.schema_marks import marks
from waza_engine.model.threshold import reaches


class PairwiseGrader(VallyGrader):
    type_name = "pairwise"
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
        description="What the judge compares by, beside the `rubric` of the stimulus.",
        examples=["Which answer helps a beginner more?"],
    )
    model: Text = Field(
        default="",
        description="The judge model. Left out: that of the run, then that of the spec.",
        examples=["claude-sonnet-4.6"],
        json_schema_extra=marks(reference="model"),
    )
    threshold: Number = Field(
        default=0.5,
        ge=0,
        le=1,
        description="The score that passes: 0.5 means a tie or better.",
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
            found = preferred(
                judge, request, lambda swapped: comparison_message(context, other, swapped), context.sleep
            )
        except JudgeError as error:
            return _undecided(f"The judge gave no verdict: {error}", details)
        return GraderResult(
            found.score,
            reaches(found.score, self.threshold),
            found.first.reasoning if found.consistent else "The judge prefers a place, not an answer: a tie",
            {**details, **_facts(found)},
            kind="llm",
            criteria=tuple(
                Criterion(name, found.score, reaches(found.score, self.threshold), reason)
                for name, reason in found.first.reasons
            ),
        )


def _undecided(said: str, details: dict[str, object]) -> GraderResult:
    return GraderResult(0.0, False, said, details, status="error", kind="llm")


def _facts(found: Comparison) -> dict[str, object]:
    return {
        "winner": found.first.winner if found.consistent else "tie",
        "magnitudes": [found.first.magnitude, found.second.magnitude],
        "consistent": found.consistent,
        "signed": found.signed,
    }
