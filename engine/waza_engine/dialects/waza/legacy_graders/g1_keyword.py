"""Checks that the output contains, or does not contain, strings: `keyword` of the first Go generation.

## What it looks at
The agent's final output, case-insensitive.

## Score
Each string is one check. The score is the share of checks that passed. If one of two strings is missing, the score is
1 / 2 = 0.5, and the grader fails.

## Example
```yaml
type: keyword
name: says-deployed
config:
  must_contain: [deployed]
  must_not_contain: [panic]
```

## Watch out
- Current waza refuses the type. Use `text` with `contains` and `not_contains`.
- `keywords` is another name for `must_contain`. If both are set, all their strings count.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field

from waza_engine.dialects.waza.generations.base import OlderGrader
from waza_engine.dialects.waza.generations.g1 import TextItems
from waza_engine.graders.base import FailedCheck, GraderResult, GradingContext
from waza_engine.graders.excerpts import nearest_line, occurrence
from waza_engine.lib.go.text import fold
from waza_engine.model.findings import AppendItem, Change, RemoveKey


class KeywordGrader(OlderGrader):
    type_name = "keyword"
    generations = frozenset(["G1"])
    successor: ClassVar[str] = "text"
    outdated: ClassVar[str] = (
        "'keyword' is from older versions. Use 'text' with 'contains' and 'not_contains'"
    )

    must_contain: TextItems = Field(
        default=[], description="Strings that must appear in the output.", examples=[["deployed"]]
    )
    keywords: TextItems = Field(
        default=[], description="Another name for `must_contain`.", examples=[["deployed"]]
    )
    must_not_contain: TextItems = Field(
        default=[], description="Strings that must not appear in the output.", examples=[["panic"]]
    )

    @classmethod
    def conversion(cls, entry: Mapping[str, Any], names: Mapping[str, str]) -> tuple[Change, ...]:
        """Merge `keywords` into `must_contain`, as that generation did when it read the entry."""
        config = entry.get("config")
        first, second = (
            (config.get("must_contain"), config.get("keywords"))
            if isinstance(config, Mapping)
            else (None, None)
        )
        if not isinstance(config, Mapping) or not isinstance(first, list) or not isinstance(second, list):
            return super().conversion(entry, names)
        rest = {key: it for key, it in config.items() if key != "keywords"}
        changes = super().conversion({**entry, "config": rest}, names)
        additions = (AppendItem(("config", "must_contain"), it) for it in second)
        return (*changes, *additions, RemoveKey(("config", "keywords"))) if changes else ()

    def grade(self, context: GradingContext) -> GraderResult:
        folded = fold(context.output)
        required = [*self.must_contain, *self.keywords]
        failures = [
            *(
                FailedCheck(
                    (option, index), f'"{text}" not found in the output', nearest_line(text, context.output)
                )
                for option in ("must_contain", "keywords")
                for index, text in enumerate(getattr(self, option))
                if fold(text) not in folded
            ),
            *(
                FailedCheck(
                    ("must_not_contain", index),
                    f'"{text}" found in the output',
                    occurrence(text, context.output, any_case=True),
                )
                for index, text in enumerate(self.must_not_contain)
                if fold(text) in folded
            ),
        ]
        total = len(required) + len(self.must_not_contain)
        return GraderResult.of_checks(
            total, failures, must_contain=required, must_not_contain=self.must_not_contain
        )
