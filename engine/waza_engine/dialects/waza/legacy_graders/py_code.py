"""Evaluates Python expressions that must be true: `code` of waza's Python generation.

## What it looks at
`output`, `outcome`, `transcript`, `tool_calls` (transcript entries of tools), `errors`, `duration_ms`, and the
functions `len any all re str int float bool list dict`.

## Score
The share of assertions that are true. Without assertions the score is 1.0, and the grader passes. Any exception is a
failure.

## Example
```yaml
type: code
name: short
config:
  assertions: [len(output) < 2000]
```

## Watch out
- In tasks, `assertions` is next to `type`, not under `config`.
- If the value is a string instead of a list, each of its characters is an assertion.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field

from waza_engine.assertions.evaluation import Outcome, evaluate_python
from waza_engine.dialects.waza.generations.python import PyGrader, python_items
from waza_engine.graders.base import GraderResult, GradingContext
from waza_engine.model.fields import AnyValue


class PyCodeGrader(PyGrader):
    type_name = "code"
    deterministic: ClassVar[bool] = False
    executes: ClassVar[bool] = True
    evaluates_code = True

    assertions: AnyValue = Field(
        default=[],
        description="Expressions that must be true.",
        examples=[["len(output) > 0"]],
        json_schema_extra={"type": "array", "items": {"type": "string", "x-language": "python"}},
    )

    def grade(self, context: GradingContext) -> GraderResult:
        if not self.assertions:
            return GraderResult(1.0, True, "No assertions to check", type_name="code")
        assertions = python_items(self.assertions, "assertions")
        outcomes = evaluate_python(assertions, _names(context), context.process_dir)
        failures = [
            _failure(assertion, outcome)
            for assertion, outcome in zip(assertions, outcomes, strict=True)
            if outcome.kind != "pass"
        ]
        total, passed = len(assertions), len(assertions) - len(failures)
        details = {"total_assertions": total, "passed_assertions": passed, "failed_assertions": failures}
        feedback = "; ".join(failures) or "All assertions passed"
        return GraderResult(passed / total, not failures, feedback, details, "code")


def _failure(assertion: Any, outcome: Outcome) -> str:
    return f"Error in '{assertion}': {outcome.text}" if outcome.kind == "error" else f"Failed: {assertion}"


def _names(context: GradingContext) -> dict[str, Any]:
    transcript: Sequence[Mapping[str, Any]] = [dict(it) for it in context.transcript]
    return {
        "output": context.output,
        "outcome": dict(context.outcome),
        "transcript": transcript,
        "tool_calls": [it for it in transcript if it.get("role") == "tool" or it.get("type") == "tool_call"],
        "errors": [
            event
            for event in transcript
            if event.get("type") == "error" or "error" in str(event.get("content", "")).lower()
        ],
        "duration_ms": context.duration_ms,
    }
