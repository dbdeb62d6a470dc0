"""Texts that the output must, or must not, contain: the `keyword` grader of the first Go generation.

## What it looks at
The agent's final output; upper and lower case are the same.

## Score
Each text is one check; the score is the share of checks that passed. Two texts, one of them missing: 1 / 2 = 0.5,
not passed.

## Example
```yaml
type: keyword
name: says-deployed
config:
  must_contain: [deployed]
  must_not_contain: [panic]
```

## Watch out
- Current waza refuses the type: use `text` with `contains` and `not_contains`.
- `keywords` is another name for `must_contain`; with both, all of their texts count.
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
        "'keyword' is from older versions; it is now 'text' with 'contains' and 'not_contains'"
    )

    must_contain: TextItems = Field(default=[], description="Texts that must occur.", examples=[["deployed"]])
    keywords: TextItems = Field(
        default=[], description="Another name for `must_contain`.", examples=[["deployed"]]
    )
    must_not_contain: TextItems = Field(
        default=[], description="Texts that must not occur.", examples=[["panic"]]
    )

    @classmethod
    def conversion(cls, entry: Mapping[str, Any], names: Mapping[str, str]) -> tuple[Change, ...]:
        """Of the two names of one option the texts are put together, as they were when it was read."""
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
        added = (AppendItem(("config", "must_contain"), it) for it in second)
        return (*changes, *added, RemoveKey(("config", "keywords"))) if changes else ()

    def grade(self, context: GradingContext) -> GraderResult:
        folded = fold(context.output)
        wanted = [*self.must_contain, *self.keywords]
        failures = [
            *(
                FailedCheck((option, index), f"missing: {it}", nearest_line(it, context.output))
                for option in ("must_contain", "keywords")
                for index, it in enumerate(getattr(self, option))
                if fold(it) not in folded
            ),
            *(
                FailedCheck(
                    ("must_not_contain", index),
                    f"found: {it}",
                    occurrence(it, context.output, any_case=True),
                )
                for index, it in enumerate(self.must_not_contain)
                if fold(it) in folded
            ),
        ]
        total = len(wanted) + len(self.must_not_contain)
        return GraderResult.of_checks(
            total, failures, must_contain=wanted, must_not_contain=self.must_not_contain
        )
