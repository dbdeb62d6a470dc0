"""Find the names in a document: anchors with their aliases, and values that define or reference the same thing.

The schema says which values define a name (`x-defines`, or `x-defines-keys` for the keys of a mapping) and which
reference one (`x-reference`), each with a kind of thing.
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
    """A value that names a thing. `span` is the whole value, `inner` the name without quotes."""

    thing: str
    text: str
    defines: bool
    pointer: Pointer
    span: Span
    inner: Span
    style: str


@dataclass(frozen=True, slots=True)
class Occurrences:
    """The spans that define a name, and those that use it."""

    definitions: tuple[Span, ...]
    uses: tuple[Span, ...]


def name_at(form: Form, tree: Tree, place: Place) -> Name | None:
    """Return the name at a place in the text."""
    located = tree.at(place)
    if located is None:
        return None
    data = data_along(tree, located.pointer)
    if located.on_key:
        parent = schema_at(form.schema, located.pointer[:-1], data)
        thing = parent.get(_KEYS) if parent is not None else None
        named = names_in(form, tree) if thing else ()
        return next((it for it in named if it.defines and it.pointer == located.pointer), None)
    if located.node.kind is not Kind.SCALAR:
        return None
    schema = schema_at(form.schema, located.pointer, data)
    lines = located.value.start.line - located.node.start.line
    return _name(schema, located.node, located.pointer, lines) if schema is not None else None


def names_in(form: Form, tree: Tree) -> Iterator[Name]:
    """Yield every name in a document."""
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
    """Return the span of the name itself; None if it takes several lines."""
    if node.style not in {"|", ">"}:
        return node.inner
    (first, _), end = node.span
    if "\n" in node.source or end.line > first + 1:
        return None
    return Span(Place(end.line, end.column - len(node.source)), end)


def occurrences(form: Form, tree: Tree, text: Text, place: Place) -> Occurrences | None:
    """Return all occurrences of the name at `place`; None if there is no name."""
    here = name_at(form, tree, place)
    if here is None:
        return anchor_occurrences(tree, text, place)
    same = [it for it in names_in(form, tree) if (it.thing, it.text) == (here.thing, here.text)]
    return Occurrences(
        tuple(it.span for it in same if it.defines), tuple(it.span for it in same if not it.defines)
    )


def names_of_kind(form: Form, tree: Tree, thing: str, without: Place) -> list[str]:
    """Return all names of a kind, definitions first, except the one that is being typed at `without`."""
    found = [
        (not it.defines, it.text)
        for it in names_in(form, tree)
        if it.thing == thing and not it.span.contains(without)
    ]
    return list(dict.fromkeys(name for _, name in sorted(found, key=lambda it: it[0])))


def is_pattern(name: str) -> bool:
    """Whether the text is a pattern for names instead of a name."""
    return not _PATTERN_MARKS.isdisjoint(name)


@lru_cache(maxsize=64)
def has_definitions(form: Form, thing: str) -> bool:
    """Whether names of a kind are defined somewhere: by a key of such files, or by a file of their own."""

    def defines_thing(schema: Schema, _: bool) -> bool:
        return thing in {schema.get("x-defines"), schema.get(_KEYS)}

    return thing == SKILL or not schema_paths(form.schema, defines_thing).is_empty


def anchor_occurrences(tree: Tree, text: Text, place: Place) -> Occurrences | None:
    """Return the anchor at a place, or of the alias there, and all aliases of its name."""
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
    return schema_paths(form.schema, lambda schema, _: not _NAME_KEYWORDS.isdisjoint(schema))


_NAME_KEYWORDS = frozenset(["x-reference", "x-defines", "x-defines-keys"])
