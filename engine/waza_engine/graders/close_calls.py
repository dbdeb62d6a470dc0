"""The tool calls that come closest to a missing one, for the evidence of failed checks."""

import json
from collections.abc import Collection, Sequence
from contextlib import suppress
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from waza_engine.graders.base import GradeError
from waza_engine.graders.context import GradingContext
from waza_engine.graders.excerpts import likeness, names_used, quote, words_of
from waza_engine.lib.go.text import fold
from waza_engine.model.results.evidence import FoundText, Place

_SHOWN = 3
_MOST_COMPARED = 1000
_LONGEST = 160
_ALIKE = 0.6
"""From this ratio on, a name may be a misspelling of another."""


CALLS = Place("calls")


class SeenCall(NamedTuple):
    """A tool call of a trial: its name and its arguments, which may be any JSON value."""

    name: str
    arguments: Any = None

    def __str__(self) -> str:
        if not self.arguments:
            return self.name
        return f"{self.name} {json.dumps(self.arguments, ensure_ascii=False, default=str)}"


def seen_calls(context: GradingContext) -> list[SeenCall]:
    """Return the calls of the session digest, with all arguments where the recorded events have them."""
    events: dict[str, Any] = {}
    # An executor may not know them; reading them fails then, and a digest may still have the names.
    with suppress(GradeError):
        events = {it.tool_call_id: it.args for it in context.tool_events if it.tool_call_id}
    session = context.session
    if session is None:
        return []
    with suppress(GradeError):
        if calls := session.tool_calls:
            return [SeenCall(it.name, events.get(it.id) or it.arguments) for it in calls]
    with suppress(GradeError):
        return [SeenCall(it) for it in session.tools_used]
    return []


def close_calls(calls: Sequence[SeenCall], tool: str, wanted: str = "", named: Collection[int] = ()) -> str:
    """Return the calls closest to a missing call of `tool`, and which tools were used.

    `named` are the indices of calls whose name is right: only their arguments are not. `wanted` is what the arguments
    should have, as text.
    """
    ranked = sorted(_ranks(calls, tool, wanted, named), key=lambda it: (-it[0], it[1]))
    used = names_used([it.name for it in calls])
    if not ranked:
        return used
    closest = [index for _, index in ranked[:_SHOWN]]
    first = calls[closest[0]]
    width = len(str(max(closest) + 1))
    shown = "\n".join(f"{index + 1:>{width}}  {_cut(str(calls[index]))}" for index in closest)
    return FoundText(
        f"closest: call {closest[0] + 1}, {quote(str(first))}",
        shown,
        actual="\n".join(it.name for it in calls),
        line=closest[0] + 1,
    )


def calls_seen(calls: Sequence[SeenCall], unwanted: Collection[int]) -> str:
    """Return the calls at the indices `unwanted`, which a check forbids."""
    indices = sorted(unwanted)
    if not indices:
        return ""
    more = f" and {len(indices) - 1} more" if len(indices) > 1 else ""
    width = len(str(indices[-1] + 1))
    shown = (f"{it + 1:>{width}}  {_cut(str(calls[it]))}" for it in indices[:_SHOWN])
    first = indices[0]
    return FoundText(f"call {first + 1}: {quote(str(calls[first]))}{more}", "\n".join(shown), line=first + 1)


def _ranks(
    calls: Sequence[SeenCall], tool: str, wanted: str, named: Collection[int]
) -> list[tuple[float, int]]:
    words = words_of(wanted)
    ranks = []
    for index, call in enumerate(calls[:_MOST_COMPARED]):
        is_named = index in named
        if is_named or SequenceMatcher(None, fold(tool), fold(call.name)).ratio() >= _ALIKE:
            alike = likeness(words, fold(str(call))) if words else 0
            ranks.append((1000.0 * is_named + alike, index))
    return ranks


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
