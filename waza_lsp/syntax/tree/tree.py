"""The tolerant tree of one text, with lookups by pointer and by place.

A tree is immutable. `Tree.of` reuses the pieces of an earlier tree whose lines did not change, so an edit costs only
the piece that it touches. Each item of a top-level list is a piece of its own.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from waza_engine.lib.pointer import Pointer
from waza_engine.lib.queries.store import derived_property
from waza_lsp.syntax.errors.hints import Problem
from waza_lsp.syntax.text import Place, Span
from waza_lsp.syntax.tree.aliases import line_of_excess, recursive_aliases, unknown_aliases
from waza_lsp.syntax.tree.entry import Entry, entries_of
from waza_lsp.syntax.tree.located import Located, innermost_at, locate_below
from waza_lsp.syntax.tree.node import Kind, Node
from waza_lsp.syntax.tree.piece import Piece, join_unterminated, piece_of, pieces_of
from waza_lsp.syntax.tree.split import PieceKind, PieceLayout, cut, first_lines, recut

_SKETCHED_ITEMS = 3
_MANY_KEYS = 100


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Tree:
    """All pieces of a text, with its anchors and top-level entries.

    Attributes:
        pieces: all lines of the text, in order.
        second_document: the line of a second `---`, or -1.
        conflict: the line where a merge conflict starts, or -1.
        line_count: the number of lines.
        whole: the single piece of a document that is not a block mapping.
        entries: the top-level keys.
        anchors: the anchors that may be followed, by name.
        excess: the line of the alias that expands to too many values, or -1. If set, no alias is followed.
        is_ragged: a quote or bracket may span several pieces.
        is_cut_off: the text is too large, and only its first lines were read.
        has_alias: some value is an alias.
        is_fillable: some piece reads differently when its placeholders are filled.
        has_more_documents: a second document has content.
        memory: results about this tree.
        carried: what others remember of it for the tree after an edit.
        indices: those of the pieces for which a test holds (`pieces_where`).

    """

    pieces: tuple[Piece, ...]
    second_document: int
    conflict: int
    line_count: int
    whole: Piece | None
    entries: tuple[Entry, ...]
    anchors: dict[str, Node] = field(default_factory=dict)
    excess: int = -1
    is_ragged: bool = False
    is_cut_off: bool = False
    has_alias: bool = False
    is_fillable: bool = False
    has_more_documents: bool = False
    carried: dict[Any, Any] = field(repr=False, default_factory=dict)
    memory: dict[Any, Any] = field(init=False, repr=False, default_factory=dict)
    indices: "dict[PieceTest, tuple[int, ...]]" = field(init=False, repr=False, default_factory=dict)

    @property
    def odd_pieces(self) -> tuple[int, ...]:
        """The indices of the pieces about which there is more to say than their values."""
        return self.pieces_where(_is_odd)

    def pieces_where(self, test: "PieceTest", lines: Sequence[str] = ()) -> tuple[int, ...]:
        """Return the indices of the pieces for which a test of their text holds, wherever that is. `lines` are all lines.

        After an edit it runs for the new pieces only.
        """
        found = self.indices.get(test)
        if found is None:
            found = tuple(index for index, it in enumerate(self.pieces) if test(it, lines))
            self.indices[test] = found
        return found

    @classmethod
    def of(
        cls,
        lines: Sequence[str],
        before: "Tree | None" = None,
        same: tuple[int, int] = (0, 0),
        layout: PieceLayout | None = None,
    ) -> "Tree":
        """Return the tree of a text.

        Args:
            lines: the text's lines with their ends.
            before: an earlier tree, whose unchanged pieces are reused.
            same: how many lines are the same at the top and at the bottom.
            layout: where to cut the text, if that is known.

        """
        if before is not None and (tree := before.after_edit(lines, same)) is not None:
            return tree
        layout = layout or cut(lines)
        found, count = (before.pieces, before.line_count) if before is not None else ((), 0)
        pieces = list(pieces_of(lines, layout.cuts, found, count, same))
        is_ragged = any(it.parsed.unterminated for it in pieces)
        if is_ragged:
            pieces = list(join_unterminated(pieces, lines))
        excess, anchors = _resolve_anchors(pieces)
        return cls(
            tuple(pieces),
            layout.second_document,
            layout.conflict,
            len(lines),
            next((it for it in pieces if it.kind is PieceKind.WHOLE), None),
            tuple(entries_of(pieces)),
            anchors,
            excess,
            is_ragged,
            has_alias=_has_alias(pieces),
            is_fillable=_is_fillable(pieces),
            has_more_documents=layout.has_more_documents,
        )

    @classmethod
    def of_beginning(cls, lines: Sequence[str]) -> "Tree":
        """Return the tree of the first lines of a text that is too large."""
        return replace(cls.of(first_lines(lines)), is_cut_off=True)

    def with_placeholders_filled(self) -> "Tree":
        """Return the tree of the text with its placeholders replaced before parsing."""
        pieces = tuple(it._replace(parsed=it.parsed.filled or it.parsed, memory={}) for it in self.pieces)
        excess, anchors = _resolve_anchors(pieces)
        return replace(
            self,
            pieces=pieces,
            whole=next((it for it in pieces if it.kind is PieceKind.WHOLE), None),
            entries=tuple(entries_of(pieces)),
            anchors=anchors,
            excess=excess,
            has_alias=_has_alias(pieces),
            is_fillable=False,
        )

    def after_edit(self, lines: Sequence[str], same: tuple[int, int]) -> "Tree | None":
        """Return the tree after an edit inside the items of one list.

        Returns None if the edit may affect more.
        """
        if self.is_ragged or self.second_document >= 0 or self.conflict >= 0:
            return None
        new_cuts = recut(lines, self.pieces, self.line_count, same)
        if new_cuts is None:
            return None
        new = [piece_of(lines, it) for it in new_cuts.cuts]
        start, end = self.pieces[new_cuts.first].start, self.pieces[new_cuts.last - 1].end
        lists = [
            it for it in self.entries if it.items and it.items[0][0].start < start <= it.items[-1][0].end
        ]
        if len(lists) != 1 or any(it.parsed.unterminated for it in new):
            return None
        shift = len(lines) - self.line_count
        below = {id(it): it.shift(shift) for it in self.pieces[new_cuts.last :]} if shift else {}
        pieces = (
            *self.pieces[: new_cuts.first],
            *new,
            *(below.values() if shift else self.pieces[new_cuts.last :]),
        )
        keys = tuple(
            it.splice(new, start, end, below) if it is lists[0] else it.relocate(below) for it in self.entries
        )
        is_plain = not (self.has_alias or self.anchors or _has_alias(new)) and not any(
            it.parsed.anchors for it in new
        )
        excess, anchors = (-1, self.anchors) if is_plain else _resolve_anchors(pieces)
        tree = replace(
            self,
            pieces=pieces,
            line_count=len(lines),
            entries=keys,
            anchors=anchors,
            excess=excess,
            has_alias=not is_plain and _has_alias(pieces),
            is_fillable=_is_fillable(pieces if self.is_fillable else new),
        )
        added = len(pieces) - len(self.pieces)
        for test, found in self.indices.items():
            tree.indices[test] = (
                *(it for it in found if it < new_cuts.first),
                *(index for index, it in enumerate(new, new_cuts.first) if test(it, lines)),
                *(it + added for it in found if it >= new_cuts.last),
            )
        return tree

    def keys(self) -> list[str] | None:
        """Return the top-level keys in order.

        Returns None if the top level is a list or scalar.
        """
        whole = self.whole
        if whole is not None:
            root = whole.parsed.root
            return (
                [key.source for key, _ in root.pairs] if root is not None and root.kind is Kind.MAP else None
            )
        return [it.key.source for it in self.entries]

    def sketch(self) -> dict[str, Any] | None:
        """Return the top-level keys with their values, lists cut to their first items.

        Returns None if the top level is not a mapping. Misaligned keys are included, without their values.
        """
        if self.whole is not None:
            data = self.data()
            return data if isinstance(data, dict) else None
        misaligned = (it.parsed.stray_key for it in self.pieces if it.kind is PieceKind.PAIR)
        return {it.name: None for it in misaligned if it is not None} | {
            it.key.source: self.entry_data(it, _SKETCHED_ITEMS) for it in self.entries
        }

    @derived_property
    def shared_data(self) -> Any:
        """The plain data of the whole text, for callers that do not change it."""
        return self.data()

    def data(self) -> Any:
        """Return plain data of the whole text, without what cannot be read."""
        whole = self.whole
        if whole is not None:
            return whole.parsed.root.data(self.anchors) if whole.parsed.root is not None else None
        result: dict[str, Any] = {}
        for entry in self.entries:
            if entry.key.source not in result:
                result[entry.key.source] = self.entry_data(entry)
        return result

    def entry_data(self, entry: Entry, most: int | None = None) -> Any:
        """Return plain data of one top-level value, of a list at most so many items."""
        if entry.is_list and not self.has_alias:
            return [node.own_data() for _, node in islice(entry.items, most)]
        if entry.is_list:
            return [self._data(piece, node) for piece, node in islice(entry.items, most)]
        return self._data(entry.piece, entry.value)

    def _data(self, piece: Piece, node: Node) -> Any:
        return node.data(self.anchors) if piece.parsed.has_alias else node.own_data()

    def problems(self) -> Iterator[tuple[Problem, int]]:
        """Yield every syntax problem with the first line of its piece."""
        for piece in self.pieces:
            for problem in piece.parsed.problems:
                yield problem, piece.start

    def find(self, pointer: Pointer) -> Located | None:
        """Return the value at a pointer, or None."""
        whole = self.whole
        if whole is not None:
            return locate_below(whole, whole.parsed.root, (), pointer)
        if not pointer:
            return None
        entry = self.entry(pointer[0])
        if entry is None:
            return None
        if entry.is_list and len(pointer) > 1:
            index = pointer[1]
            if not isinstance(index, int) or index >= len(entry.items):
                return None
            piece, node = entry.items[index]
            return locate_below(piece, node, pointer[:2], pointer[2:])
        return (
            self._entry_located(entry)
            if len(pointer) == 1
            else locate_below(entry.piece, entry.value, pointer[:1], pointer[1:])
        )

    def entry(self, key: str | int) -> Entry | None:
        """Return the first entry with a key."""
        if len(self.entries) <= _MANY_KEYS:
            return next((it for it in self.entries if it.key.source == key), None)
        known: dict[str, Entry] | None = self.memory.get(Tree.entry)
        if known is None:
            known = self.memory[Tree.entry] = {it.key.source: it for it in reversed(self.entries)}
        return known.get(str(key))

    def piece_and_rest(self, pointer: Pointer) -> tuple[Piece, Node, Pointer] | None:
        """Return the piece of a pointer, its first node, and the rest of the pointer.

        Returns None for whole lists.
        """
        if self.whole is not None or not pointer:
            return None
        entry = self.entry(pointer[0])
        if entry is None or (entry.is_list and len(pointer) == 1):
            return None
        if not entry.is_list:
            root = entry.piece.parsed.root
            return (entry.piece, root, pointer) if root is not None else None
        index = pointer[1]
        if not isinstance(index, int) or index >= len(entry.items):
            return None
        return (*entry.items[index], pointer[2:])

    def at(self, place: Place) -> Located | None:
        """Return the key or innermost value at a place; None on blank lines and comments."""
        piece = self.piece_at(place.line)
        return innermost_at(piece, *self._base(piece), place) if piece is not None else None

    def piece_at(self, line: int) -> Piece | None:
        """Return the piece of a line."""
        low, high = 0, len(self.pieces)
        while low < high:
            middle = (low + high) // 2
            if self.pieces[middle].end <= line:
                low = middle + 1
            else:
                high = middle
        return self.pieces[low] if low < len(self.pieces) and self.pieces[low].start <= line else None

    def _entry_located(self, entry: Entry) -> Located:
        key = entry.key.span.shift(entry.piece.start)
        value = entry.value.span.shift(entry.piece.start)
        if entry.is_list and entry.items:
            (first, top), (last, bottom) = entry.items[0], entry.items[-1]
            value = Span(top.span.shift(first.start).start, bottom.span.shift(last.start).end)
        return Located((entry.key.source,), entry.value, key, value)

    def _base(self, piece: Piece) -> tuple[Pointer, int]:
        """Return the pointer of a piece's root and the index of its first item."""
        if piece.kind is PieceKind.ITEM:
            for entry in self.entries:
                if entry.items and entry.items[0][0].start <= piece.start <= entry.items[-1][0].start:
                    for index, (its_piece, _) in enumerate(entry.items):
                        if its_piece is piece:
                            return (entry.key.source,), index
        return (), 0


