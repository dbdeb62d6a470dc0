"""Small pieces of the HTML report. What they are given as text, they escape."""

from html import escape

from waza_engine.scoring import Interval

_STATUSES = frozenset(["passed", "failed", "error", "skipped", "cancelled"])


def status(word: str) -> str:
    """A status in its colour."""
    kind = word if word in _STATUSES else "quiet"
    return f'<span class="status {kind}">{escape(word)}</span>'


def number(value: float) -> str:
    """A score or a share."""
    return f"{value:.2f}"


def bar(share: float, interval: Interval | None = None) -> str:
    """A share as a bar with its number; the interval is a darker stripe in it."""
    stripe = ""
    if interval is not None and interval.upper > interval.lower:
        left, width = _percent(interval.lower), _percent(interval.upper) - _percent(interval.lower)
        title = f"95 % interval {number(interval.lower)} to {number(interval.upper)}"
        stripe = f'<u style="left:{left:.0f}%;width:{width:.0f}%" title="{title}"></u>'
    fill = f'<i style="width:{_percent(share):.0f}%"></i>'
    return f'<span class="bar">{fill}{stripe}</span> <span class="number">{number(share)}</span>'


def _percent(share: float) -> float:
    return max(0.0, min(1.0, share)) * 100
