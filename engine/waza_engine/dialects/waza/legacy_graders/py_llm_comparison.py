"""Asks a language model how close the output is to a reference, in 1 to 5 points.

## What it looks at
The output and `reference`.

## Score
(points - 1) / 4. The model's reply says whether the grader passes. If it does not say so, a score of 0.75 or more
passes.

## Example
```yaml
type: llm_comparison
name: like-the-reference
config:
  reference: The service runs in region west.
```

## Watch out
- waza removed this type in February 2026. Use `prompt`.
- There is no threshold. If the model cannot be reached, the score is 0.5, and the grader fails.
"""

from typing import Any, ClassVar

from pydantic import Field

from waza_engine.dialects.waza.generations.python import PyGrader, require_unit_score
from waza_engine.graders.base import GradeError, GraderResult, GradingContext
from waza_engine.judges.replies import flag_of, points_of, reasoning_of, reply_mapping, score_of_points
from waza_engine.model.fields import AnyValue
from waza_engine.model.judge import JudgeError, JudgeMissing

_MODEL = "gpt-4o-mini"
_PASSING_SCORE = 0.75


class PyLlmComparisonGrader(PyGrader):
    type_name = "llm_comparison"
    deterministic: ClassVar[bool] = False
    asks_judge: ClassVar[bool] = True
    successor: ClassVar[str] = "prompt"
    outdated: ClassVar[str] = (
        "'llm_comparison' is from older versions. Use a 'prompt' grader with the reference in its prompt"
    )

    reference: AnyValue = Field(
        default="",
        description="The text to compare with.",
        examples=["The service runs in region west."],
        json_schema_extra={"type": "string"},
    )
    model: AnyValue = Field(
        default=_MODEL,
        description="The judge model.",
        examples=["gpt-4o"],
        json_schema_extra={"type": "string"},
    )

    def grade(self, context: GradingContext) -> GraderResult:
        if not self.reference:
            return GraderResult(0.0, False, "No reference is configured", type_name="llm")
        if context.judge is None:
            raise GradeError("No judge is configured: configure one, or run without llm_comparison graders")
        model = self.model if isinstance(self.model, str) else context.judge_model
        try:
            reply: Any = context.judge.reply(_message(context.output, self.reference), model)
        except JudgeError as error:
            feedback = f"The judge gave no verdict: {error}"
            down = not isinstance(error, JudgeMissing)
            return GraderResult(0.5, False, feedback, type_name="llm", infrastructure=down)
        members = reply_mapping(reply)
        points = points_of(members)
        score = score_of_points(points)
        passed = flag_of(members, "passed") if "passed" in members else score >= _PASSING_SCORE
        details = {"raw_score": points, "model": model or None}
        return require_unit_score(GraderResult(score, passed, reasoning_of(members), details, "llm"))


def _message(output: str, reference: Any) -> str:
    return (
        "How much do these two texts mean the same? 1 = nothing in common, 5 = the same meaning.\n\n"
        f"Reference:\n{reference}\n\nOutput:\n{output}\n\n"
        'Answer with one JSON object: {"score": 1 to 5, "reasoning": "why", "passed": true or false}'
    )
