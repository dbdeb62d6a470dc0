"""Which tools must and must not be used, and how many turns and tokens: `tool_constraint` as first released.

## What it looks at
The names of all tool calls, and the session's turns and tokens.

## Score
One check for each name and for each positive limit; the share that passed. Without any check 1.0.

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
- This is the meaning of 23 to 26 February 2026. Since then an item is a mapping with `tool`, and there are no limits.
  A grader has it that lists plain names, or has a limit and no mappings.
- Names are compared exactly, with case. Unknown turns and tokens count as 0.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field

from waza_engine.dialects.waza.generations.base import OlderGrader
from waza_engine.dialects.waza.generations.g1 import in_lower_case
from waza_engine.graders.base import GraderResult, GradingContext
from waza_engine.model.fields import Integer, Strings
from waza_engine.model.trajectory import Session

_TOOLS = ("expect_tools", "reject_tools")
_LIMITS = ("max_turns", "max_tokens")


class ToolConstraintFebGrader(OlderGrader):
    type_name = "tool_constraint"
    generations: ClassVar[frozenset[str]] = frozenset(["G1"])

    expect_tools: Strings = Field(
        default=[], description="Tools that must be used.", examples=[["view", "edit"]]
    )
    reject_tools: Strings = Field(default=[], description="Tools that must not be used.", examples=[["rm"]])
    max_turns: Integer = Field(
        default=0, description="How many turns there may be. 0 sets no limit.", examples=[10]
    )
    max_tokens: Integer = Field(
        default=0, description="How many tokens may be used. 0 sets no limit.", examples=[50000]
    )
    at_least_one: ClassVar[tuple[str, ...]] = ("expect_tools", "reject_tools", "max_turns", "max_tokens")

    @classmethod
    def is_meant_by(cls, config: Any) -> bool:
        given = in_lower_case(config) if isinstance(config, Mapping) else {}
        lists = [it for name in _TOOLS if isinstance(it := given.get(name), list)]
        items = [it for listed in lists for it in listed]
        if any(isinstance(it, Mapping) for it in items):
            return any(isinstance(it, str) for it in items)
        return bool(items) or any(name in given for name in _LIMITS)

    def grade(self, context: GradingContext) -> GraderResult:
        session = context.session
        if session is None:
            return GraderResult.failed("No session was recorded")
        failures = [
            *(f"not used: {it}" for it in self.expect_tools if it not in session.tools_used),
            *(f"used: {it}" for it in self.reject_tools if it in session.tools_used),
            *self._exceeded(session),
        ]
        limits = sum(it > 0 for it in (self.max_turns, self.max_tokens))
        total = len(self.expect_tools) + len(self.reject_tools) + limits
        return GraderResult.of_checks(total, failures, **self.model_dump())

    def _exceeded(self, session: Session) -> list[str]:
        turns, tokens = (session.usage.turns, session.usage.tokens) if session.usage else (0, 0)
        measured = (("turns", turns, self.max_turns), ("tokens", tokens, self.max_tokens))
        return [f"{value} {name}, at most {most}" for name, value, most in measured if 0 < most < value]
