"""Memory after many edits: nothing grows with their number."""

import gc
import weakref
from pathlib import Path

import pytest
from lsprotocol import types

from tests.lenses import code_lens
from waza_engine.analysis.pipeline import CheckContext
from waza_engine.lib.files.vfs import Files
from waza_engine.model.findings import Scope
from waza_lsp.features.diagnostics import diagnostics_json
from waza_lsp.features.document_symbol import document_symbol_json
from waza_lsp.features.inlay_hint import EnabledHints, inlay_hint
from waza_lsp.server.documents import Documents
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.tree.parse import Parsed
from waza_lsp.workspace.workspace import WorkspaceFiles

SUITE = """\
name: notes
skill: notes
config:
  executor: mock
  model: m
graders:
  - type: text
    name: edited
    weight: 2
    config:
      regex_match: ['0']
  - type: text
    name: untouched
    config:
      contains: [a]
"""
_LINE = 10
_UTF16 = types.PositionEncodingKind.Utf16


class _Editor:
    """Documents that receive all requests that an editor sends at each edit."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._documents = Documents()
        self._files = Files(self._documents.text_of)

    def open(self, name: str = "eval.yaml", text: str = SUITE) -> Snapshot:
        path = self._folder / name
        self._documents.open(types.TextDocumentItem(path.as_uri(), "yaml", 1, text), _UTF16)
        return self._looked_at(path)

    def edited(self, pattern: str) -> Snapshot:
        path = self._folder / "eval.yaml"
        span = types.Range(types.Position(_LINE, 0), types.Position(_LINE + 1, 0))
        change = types.TextDocumentContentChangePartial(span, f"      regex_match: [{pattern}]\n")
        document = types.VersionedTextDocumentIdentifier(2, path.as_uri())
        self._documents.change(types.DidChangeTextDocumentParams(document, [change]))
        return self._looked_at(path)

    def close(self, name: str = "eval.yaml") -> None:
        self._documents.close((self._folder / name).as_uri())

    def _looked_at(self, path: Path) -> Snapshot:
        snapshot = self._documents.of_path(path)
        assert snapshot is not None
        world = CheckContext(path, Scope(path.parent, path.parent), self._files)
        assert diagnostics_json(snapshot, world)
        assert document_symbol_json(snapshot)
        workspace = WorkspaceFiles(path.parent, self._files, self._documents.of_path)
        everywhere = types.Range(types.Position(0, 0), types.Position(100, 0))
        assert inlay_hint(snapshot, everywhere, workspace, EnabledHints())
        assert code_lens(snapshot)
        return snapshot


@pytest.fixture
def editor(tmp_path: Path) -> _Editor:
    return _Editor(tmp_path)


def _piece(snapshot: Snapshot) -> Parsed:
    piece = snapshot.tree.piece_at(_LINE)
    assert piece is not None
    return piece.parsed


@pytest.mark.slow
def test_what_is_known_of_a_piece_goes_with_it(editor: _Editor) -> None:
    editor.open()
    pieces = [weakref.ref(_piece(editor.edited(f"'(?i)a{it}'"))) for it in range(300)]
    gc.collect()
    alive = [index for index, it in enumerate(pieces) if it() is not None]
    assert alive[-1] == 299
    assert len(alive) < 200


@pytest.mark.slow
def test_long_pieces_are_held_for_a_shorter_time(editor: _Editor) -> None:
    editor.open()
    long = "x" * 1_800
    pieces = [weakref.ref(_piece(editor.edited(f"'{long}{it}'"))) for it in range(100)]
    gc.collect()
    alive = [index for index, it in enumerate(pieces) if it() is not None]
    assert alive[-1] == 99
    assert len(alive) < 50


def test_the_text_before_an_edit_is_known_when_the_edit_is_taken_back(editor: _Editor) -> None:
    editor.open()
    before = _piece(editor.edited("'x'"))
    assert _piece(editor.edited("'xy'")) is not before
    assert _piece(editor.edited("'x'")) is before


def test_pieces_without_an_edit_are_taken_over(editor: _Editor) -> None:
    first, later = editor.open(), editor.edited("'y'")
    kept = [it.parsed for it in first.tree.pieces if it.parsed is not _piece(first)]
    assert kept == [it.parsed for it in later.tree.pieces if it.parsed is not _piece(later)]


def test_documents_closed_last_are_known_when_they_are_opened_again(editor: _Editor) -> None:
    # More pieces than are held as those that were parsed last.
    text = SUITE + "".join(f"  - {{type: text, name: n{it}}}\n" for it in range(300))
    pieces = [weakref.ref(it.parsed) for it in editor.open(text=text).tree.pieces]
    editor.close()
    gc.collect()
    known = [it() for it in pieces]
    assert None not in known
    assert [it.parsed for it in editor.open(text=text).tree.pieces] == known
    del known
    editor.close()
    for number in range(20):
        editor.open(f"{number}.yaml")
        editor.close(f"{number}.yaml")
    gc.collect()
    assert sum(it() is not None for it in pieces) < 200


@pytest.mark.slow
def test_a_text_with_errors_leaves_nothing_that_only_the_collector_finds(editor: _Editor) -> None:
    editor.open()
    editor.edited("'")
    gc.collect()
    gc.disable()
    try:
        pieces = [weakref.ref(_piece(editor.edited(f"'[{it}"))) for it in range(200)]
        assert sum(it() is not None for it in pieces) < 150
    finally:
        gc.enable()
