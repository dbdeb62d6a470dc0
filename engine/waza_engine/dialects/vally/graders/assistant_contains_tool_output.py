r"""Checks that the agent passes on a value that a tool returned.

## What it looks at
The results of the tools that `tools` chooses, and the agent's messages after them. `pattern` captures a value from a
result: its first group, or the whole match.

## Score
1 if one of the captured values occurs in a later message of the agent, otherwise 0.

## Example
```yaml
type: assistant-contains-tool-output
config:
  tools: [get_order]
  pattern: 'order number: (\d+)'
```

## Watch out
- vally's page for this type is not public. Our reading: the first match of each result counts, one captured value is
  enough, the comparison is case-sensitive, and without a match the check fails.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field

from waza_engine.dialects.vally.fields import Text, Texts
from waza_engine.dialects.vally.graders._shared.base import VallyGrader
from waza_engine.dialects.vally.graders._shared.patterns import (
    pattern_findings,
    pattern_marks,
    pattern_refusals,
)
from waza_engine.dialects.vally.graders._shared.tool_filter import ITEMS, filter_findings, filter_refusals
from waza_engine.dialects.vally.js_text import as_text
from waza_engine.dialects.vally.trajectory.calls import known_calls
from waza_engine.dialects.vally.trajectory.events import data_of, events_of
from waza_engine.graders.base import Demand, FailedCheck, GraderResult, GradingContext, Scope
from waza_engine.graders.excerpts import names_used, nearest_line, quote
from waza_engine.lib.js_regex import TooSlowError, js_capture, js_matches
from waza_engine.model.findings import Finding


class AssistantContainsToolOutputGrader(VallyGrader):
    type_name = "assistant-contains-tool-output"
    demands: ClassVar = {"tools": Demand.TOOL_CALLS}

    tools: Annotated[Texts, Field(min_length=1)] = Field(
        description="JavaScript patterns for the names of the tools whose results count.",
        examples=[["^get_order$"]],
        json_schema_extra=ITEMS,
    )
    pattern: Text = Field(
        min_length=1,
        description="JavaScript pattern that captures the value from a result: its first group, or the whole match.",
        examples=["order number: (\\d+)"],
        json_schema_extra=pattern_marks(),
    )

    def refusals(self, scope: Scope) -> Iterator[Finding]:
        yield from filter_refusals(self.tools)
        yield from pattern_refusals(self.pattern, ("pattern",))

    def check(self, scope: Scope) -> Iterator[Finding]:
        yield from filter_findings(self.tools)
        yield from pattern_findings(self.pattern, ("pattern",))

    def grade(self, context: GradingContext) -> GraderResult:
        names = [it.name for it in known_calls(context)]
        try:
            captured = list(self._captured(context))
        except TooSlowError as error:
            return GraderResult.undecided(f"Cannot tell: {error}")
        details: dict[str, Any] = {"captured": [value for value, _ in captured]}
        for value, messages in captured:
            if any(value in it for it in messages):
                return GraderResult(1.0, True, f"The agent passes on {quote(value)}", details)
        if not captured:
            feedback = "No result of these tools matches the pattern"
            option = "pattern" if any(self._chooses(it) for it in names) else "tools"
            return GraderResult.failed(
                feedback, details, (FailedCheck((option,), feedback, names_used(names)),)
            )
        value, messages = captured[-1]
        feedback = f"No later message contains {quote(value)}"
        found = nearest_line(value, "\n".join(messages)) if messages else "no message after the result"
        return GraderResult.failed(feedback, details, (FailedCheck(("pattern",), feedback, found),))

    def _captured(self, context: GradingContext) -> Iterator[tuple[str, list[str]]]:
        """Yield each captured value with the messages after its result."""
        events = events_of(context)
        names: dict[tuple[str, str], str] = {}
        for index, event in enumerate(events):
            data = data_of(event)
            key = (str(event.get("agentId")), str(data.get("toolCallId")))
            if event.get("type") == "tool_call":
                names[key] = str(data.get("toolName") or "")
            elif event.get("type") == "tool_result" and self._chooses(
                names.get(key) or str(data.get("toolName") or "")
            ):
                value = js_capture(self.pattern, _result_text(data))
                if value:
                    yield value, list(_messages(events[index + 1 :]))

    def _chooses(self, name: str) -> bool:
        return any(js_matches(it, name) for it in self.tools)


def _result_text(data: Mapping[str, Any]) -> str:
    result = data.get("result")
    return "" if result is None else as_text(result)


def _messages(events: Any) -> Iterator[str]:
    for it in events:
        if it.get("type") == "assistant_message" and isinstance(text := data_of(it).get("content"), str):
            yield text
