"""Checks required and forbidden tools, turns and tokens: `tool_constraint` as first released.

## What it looks at
The names of all tool calls, and the session's turns and tokens.

## Score
Each name and each positive limit is one check. The score is the share of checks that passed, or 1.0 without checks.

## Example
```yaml
type: tool_constraint
name: reads-before-writing
config:
  expect_tools: [view, edit]
  reject_tools: [rm]
  max_turns: 10
```

## Watch out
- The type had this meaning from 23 to 26 February 2026. Since then, items are mappings with `tool`, and there are no
  limits. A grader has the old meaning if it lists plain names, or if it has a limit and no mappings; runs read such a
  grader in this form.
- Names are case-sensitive. Unknown turns and tokens count as 0.
"""

from collections.abc import Mapping
from itertools import chain
from typing import Any, ClassVar

from pydantic import Field

from waza_engine.dialects.waza.generations.base import OlderGrader
from waza_engine.dialects.waza.generations.g1 import lowercase_keys
from waza_engine.graders.base import GraderResult, GradingContext
from waza_engine.model.fields import Integer, Strings
from waza_engine.model.trajectory import Session

_TOOLS = ("expect_tools", "reject_tools")
_LIMITS = ("max_turns", "max_tokens")


class ToolConstraintFebGrader(OlderGrader):
    type_name = "tool_constraint"
    generations: ClassVar[frozenset[str]] = frozenset(["G1"])
    has_own_form: ClassVar[bool] = True

    expect_tools: Strings = Field(
        default=[], description="Tools that must be used.", examples=[["view", "edit"]]
    )
    reject_tools: Strings = Field(default=[], description="Tools that must not be used.", examples=[["rm"]])
    max_turns: Integer = Field(
        default=0, description="Maximum number of turns. 0 means no limit.", examples=[10]
    )
    max_tokens: Integer = Field(
        default=0, description="Maximum number of tokens. 0 means no limit.", examples=[50000]
    )
    at_least_one: ClassVar[tuple[str, ...]] = ("expect_tools", "reject_tools", "max_turns", "max_tokens")

    @classmethod
    def matches_config(cls, config: Any) -> bool:
        options = lowercase_keys(config) if isinstance(config, Mapping) else {}
        lists = [it for name in _TOOLS if isinstance(it := options.get(name), list)]
        items = list(chain.from_iterable(lists))
        if any(isinstance(it, Mapping) for it in items):
            return any(isinstance(it, str) for it in items)
        return bool(items) or any(name in options for name in _LIMITS)

    def grade(self, context: GradingContext) -> GraderResult:
        session = context.session
        if session is None:
            return GraderResult.failed("The run has no session digest")
        failures = [
            *(f"not used: {it}" for it in self.expect_tools if it not in session.tools_used),
            *(f"used: {it}" for it in self.reject_tools if it in session.tools_used),
            *self._limit_failures(session),
        ]
        limits = sum(it > 0 for it in (self.max_turns, self.max_tokens))
        total = len(self.expect_tools) + len(self.reject_tools) + limits
        return GraderResult.of_checks(total, failures, **self.model_dump())

    def _limit_failures(self, session: Session) -> list[str]:
        turns, tokens = (session.usage.turns, session.usage.tokens) if session.usage else (0, 0)
        limits = (("turns", turns, self.max_turns), ("tokens", tokens, self.max_tokens))
        return [f"{value} {name}, maximum {limit}" for name, value, limit in limits if 0 < limit < value]
