"""A placeholder for comparing human verdicts with a grader's. No version ever compared them.

## What it looks at
Nothing.

## Score
Always 0.0, failed.

## Example
```yaml
type: human_calibration
name: calibrate-quality
config:
  calibrate_grader: quality
```

## Watch out
- Every task with this grader fails.
- waza removed this type in February 2026.
"""

from typing import Any, ClassVar

from pydantic import Field

from waza_engine.dialects.waza.generations.python import PyGrader
from waza_engine.graders.base import GraderResult, GradingContext
from waza_engine.model.fields import AnyValue


class PyHumanCalibrationGrader(PyGrader):
    type_name = "human_calibration"
    deterministic: ClassVar[bool] = False
    outdated: ClassVar[str] = "'human_calibration' is from older versions. It never computed anything"

    calibrate_grader: AnyValue = Field(
        default="",
        description="Name of the grader to compare with.",
        examples=["quality"],
        json_schema_extra={"type": "string", "x-reference": "grader"},
    )

    def grade(self, context: GradingContext) -> GraderResult:
        details: dict[str, Any] = {
            "status": "calibration_pending",
            "calibrate_grader": self.calibrate_grader,
            "task_id": context.task.get("id", ""),
            "instructions": "Review the same outputs and compare your scores with the grader's.",
        }
        return GraderResult(0.0, False, "Waiting for human calibration", details, "human")
