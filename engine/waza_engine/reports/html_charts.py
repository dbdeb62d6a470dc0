"""The pictures of the HTML reports: made of boxes that the style sheet places, so that they need no script and no library."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from waza_engine.reports.html_parts import kind_of, number, percent
from waza_engine.scoring import Interval

_COLOURS = {"passed": "--pass", "failed": "--fail", "error": "--warn", "skipped": "--skip"}
_MOST_DOTS = 80
_BINS = 10


def ring(counts: Mapping[str, int], label: str) -> str:
    """Shares of statuses around a number."""
    total = sum(counts.values()) or 1
    stops, at = [], 0.0
    for name, colour in _COLOURS.items():
        share = counts.get(name, 0) / total * 100
        stops.append(f"var({colour}) {at:.2f}% {at + share:.2f}%")
        at += share
    inner = f"<div><b>{counts.get('passed', 0)}/{sum(counts.values())}</b><span>{escape(label)}</span></div>"
    return f'<div class="ring" style="background:conic-gradient({", ".join(stops)})">{inner}</div>'


def strip(scores: Sequence[tuple[float, str]], average: float, interval: Interval | None) -> str:
    """Scores with their statuses as dots on a line from 0 to 1, the mean, and its interval behind them."""
    parts = []
    if interval is not None and interval.upper > interval.lower:
        left, width = percent(interval.lower), percent(interval.upper - interval.lower)
        told = f"95 % interval {number(interval.lower)} to {number(interval.upper)}"
        parts.append(
            f'<span class="range" style="left:{left:.1f}%;width:{width:.1f}%" title="{told}"></span>'
        )
    for index, (score, word) in enumerate(scores[:_MOST_DOTS]):
        # Equal scores would hide each other: every other one stands a little higher.
        top = (50, 30, 70, 40, 60)[index % 5] if len(scores) > 1 else 50
        place = f"left:{percent(score):.1f}%;top:{top}%"
        parts.append(f'<span class="dot {kind_of(word)}" style="{place}" title="{number(score)}"></span>')
    parts.append(
        f'<span class="mean" style="left:{percent(average):.1f}%" title="mean {number(average)}"></span>'
    )
    return f'<div class="strip">{"".join(parts)}</div>'


def histogram(scores: Iterable[float]) -> str:
    """How often each tenth of the scores occurs."""
    counts = [0] * _BINS
    for it in scores:
        counts[min(int(percent(it) / 100 * _BINS), _BINS - 1)] += 1
    highest = max(counts) or 1
    bars = "".join(
        f'<i style="height:{count / highest * 100:.0f}%" title="{index / _BINS:.1f} and more: {count}"></i>'
        for index, count in enumerate(counts)
    )
    return f'<span class="hist">{bars}</span>'


def cell(score: float | None, title: str) -> str:
    """A score as a field of a matrix, from red to green."""
    if score is None:
        return '<span class="cell"></span>'
    style = f"background:hsl({percent(score) * 1.3:.0f} 70% 45% / .4)"
    return f'<span class="cell" style="{style}" title="{escape(title)}">{number(score)}</span>'


def squares(runs: Iterable[Sequence[str]]) -> str:
    """A task over several runs: one field a run, with the statuses of its trials; in the order of time."""
    return f'<span class="squares">{"".join(_square(it) for it in runs)}</span>'


def dumbbell(before: float, now: float) -> str:
    """Two scores on one line, and what is between them."""
    left, right = sorted([percent(before), percent(now)])
    way = "up" if now >= before else "down"
    return (
        f'<div class="dumb"><u class="{way}" style="left:{left:.1f}%;width:{right - left:.1f}%"></u>'
        f'<i style="left:{percent(before):.1f}%" title="before {number(before)}"></i>'
        f'<i class="now" style="left:{percent(now):.1f}%" title="after {number(now)}"></i></div>'
    )


def _square(statuses: Sequence[str]) -> str:
    if not statuses:
        return '<i title="not run"></i>'
    kinds = set(statuses)
    kind = kind_of(statuses[0]) if len(kinds) == 1 else "mixed" if "passed" in kinds else "failed"
    return f'<i class="{kind}" title="{escape(", ".join(statuses[:20]))}"></i>'
