"""One immutable version of a document: its text, its syntax tree and its kind of file."""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from waza_engine.analysis.schema.navigate import Schema, schema_at
from waza_engine.lib.paths import path_from_uri
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.queries.store import kept_fresh
from waza_lsp.schema.document_kind import Form, Recognition, recognise_form
from waza_lsp.syntax.text import UTF_16, Place, Span, Text
from waza_lsp.syntax.tree.located import Located
from waza_lsp.syntax.tree.split import MOST_CHARACTERS, front_matter_lines, schema_address
from waza_lsp.syntax.tree.tree import Tree

if TYPE_CHECKING:
    from waza_lsp.syntax.edit.edits import Edit

_MARKDOWN = ".md"


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The input of every request. `version` is the client's number; None for a file that is not open."""

    uri: str
    version: int | None
    text: Text
    tree: Tree
    recognition: Recognition | None
    size: int = 0
    """An upper bound of the number of characters in the text."""

    @classmethod
    def of(
        cls,
        uri: str,
        source: str,
        version: int | None = None,
        encoding: str = UTF_16,
    ) -> "Snapshot":
        """Return the first version of a document."""
        return cls._build(uri, version, Text.of(source, encoding), len(source))

    @classmethod
    def _build(
        cls,
        uri: str,
        version: int | None,
        text: Text,
        size: int,
        before: "Snapshot | None" = None,
        same: tuple[int, int] = (0, 0),
    ) -> "Snapshot":
        if uri.endswith(_MARKDOWN):
            # Skills have YAML at the top. No Markdown file is an eval.
            return cls(uri, version, text, Tree.of(front_matter_lines(text.lines)), None, size)
        if size > MOST_CHARACTERS:
            size = sum(map(len, text.lines))
        if size > MOST_CHARACTERS:
            tree = Tree.of_beginning(text.lines)
        else:
            known = before.tree if before is not None and not before.tree.is_cut_off else None
            tree = Tree.of(text.lines, known, same)
        was = before.recognition if before is not None else None
        kind = recognise_form(tree.sketch(), path_of(uri), schema=schema_address(text.lines), before=was)
        if tree.is_fillable and kind is not None and kind.form.schema.get("x-placeholders"):
            tree = tree.with_placeholders_filled()
        return cls(uri, version, text, tree, kind, size)

    def with_changes(self, changes: "list[types.TextDocumentContentChangeEvent]", version: int) -> "Snapshot":
        """Return the next version: all changes of one notification, applied in order."""
        text, top, bottom = self.text, len(self.text.lines), len(self.text.lines)
        size = self.size + sum(len(it.text) for it in changes)
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                span = Span(text.place(change.range.start), text.place(change.range.end))
                count = len(text.lines)
                top = min(top, span.start.line)
                bottom = min(bottom, count - span.end.line - 1)
                text = text.replace_range(change.range, change.text)
            else:
                text, top, bottom = text.replace(None, change.text), 0, 0
        same = max(0, top - 1), max(0, bottom - 1)
        return self._build(self.uri, version, text, size, self, same)

    def with_edit(self, span: Span, new: str, version: int) -> "Snapshot":
        """Return the next version, with a span replaced in a text without a byte-order mark."""
        count = len(self.text.lines)
        same = max(0, span.start.line - 1), max(0, count - span.end.line - 2)
        return self._build(self.uri, version, self.text.replace(span, new), self.size + len(new), self, same)

    def recognised_again(self) -> "Snapshot":
        """Return this version with the kind that the files around it give it now; itself if that is the same."""
        if self.is_markdown:
            return self

        def recognition() -> Recognition | None:
            schema = schema_address(self.text.lines)
            return recognise_form(self.tree.sketch(), self.path, schema=schema, before=self.recognition)

        if kept_fresh(self.memory, Snapshot.recognised_again, recognition).value == self.recognition:
            return self
        again = self._build(self.uri, self.version, self.text, self.size)
        return again if again.recognition != self.recognition else self

    def with_text(self, text: Text, tree: Tree) -> "Snapshot":
        """Return the same document with a text that the client does not have, for example after a fix."""
        return Snapshot(self.uri, None, text, tree, self.recognition)

    def without_text(self) -> "Snapshot":
        """Return the same document without its text and tree, which take a hundred times its memory."""
        kind = replace(self.recognition, text=None) if self.recognition is not None else None
        return Snapshot(self.uri, self.version, _NO_TEXT, _NO_TREE, kind)

    @property
    def path(self) -> Path | None:
        """The file on disk; None if the URI does not name a file."""
        return path_of(self.uri)

    @property
    def is_markdown(self) -> bool:
        """Whether this is a Markdown file, of which only the front matter is read."""
        return self.uri.endswith(_MARKDOWN)

    @property
    def form(self) -> Form | None:
        """The kind of file; None if it is not an eval file."""
        return self.recognition.form if self.recognition else None

    @cached_property
    def data(self) -> Any:
        """Plain data of the whole text, without the parts that cannot be parsed."""
        return self.tree.shared_data

    @cached_property
    def memory(self) -> dict[Any, Any]:
        """Results about this version, for functions that are `derived`."""
        return {}

    def schema_at(self, pointer: Pointer) -> Schema | None:
        """Return the schema of the value at `pointer`; None below unknown keys and in other files than evals."""
        return schema_at(self.form.schema, pointer, self.data) if self.form else None

    def located(self, position: "types.Position") -> Located | None:
        """Return the key or value at a position of the client."""
        return self.tree.at(self.text.place(position))

    def place(self, position: "types.Position") -> Place:
        """Convert a position of the client to a place in the text."""
        return self.text.place(position)

    def range(self, span: Span) -> "types.Range":
        """Convert a span to a range of the client."""
        return self.text.range(span)

    def text_edit(self, edit: "Edit") -> "types.TextEdit":
        """Convert an edit for the client. Its text gets the line ends of the document."""
        return types.TextEdit(self.range(edit.span), edit.text.replace("\n", self.text.line_end))


_NO_TEXT = Text([""])
_NO_TREE = Tree.of(_NO_TEXT.lines)


@lru_cache(maxsize=256)
def path_of(uri: str) -> Path | None:
    """Return the path of a `file:` URI; None for any other URI."""
    return path_from_uri(uri)
