"""Views of a trial for graders: its metrics, its timeline, its transcript and its single turns.

Metrics are taken from the recording or else counted from the events (docs/reference/vally.md, section 10.1). A metric
that was never recorded is unknown, not 0: otherwise budgets would pass for recordings without any data. The
timeline is a text for judges (section 7.9). A single turn is graded like a trial of its own (section 6).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, ClassVar

from waza_engine.dialects.vally.js_text import as_text, trim
from waza_engine.dialects.vally.trajectory.events import (
    TURN_END,
    Event,
    data_of,
    events_of,
    last_message,
    message_events_of,
    of_type,
)
from waza_engine.graders.base import GradeError, GradingContext
from waza_engine.model.results.evidence import TextName

_MAX_ENTRY_LENGTH = 4_000
_MAX_TIMELINE_LENGTH = 60_000


def timeline(events: Sequence[Event]) -> str:
    """Return the events as readable text; empty without events."""
    return shortened("\n".join(_entries(events)), _MAX_TIMELINE_LENGTH)


def shortened(text: str, longest: int = _MAX_ENTRY_LENGTH) -> str:
    """Return the text, reduced to head and tail if it is longer than `longest`."""
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half} characters left out ...]\n{text[-half:]}"


def _entries(events: Sequence[Event]) -> Iterator[str]:
    for it in events:
        data = data_of(it)
        match it.get("type"):
            case "user_message":
                yield f"[user] {_short_text(data.get('content'))}"
            case "assistant_message" if trim(as_text(data.get("content") or "")):
                yield f"[agent] {_short_text(data.get('content'))}"
            case "tool_call":
                arguments = data.get("arguments")
                yield f"[tool call] {data.get('toolName')} {_short_text({} if arguments is None else arguments)}"
            case "tool_result":
                word = "failed" if data.get("success") is False else "result"
                yield f"[tool {word}] {_short_text(data.get('result'))}"
            case "skill_activation":
                yield f"[skill] {data.get('name')}"
            case "error":
                yield f"[error] {_short_text(data.get('message'))}"
            case _:
                pass


def _short_text(value: object) -> str:
    return shortened("" if value is None else as_text(value))


class TranscriptCheck:
    """Mixin that makes an output check read all messages of the agent; blank ones do not count."""

    text_name: ClassVar[TextName] = "transcript"

    @classmethod
    def texts_of(cls, context: GradingContext) -> list[str]:
        contents = (it.get("content") for it in of_type(message_events_of(context), "assistant_message"))
        return [it for it in contents if isinstance(it, str) and trim(it)]


_TURN_EVENTS = frozenset(["turn_start", "turn_end"])


class MissingTurnError(Exception):
    """The conversation has no such turn."""


def one_turn(context: GradingContext, turn: int) -> GradingContext:
    """Return the context from user message `turn` (from 0) to the next one, with metrics of that part.

    Data that the executor did not record stays unknown.

    Raises:
        MissingTurnError: the conversation has fewer turns.

    """
    try:
        events = events_of(context)
    except GradeError:
        return _message_turn(context, turn)
    starts = _starts(events, "user_message", turn)
    if not starts:
        return context
    part = list(_part(events, starts, turn))
    if turn + 1 < len(starts) and not any(it.get("type") in _TURN_EVENTS for it in part):
        part.append(TURN_END)
    metrics = _turn_metrics(context, turn) if context.events is None else None
    return replace(
        context,
        events=part,
        metrics=metrics,
        output=last_message(part),
        session=None,
        tool_events=(),
        skills=(),
    )


def _message_turn(context: GradingContext, turn: int) -> GradingContext:
    """Return the context with the messages of a turn; calls, skills and tokens stay unavailable."""
    starts = _starts(context.transcript, "user.message", turn)
    if not starts:
        return context
    error = context.error if turn + 1 == len(starts) else ""
    part = _part(context.transcript, starts, turn)
    own = replace(context, transcript=part, output="", error=error, metrics=_turn_metrics(context, turn))
    return replace(own, output=last_message(message_events_of(own)))


def _starts(events: Sequence[Mapping[str, Any]], kind: str, turn: int) -> list[int]:
    """Return the indexes at which turns start; empty for a single turn without a recorded message."""
    starts = [index for index, it in enumerate(events) if it.get("type") == kind]
    if not 0 <= turn < (len(starts) or 1):
        raise MissingTurnError(
            f"there is no turn {turn}: the recorded conversation has {len(starts) or 1}, counted from 0"
        )
    return starts


def _part(
    events: Sequence[Mapping[str, Any]], starts: Sequence[int], turn: int
) -> Sequence[Mapping[str, Any]]:
    return events[starts[turn] : starts[turn + 1] if turn + 1 < len(starts) else len(events)]


def _turn_metrics(context: GradingContext, turn: int) -> Mapping[str, Any] | None:
    """Return the duration of the turn, from the times in our transcript."""
    times = [it.get("at_ms") for it in context.transcript if it.get("type") == "user.message"]
    began, ended = (*times, context.duration_ms)[turn : turn + 2]
    return {"wallTimeMs": ended - began} if isinstance(began, int) and isinstance(ended, int) else None


def tokens(context: GradingContext) -> float | None:
    """Return the sum of input and output tokens; None if unknown."""
    usage = _recorded(context).get("tokenUsage")
    usage = usage if isinstance(usage, Mapping) else {}
    counts = [_number(usage.get(it)) for it in ("inputTokens", "outputTokens")]
    known = [it for it in counts if it is not None]
    if len(known) < len(counts) and (total := _number(usage.get("totalTokens"))) is not None:
        return total
    if known:
        return sum(known)
    if context.events is None:
        session_usage = context.session.usage if context.session is not None else None
        return (session_usage.tokens or None) if session_usage is not None else None
    used = of_type(context.events, "token_usage")
    spent = [_number(it.get(key)) or 0 for it in used for key in ("inputTokens", "outputTokens")]
    return sum(spent) if spent else None


def format_metric(value: float) -> str:
    """Format a metric or its limit in full, so that different values never look the same."""
    return f"{value:.15g}"


def tool_call_count(context: GradingContext) -> float | None:
    """Return the number of tool calls; None if nothing was recorded."""
    recorded = _number(_recorded(context).get("toolCallCount"))
    if recorded is not None:
        return recorded
    if not has_events(context):
        return None
    if context.events is None and context.session is not None:
        return max(context.session.tool_call_count, len(of_type(events_of(context), "tool_call")))
    return len(of_type(events_of(context), "tool_call"))


def error_count(context: GradingContext) -> float | None:
    """Return the number of errors; None if nothing was recorded."""
    recorded = _number(_recorded(context).get("errorCount"))
    if recorded is not None:
        return recorded
    if not has_events(context):
        return None
    count = len(of_type(message_events_of(context), "error"))
    if context.events is None and context.session is not None:
        return max(count, len(context.session.errors))
    return count


def turn_count(context: GradingContext) -> float | None:
    """Return the recorded number of agent turns, else that of turn events, else that of messages; None if unknown."""
    recorded = _number(_recorded(context).get("turnCount"))
    if recorded is not None:
        return recorded
    if not has_events(context):
        return None
    events = message_events_of(context)
    starts, messages = (len(of_type(events, it)) for it in ("turn_start", "assistant_message"))
    return starts or _session_turns(context) or messages


def _session_turns(context: GradingContext) -> int:
    try:
        usage = context.session.usage if context.events is None and context.session is not None else None
    except GradeError:
        return 0
    return usage.turns if usage is not None else 0


def wall_time_ms(context: GradingContext) -> float | None:
    """Return the duration of the trial; None if unknown."""
    recorded = _number(_recorded(context).get("wallTimeMs"))
    if recorded is not None:
        return recorded
    if context.events is None:
        # No agent takes 0 ms: recordings without a duration have this default.
        return context.duration_ms or None
    times = _timestamps(context.events)
    return (times[-1] - times[0]).total_seconds() * 1000 if len(times) > 1 else None


def _timestamps(events: Sequence[Event]) -> list[datetime]:
    moments: list[datetime] = []
    for it in events:
        try:
            moments.append(datetime.fromisoformat(str(it.get("timestamp"))))
        except ValueError:
            continue
    return sorted(moments) if len({it.tzinfo is None for it in moments}) == 1 else []


def has_events(context: GradingContext) -> bool:
    """Whether the trial's events were recorded in any form, even if there are none."""
    return (
        context.events is not None
        or context.session is not None
        or bool(context.transcript or context.error or context.tool_events)
    )


def _recorded(context: GradingContext) -> Mapping[str, Any]:
    return context.metrics or {}


def _number(value: Any) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
