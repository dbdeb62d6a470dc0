"""Completion in marked documents: the items at `¦`, and the document after accepting one.

Only this file knows what a completion item looks like; the tests hold documents, labels and results.
"""

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types

from tests.behaviour.harness import marked, snapshot_of
from waza_lsp.features.completion import CompletionClient, completion
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Text

FOLDER = Path("/suite")
_STOP = re.compile(
    r"\\(?P<escaped>[\\$}])|\$(?P<bare>\d+)|\$\{(?P<number>\d+)(?::(?P<text>(?:\\.|[^\\}])*)|\|(?P<choices>(?:\\.|[^\\|])*)\|)?\}"
)


@dataclass(frozen=True)
class ListedFiles:
    """A fake disk with the listed files below one folder."""

    names: Sequence[str] = ()
    process_dir: Path | None = FOLDER

    def is_file(self, path: Path) -> bool:
        return path in {FOLDER / it for it in self.names}

    def is_directory(self, path: Path) -> bool:
        return any(path in (FOLDER / it).parents for it in self.names)

    def glob(self, pattern: str, folder: Path) -> list[Path]:
        known = {FOLDER / it for it in self.names}
        known |= {it for name in known for it in name.parents}
        expression = re.compile(re.escape(f"{folder}/{pattern}").replace(r"\*", "[^/]*"))
        return sorted(it for it in known if expression.fullmatch(str(it)))


@dataclass(frozen=True)
class Completions:
    """The completion items of a document, in the order that an editor shows."""

    snapshot: Snapshot
    cursor: types.Position
    items: list[types.CompletionItem]

    @property
    def labels(self) -> list[str]:
        return [it.label for it in self.items]

    def item(self, label: str) -> types.CompletionItem:
        found = [it for it in self.items if it.label == label]
        assert len(found) == 1, f"'{label}' is offered {len(found)} times among {self.labels}"
        return found[0]

    def applied(self, item: types.CompletionItem) -> str:
        """Return the document after accepting an item; each tab stop has its default text."""
        edit = item.text_edit
        assert isinstance(edit, types.TextEdit)
        assert edit.range.start.line == edit.range.end.line == self.cursor.line
        assert edit.range.start.character <= self.cursor.character <= edit.range.end.character
        text = self.snapshot.text
        start, end = text.place(edit.range.start), text.place(edit.range.end)
        lines = list(text.lines)
        is_snippet = item.insert_text_format is types.InsertTextFormat.Snippet
        new = expanded(edit.new_text) if is_snippet else edit.new_text
        lines[start.line] = lines[start.line][: start.column] + new + lines[start.line][end.column :]
        return "".join(lines)


def completions_at(
    document: str,
    name: str = "eval.yaml",
    *,
    files: Sequence[str] = (),
    client: CompletionClient = CompletionClient(),  # noqa: B008  # immutable
    line_end: str = "\n",
) -> Completions:
    """Return the items at the cursor of a marked document."""
    found = marked(document)
    assert found.cursor is not None
    snapshot = snapshot_of(found.source.replace("\n", line_end), name, FOLDER)
    items = completion(snapshot, found.cursor, client, ListedFiles(files)).items
    return Completions(snapshot, found.cursor, sorted(items, key=lambda it: it.sort_text or it.label))


def check_labels(
    document: str,
    name: str = "eval.yaml",
    *,
    first: Sequence[str] = (),
    has: Sequence[str] = (),
    lacks: Sequence[str] = (),
    only: Sequence[str] | None = None,
    files: Sequence[str] = (),
) -> Completions:
    """Check the labels: the `first` ones in order, labels that must or must not occur, or `only` these."""
    found = completions_at(document, name, files=files)
    assert found.labels[: len(first)] == list(first)
    assert set(has) <= set(found.labels), found.labels
    assert not set(lacks) & set(found.labels), found.labels
    assert only is None or set(found.labels) == set(only)
    assert len(set(found.labels)) == len(found.labels), "labels must tell items apart"
    return found


def check_accepted(
    before: str,
    label: str,
    after: str,
    name: str = "eval.yaml",
    *,
    files: Sequence[str] = (),
    client: CompletionClient = CompletionClient(),  # noqa: B008  # immutable
) -> None:
    """Check the document after accepting the item `label`."""
    found = completions_at(before, name, files=files, client=client)
    expected = textwrap.dedent(after).removeprefix("\n")
    assert _trimmed(found.applied(found.item(label))) == _trimmed(expected)


def check_nothing(document: str, name: str = "eval.yaml") -> None:
    """Check that there are no items."""
    assert completions_at(document, name).labels == []


def expanded(snippet: str) -> str:
    """Return a snippet as text, each tab stop with its default or first choice. Stops must be 1, 2, 3 ... in order."""
    stops: list[int] = []

    def text(found: re.Match[str]) -> str:
        if found["escaped"]:
            return found["escaped"]
        stops.append(int(found["bare"] or found["number"]))
        if found["choices"] is not None:
            return re.sub(r"\\(.)", r"\1", re.split(r"(?<!\\),", found["choices"])[0])
        return re.sub(r"\\(.)", r"\1", found["text"] or "")

    result = _STOP.sub(text, snippet)
    assert stops == list(range(1, len(stops) + 1)), snippet
    return result


def _trimmed(text: str) -> str:
    """Remove trailing spaces."""
    return "\n".join(it.rstrip() for it in str(Text.of(text)).split("\n"))
