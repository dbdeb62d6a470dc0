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
- If the judge cannot be reached, or submits no grade after two reminders, the check fails with score 0. Without any
  judge, the check is undecided: it counts as failed, with status `error`.
- `rubric` is a key of the stimulus, not an option of this grader.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from pydantic import ConfigDict, Field

from waza_engine.dialects.vally.fields import Text
from waza_engine.dialects.vally.graders._shared.judging import EFFORTS, JudgeGrader, judge_trial
from waza_engine.graders.base import GraderResult, GradingContext, Scope
from waza_engine.model.fields import IfGiven
from waza_engine.model.findings import Finding, Fix, RemoveKey, Severity
from waza_engine.model.schema_marks import foreign_keys, marks
from waza_engine.rules.never_applied import NEVER_APPLIED
from waza_engine.rules.unknown_value import UNKNOWN_VALUE

_REMOVE_DELIVERY = Fix("Remove 'output_delivery'", (RemoveKey(("output_delivery",)),), preferred=True)


class PromptGrader(JudgeGrader):
    type_name = "prompt"

    model_config = ConfigDict(
        json_schema_extra=foreign_keys(
            {
                "rubric": "prompt ../../../rubric",
                "criteria": "prompt ../../../rubric",
                "instructions": "prompt",
                "question": "prompt",
            }
        )
    )

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
        description="How the judge gets long outputs. Since 0.17, evidence always goes to the judge as temporary files.",
        examples=["workspace"],
        json_schema_extra=marks(
            values={
                "inline": "In the message. Refused since 0.17.",
                "workspace": "As files for the judge to read. Deprecated since 0.17: the only way.",
            },
        ),
    )

    def refusals(self, scope: Scope) -> Iterator[Finding]:
        if self.output_delivery == "inline":
            message = "vally 0.17 and newer refuse 'output_delivery: inline'. Remove the key: evidence goes to files"
            yield UNKNOWN_VALUE.at(("output_delivery",), message, fixes=[_REMOVE_DELIVERY], refused=True)

    def check(self, scope: Scope) -> Iterator[Finding]:
        yield from super().check(scope)
        if self.output_delivery == "workspace":
            message = "'output_delivery: workspace' is deprecated since 0.17, because it is the only way. Remove the key"
            yield NEVER_APPLIED.at(
                ("output_delivery",),
                message,
                on="key",
                severity=Severity.INFORMATION,
                fixes=[_REMOVE_DELIVERY],
            )

    def grade(self, context: GradingContext) -> GraderResult:
        result = judge_trial(context, self.question, self.model, self.reasoning_effort or "")
        # A judge without an answer fails the check; only a missing judge is an error
        # (docs/reference/waza-graders.md, section 8).
        return result if context.judge is None else replace(result, status="")
