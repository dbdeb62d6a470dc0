"""A judge model gives points.

## What it looks at
The judge sees the task, a timeline of what the agent did, and its final answer; with `evidence` also the changes in
the workspace, or the workspace itself. It judges by `prompt` and by the `rubric` of the stimulus.

## Score
The judge gives points to each criterion and to the whole, all on the scale of `scoring`. The points for the whole become
a score from 0 to 1, where the worst points are 0: on the scale to 5, 4 points are (4 - 1) / (5 - 1) = 0.75. A score of at
least `threshold` passes. A judge that gives no points for the whole is taken at the mean of its criteria.

## Example
```yaml
type: prompt
config:
  prompt: Check that the answer names the root cause and not only the symptom.
  scoring: scale_1_10
  threshold: 0.7
```

## Watch out
- The judge model is that of the grader, else `--judge-model`, else `judge_model` of the spec, else claude-sonnet-4.6.
- A judge that cannot be reached, or submits no grade after two reminders, is a failed check with score 0. Without
  any judge the check cannot be decided: it counts as failed, and is told apart.
- `rubric` is a key of the stimulus, not an option.
"""

from dataclasses import replace
from typing import Literal

from pydantic import Field

from waza_engine.dialects.vally.fields import Text
from waza_engine.dialects.vally.graders._shared.judging import EFFORTS, JudgeGrader, judged
from waza_engine.graders.base import GraderResult, GradingContext
from waza_engine.model.fields import IfGiven
from waza_engine.model.schema_marks import marks


class PromptGrader(JudgeGrader):
    type_name = "prompt"

    model: Text = Field(
        default="",
        description="The judge model. Left out: that of the run, then that of the spec.",
        examples=["claude-sonnet-4.6"],
        json_schema_extra=marks(reference="model"),
    )
    reasoning_effort: IfGiven[Literal["low", "medium", "high", "xhigh"]] = Field(
        default=None,
        description="How much the judge model thinks. Left out: as the spec says.",
        examples=["medium"],
        json_schema_extra=marks(values=EFFORTS, since="0.15"),
    )
    output_delivery: Literal["inline", "workspace"] = Field(
        default="inline",
        description="How the judge gets long outputs. We always show them, shortened to head and tail.",
        examples=["workspace"],
        json_schema_extra=marks(
            since="0.15", values={"inline": "In the message.", "workspace": "As files that it reads."}
        ),
    )

    def grade(self, context: GradingContext) -> GraderResult:
        result = judged(context, self.question, self.model, self.reasoning_effort or "")
        # A judge that was asked in vain fails the check, which is no error of the grader
        # (docs/reference/waza-graders.md, section 8).
        return result if context.judge is None else replace(result, status="")
