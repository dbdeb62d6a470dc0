"""When documents are checked: once per version. Annotations are published beside the findings of the last check."""

from types import SimpleNamespace
from typing import Any

from lsprotocol import types

from waza_lsp.server.diagnostics.publish import Publisher
from waza_lsp.server.documents import Documents
from waza_lsp.server.events import AnnotationsChanged, Bus, DocumentChanged, DocumentOpened
from waza_lsp.snapshot import Snapshot

URI = "file:///suite/eval.yaml"
_FINDING, _ANNOTATION = '{"message":"finding"}', '{"message":"annotation"}'


class _Editor:
    """A publisher whose client records messages and whose deferred work runs on demand."""

    def __init__(self, *, pulls: bool = False) -> None:
        self.documents = Documents()
        self.checked: list[Snapshot] = []
        self.sent: list[str] = []
        self.annotations: list[str] = []
        self._later: list[Any] = []
        self.bus = Bus()
        client: Any = SimpleNamespace(
            pulls_findings=pulls,
            protocol=SimpleNamespace(later=self._later.append),
            notify_json=lambda _method, params: self.sent.append(params),
        )
        workspace: Any = SimpleNamespace(text_changed=lambda _: None, text_replaced=lambda _: None)
        Publisher(self.documents, self._check, client, lambda _: self.annotations, workspace, self.bus)

    def _check(self, snapshot: Snapshot) -> list[str]:
        self.checked.append(snapshot)
        return [_FINDING]

    def run(self) -> None:
        while self._later:
            self._later.pop(0)()

    def open(self) -> Snapshot:
        item = types.TextDocumentItem(URI, "yaml", 1, "name: a\n")
        self.documents.open(item, types.PositionEncodingKind.Utf16)
        snapshot = self.documents.get(URI)
        assert snapshot is not None
        self.bus.publish(DocumentOpened(snapshot))
        self.run()
        return snapshot

    def edit(self, before: Snapshot) -> None:
        change = types.TextDocumentContentChangeWholeDocument("name: b\n")
        document = types.VersionedTextDocumentIdentifier(2, URI)
        self.documents.change(types.DidChangeTextDocumentParams(document, [change]))
        after = self.documents.get(URI)
        assert after is not None
        self.bus.publish(DocumentChanged(before, after))


def test_new_annotations_are_published_without_a_check() -> None:
    editor = _Editor()
    snapshot = editor.open()
    editor.annotations = [_ANNOTATION]
    editor.bus.publish(AnnotationsChanged(snapshot))
    editor.run()
    assert len(editor.checked) == 1
    assert _FINDING in editor.sent[-1]
    assert _ANNOTATION in editor.sent[-1]
    editor.annotations = []
    editor.bus.publish(AnnotationsChanged(snapshot))
    editor.run()
    assert (len(editor.checked), len(editor.sent)) == (1, 3)
    assert _ANNOTATION not in editor.sent[-1]


def test_an_edited_document_is_published_once_with_both() -> None:
    editor = _Editor()
    snapshot = editor.open()
    editor.edit(snapshot)
    editor.annotations = [_ANNOTATION]
    editor.bus.publish(AnnotationsChanged(snapshot))
    editor.run()
    assert (len(editor.checked), len(editor.sent)) == (2, 2)
    assert _ANNOTATION in editor.sent[-1]


def test_annotations_that_wait_while_the_document_is_edited_use_the_new_findings() -> None:
    editor = _Editor()
    snapshot = editor.open()
    editor.annotations = [_ANNOTATION]
    editor.bus.publish(AnnotationsChanged(snapshot))
    editor.edit(snapshot)
    editor.run()
    assert [it.version for it in editor.checked] == [1, 2]
    assert '"version":2' in editor.sent[-1]
    assert len(editor.sent) == 2


async def test_a_document_is_checked_before_the_first_edit_of_an_editor_that_pulls() -> None:
    editor = _Editor(pulls=True)
    snapshot = editor.open()
    assert editor.checked == [snapshot]
    assert editor.sent == []
