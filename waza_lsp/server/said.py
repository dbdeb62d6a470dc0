"""What runs say about texts, on its way to the reader: put into the files, delivered as findings, looked up for a hover."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from waza_lsp.schema.failed_checks import FailedCheck, Outcome, failed_checks
from waza_lsp.server.inline_results import (
    FAILED_CHECK,
    LIVE_VERDICT,
    RECORDED_RUNS,
    Said,
    entry_span,
    said_of,
)
from waza_lsp.snapshot import Snapshot
from waza_lsp.suite.in_document import runnables_in
from waza_lsp.syntax.text import Place, Span

if TYPE_CHECKING:
    from waza_lsp.server.app import WazaServer

Texts = Mapping[Path, Snapshot]
"""Files as they were when a run read them."""


def said_at(server: "WazaServer", snapshot: Snapshot, place: Place) -> list[Said]:
    """The failed checks that a reader of the document sees at a place."""
    if not server.settings.results_inline:
        return []
    return [it for it in server.results.inline.at(snapshot, place) if it.code == FAILED_CHECK]


def tell(server: "WazaServer", paths: Collection[Path]) -> None:
    """Have what is said about these files delivered."""
    for snapshot in server.documents:
        if snapshot.path in paths:
            server.delivery.results_changed(server, snapshot)


def show(
    server: "WazaServer", eval_path: Path, task: str, trials: Sequence[Sequence[Outcome]], texts: Texts
) -> None:
    """Put a task's failed checks into the files, which had these texts; earlier ones of the task go.

    What live grading says of a text that was edited since stays, until it has seen what is recorded now.
    """
    newer = _newer(server, eval_path, texts)
    touched = server.results.inline.drop(
        lambda path, it: (
            it.eval_path == eval_path
            and (it.code == RECORDED_RUNS or (it.task == task and it.cover not in newer.get(path, ())))
        )
    )
    touched |= _drop_judged(server, trials, texts, LIVE_VERDICT)
    tell(server, touched | _add(server, eval_path, task, trials, texts))
    server.live.grade_again(server, eval_path, newer)


def show_graders(
    server: "WazaServer", eval_path: Path, task: str, trials: Sequence[Sequence[Outcome]], texts: Texts
) -> None:
    """As `show`, of single graders: what the others said stays."""
    newer = _newer(server, eval_path, texts)
    touched = _drop_judged(server, trials, texts)
    tell(server, touched | _add(server, eval_path, task, trials, texts))
    server.live.grade_again(server, eval_path, newer)


def _newer(server: "WazaServer", eval_path: Path, texts: Texts) -> dict[Path, set[Span]]:
    """The graders with live verdicts on later texts than these; everything said stands where it stands in those by then."""
    inline = server.results.inline
    for path in inline.paths():
        newest = server.documents.of_path(path) or texts.get(path)
        if newest is not None:
            inline.follow(path, newest.text.lines)
    return inline.newer(eval_path, {path: it.text.lines for path, it in texts.items()})


def _drop_judged(
    server: "WazaServer", trials: Sequence[Sequence[Outcome]], texts: Texts, code: str = ""
) -> set[Path]:
    """Forget what is said (with this code) in the graders that were asked; the files that it stood in."""
    touched = set()
    for path, pointer in {
        (Path(it["path"]), tuple(it["pointer"])) for trial in trials for it in trial if it["path"]
    }:
        text = texts.get(path)
        span = entry_span(text, pointer) if text is not None else None
        inline = server.results.inline
        if text is not None and span is not None and inline.drop_in(path, text.text.lines, span, code):
            touched.add(path)
    return touched


def _add(
    server: "WazaServer", eval_path: Path, task: str, trials: Sequence[Sequence[Outcome]], texts: Texts
) -> set[Path]:
    """Put the checks where they stand; the files that they are in."""
    by_path: dict[Path, list[FailedCheck]] = {}
    for check in failed_checks(trials):
        by_path.setdefault(check.place.path, []).append(check)
    for path, checks in by_path.items():
        text = texts.get(path)
        if text is not None:
            runnables = runnables_in(text)
            own = next((it.range for it in runnables if (it.kind, it.id) == ("task", task)), None)
            server.results.inline.add(path, text.text.lines, said_of(text, checks, eval_path, task, own))
    return set(by_path)
