"""Small pieces of the HTML reports. What they are given as text, they escape."""

from collections.abc import Iterable, Iterator
from html import escape

from waza_engine.reports.html_style import STYLE
from waza_engine.scoring import Interval

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_LONGEST = 20_000
"""More characters of a text are not shown."""
_STATUSES = frozenset(["passed", "failed", "error", "skipped", "cancelled"])


def page(title: str, body: Iterable[str]) -> Iterator[str]:
    """A whole document, piece by piece. Its policy forbids scripts and connections, whatever slips through escaping."""
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}"><title>{escape(title)}</title>'
    )
    yield f'<!doctype html>\n<html lang="en"><head>{head}<style>{STYLE}</style></head><body>\n'
    for it in body:
        yield f"{it}\n"
    yield "</body></html>\n"


def kind_of(word: str) -> str:
    """The class of a status word, which comes from a file perhaps."""
    return word if word in _STATUSES else "quiet"


def status(word: str) -> str:
    """A status in its colour."""
    return f'<span class="status {kind_of(word)}">{escape(word)}</span>'


def number(value: float) -> str:
    """A score or a share."""
    return f"{value:.2f}"


def seconds(milliseconds: float) -> str:
    """A duration for people."""
    if milliseconds < 1000:
        return f"{milliseconds:.0f} ms"
    if milliseconds < 120_000:
        return f"{milliseconds / 1000:.1f} s"
    return f"{milliseconds / 60_000:.1f} min"


def cards(items: Iterable[tuple[str, str]]) -> str:
    """Facts with a name and a value each."""
    return "".join(f"<div><b>{escape(value)}</b><span>{escape(name)}</span></div>" for name, value in items)


def bar(share: float, interval: Interval | None = None) -> str:
    """A share as a bar with its number; the interval is a darker stripe in it."""
    stripe = ""
    if interval is not None and interval.upper > interval.lower:
        left, width = percent(interval.lower), percent(interval.upper) - percent(interval.lower)
        title = f"95 % interval {number(interval.lower)} to {number(interval.upper)}"
        stripe = f'<u style="left:{left:.0f}%;width:{width:.0f}%" title="{title}"></u>'
    fill = f'<i style="width:{percent(share):.0f}%"></i>'
    return f'<span class="bar">{fill}{stripe}</span> <span class="number">{number(share)}</span>'


def percent(share: float) -> float:
    """A share as a place on a line of 100."""
    return max(0.0, min(1.0, share)) * 100


def text_block(text: str) -> str:
    """A text as it is, cut when it is very long."""
    if not text:
        return ""
    left = len(text) - _LONGEST
    return f"<pre>{escape(text[:_LONGEST] + f'{chr(10)}... ({left} more characters)' if left > 0 else text)}</pre>"
