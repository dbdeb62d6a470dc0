"""Names within a document: anchors with their aliases, and values that name the same thing.

The schema says what names something (`x-defines`, or `x-defines-keys` for the keys of a mapping) and what refers to it
(`x-reference`), each with a kind of thing.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from waza_engine.analysis.schema.navigate import Schema, schema_at
from waza_engine.lib.pointer import Pointer
from waza_engine.project.skills import SKILL
from waza_lsp.schema.describe import data_along
from waza_lsp.schema.document_kind import Form
from waza_lsp.schema.visitor import SchemaPaths, schema_paths, visit
from waza_lsp.syntax.text import Place, Span, Text
from waza_lsp.syntax.tree.anchors import aliases, anchor_at, anchor_of_alias
from waza_lsp.syntax.tree.node import Kind, Node
from waza_lsp.syntax.tree.tree import Tree


class Name(NamedTuple):
    """A value that names a thing: `span` is the whole value, `inner` the name without quotes."""

    thing: str
    text: str
    defines: bool
    pointer: Pointer
    span: Span
    inner: Span
    style: str


@dataclass(frozen=True, slots=True)
class Occurrences:
    """Where a name is given to something, and where it is used."""

    definitions: tuple[Span, ...]
    uses: tuple[Span, ...]


def name_at(form: Form, tree: Tree, place: Place) -> Name | None:
    """The name of a thing that a place is on."""
    located = tree.at(place)
    if located is None:
        return None
    data = data_along(tree, located.pointer)
    if located.on_key:
        around = schema_at(form.schema, located.pointer[:-1], data)
        thing = around.get(_KEYS) if around is not None else None
        named = names_in(form, tree) if thing else ()
        return next((it for it in named if it.defines and it.pointer == located.pointer), None)
    if located.node.kind is not Kind.SCALAR:
        return None
    schema = schema_at(form.schema, located.pointer, data)
    lines = located.value.start.line - located.node.start.line
    return _name(schema, located.node, located.pointer, lines) if schema is not None else None


def names_in(form: Form, tree: Tree) -> Iterator[Name]:
    """Every name of a thing in a document."""
    for site in visit(tree, _name_paths(form)):
        if site.node.kind is Kind.SCALAR and (
            name := _name(site.schema, site.node, site.pointer, site.start)
        ):
            yield name
        elif thing := site.schema.get(_KEYS):
            for key, _ in site.node.pairs:
                span, inner = key.span.shift(site.start), key.inner.shift(site.start)
                yield Name(str(thing), key.source, True, (*site.pointer, key.source), span, inner, key.style)


def _name(schema: Schema, node: Node, pointer: Pointer, start: int) -> Name | None:
    thing = schema.get("x-defines") or schema.get("x-reference")
    inner = _inner(node)
    if not thing or not node.source or inner is None:
        return None
    span = node.span.shift(start)
    return Name(str(thing), node.source, "x-defines" in schema, pointer, span, inner.shift(start), node.style)


def _inner(node: Node) -> Span | None:
    """Where the name itself stands; None where it stands on several lines."""
    if node.style not in {"|", ">"}:
        return node.inner
    (first, _), end = node.span
    if "\n" in node.source or end.line > first + 1:
        return None
    return Span(Place(end.line, end.column - len(node.source)), end)


def occurrences(form: Form, tree: Tree, text: Text, place: Place) -> Occurrences | None:
    """All places of the name that `place` is on; None where there is no name."""
    here = name_at(form, tree, place)
    if here is None:
        return anchor_occurrences(tree, text, place)
    same = [it for it in names_in(form, tree) if (it.thing, it.text) == (here.thing, here.text)]
    return Occurrences(
        tuple(it.span for it in same if it.defines), tuple(it.span for it in same if not it.defines)
    )


def names_of_kind(form: Form, tree: Tree, thing: str, without: Place) -> list[str]:
    """All names of a kind of thing, where they are given first; not the one that is being written at `without`."""
    found = [
        (not it.defines, it.text)
        for it in names_in(form, tree)
        if it.thing == thing and not it.span.contains(without)
    ]
    return list(dict.fromkeys(name for _, name in sorted(found, key=lambda it: it[0])))


def is_pattern(name: str) -> bool:
    """Whether what stands for a name is a pattern for names."""
    return not _PATTERN_MARKS.isdisjoint(name)


@lru_cache(maxsize=64)
def has_definitions(form: Form, thing: str) -> bool:
    """Whether things of a kind have a place where they get their name: a key of such files, or a file of their own."""

    def gives(schema: Schema, _: bool) -> bool:
        return thing in {schema.get("x-defines"), schema.get(_KEYS)}

    return thing == SKILL or not schema_paths(form.schema, gives).is_empty


def anchor_occurrences(tree: Tree, text: Text, place: Place) -> Occurrences | None:
    """The anchor that a place is on or that the alias there means, and all aliases of that name."""
    located = tree.at(place)
    if located is not None and not located.on_key and located.node.kind is Kind.ALIAS:
        name = located.node.source
        anchor = anchor_of_alias(tree, text, name, place)
    else:
        anchor = anchor_at(tree, text, place)
        name = anchor.node.anchor or "" if anchor is not None else ""
    uses = tuple(aliases(tree, name)) if name else ()
    return Occurrences((anchor.name,) if anchor is not None else (), uses) if name else None


_KEYS = "x-defines-keys"
_PATTERN_MARKS = frozenset("^$*+?()[]{}|\\")


@lru_cache(maxsize=64)
def _name_paths(form: Form) -> SchemaPaths:
    return schema_paths(form.schema, lambda schema, _: not _NAMING.isdisjoint(schema))


_NAMING = frozenset(["x-reference", "x-defines", "x-defines-keys"])
