"""`textDocument/codeLens`: run what stands here, and what came out the last time. One line of lenses per thing."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lsprotocol import types

from waza_lsp.schema.run_command import run_command
from waza_lsp.schema.runnables import Runnable, runnables
from waza_lsp.schema.standing import UNKNOWN, Standing, Verdict
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Span

_MARKS = {"passed": "✓", "failed": "✗", "error": "⚠", "skipped": "○", "cancelled": "○"}
_BARS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which kinds of lenses are shown."""

    run: bool = True
    run_failed: bool = True
    grade: bool = True
    result: bool = True


_ALL = Wanted()


def code_lens(
    snapshot: Snapshot,
    standings: Mapping[tuple[str, str], Standing] | None = None,
    wanted: Wanted = _ALL,
    now: float = 0.0,
) -> list[types.CodeLens]:
    """The lenses of a document. `standings` are by kind and id of the runnable, `now` is in seconds since 1970."""
    form = snapshot.form
    found = runnables(form, snapshot.tree, snapshot.uri) if form is not None else []
    known = standings or {}
    return [
        types.CodeLens(snapshot.range(Span(it.range.start, it.range.start)), command)
        for it in found
        for command in _commands(it, known.get((it.kind, it.id), UNKNOWN), wanted, now)
    ]


def _commands(it: Runnable, standing: Standing, wanted: Wanted, now: float) -> Iterator[types.Command]:
    run = run_command(it)
    if run is None:
        return
    if wanted.run:
        yield run
    here: dict[str, str] = {"uri": it.uri, **({"task": it.id} if it.kind == "task" else {})}
    if wanted.run_failed and standing.failed:
        title = f"▶ Run failed ({standing.failed})"
        yield types.Command(title, "waza.runFailed", arguments=[here])
    if wanted.grade and standing.is_recorded:
        yield types.Command("↻ Grade again", "waza.grade", arguments=[here])
    if wanted.result:
        yield from _result(here, standing, now)


def _result(here: dict[str, str], standing: Standing, now: float) -> Iterator[types.Command]:
    if standing.running:
        yield types.Command(
            "■ Running: cancel", "waza.cancelRun", arguments=[{**here, "runId": standing.running}]
        )
    elif standing.verdict is not None:
        arguments = [{**here, "runId": standing.verdict.run_id}]
        yield types.Command(_told(standing.verdict, now), "waza.showReport", arguments=arguments)


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
