"""Open documents: what is known of a document counts again when it is opened again with the same text."""

from lsprotocol import types

from waza_lsp.server.documents import Documents

URI = "file:///evals/eval.yaml"
TEXT = "name: a\nskill: s\ngraders:\n  - type: text\n"


def _open(documents: Documents, text: str, version: int) -> None:
    item = types.TextDocumentItem(URI, "yaml", version, text)
    documents.open(item, types.PositionEncodingKind.Utf16)


def test_a_document_that_is_opened_again_is_not_parsed_again() -> None:
    documents = Documents()
    _open(documents, TEXT, 3)
    before = documents.get(URI)
    documents.close(URI)
    _open(documents, TEXT, 1)
    after = documents.get(URI)
    assert before is not None
    assert after is not None
    assert after.tree is before.tree
    assert (after.version, after.recognition) == (1, before.recognition)
    assert documents.is_stale(URI)


def test_another_text_is_parsed() -> None:
    documents = Documents()
    _open(documents, TEXT, 1)
    documents.close(URI)
    for text in (TEXT.replace("text", "prompt"), "\ufeff" + TEXT, ""):
        _open(documents, text, 2)
        now = documents.get(URI)
        assert now is not None
        assert str(now.text) == text
        assert now.tree.data() == (
            {"name": "a", "skill": "s", "graders": [{"type": "prompt" if "prompt" in text else "text"}]}
            if text
            else {}
        )
        documents.close(URI)
