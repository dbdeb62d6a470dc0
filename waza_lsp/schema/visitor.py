"""Reduce a schema to the paths that can hold one kind of value (file paths, references, runnables), and visit these.

Requests that search a whole document follow these paths only. They skip values that cannot hold a match, and resolve no
schema twice.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, TypeVar

from waza_engine.analysis.schema.navigate import DISCRIMINATOR, Schema, branches, resolve
from waza_engine.lib.pointer import Pointer
from waza_lsp.syntax.tree.node import Node
from waza_lsp.syntax.tree.piece import Piece
from waza_lsp.syntax.tree.tree import Tree

_T = TypeVar("_T")
SchemaFilter = Callable[[Schema, bool], bool]
"""Whether values of a schema match; the flag says whether they are items of a list."""


class SchemaPaths:
    """The paths below one value. `schema` is set if the value itself matches."""

    __slots__ = ("branches", "discriminator", "items", "keys", "others", "schema")

    def __init__(self) -> None:
        self.schema: Schema | None = None
        self.keys: dict[str, SchemaPaths] = {}
        self.others: SchemaPaths | None = None
        self.items: SchemaPaths | None = None
        self.discriminator = ""
        self.branches: dict[str, dict[str, SchemaPaths]] = {}

    @property
    def is_empty(self) -> bool:
        """Whether nothing can match here or below."""
        return not (self.schema is not None or self.keys or self.others or self.items or self.branches)

    def below(self, node: Node) -> Iterator[tuple[str | int, Node | None, Node, "SchemaPaths"]]:
        """Yield the members and items that may hold a match: pointer part, key, value and paths."""
        if node.pairs and (self.keys or self.others or self.branches):
            keys = self._keys_for(node)
            for key, value in node.pairs:
                path = keys.get(key.source, self.others)
                if path is not None:
                    yield key.source, key, value, path
        elif node.items and self.items is not None:
            for index, item in enumerate(node.items):
                yield index, None, item, self.items

    def _keys_for(self, node: Node) -> "dict[str, SchemaPaths]":
        if not self.branches:
            return self.keys
        found = node.pair(self.discriminator)
        more = self.branches.get(found[1].source) if found is not None else None
        return {**self.keys, **more} if more else self.keys


class VisitedValue(NamedTuple):
    """A value that matches. The lines of its node count from line `start`."""

    pointer: Pointer
    start: int
    key: Node | None
    node: Node
    schema: Schema


def schema_paths(root: Schema, matches: SchemaFilter, *, into_branches: bool = True) -> SchemaPaths:
    """Return the paths from the root of a schema to matching values; on request without those of a discriminator."""
    return _Compiler(root, matches, into_branches).compile(root, is_item=False)


def visit(tree: Tree, start: SchemaPaths, lines: tuple[int, int] | None = None) -> Iterator[VisitedValue]:
    """Yield every matching value of a document except its root, in the order of the text.

    With `lines` (first, last), only pieces that reach into these lines are visited.
    """
    first, end = lines if lines is not None else (0, tree.line_count)
    whole = tree.whole
    if whole is not None:
        if whole.parsed.root is not None:
            yield from _below(whole.parsed.root, start, (), whole.start)
        return
    for entry in tree.entries:
        name = entry.key.source
        path = start.keys.get(name, start.others)
        if path is None:
            continue
        if not entry.is_list:
            if entry.piece.start > end or entry.piece.end <= first:
                continue
            yield from _at(entry.key, entry.value, path, (name,), entry.piece.start)
        elif path.items is not None:
            for index in range(bisect_right(entry.items, first, key=_end_of_item), len(entry.items)):
                piece, item = entry.items[index]
                if piece.start > end:
                    break
                yield from _at(None, item, path.items, (name, index), piece.start)


def _end_of_item(item: tuple[Piece, Node]) -> int:
    return item[0].end


def made_of_values(tree: Tree, start: SchemaPaths, make: Callable[[VisitedValue], _T | None]) -> Iterator[_T]:
    """Yield what `make` returns for each matching value of a document except its root, in the order of the text.

    Those of list items are kept with their piece, so `make` must be the same function each time.
    """
    if tree.whole is not None or tree.has_alias:
        yield from _made(visit(tree, start), make)
        return
    for entry in tree.entries:
        name = entry.key.source
        path = start.keys.get(name, start.others)
        if path is None:
            continue
        if not entry.is_list:
            yield from _made(_at(entry.key, entry.value, path, (name,), entry.piece.start), make)
            continue
        for index, (piece, item) in enumerate(entry.items if path.items is not None else ()):
            place = make, start, index
            known: list[_T] | None = piece.memory.get(place)
            if known is None and path.items is not None:
                found = _at(None, item, path.items, (name, index), piece.start)
                known = piece.memory[place] = [*_made(found, make)]
            yield from known or ()


def _made(values: Iterator[VisitedValue], make: Callable[[VisitedValue], _T | None]) -> Iterator[_T]:
    return (it for value in values if (it := make(value)) is not None)


def _at(
    key: Node | None, node: Node, path: SchemaPaths, pointer: Pointer, start: int
) -> Iterator[VisitedValue]:
    if path.schema is not None:
        yield VisitedValue(pointer, start, key, node, path.schema)
    yield from _below(node, path, pointer, start)


def _below(node: Node, path: SchemaPaths, pointer: Pointer, start: int) -> Iterator[VisitedValue]:
    for part, key, value, paths in path.below(node):
        yield from _at(key, value, paths, (*pointer, part), start)


class _Compiler:
    """Compiles a schema. A definition is compiled once, so recursive definitions share one object."""

    def __init__(self, root: Schema, matches: SchemaFilter, into_branches: bool) -> None:
        self._root = root
        self._matches = matches
        self._into_branches = into_branches
        self._definitions: dict[tuple[str, bool], SchemaPaths] = {}
        self._unfinished: set[SchemaPaths] = set()

    def compile(self, schema: Schema, *, is_item: bool) -> SchemaPaths:
        reference = schema.get("$ref")
        # A reference with further keywords is another schema, so only bare references are shared.
        if isinstance(reference, str) and len(schema) == 1:
            known = self._definitions.get((reference, is_item))
            if known is None:
                known = self._definitions[reference, is_item] = SchemaPaths()
                self._unfinished.add(known)
                self._fill(known, resolve(self._root, schema), is_item=is_item)
                self._unfinished.remove(known)
            return known
        paths = SchemaPaths()
        self._fill(paths, resolve(self._root, schema), is_item=is_item)
        return paths

    def _fill(self, paths: SchemaPaths, schema: Schema, *, is_item: bool) -> None:
        if paths.schema is None and self._matches(schema, is_item):
            paths.schema = schema
        for it in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
            self._fill(paths, resolve(self._root, it), is_item=is_item)
        paths.keys.update(self._keys(schema))
        paths.items = self._path(schema.get("items"), is_item=True) or paths.items
        paths.others = self._path(schema.get("additionalProperties")) or paths.others
        if self._into_branches and DISCRIMINATOR in schema:
            paths.discriminator = schema[DISCRIMINATOR]
            for kind, branch in branches(schema).items():
                if keys := self._keys(resolve(self._root, branch)):
                    paths.branches[kind] = keys

    def _keys(self, schema: Schema) -> dict[str, SchemaPaths]:
        found = {name: self._path(it) for name, it in schema.get("properties", {}).items()}
        return {name: path for name, path in found.items() if path is not None}

    def _path(self, schema: object, *, is_item: bool = False) -> SchemaPaths | None:
        if not isinstance(schema, Mapping):
            return None
        path = self.compile(schema, is_item=is_item)
        # An unfinished definition contains itself, so it is not known yet whether it is empty.
        return None if path.is_empty and path not in self._unfinished else path
