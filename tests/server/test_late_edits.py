"""Edits that arrive in another order than the client made them, as those of one key or macro from Helix 25.01."""

import random
from pathlib import Path

import pytest
from lsprotocol import types

from waza_lsp.server.documents import Documents

TEXT = "name: one\nmodel: \U0001f600\n"
_UTF16 = types.PositionEncodingKind.Utf16


class _Document:
    """A client's document: its text, and its edits as the notifications that announce them."""

    def __init__(self, uri: str) -> None:
        self._uri = uri
        self.text = TEXT
        self.edits: list[types.DidChangeTextDocumentParams] = []

    def edit(self, chance: random.Random, version: int) -> None:
        whole = chance.random() < 0.05
        start = chance.randrange(len(self.text) - 2)
        end = min(len(self.text), start + chance.choice((0, 0, 1, 3)))
        new = chance.choice(("x", "é", "\n", "a: b\n", ""))
        changed = new if whole else self.text[:start] + new + self.text[end:]
        part = types.TextDocumentContentChangePartial(types.Range(self._at(start), self._at(end)), new)
        change = types.TextDocumentContentChangeWholeDocument(TEXT) if whole else part
        self.text = TEXT if whole else changed
        document = types.VersionedTextDocumentIdentifier(version, self._uri)
        self.edits.append(types.DidChangeTextDocumentParams(document, [change]))

    def _at(self, index: int) -> types.Position:
        before = self.text[:index]
        line = before.rpartition("\n")[2]
        return types.Position(before.count("\n"), len(line.encode("utf-16-le")) // 2)


@pytest.fixture
def uri(tmp_path: Path) -> str:
    return (tmp_path / "eval.yaml").as_uri()


def _opened(uri: str, version: int = 0) -> Documents:
    documents = Documents()
    documents.open(types.TextDocumentItem(uri, "yaml", version, TEXT), _UTF16)
    return documents


def _state(documents: Documents, uri: str) -> tuple[str, int | None]:
    snapshot = documents.get(uri)
    assert snapshot is not None
    return str(snapshot.text), snapshot.version


@pytest.mark.parametrize("seed", range(5))
def test_the_text_follows_the_versions(uri: str, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311  # not for secrets
    documents, client = _opened(uri), _Document(uri)
    version = 0
    for _ in range(20):
        for _ in range(chance.randrange(1, 12)):
            version += chance.choice((1, 1, 1, 4))  # Versions may skip numbers.
            client.edit(chance, version)
        chance.shuffle(client.edits)
        for it in client.edits:
            documents.change(it)
        client.edits.clear()
        assert _state(documents, uri) == (client.text, version)


@pytest.mark.parametrize(
    "versions", [[1, 1, 1, 1], [5, 6, 5, 6], [0, 0, 3, 3], [7, 8, 1, 2], [-1, -2, -2, -3]]
)
def test_without_an_order_of_versions_the_messages_have_one(uri: str, versions: list[int]) -> None:
    documents, client = _opened(uri, 4), _Document(uri)
    chance = random.Random(1)  # noqa: S311  # not for secrets
    for it in versions:
        client.edit(chance, it)
        documents.change(client.edits[-1])
        assert _state(documents, uri) == (client.text, it)


def test_a_document_that_is_opened_again_starts_anew(uri: str) -> None:
    documents, client = _opened(uri), _Document(uri)
    chance = random.Random(2)  # noqa: S311  # not for secrets
    for version in (1, 2, 3):
        client.edit(chance, version)
    documents.change(client.edits[2])
    documents.close(uri)
    documents.open(types.TextDocumentItem(uri, "yaml", 0, TEXT), _UTF16)
    documents.change(client.edits[0])
    documents.change(client.edits[1])
    assert _state(documents, uri)[1] == 2
