"""Python patterns that must, or must not, be found in the output, as waza's Python generation searched them.

## What it looks at
The output, with Python's own regular expressions and without regard to case.

## Score
The share of patterns that behave as wanted; without patterns 1.0, passed.

## Example
```yaml
type: regex
name: says-where
config:
  must_match: ['deployed to https?://.+']
  must_not_match: ['error|failed']
```

## Watch out
- The current type is `text` with `regex_match` and `regex_not_match`. Its patterns are RE2 and respect case.
- A pattern that is not valid ends the run with an error.
"""

from typing import Any, ClassVar

from pydantic import Field

from waza_engine.assertions.evaluation import search_python_patterns
from waza_engine.dialects.waza.generations.python import PyGrader, walked
from waza_engine.graders.base import GradeError, GraderResult, GradingContext
from waza_engine.model.fields import AnyValue

_TEXTS: dict[str, Any] = {"type": "array", "items": {"type": "string", "x-language": "regex"}}


class PyRegexGrader(PyGrader):
    type_name = "regex"
    deterministic: ClassVar[bool] = False

    must_match: AnyValue = Field(
        default=[],
        description="Patterns that must be found.",
        examples=[["deployed to"]],
        json_schema_extra=_TEXTS,
    )
    must_not_match: AnyValue = Field(
        default=[],
        description="Patterns that must not be found.",
        examples=[["error|failed"]],
        json_schema_extra=_TEXTS,
    )

    def grade(self, context: GradingContext) -> GraderResult:
        wanted, unwanted = (
            walked(self.must_match, "must_match"),
            walked(self.must_not_match, "must_not_match"),
        )
        patterns = [*wanted, *unwanted]
        outcomes = search_python_patterns(patterns, context.output)
        for pattern, outcome in zip(patterns, outcomes, strict=True):
            if outcome.kind == "error":
                raise GradeError(f"'{pattern}' is no pattern: {outcome.text}")
        found = [it.kind == "pass" for it in outcomes]
        failures = [
            *(f"Missing: {it}" for it, there in zip(wanted, found, strict=False) if not there),
            *(f"Found: {it}" for it, there in zip(unwanted, found[len(wanted) :], strict=True) if there),
        ]
        score = (len(patterns) - len(failures)) / len(patterns) if patterns else 1.0
        feedback = "; ".join(failures) or "All patterns matched"
        return GraderResult(score, not failures, feedback, {"failures": failures}, "code")
