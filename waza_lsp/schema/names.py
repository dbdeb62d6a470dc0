"""Names within a document: anchors with their aliases, and values that name the same thing.

The schema says what names something (`x-defines`) and what refers to it (`x-reference`), both with a kind of thing.
"""

from dataclasses import dataclass
from functools import lru_cache

from waza_engine.findings import Pointer
from waza_lsp.schema.explain import data_along
from waza_lsp.schema.form import Form
from waza_lsp.schema.walk import schema_at
from waza_lsp.schema.ways import Ways, sites, ways
from waza_lsp.syntax.anchors import aliases, anchor_at, anchor_of
from waza_lsp.syntax.node import Kind
from waza_lsp.syntax.text import Place, Span, Text
from waza_lsp.syntax.tree import Tree


@dataclass(frozen=True, slots=True)
class Occurrences:
    """Where a name is given to something, and where it is used."""

    definitions: tuple[Span, ...]
    uses: tuple[Span, ...]


def occurrences(form: Form, tree: Tree, text: Text, place: Place) -> Occurrences | None:
    """All places of the name that `place` is on; None where there is no name."""
    located = tree.at(place)
    if located is not None and not located.on_key and located.node.kind is Kind.SCALAR:
        found = _of_value(form, tree, located.pointer, located.node.source)
        if found is not None:
            return found
    return _of_anchor(tree, text, place)


def names_of(form: Form, tree: Tree, thing: str, without: Place) -> list[str]:
    """All names of a kind of thing, where they are given first; not the one that is being written at `without`."""
    found = [
        (site.schema.get("x-defines") != thing, site.node.source)
        for site in sites(tree, _name_ways(form))
        if thing in {site.schema.get("x-defines"), site.schema.get("x-reference")}
        and site.node.kind is Kind.SCALAR
        and site.node.source
        and not site.node.span.shifted(site.start).contains(without)
    ]
    return list(dict.fromkeys(name for _, name in sorted(found, key=lambda it: it[0])))


def _of_anchor(tree: Tree, text: Text, place: Place) -> Occurrences | None:
    located = tree.at(place)
    if located is not None and not located.on_key and located.node.kind is Kind.ALIAS:
        name = located.node.source
        anchor = anchor_of(tree, text, name, place)
    else:
        anchor = anchor_at(tree, text, place)
        name = anchor.node.anchor or "" if anchor is not None else ""
    uses = tuple(aliases(tree, name)) if name else ()
    return Occurrences((anchor.name,) if anchor is not None else (), uses) if name else None


def _of_value(form: Form, tree: Tree, pointer: Pointer, name: str) -> Occurrences | None:
    schema = schema_at(form.schema, pointer, data_along(tree, pointer))
    thing = schema.get("x-defines") or schema.get("x-reference") if schema is not None else None
    if not thing or not name:
        return None
    definitions: list[Span] = []
    uses: list[Span] = []
    for site in sites(tree, _name_ways(form)):
        if site.node.kind is Kind.SCALAR and site.node.source == name:
            if site.schema.get("x-defines") == thing:
                definitions.append(site.node.span.shifted(site.start))
            elif site.schema.get("x-reference") == thing:
                uses.append(site.node.span.shifted(site.start))
    return Occurrences(tuple(definitions), tuple(uses))


@lru_cache(maxsize=64)
def _name_ways(form: Form) -> Ways:
    return ways(form.schema, lambda schema, _: "x-reference" in schema or "x-defines" in schema)
