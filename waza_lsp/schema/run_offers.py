"""What can be done with a runnable, in the order of a line of lenses; code actions offer the same.

A pure function of the runnable and of how it stands: the one place where titles and commands of runs are made.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from lsprotocol import types

from waza_lsp.schema.run_command import run_command
from waza_lsp.schema.runnables import PARTS, Runnable
from waza_lsp.schema.standing import Standing, Verdict

_MARKS = {"passed": "✓", "failed": "✗", "error": "⚠", "skipped": "○", "cancelled": "○"}
_BARS = "▁▂▃▄▅▆▇█"


class Sort(StrEnum):
    """The kinds of lenses; each can be switched off."""

    RUN = "run"
    RUN_FAILED = "runFailed"
    GRADE = "grade"
    RESULT = "result"


class Offer(NamedTuple):
    """One thing that can be done."""

    sort: Sort
    command: types.Command


def run_offers(it: Runnable, standing: Standing, now: float) -> Iterator[Offer]:
    """What is offered for a runnable; nothing for one that cannot be run. `now` is in seconds since 1970."""
    run = run_command(it)
    if run is None:
        return
    yield Offer(Sort.RUN, run)
    here: dict[str, str] = {"uri": it.uri, **({"task": it.id} if it.kind in PARTS else {})}
    if standing.failed:
        title = f"▶ Run failed ({standing.failed})"
        yield Offer(Sort.RUN_FAILED, types.Command(title, "waza.runFailed", arguments=[here]))
    if standing.is_recorded:
        yield Offer(Sort.GRADE, types.Command("↻ Grade again", "waza.grade", arguments=[here]))
    yield from _result(here, standing, now)


def _result(here: dict[str, str], standing: Standing, now: float) -> Iterator[Offer]:
    if standing.running:
        arguments = [{**here, "runId": standing.running}]
        yield Offer(Sort.RESULT, types.Command("■ Running: cancel", "waza.cancelRun", arguments=arguments))
    elif standing.verdict is not None:
        arguments = [{**here, "runId": standing.verdict.run_id}]
        title = _told(standing.verdict, now)
        yield Offer(Sort.RESULT, types.Command(title, "waza.showReport", arguments=arguments))


def _told(verdict: Verdict, now: float) -> str:
    counted = f"{verdict.passed} of {verdict.total} passed · " if verdict.total else ""
    parts = [
        f"{_MARKS.get(verdict.status, '?')} {counted}{verdict.score:.2f}",
        age(now - verdict.at),
        _tokens(verdict.tokens),
        _sparkline(verdict.scores),
        "stale" if verdict.stale else "",
    ]
    return " · ".join(it for it in parts if it)


def age(seconds: float) -> str:
    """How long ago something was, roughly: the text is right for a while without being asked for again."""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{int(seconds // size)} {unit} ago"
    return "just now"


def _tokens(count: int | None) -> str:
    if not count:
        return ""
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if count >= size:
            return f"{count / size:.1f}{unit} tokens"
    return f"{count} tokens"


def _sparkline(scores: tuple[float, ...]) -> str:
    """The scores as bars of eight heights; a single run has no line."""
    if len(scores) < 2:
        return ""
    return "".join(_BARS[min(7, max(0, round(it * 7)))] for it in scores)
