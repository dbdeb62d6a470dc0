"""One version of one document, immutable: its text, its tree, and what kind of file it is."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from lsprotocol import types

from waza_engine.analysis.schema.navigate import Schema, schema_at
from waza_engine.lib.paths import path_from_uri
from waza_engine.lib.pointer import Pointer
from waza_lsp.schema.document_kind import Form, Recognised, recognised
from waza_lsp.syntax.text import UTF_16, Place, Span, Text
from waza_lsp.syntax.tree.located import Located
from waza_lsp.syntax.tree.split import MOST_CHARACTERS, schema_address
from waza_lsp.syntax.tree.tree import Tree

if TYPE_CHECKING:
    from waza_lsp.syntax.edit.edits import Edit

_Value = TypeVar("_Value")


@dataclass(frozen=True, eq=False)
class Snapshot:
    """What every request works on. `version` is the client's number, None for files that are not open."""

    uri: str
    version: int | None
    text: Text
    tree: Tree
    recognised: Recognised | None
    size: int = 0
    """The characters of the text, or more."""

    @classmethod
    def of(
        cls,
        uri: str,
        source: str,
        version: int | None = None,
        encoding: str = UTF_16,
    ) -> "Snapshot":
        """The first version of a document."""
        return cls._made(uri, version, Text.of(source, encoding), len(source))

    @classmethod
    def _made(
        cls,
        uri: str,
        version: int | None,
        text: Text,
        size: int,
        before: "Snapshot | None" = None,
        same: tuple[int, int] = (0, 0),
    ) -> "Snapshot":
        if size > MOST_CHARACTERS:
            size = sum(map(len, text.lines))
        if size > MOST_CHARACTERS:
            tree = Tree.of_beginning(text.lines)
        else:
            known = before.tree if before is not None and not before.tree.is_cut_off else None
            tree = Tree.of(text.lines, known, same)
        was = before.recognised if before is not None else None
        kind = recognised(tree.sketch(), path_of(uri), schema=schema_address(text.lines), before=was)
        if tree.is_fillable and kind is not None and kind.form.schema.get("x-placeholders"):
            tree = tree.with_placeholders_filled()
        return cls(uri, version, text, tree, kind, size)

    def changed(self, changes: "list[types.TextDocumentContentChangeEvent]", version: int) -> "Snapshot":
        """The next version: all changes of one notification, applied in order."""
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
        return self._made(self.uri, version, text, size, self, same)

    def tried(self, text: Text, tree: Tree) -> "Snapshot":
        """The same document with a text that nobody has typed."""
        return Snapshot(self.uri, None, text, tree, self.recognised)

    @property
    def path(self) -> Path | None:
        """The file on disk; None for documents that are no files."""
        return path_of(self.uri)

    @property
    def form(self) -> Form | None:
        """What kind of file it is; None when it is no eval file."""
        return self.recognised.form if self.recognised else None

    @cached_property
    def data(self) -> Any:
        """Plain data of the whole text; what cannot be read is left out."""
        return self.tree.data()

    def once(self, make: "Callable[[Snapshot], _Value]") -> _Value:
        """What `make` makes of this version, made when it is needed first."""
        made: dict[Any, Any] = self._memo
        if make not in made:
            made[make] = make(self)
        value: _Value = made[make]
        return value

    @cached_property
    def _memo(self) -> dict[Any, Any]:
        return {}

    def schema_at(self, pointer: Pointer) -> Schema | None:
        """What the schema says about a place; None in files that are no evals and at unknown keys."""
        return schema_at(self.form.schema, pointer, self.data) if self.form else None

    def located(self, position: "types.Position") -> Located | None:
        """The key or value under a position."""
        return self.tree.at(self.text.place(position))

    def place(self, position: "types.Position") -> Place:
        """Where a position of the client is in the text."""
        return self.text.place(position)

    def range(self, span: Span) -> "types.Range":
        """A stretch of the text as the client counts."""
        return self.text.range(span)

    def text_edit(self, edit: "Edit") -> "types.TextEdit":
        """An edit as the client gets it, with the line ends of the document."""
        return types.TextEdit(self.range(edit.span), edit.text.replace("\n", self.text.line_end))


@lru_cache(maxsize=256)
def path_of(uri: str) -> Path | None:
    """The path of a `file:` URI."""
    return path_from_uri(uri)
