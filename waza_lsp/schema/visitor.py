"""A schema cut down to the ways that lead to values of one kind (paths, references, things to run ...).

Requests that look for such values in a whole document follow these ways only: a value that cannot hold one is never
looked into, and no schema is resolved twice.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from waza_engine.analysis.schema.navigate import DISCRIMINATOR, Schema, branches, resolve
from waza_engine.lib.pointer import Pointer
from waza_lsp.syntax.tree.node import Node
from waza_lsp.syntax.tree.tree import Tree

SchemaFilter = Callable[[Schema, bool], bool]
"""Whether values of a schema are looked for; the flag says whether they are items of a list."""


class SchemaPaths:
    """Where to go on from one value. `schema` is set when values here are looked for."""

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
        """Whether there is nothing wanted here or below."""
        return not (self.schema is not None or self.keys or self.others or self.items or self.branches)

    def below(self, node: Node) -> Iterator[tuple[str | int, Node | None, Node, "SchemaPaths"]]:
        """The members and items of a value that are worth going to: pointer part, key, value, ways."""
        if node.pairs and (self.keys or self.others or self.branches):
            keys = self._keys_for(node)
            for key, value in node.pairs:
                way = keys.get(key.source, self.others)
                if way is not None:
                    yield key.source, key, value, way
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
    """A value that was looked for. Its node's places count from line `start`."""

    pointer: Pointer
    start: int
    key: Node | None
    node: Node
    schema: Schema


def schema_paths(root: Schema, wanted: SchemaFilter, *, into_branches: bool = True) -> SchemaPaths:
    """The ways from the root of a schema to the wanted values; without those of a discriminator on request."""
    return _Compiler(root, wanted, into_branches).compiled(root, is_item=False)


def visit(tree: Tree, start: SchemaPaths, lines: tuple[int, int] | None = None) -> Iterator[VisitedValue]:
    """Every value of a document that the ways lead to, in the order of the text; the root itself is not one.

    With `lines` (first, last) pieces outside of them are left out, with what is in them.
    """
    first, end = lines if lines is not None else (0, tree.line_count)
    whole = tree.whole
    if whole is not None:
        if whole.parsed.root is not None:
            yield from _below(whole.parsed.root, start, (), whole.start)
        return
    for entry in tree.entries:
        name = entry.key.source
        way = start.keys.get(name, start.others)
        if way is None:
            continue
        if not entry.is_list:
            if entry.piece.start > end or entry.piece.end <= first:
                continue
            yield from _at(entry.key, entry.value, way, (name,), entry.piece.start)
        elif way.items is not None:
            for index, (piece, item) in enumerate(entry.items):
                if piece.start > end or piece.end <= first:
                    continue
                yield from _at(None, item, way.items, (name, index), piece.start)


def _at(
    key: Node | None, node: Node, way: SchemaPaths, pointer: Pointer, start: int
) -> Iterator[VisitedValue]:
    if way.schema is not None:
        yield VisitedValue(pointer, start, key, node, way.schema)
    yield from _below(node, way, pointer, start)


def _below(node: Node, way: SchemaPaths, pointer: Pointer, start: int) -> Iterator[VisitedValue]:
    for part, key, value, next_way in way.below(node):
        yield from _at(key, value, next_way, (*pointer, part), start)


class _Compiler:
    """Compiles a schema; definitions that are on the way already are met again as the same object."""

    def __init__(self, root: Schema, wanted: SchemaFilter, into_branches: bool) -> None:
        self._root = root
        self._wanted = wanted
        self._into_branches = into_branches
        self._met: dict[tuple[str, bool], SchemaPaths] = {}
        self._unfinished: set[SchemaPaths] = set()

    def compiled(self, schema: Schema, *, is_item: bool) -> SchemaPaths:
        reference = schema.get("$ref")
        # Keywords beside a reference make another schema of it: only the bare ones are shared.
        if isinstance(reference, str) and len(schema) == 1:
            known = self._met.get((reference, is_item))
            if known is None:
                known = self._met[reference, is_item] = SchemaPaths()
                self._unfinished.add(known)
                self._fill(known, resolve(self._root, schema), is_item=is_item)
                self._unfinished.remove(known)
            return known
        made = SchemaPaths()
        self._fill(made, resolve(self._root, schema), is_item=is_item)
        return made

    def _fill(self, made: SchemaPaths, schema: Schema, *, is_item: bool) -> None:
        if made.schema is None and self._wanted(schema, is_item):
            made.schema = schema
        for it in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
            self._fill(made, resolve(self._root, it), is_item=is_item)
        made.keys.update(self._keys(schema))
        made.items = self._way(schema.get("items"), is_item=True) or made.items
        made.others = self._way(schema.get("additionalProperties")) or made.others
        if self._into_branches and DISCRIMINATOR in schema:
            made.discriminator = schema[DISCRIMINATOR]
            for kind, branch in branches(schema).items():
                if keys := self._keys(resolve(self._root, branch)):
                    made.branches[kind] = keys

    def _keys(self, schema: Schema) -> dict[str, SchemaPaths]:
        found = {name: self._way(it) for name, it in schema.get("properties", {}).items()}
        return {name: way for name, way in found.items() if way is not None}

    def _way(self, schema: object, *, is_item: bool = False) -> SchemaPaths | None:
        if not isinstance(schema, Mapping):
            return None
        way = self.compiled(schema, is_item=is_item)
        # Where an unfinished one leads is not known yet: it holds itself.
        return None if way.is_empty and way not in self._unfinished else way
