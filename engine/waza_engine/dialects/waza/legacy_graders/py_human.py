"""Waits for the verdict of a person.

## What it looks at
Whatever the reviewer looks at. The result shows the instructions, the criteria and the beginning of the output.

## Score
0.0, failed, until somebody submits a review. Then the reviewer's score and verdict.

## Example
```yaml
type: human
name: reads-well
config:
  criteria: [clear, friendly]
```

## Watch out
- The task fails until somebody reviews it.
- waza removed this type in February 2026.
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
    outdated: ClassVar[str] = "'human' is from older versions. Newer ones have no human review"

    instructions: AnyValue = Field(
        default=_INSTRUCTIONS,
        description="Instructions for the reviewer.",
        examples=["Judge the tone."],
        json_schema_extra={"type": "string"},
    )
    criteria: AnyValue = Field(
        default=[],
        description="Criteria for the reviewer.",
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
        return GraderResult(0.0, False, "Waiting for human review", details, "human")
