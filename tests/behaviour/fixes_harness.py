"""Documents before and after a fix, and example files in other layouts."""

import textwrap
from itertools import pairwise
from pathlib import Path

from lsprotocol import types

from tests.behaviour.harness import marked, snapshot_of
from waza_engine.analysis.pipeline import CheckContext
from waza_engine.model.findings import Scope
from waza_lsp.diagnostics.ranges import RangedFinding
from waza_lsp.features.code_action import code_action
from waza_lsp.features.diagnostics import findings
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.cursor.rows import Row, row_of
from waza_lsp.syntax.edit.edits import Draft, Edit
from waza_lsp.syntax.text import Span, Text


def findings_of(snapshot: Snapshot) -> list[RangedFinding]:
    folder = snapshot.path.parent if snapshot.path is not None else None
    return findings(snapshot, CheckContext(snapshot.path, Scope(folder, folder)))


def actions_at(
    document: str, name: str = "eval.yaml", folder: Path | None = None, only: list[str] | None = None
) -> tuple[Snapshot, list[types.CodeAction]]:
    """Return the code actions at the cursor, as if the user opened the menu."""
    found = marked(document)
    snapshot = snapshot_of(found.source, name, folder)
    cursor = found.cursor or types.Position(0, 0)
    context = types.CodeActionContext(
        diagnostics=[], only=only, trigger_kind=types.CodeActionTriggerKind.Invoked
    )
    return snapshot, code_action(snapshot, types.Range(cursor, cursor), context, findings_of)


def quick_fixes(document: str, name: str = "eval.yaml", folder: Path | None = None) -> list[types.CodeAction]:
    """Return the fixes at the cursor, without those that ignore the finding."""
    _, found = actions_at(document, name, folder, ["quickfix"])
    return [it for it in found if not it.title.startswith("Ignore ")]


def check_fix(before: str, after: str, title: str | None = None, name: str = "eval.yaml") -> None:
    """Check that the preferred fix (or the one with a title) turns one text into the other."""
    snapshot, found = actions_at(before, name)
    chosen = next((it for it in found if title in {None, it.title}), None)
    assert chosen is not None, [it.title for it in found]
    assert apply_action(snapshot, chosen) == textwrap.dedent(after).removeprefix("\n")


def apply_action(snapshot: Snapshot, action: types.CodeAction) -> str:
    """Apply the edits of a code action as an editor would."""
    assert action.edit is not None
    assert action.edit.document_changes is not None
    text = snapshot.text
    for change in action.edit.document_changes:
        assert isinstance(change, types.TextDocumentEdit)
        assert change.text_document.version == snapshot.version
        edits = [
            Edit(Span(text.place(it.range.start), text.place(it.range.end)), it.new_text)
            for it in change.edits
            if isinstance(it, types.TextEdit)
        ]
        text = apply_edits(text, edits)
    return str(text)


def apply_edits(text: Text, edits: list[Edit]) -> Text:
    for span, new in sorted(edits, reverse=True):
        text = text.replace(span, new)
    return text


def draft_of(snapshot: Snapshot) -> Draft:
    return Draft(snapshot.text, snapshot.tree)


def restyle(source: str, step: int, dash: int, line_end: str = "\n") -> str:
    """Return a block-style text with another indentation: `step` for mappings, `dash` for lists."""
    writer = _Restyling(step, dash)
    for line in source.split("\n"):
        writer.take(line)
    return line_end.join([*writer.lines, *writer.comments])


class _Restyling:
    def __init__(self, step: int, dash: int) -> None:
        self.lines: list[str] = []
        self.comments: list[str] = []
        self._step, self._dash = step, dash
        self._frames: list[tuple[int, int, bool]] = []
        """Old column, new column, and whether it is a list."""
        self._block: tuple[int, int, int | None] | None = None
        """In a block scalar: the old and new column of its key, and the shift of its lines."""

    def take(self, line: str) -> None:
        content = line.lstrip(" ")
        indent = len(line) - len(content)
        if self._in_block(content, indent):
            return
        if not content or content.startswith("#"):
            self.comments.append(line)
            return
        row = row_of(0, line, 1)
        columns = [(it, True) for it in row.dashes] + [(row.start, False)]
        news = [self._column(at, column, is_list) for at, (column, is_list) in enumerate(columns)]
        self._flush_comments(indent, news[0])
        gaps = [" " * (b - a - 1) for a, b in pairwise(news)]
        self.lines.append(" " * news[0] + "".join(f"-{it}" for it in gaps) + line[row.start :])
        self._enter_block(row, line, news)

    def _in_block(self, content: str, indent: int) -> bool:
        if self._block is None:
            return False
        old, new, shift = self._block
        if content and indent <= old:
            self._block = None
            return False
        if content and shift is None:
            shift = new + self._step - indent
            self._block = (old, new, shift)
        self.lines.append(" " * (indent + (shift or 0)) + content if content else "")
        return True

    def _enter_block(self, row: Row, line: str, news: list[int]) -> None:
        if line[row.value : row.value + 1] in {"|", ">"}:
            is_item = row.key is None
            old = row.dashes[-1] if is_item else row.start
            self._block = (old, news[-2] if is_item else news[-1], None)

    def _column(self, at: int, column: int, is_list: bool) -> int:
        while self._frames and at == 0 and self._is_left(self._frames[-1], column, is_list):
            self._frames.pop()
        for old, new, kind in self._frames:
            if (old, kind) == (column, is_list):
                while self._frames[-1] != (old, new, kind):
                    self._frames.pop()
                return new
        if not self._frames:
            new = 0
        elif at:
            new = self._frames[-1][1] + 2
        else:
            new = self._frames[-1][1] + (self._dash if is_list else self._step)
        self._frames.append((column, new, is_list))
        return new

    def _is_left(self, frame: tuple[int, int, bool], column: int, is_list: bool) -> bool:
        return frame[0] > column or (frame[0] == column and frame[2] and not is_list)

    def _flush_comments(self, indent: int, new: int) -> None:
        for it in self.comments:
            own = len(it) - len(it.lstrip(" "))
            self.lines.append(" " * max(0, new + own - indent) + it.lstrip(" "))
        self.comments = []