PieceTest = Callable[[Piece, Sequence[str]], bool]
"""Tests a piece, given the lines of the whole text."""


def _is_odd(piece: Piece, _lines: Sequence[str]) -> bool:
    return not piece.parsed.is_plain


def _resolve_anchors(pieces: Sequence[Piece]) -> tuple[int, dict[str, Node]]:
    """Return the anchors that may be followed, after the line of an excessive alias (-1: none)."""
    if _has_alias(pieces):
        excess = line_of_excess((it.parsed.root, it.start) for it in pieces if it.parsed.root is not None)
        if excess >= 0:
            return excess, {}
        # If one alias of an anchor is wrong, the meaning of the others is unknown.
        wrong = {name for name, _ in (*unknown_aliases(pieces), *recursive_aliases(pieces))}
        return -1, {name: node for name, node in _anchors(pieces) if name not in wrong}
    return -1, dict(_anchors(pieces))


def _anchors(pieces: Sequence[Piece]) -> Iterator[tuple[str, Node]]:
    for it in pieces:
        yield from it.parsed.anchors.items()


def _has_alias(pieces: Iterable[Piece]) -> bool:
    return any(it.parsed.has_alias for it in pieces)


def _is_fillable(pieces: Iterable[Piece]) -> bool:
    return any(it.parsed.filled for it in pieces)
