"""Checks tool calls against patterns: `tool_calls` of waza's Python generation.

## What it looks at
Transcript entries of type `tool_call`, each as a line with tool and arguments: `bash {'cmd': 'azd up'}`. Patterns are
Python regular expressions, case-insensitive.

## Score
The share of checks that passed: one for each item, and one for `max_calls` unless it is 0.

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
- The runner of that generation did not record such entries: `required` always failed and `forbidden` always passed.
- `max_calls: 0` is checked but not counted, so the grader can fail with score 1.0.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field

from waza_engine.assertions.evaluation import search_python_patterns
from waza_engine.dialects.waza.generations.python import PyGrader, python_items, require_unit_score
from waza_engine.graders.base import GradeError, GraderResult, GradingContext
from waza_engine.model.fields import AnyValue

_PATTERN_LIST: dict[str, Any] = {
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
        description="Patterns that must match in the calls.",
        examples=[[{"pattern": "azd up"}]],
        json_schema_extra=_PATTERN_LIST,
    )
    forbidden: AnyValue = Field(
        default=[],
        description="Patterns that must not match in the calls.",
        examples=[[{"pattern": "rm -rf"}]],
        json_schema_extra=_PATTERN_LIST,
    )
    max_calls: AnyValue = Field(
        default=None,
        description="Maximum number of calls.",
        examples=[20],
        json_schema_extra={"type": "integer"},
    )

    def grade(self, context: GradingContext) -> GraderResult:
        calls = [it for it in context.transcript if it.get("type") == "tool_call"]
        lines = "\n".join(_line(it) for it in calls)
        required = [_pattern(it) for it in python_items(self.required, "required")]
        forbidden = [_pattern(it) for it in python_items(self.forbidden, "forbidden")]
        matches = _matches([*required, *forbidden], lines)
        unwanted = matches[len(required) :]
        failures = [
            *(f"No match: {it}" for it, matched in zip(required, matches, strict=False) if not matched),
            *(f"Unwanted match: {it}" for it, matched in zip(forbidden, unwanted, strict=True) if matched),
        ]
        if self.max_calls is not None and len(calls) > _number(self.max_calls):
            failures.append(f"Too many calls: {len(calls)}, maximum {self.max_calls}")
        total = len(required) + len(forbidden) + (1 if self.max_calls else 0)
        score = (total - len(failures)) / total if total else 1.0
        feedback = "; ".join(failures) or "All checks passed"
        details = {"failures": failures, "total_tool_calls": len(calls)}
        return require_unit_score(GraderResult(score, not failures, feedback, details, "code"))


def _line(call: Mapping[str, Any]) -> str:
    tool = call.get("tool", "")
    if not isinstance(tool, str):
        raise GradeError("A tool call in the transcript has no tool name")
    return f"{tool} {call.get('args', '')}"


def _pattern(item: Any) -> str:
    pattern = item.get("pattern", "") if isinstance(item, Mapping) else item
    if not isinstance(pattern, str):
        raise GradeError("Tool patterns must be strings, or mappings with a string as 'pattern'")
    return pattern


def _number(value: Any) -> float:
    if not isinstance(value, (int, float)):
        raise GradeError("'max_calls' must be a number")
    return value


def _matches(patterns: Sequence[str], text: str) -> list[bool]:
    outcomes = search_python_patterns(patterns, text)
    for pattern, outcome in zip(patterns, outcomes, strict=True):
        if outcome.kind == "error":
            raise GradeError(f"'{pattern}' is not a valid pattern: {outcome.text}")
    return [it.kind == "pass" for it in outcomes]
