"""Patterns on the tool calls, as waza's Python generation searched them.

## What it looks at
Transcript entries of type `tool_call`, each as a line of tool and arguments: `bash {'cmd': 'azd up'}`. Patterns are
Python's own, without regard to case.

## Score
The share of checks that passed: one for each item, one for a `max_calls` other than 0.

## Example
```yaml
type: tool_calls
name: deploys
config:
  required: [{pattern: azd up}]
  forbidden: [{pattern: rm -rf}]
  max_calls: 20
```

## Watch out
- The runner of that generation recorded no such entries: `required` always failed and `forbidden` always passed.
- `max_calls: 0` is checked but not counted, so the score can be 1.0 without passing.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field

from waza_engine.assertions.evaluation import search_python_patterns
from waza_engine.dialects.waza.generations.python import PyGrader, checked_result, walked
from waza_engine.graders.base import GradeError, GraderResult, GradingContext
from waza_engine.model.fields import AnyValue

_PATTERNS: dict[str, Any] = {
    "type": "array",
    "items": {
        "anyOf": [
            {"type": "string"},
            {"type": "object", "properties": {"pattern": {"type": "string"}}, "required": ["pattern"]},
        ]
    },
}


class PyToolCallsGrader(PyGrader):
    type_name = "tool_calls"
    deterministic: ClassVar[bool] = False

    required: AnyValue = Field(
        default=[],
        description="Patterns that must be found in the calls.",
        examples=[[{"pattern": "azd up"}]],
        json_schema_extra=_PATTERNS,
    )
    forbidden: AnyValue = Field(
        default=[],
        description="Patterns that must not be found in the calls.",
        examples=[[{"pattern": "rm -rf"}]],
        json_schema_extra=_PATTERNS,
    )
    max_calls: AnyValue = Field(
        default=None,
        description="How many calls there may be.",
        examples=[20],
        json_schema_extra={"type": "integer"},
    )

    def grade(self, context: GradingContext) -> GraderResult:
        calls = [it for it in context.transcript if it.get("type") == "tool_call"]
        lines = "\n".join(_line(it) for it in calls)
        required = [_pattern(it) for it in walked(self.required, "required")]
        forbidden = [_pattern(it) for it in walked(self.forbidden, "forbidden")]
        found = _found([*required, *forbidden], lines)
        failures = [
            *(f"Missing: {it}" for it, there in zip(required, found, strict=False) if not there),
            *(f"Found: {it}" for it, there in zip(forbidden, found[len(required) :], strict=True) if there),
        ]
        if self.max_calls is not None and len(calls) > _number(self.max_calls):
            failures.append(f"Too many calls: {len(calls)}, at most {self.max_calls}")
        total = len(required) + len(forbidden) + (1 if self.max_calls else 0)
        score = (total - len(failures)) / total if total else 1.0
        feedback = "; ".join(failures) or "All tool calls as wanted"
        details = {"failures": failures, "total_tool_calls": len(calls)}
        return checked_result(GraderResult(score, not failures, feedback, details, "code"))


def _line(call: Mapping[str, Any]) -> str:
    tool = call.get("tool", "")
    if not isinstance(tool, str):
        raise GradeError("A tool call in the transcript has no tool name")
    return f"{tool} {call.get('args', '')}"


def _pattern(item: Any) -> str:
    pattern = item.get("pattern", "") if isinstance(item, Mapping) else item
    if not isinstance(pattern, str):
        raise GradeError("Tool patterns must be texts, or mappings with a text as 'pattern'")
    return pattern


def _number(value: Any) -> float:
    if not isinstance(value, (int, float)):
        raise GradeError("'max_calls' must be a number")
    return value


def _found(patterns: Sequence[str], text: str) -> list[bool]:
    outcomes = search_python_patterns(patterns, text)
    for pattern, outcome in zip(patterns, outcomes, strict=True):
        if outcome.kind == "error":
            raise GradeError(f"'{pattern}' is no pattern: {outcome.text}")
    return [it.kind == "pass" for it in outcomes]
