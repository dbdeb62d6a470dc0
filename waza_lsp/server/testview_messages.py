"""What a test view says about a task that did not pass: each failed check, and where in which file it stands."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types

from waza_engine.findings import Pointer
from waza_lsp.schema.failed_checks import Outcome, failed_checks
from waza_lsp.server.inline_results import short_span
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.carry import carried, change_between
from waza_lsp.syntax.text import Span

Now = Callable[[Path], Snapshot | None]
"""A file as it is in the editor, None when it is not open."""


def messages(
    trials: Sequence[Sequence[Outcome]],
    texts: Mapping[Path, Snapshot],
    key_of: Callable[[Path, Pointer], str],
    now: Now,
) -> Iterator[dict[str, Any]]:
    """One message per failed check of a task: `{message, uri, range, key}`.

    The files had these texts when the task was graded; `range` is where it stands now, None where that is not known.
    `key_of` names the item of a grader's entry.
    """
    for check in failed_checks(trials):
        place = check.place
        text = texts.get(place.path)
        span = short_span(text, place.check, len(place.entry)) if text is not None else None
        yield {
            "message": check.message,
            "uri": place.path.as_uri(),
            "range": place_now(text, span, now),
            "key": key_of(place.path, place.entry),
        }


def place_now(text: Snapshot | None, span: Span | None, now: Now) -> types.Range | None:
    """Where a stretch of an earlier text stands in the editor; None when it was touched since."""
    if text is None or span is None or text.path is None:
        return None
    current = now(text.path)
    if current is None:
        return text.range(span)
    moved = carried(span, change_between(text.text.lines, current.text.lines))
    return current.range(moved) if moved is not None else None
