"""Semantic tokens, inlay hints and formatting, as texts that tests can compare."""

import textwrap

from lsprotocol import types

from tests.behaviour.harness import marked, snapshot_of
from tests.behaviour.reading_harness import text_in
from waza_lsp.features.formatting import formatting
from waza_lsp.features.inlay_hint import EnabledHints, inlay_hint
from waza_lsp.features.on_type_formatting import on_type_formatting
from waza_lsp.features.semantic_tokens import LEGEND, semantic_tokens
from waza_lsp.snapshot import Snapshot
from waza_lsp.workspace.workspace import WorkspaceFiles

WHOLE = types.Range(types.Position(0, 0), types.Position(1_000_000, 0))


def decoded(tokens: types.SemanticTokens) -> list[tuple[types.Range, str]]:
    """Return the span and kind of each token in order."""
    line = column = 0
    found: list[tuple[types.Range, str]] = []
    numbers = list(tokens.data)
    for at in range(0, len(numbers), 5):
        lines, start, length, kind, modifiers = numbers[at : at + 5]
        line, column = line + lines, start if lines else column + start
        names = [name for bit, name in enumerate(LEGEND.token_modifiers) if modifiers & (1 << bit)]
        stretch = types.Range(types.Position(line, column), types.Position(line, column + length))
        found.append((stretch, " ".join([LEGEND.token_types[kind], *names])))
    return found


def coloured(
    document: str, name: str = "eval.yaml", span: types.Range | None = None
) -> list[tuple[str, str]]:
    """Return the text and kind of each token."""
    snapshot = snapshot_of(textwrap.dedent(document), name)
    return [(text_in(snapshot, it), kind) for it, kind in decoded(semantic_tokens(snapshot, span))]


def lines_with_hints(
    snapshot: Snapshot,
    workspace: WorkspaceFiles,
    wanted: EnabledHints,
    span: types.Range = WHOLE,
    **overrides: str,
) -> list[str]:
    """Return the lines that have hints, with the hints in ⟨⟩ at their position."""
    found: dict[int, list[types.InlayHint]] = {}
    for it in inlay_hint(snapshot, span, workspace, wanted, overrides):
        found.setdefault(it.position.line, []).append(it)
    lines = []
    for line, hints in found.items():
        text = snapshot.text.line(line)
        for it in reversed(hints):
            text = f"{text[: it.position.character]}⟨{it.label}⟩{text[it.position.character :]}"
        lines.append(text.strip())
    return lines


def format_text(source: str, span: types.Range | None = None, name: str = "eval.yaml") -> str:
    """Return the text after formatting. Formatting again changes nothing, and the data stay the same."""
    snapshot = snapshot_of(source, name)
    after = _applied(snapshot, formatting(snapshot, span))
    if span is None:
        assert not formatting(after)
    assert after.data == snapshot.data
    return str(after.text)


def entered(document: str, name: str = "eval.yaml") -> str:
    """Return the new line after Enter at the mark."""
    mark = marked(document)
    assert mark.cursor is not None
    snapshot = snapshot_of(mark.source, name)
    return _applied(snapshot, on_type_formatting(snapshot, mark.cursor)).text.line(mark.cursor.line)


def _applied(snapshot: Snapshot, edits: list[types.TextEdit]) -> Snapshot:
    ends = [it.range.end for it in edits]
    assert all(end <= it.range.start for end, it in zip(ends, edits[1:], strict=False)), "edits overlap"
    for it in reversed(edits):
        change = types.TextDocumentContentChangePartial(it.range, it.new_text)
        snapshot = snapshot.with_changes([change], 2)
    return snapshot
