"""Patterns that the output must, or must not, match: the `regex` grader of the first Go generation.

## What it looks at
The agent's final output as it came.

## Score
Each pattern is one check; the score is the share of checks that passed. Two patterns to find, one of them missing:
1 / 2 = 0.5, not passed.

## Example
```yaml
type: regex
name: says-deployed
config:
  must_match: ['(?i)deployed']
  must_not_match: [fatal]
```

## Watch out
- Current waza refuses the type: use `text` with `regex_match` and `regex_not_match`.
- A pattern that is not valid is a failed check, in `must_not_match` too.
- The Python generation had a grader of this name that ignored case.
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
        "'regex' is from older versions; it is now 'text' with 'regex_match' and 'regex_not_match' "
        "(patterns of the Python version ignored case: add (?i) for that)"
    )

    model_config = ConfigDict(
        json_schema_extra=foreign_keys(
            {"pattern": "must_match", "patterns": "must_match", "regex": "must_match"}
        )
    )

    must_match: TextItems = Field(
        default=[],
        description="RE2 patterns that must be found; upper and lower case differ.",
        examples=[["(?i)deployed"]],
        json_schema_extra=item_marks(language="regex", **{"x-applies-to": "output"}),
    )
    must_not_match: TextItems = Field(
        default=[],
        description="RE2 patterns that must not be found.",
        examples=[["fatal"]],
        json_schema_extra=item_marks(language="regex", **{"x-applies-to": "output"}),
    )

    def grade(self, context: GradingContext) -> GraderResult:
        failures = [
            *(
                FailedCheck(("must_match", index), f"no match: {it}", mismatch_excerpt(it, context.output))
                for index, it in enumerate(self.must_match)
                if not regex_matches(it, context.output)
            ),
            # regex_matches() is None for an invalid pattern, and that counts as a failure.
            *(
                FailedCheck(("must_not_match", index), f"match: {it}", match_excerpt(it, context.output))
                for index, it in enumerate(self.must_not_match)
                if regex_matches(it, context.output) is not False
            ),
        ]
        total = len(self.must_match) + len(self.must_not_match)
        return GraderResult.of_checks(total, failures, **self.model_dump())
