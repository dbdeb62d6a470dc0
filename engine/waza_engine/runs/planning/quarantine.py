"""Quarantine tasks by a comment: they run and are reported, but do not decide the run.

`# waza-lsp: quarantine <reason>` stands on a line of the task, or above one. The reason is required: a quarantine
without one tends to stay for ever. Both dialects' files are YAML, so the comments are too; tasks from rows of a table have
none.
"""

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from waza_engine.lib.files.safe_read import MAX_SOURCE_BYTES, regular_bytes
from waza_engine.lib.files.vfs import Files
from waza_engine.lib.queries.store import query
from waza_engine.lib.yaml.comments import OwnComment, own_comments
from waza_engine.lib.yaml.lines import YamlLines
from waza_engine.model.suite import Suite, Task
from waza_engine.project.reading import current_files

WORD = "quarantine"
_SUFFIXES = frozenset([".yaml", ".yml"])
_SEPARATORS = " \t\r\n:-\u2013\u2014[]()"
NO_REASON = f"'{WORD}' has no effect without a reason. Write it behind the word"
OUTSIDE = f"'{WORD}' has no effect here. Put it on a line of a task, or above one"


def reason_of(text: str) -> str:
    """Return the reason in the text behind the word, "" if there is none."""
    return text.strip(_SEPARATORS)


def with_quarantine(suite: Suite) -> tuple[Suite, list[str]]:
    """Return the suite with the reasons of its quarantined tasks, and a warning for each comment without effect."""
    everything = (*suite.tasks, *suite.disabled)
    paths = dict.fromkeys(it.path for it in everything if it.path is not None)
    reasons: dict[int, str] = {}
    warnings: list[str] = []
    for path in paths:
        if text := _text(current_files(), path):
            of_file = [it for it in everything if it.path == path]
            warnings += _apply(path, text, of_file, reasons)
    if not reasons:
        return suite, warnings
    tasks = tuple(replace(it, quarantine=reasons.get(id(it), "")) for it in suite.tasks)
    return replace(suite, tasks=tasks), warnings


@query(keep=5_000)
def _text(files: Files, path: Path) -> str:
    """Return the text of a file in which the word occurs; "" for any other file."""
    if path.suffix not in _SUFFIXES:
        return ""
    if (unsaved := files.unsaved_text(path)) is not None:
        return unsaved if WORD in unsaved else ""
    with contextlib.suppress(OSError, ValueError):
        content = regular_bytes(path, MAX_SOURCE_BYTES)
        if WORD.encode() in content:
            return content.decode("utf-8-sig", "replace")
    return ""


def _apply(path: Path, text: str, tasks: list[Task], reasons: dict[int, str]) -> Iterator[str]:
    comments = list(own_comments(text, WORD))
    lines = YamlLines.of(text) if comments else None
    blocks = [(it, lines.block(it.pointer)) for it in tasks] if lines else []
    for comment in comments:
        place = f"{path}:{comment.line}"
        if not (reason := reason_of(comment.text)):
            yield f"{place}: {NO_REASON}"
            continue
        meant = [task for task, block in blocks if block and _is_in(comment, block)]
        reasons.update((id(it), reason) for it in meant)
        if not meant:
            yield f"{place}: {OUTSIDE}"


def _is_in(comment: OwnComment, block: list[tuple[int, str]]) -> bool:
    return block[0][0] <= comment.target <= block[-1][0]
