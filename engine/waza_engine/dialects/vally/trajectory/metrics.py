"""The measures of a trial: as they were recorded, otherwise counted from what happened.

See docs/reference/vally.md, section 10.1.

A trial as a text that a judge can read: what happened in order, long things shortened to head and tail.

See docs/reference/vally.md, section 7.9.

What `transcript-contains`, `transcript-matches` and their `-not-` twins look at: all that the agent said.

One turn of a conversation as a trial of its own (docs/reference/vally.md, sections 6 and 10.1).
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
    of_type,
    spoken_events_of,
)
from waza_engine.graders.base import GradeError, GradingContext

_LONGEST_ENTRY = 4_000
_LONGEST = 60_000


def timeline(events: Sequence[Event]) -> str:
    """The readable timeline; empty when nothing happened."""
    return shortened("\n".join(_entries(events)), _LONGEST)


def shortened(text: str, longest: int = _LONGEST_ENTRY) -> str:
    """The text, or its head and its tail when it is longer."""
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half} characters left out ...]\n{text[-half:]}"


def _entries(events: Sequence[Event]) -> Iterator[str]:
    for it in events:
        data = data_of(it)
        match it.get("type"):
            case "user_message":
                yield f"[user] {_said(data.get('content'))}"
            case "assistant_message" if trim(as_text(data.get("content") or "")):
                yield f"[agent] {_said(data.get('content'))}"
            case "tool_call":
                yield f"[tool call] {data.get('toolName')} {_said(data.get('arguments') or {})}"
            case "tool_result":
                word = "failed" if data.get("success") is False else "result"
                yield f"[tool {word}] {_said(data.get('result'))}"
            case "skill_activation":
                yield f"[skill] {data.get('name')}"
            case "error":
                yield f"[error] {_said(data.get('message'))}"
            case _:
                pass


def _said(value: object) -> str:
    return shortened("" if value is None else as_text(value))


class OfTranscript:
    """Put before a check of the output: it then looks at all messages of the agent, each on lines of its own."""

    text_name: ClassVar[str] = "transcript"

    @classmethod
    def text_of(cls, context: GradingContext) -> str:
        messages = of_type(spoken_events_of(context), "assistant_message")
        return "\n".join(it for message in messages if isinstance(it := message.get("content"), str))


_MARKS = frozenset(["turn_start", "turn_end"])


class MissingTurnError(Exception):
    """The conversation has no such turn."""


def one_turn(context: GradingContext, turn: int) -> GradingContext:
    """What happened from the user message number `turn` (from 0) to the next; measures are counted anew.

    What the executor of the recording does not know stays unknown.

    Raises:
        MissingTurnError: the conversation is shorter.

    """
    try:
        events = events_of(context)
    except GradeError:
        return _spoken_turn(context, turn)
    starts = _starts(events, "user_message", turn)
    if not starts:
        return context
    part = list(_part(events, starts, turn))
    if turn + 1 < len(starts) and not any(it.get("type") in _MARKS for it in part):
        part.append(TURN_END)  # The user went on.
    measured = _measured(context, turn) if context.events is None else None
    return replace(
        context,
        events=part,
        metrics=measured,
        output=last_message(part),
        session=None,
        tool_events=(),
        skills=(),
    )


def _spoken_turn(context: GradingContext, turn: int) -> GradingContext:
    """The messages of the turn. Calls, skills and tokens are as closed to graders as they were."""
    starts = _starts(context.transcript, "user.message", turn)
    if not starts:
        return context
    error = context.error if turn + 1 == len(starts) else ""
    part = _part(context.transcript, starts, turn)
    own = replace(context, transcript=part, output="", error=error, metrics=_measured(context, turn))
    return replace(own, output=last_message(spoken_events_of(own)))


def _starts(events: Sequence[Mapping[str, Any]], kind: str, turn: int) -> list[int]:
    """Where the turns begin; nowhere when the conversation is a single one of which no message is recorded."""
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


def _measured(context: GradingContext, turn: int) -> Mapping[str, Any] | None:
    """The time that the turn took, by the moments of our transcript."""
    moments = [it.get("at_ms") for it in context.transcript if it.get("type") == "user.message"]
    began, ended = (*moments, context.duration_ms)[turn : turn + 2]
    return {"wallTimeMs": ended - began} if isinstance(began, int) and isinstance(ended, int) else None


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


def format_metric(value: float) -> str:
    """Format a metric or its limit in full, so that different values never look the same."""
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
