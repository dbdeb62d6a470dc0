"""A person judges: the verdict is open until somebody has given one.

## What it looks at
What the reviewer looks at. The result shows instructions, criteria and the beginning of the output.

## Score
0.0 and not passed until a review is submitted, then the reviewer's own score and verdict.

## Example
```yaml
type: human
name: reads-well
config:
  criteria: [clear, friendly]
```

## Watch out
- The task fails as long as nobody has reviewed it.
- waza has no such type since February 2026.
"""

from typing import Any, ClassVar

from pydantic import Field

from waza_engine.dialects.waza.generations.python import PyGrader
from waza_engine.graders.base import GraderResult, GradingContext
from waza_engine.model.fields import AnyValue

_INSTRUCTIONS = "Read the output and judge whether the task was done well."
_PREVIEW_LENGTH = 500


class PyHumanGrader(PyGrader):
    type_name = "human"
    deterministic: ClassVar[bool] = False
    outdated: ClassVar[str] = "'human' is from older versions; newer ones have no grader for people"

    instructions: AnyValue = Field(
        default=_INSTRUCTIONS,
        description="What the reviewer is asked to do.",
        examples=["Judge the tone."],
        json_schema_extra={"type": "string"},
    )
    criteria: AnyValue = Field(
        default=[],
        description="What the reviewer should look at.",
        examples=[["clear", "friendly"]],
        json_schema_extra={"type": "array", "items": {"type": "string"}},
    )

    def grade(self, context: GradingContext) -> GraderResult:
        details: dict[str, Any] = {
            "status": "pending",
            "instructions": self.instructions,
            "criteria": self.criteria,
            "task_id": context.task.get("id", ""),
            "output_preview": context.output[:_PREVIEW_LENGTH],
        }
        return GraderResult(0.0, False, "Waiting for a person's review", details, "human")
