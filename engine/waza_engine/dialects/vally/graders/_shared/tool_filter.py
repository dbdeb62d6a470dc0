"""The option `tools`: patterns that choose the tool calls a grader looks at.

vally refuses an invalid pattern and a filter that lets nothing through (docs/reference/vally-newest.md, section 4).
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from pydantic import Field

from waza_engine.dialects.vally.fields import Texts
from waza_engine.dialects.vally.graders._shared.base import VallyGrader
from waza_engine.dialects.vally.graders._shared.patterns import (
    pattern_findings,
    pattern_marks,
    pattern_refusals,
)
from waza_engine.dialects.vally.trajectory.calls import Call
from waza_engine.graders.base import Scope
from waza_engine.lib.js_regex import js_matches
from waza_engine.model.fields import IfGiven
from waza_engine.model.findings import Finding, Fix, RemoveKey, Severity
from waza_engine.rules.empty_item import EMPTY_ITEM

ITEMS: dict[str, Any] = {"items": {"type": "string", **pattern_marks()}}
"""Schema keywords of a list of patterns."""


class ToolFilter(VallyGrader):
    """A grader that looks at all tool calls, or only at those of `tools`."""

    tools: IfGiven[Annotated[Texts, Field(min_length=1)]] = Field(
        default=None,
        description="JavaScript patterns for tool names: only matching calls count. Default: all calls.",
        examples=[["^bash$", "edit"]],
        json_schema_extra=ITEMS,
    )

    def refusals(self, scope: Scope) -> Iterator[Finding]:
        yield from filter_refusals(self.tools)

    def check(self, scope: Scope) -> Iterator[Finding]:
        yield from filter_findings(self.tools)

    def counts(self, call: Call) -> bool:
        """Whether the grader looks at this call.

        Raises:
            TooSlowError: a pattern took too long.

        """
        return self.tools is None or any(js_matches(it, call.name) for it in self.tools)


def filter_refusals(tools: Sequence[str] | None) -> Iterator[Finding]:
    """Yield the errors of `tools` that prevent a run."""
    if tools and not any(it.strip() for it in tools):
        message = "'tools' names no tool. Add a pattern for tool names"
        yield EMPTY_ITEM.at(("tools", 0), message, severity=Severity.ERROR, refused=True)
        return
    for index, pattern in enumerate(tools or ()):
        yield from pattern_refusals(pattern, ("tools", index))


def filter_findings(tools: Sequence[str] | None) -> Iterator[Finding]:
    """Yield remarks on the patterns of `tools`."""
    for index, pattern in enumerate(tools or ()):
        if pattern.strip():
            yield from pattern_findings(pattern, ("tools", index))
        else:
            message = "An empty pattern matches every tool, so 'tools' has no effect"
            fix = Fix("Remove the empty pattern", (RemoveKey(("tools", index)),))
            yield EMPTY_ITEM.at(("tools", index), message, fixes=[fix])
