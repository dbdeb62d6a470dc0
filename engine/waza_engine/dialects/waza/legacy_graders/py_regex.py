"""Checks that Python patterns match, or do not match, the output: `regex` of waza's Python generation.

## What it looks at
The output. Patterns are Python regular expressions, case-insensitive.

## Score
The share of patterns that behave as required. Without patterns the score is 1.0, and the grader passes.

## Example
```yaml
type: regex
name: says-where
config:
  must_match: ['deployed to https?://.+']
  must_not_match: ['error|failed']
```

## Watch out
- The current type is `text` with `regex_match` and `regex_not_match`. Its patterns are RE2 and case-sensitive.
- An invalid pattern ends the run with an error.
"""

from typing import Any, ClassVar

from pydantic import Field

from waza_engine.assertions.evaluation import search_python_patterns
from waza_engine.dialects.waza.generations.python import PyGrader, python_items
from waza_engine.graders.base import GradeError, GraderResult, GradingContext
from waza_engine.model.fields import AnyValue

_PATTERN_LIST: dict[str, Any] = {"type": "array", "items": {"type": "string", "x-language": "regex"}}


class PyRegexGrader(PyGrader):
    type_name = "regex"
    deterministic: ClassVar[bool] = False

    must_match: AnyValue = Field(
        default=[],
        description="Patterns that must match in the output.",
        examples=[["deployed to"]],
        json_schema_extra=_PATTERN_LIST,
    )
    must_not_match: AnyValue = Field(
        default=[],
        description="Patterns that must not match in the output.",
        examples=[["error|failed"]],
        json_schema_extra=_PATTERN_LIST,
    )

    def grade(self, context: GradingContext) -> GraderResult:
        required = python_items(self.must_match, "must_match")
        forbidden = python_items(self.must_not_match, "must_not_match")
        patterns = [*required, *forbidden]
        outcomes = search_python_patterns(patterns, context.output)
        for pattern, outcome in zip(patterns, outcomes, strict=True):
            if outcome.kind == "error":
                raise GradeError(f"'{pattern}' is not a valid pattern: {outcome.text}")
        matches = [it.kind == "pass" for it in outcomes]
        unwanted = matches[len(required) :]
        failures = [
            *(f"No match: {it}" for it, matched in zip(required, matches, strict=False) if not matched),
            *(f"Unwanted match: {it}" for it, matched in zip(forbidden, unwanted, strict=True) if matched),
        ]
        score = (len(patterns) - len(failures)) / len(patterns) if patterns else 1.0
        feedback = "; ".join(failures) or "All patterns matched"
        return GraderResult(score, not failures, feedback, {"failures": failures}, "code")
