"""A trial as a text that a judge can read: what happened in order, long things shortened to head and tail.

See docs/reference/vally.md, section 7.9.
"""

from collections.abc import Iterator, Sequence

from waza_engine.vally.events import Event, data_of
from waza_engine.vally.text import as_text, trim

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
