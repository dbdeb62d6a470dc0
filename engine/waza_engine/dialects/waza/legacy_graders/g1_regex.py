"""Checks that the output matches, or does not match, patterns: `regex` of the first Go generation.

## What it looks at
The agent's final output, unchanged.

## Score
Each pattern is one check. The score is the share of checks that passed. If one of two required patterns does not
match, the score is 1 / 2 = 0.5, and the grader fails.

## Example
```yaml
type: regex
name: says-deployed
config:
  must_match: ['(?i)deployed']
  must_not_match: [fatal]
```

## Watch out
- Current waza refuses the type. Use `text` with `regex_match` and `regex_not_match`.
- An invalid pattern is a failed check, also in `must_not_match`.
- The Python generation had a grader with this name that ignored case.
"""

from typing import ClassVar

from pydantic import ConfigDict, Field

from waza_engine.dialects.waza.generations.base import OlderGrader
from waza_engine.dialects.waza.generations.g1 import TextItems
from waza_engine.graders.base import FailedCheck, GraderResult, GradingContext
from waza_engine.graders.excerpts import match_excerpt, mismatch_excerpt
from waza_engine.lib.go.regexp import regex_matches
from waza_engine.model.schema_marks import foreign_keys, item_marks


class RegexGrader(OlderGrader):
    type_name = "regex"
    generations = frozenset(["G1"])
    successor: ClassVar[str] = "text"
    outdated: ClassVar[str] = (
        "'regex' is from older versions. Use 'text' with 'regex_match' and 'regex_not_match' "
        "(patterns of the Python version ignored case: add (?i) for that)"
    )

    model_config = ConfigDict(
        json_schema_extra=foreign_keys(
            {"pattern": "must_match", "patterns": "must_match", "regex": "must_match"}
        )
    )

    must_match: TextItems = Field(
        default=[],
        description="RE2 patterns that must match in the output (case-sensitive).",
        examples=[["(?i)deployed"]],
        json_schema_extra=item_marks(language="regex", applies_to="output"),
    )
    must_not_match: TextItems = Field(
        default=[],
        description="RE2 patterns that must not match in the output.",
        examples=[["fatal"]],
        json_schema_extra=item_marks(language="regex", applies_to="output"),
    )

    def grade(self, context: GradingContext) -> GraderResult:
        failures = [
            *(
                FailedCheck(
                    ("must_match", index),
                    f'no match for "{pattern}" in the output',
                    mismatch_excerpt(pattern, context.output),
                )
                for index, pattern in enumerate(self.must_match)
                if not regex_matches(pattern, context.output)
            ),
            # regex_matches() is None for an invalid pattern, and that counts as a failure.
            *(
                FailedCheck(
                    ("must_not_match", index),
                    f'unwanted match for "{pattern}" in the output',
                    match_excerpt(pattern, context.output),
                )
                for index, pattern in enumerate(self.must_not_match)
                if regex_matches(pattern, context.output) is not False
            ),
        ]
        total = len(self.must_match) + len(self.must_not_match)
        return GraderResult.of_checks(total, failures, **self.model_dump())
