"""The measures of a trial: as they were recorded, otherwise counted from what happened.

See docs/reference/vally.md, section 10.1.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from waza_engine.graders.base import GradeError, GradingContext
from waza_engine.vally.events import Event, events_of, of_type, spoken_events_of


def tokens(context: GradingContext) -> float | None:
    """Input and output tokens together; None when its events do not tell."""
    usage = _recorded(context).get("tokenUsage")
    usage = usage if isinstance(usage, Mapping) else {}
    counts = [_number(usage.get(it)) for it in ("inputTokens", "outputTokens")]
    known = [it for it in counts if it is not None]
    if len(known) < len(counts) and (total := _number(usage.get("totalTokens"))) is not None:
        return total
    if known:
        return sum(known)
    if context.events is None:
        # A session that tells nothing of tokens has used none, as vally counts.
        spent = context.session.usage if context.session is not None else None
        return spent.tokens if spent is not None else 0
    used = of_type(context.events, "token_usage")
    told = [_number(it.get(key)) or 0 for it in used for key in ("inputTokens", "outputTokens")]
    return sum(told) if told else None


def measured(value: float) -> str:
    """A measure or its limit for people, in full: two that differ must not look the same."""
    return f"{value:.15g}"


def tool_call_count(context: GradingContext) -> float:
    recorded = _number(_recorded(context).get("toolCallCount"))
    if recorded is not None:
        return recorded
    if context.events is None and context.session is not None:
        return max(context.session.tool_call_count, len(of_type(events_of(context), "tool_call")))
    return len(of_type(events_of(context), "tool_call"))


def error_count(context: GradingContext) -> float:
    recorded = _number(_recorded(context).get("errorCount"))
    if recorded is not None:
        return recorded
    told = len(of_type(spoken_events_of(context), "error"))
    return (
        max(told, len(context.session.errors))
        if context.events is None and context.session is not None
        else told
    )


def turn_count(context: GradingContext) -> float:
    """The turns of the agent: as counted, else from the marks of turns, else one for each of its messages."""
    recorded = _number(_recorded(context).get("turnCount"))
    if recorded is not None:
        return recorded
    events = spoken_events_of(context)
    starts, messages = (len(of_type(events, it)) for it in ("turn_start", "assistant_message"))
    return starts or _turns_of_session(context) or messages


def _turns_of_session(context: GradingContext) -> int:
    try:
        spent = context.session.usage if context.events is None and context.session is not None else None
    except GradeError:
        return 0
    return spent.turns if spent is not None else 0


def wall_time_ms(context: GradingContext) -> float | None:
    """The time that the trial took; None when nothing tells."""
    recorded = _number(_recorded(context).get("wallTimeMs"))
    if recorded is not None:
        return recorded
    if context.events is None:
        return context.duration_ms
    times = _times(context.events)
    return (times[-1] - times[0]).total_seconds() * 1000 if len(times) > 1 else None


def _times(events: Sequence[Event]) -> list[datetime]:
    found: list[datetime] = []
    for it in events:
        try:
            found.append(datetime.fromisoformat(str(it.get("timestamp"))))
        except ValueError:
            continue
    return sorted(found) if len({it.tzinfo is None for it in found}) == 1 else []


def _recorded(context: GradingContext) -> Mapping[str, Any]:
    return context.metrics or {}


def _number(value: Any) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
