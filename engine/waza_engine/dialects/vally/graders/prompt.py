"""A judge model scores the trial.

## What it looks at
The judge sees the task, a timeline of the agent's actions and the final answer. With `evidence`, it also sees the
workspace changes or may read the workspace. It judges by `prompt` and by the `rubric` of the stimulus.

## Score
The judge gives points for each criterion and overall, on the scale set by `scoring`. The overall points are mapped to a
score from 0 to 1, where the lowest points are 0: on `scale_1_5`, 4 points are (4 - 1) / (5 - 1) = 0.75. A score of at
least `threshold` passes. If the judge gives no overall points, the mean of its criteria counts.

## Example
```yaml
type: prompt
config:
  prompt: Check that the answer names the root cause and not only the symptom.
  scoring: scale_1_10
  threshold: 0.7
```

## Watch out
- The judge model is the first of these that is set: `model` of the grader, `--judge-model`, `judge_model` of the spec,
  claude-sonnet-4.6.
- If the judge cannot be reached, or submits no grade after two reminders, the trial could not be judged: it is an error
  of infrastructure, and counts neither as passed nor as failed. vally itself fails the check with score 0. Without any
  judge, the check is undecided: it counts as failed, with status `error`.
- `rubric` is a key of the stimulus, not an option of this grader.
"""

from dataclasses import replace
from typing import Literal

from pydantic import ConfigDict, Field

from waza_engine.dialects.vally.fields import Text
from waza_engine.dialects.vally.graders._shared.judging import (
    EFFORTS,
    WORDS_FOR_PROMPT,
    JudgeGrader,
    judge_trial,
)
from waza_engine.graders.base import GraderResult, GradingContext
from waza_engine.model.fields import IfGiven
from waza_engine.model.schema_marks import marks


class PromptGrader(JudgeGrader):
    type_name = "prompt"

    model_config = ConfigDict(json_schema_extra=WORDS_FOR_PROMPT)

    model: Text = Field(
        default="",
        description="Judge model. Default: the judge model of the run, then that of the spec.",
        examples=["claude-sonnet-4.6"],
        json_schema_extra=marks(reference="model"),
    )
    reasoning_effort: IfGiven[Literal["low", "medium", "high", "xhigh"]] = Field(
        default=None,
        description="Reasoning effort of the judge model. Default: the effort in the spec.",
        examples=["medium"],
        json_schema_extra=marks(values=EFFORTS),
    )
    output_delivery: IfGiven[Literal["inline", "workspace"]] = Field(
        default=None,
        description="How the judge gets long outputs. We show them in the message, shortened to head and tail.",
        examples=["workspace"],
        json_schema_extra=marks(
            values={
                "inline": "In the message.",
                "workspace": "As files for the judge to read.",
            },
        ),
    )

    def grade(self, context: GradingContext) -> GraderResult:
        # `output_delivery` is ignored: vally 0.17 refuses `inline`, but the recording may be of an older version.
        result = judge_trial(context, self.question, self.model, self.reasoning_effort or "")
        # A judge without an answer fails the check; only a missing judge is an error
        # (docs/reference/waza-graders.md, section 8).
        return result if context.judge is None else replace(result, status="")
