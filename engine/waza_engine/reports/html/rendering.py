"""Render the templates of the HTML reports.

Templates escape every value, because names, messages and outputs come from files and agents. The policy in
`page.html.j2` also forbids scripts and connections, so that a hole in the escaping would do no harm.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waza_engine.reports.inert import visible
from waza_engine.reports.reasons import quarantine_text

if TYPE_CHECKING:
    from jinja2 import Environment

_TEMPLATES = Path(__file__).parent / "templates"
_MOST_CHARACTERS = 20_000
"""Longer texts are cut in the middle: their end says most."""
_STATUSES = frozenset(["passed", "failed", "error", "skipped", "cancelled", "open"])


def render(template: str, **values: Any) -> Iterator[str]:
    """Render a page piece by piece: what its loops read one by one is never in memory as a whole."""
    # Jinja's own strings escape what is added to them.
    # Browsers obey what reorders text, and terminals the rest when the file is printed.
    yield from (visible(str(it)) for it in environment().get_template(template).generate(values))


@cache
def environment() -> "Environment":
    """The templates with the filters that they use."""
    # Imported late: only reports need Jinja.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    found = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        auto_reload=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters.update(
        clamped=clamped,
        cut=_cut,
        date=date,
        delta_class=_delta_class,
        number="{:.2f}".format,
        percent=_percent,
        quarantine=quarantine_text,
        seconds=seconds,
        status_class=status_class,
        thousands="{:,}".format,
        whole_percent="{:.0%}".format,
    )
    return found


def clamped(share: float) -> float:
    """Limit a share to 0 to 1: graders may return other scores, which would leave the chart."""
    return max(0.0, min(1.0, share))


def _percent(share: float) -> str:
    """A share as a CSS length."""
    return f"{clamped(share) * 100:.4g}%"


def date(seconds_since_1970: float) -> str:
    """Return a point in time for people."""
    return datetime.fromtimestamp(seconds_since_1970, UTC).strftime("%Y-%m-%d %H:%M UTC")


def seconds(milliseconds: float) -> str:
    """Return a duration for people."""
    if milliseconds < 1000:
        return f"{milliseconds:.0f} ms"
    if milliseconds < 120_000:
        return f"{milliseconds / 1000:.1f} s"
    return f"{milliseconds / 60_000:.1f} min"


def _cut(text: str, most: int = _MOST_CHARACTERS) -> str:
    left = len(text) - most
    if left <= 0:
        return text
    start = most // 4
    return f"{text[:start]}\n... ({left:,} characters folded) ...\n{text[start + left :]}"


def status_class(status: str) -> str:
    """The CSS class of a status, which may come from a file."""
    return status if status in _STATUSES else "quiet"


def _delta_class(delta: float) -> str:
    return "passed" if delta > 0 else "failed" if delta < 0 else "quiet"
