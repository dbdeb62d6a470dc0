"""`textDocument/semanticTokens`: tokens that a YAML grammar cannot recognise.

These are grader types, enum values, names, and the code in assertions and regular expressions. Everything else keeps
the colours of the editor's own grammar.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from lsprotocol import types

from waza_engine.analysis.schema.navigate import DISCRIMINATOR
from waza_lsp.schema.document_kind import Form
from waza_lsp.schema.visitor import SchemaPaths, VisitedValue, schema_paths, visit
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.embedded_tokens import LANGUAGES, TokenClass, tokens
from waza_lsp.syntax.scalars import scalar_lines
from waza_lsp.syntax.text import Span
from waza_lsp.syntax.tree.node import Kind

_TYPES = ["class", "enumMember", *(str(it) for it in TokenClass)]
_MODIFIERS = ["declaration", "deprecated"]
_DECLARATION, _DEPRECATED = 1, 2
LEGEND = types.SemanticTokensLegend(_TYPES, _MODIFIERS)
_TYPE_NUMBERS = {name: index for index, name in enumerate(_TYPES)}
_KEYWORDS = (DISCRIMINATOR, "x-language", "x-defines", "x-reference", "enum")


class _Token(NamedTuple):
    span: Span
    kind: str
    modifiers: int = 0


def semantic_tokens(snapshot: Snapshot, span: types.Range | None = None) -> types.SemanticTokens:
    """Return the tokens of the document, or of the lines of a range."""
    form = snapshot.form
    if form is None:
        return types.SemanticTokens([])
    lines = (span.start.line, span.end.line) if span is not None else None
    found: dict[Span, _Token] = {}
    for site in visit(snapshot.tree, _token_paths(form), lines):
        for it in _site_tokens(site, snapshot):
            # A grader type is also an enum value. The first token is more specific.
            found.setdefault(it.span, it)
    return types.SemanticTokens(list(_encode(snapshot, sorted(found.values()))))


def _site_tokens(site: VisitedValue, snapshot: Snapshot) -> Iterator[_Token]:
    schema, node = site.schema, site.node
    if DISCRIMINATOR in schema:
        yield from _type_token(site)
    elif node.kind is not Kind.SCALAR or not node.source:
        return
    elif (language := _language(site, snapshot)) in LANGUAGES:
        for line in scalar_lines(node, site.start, snapshot.text):
            yield from (_Token(line.span(it.start, it.end), it.kind) for it in tokens(language, line.text))
    elif node.start.line != node.end.line:
        return
    elif "x-defines" in schema:
        yield _Token(node.inner.shift(site.start), "variable", _DECLARATION)
    elif "x-reference" in schema:
        yield _Token(node.inner.shift(site.start), "variable")
    elif node.value in schema.get("enum", ()):
        yield _Token(node.inner.shift(site.start), "enumMember")


def _type_token(site: VisitedValue) -> Iterator[_Token]:
    key = site.schema[DISCRIMINATOR]
    found = site.node.pair(key)
    value = found[1] if found is not None else None
    known = site.schema["properties"][key]
    if value is not None and value.kind is Kind.SCALAR and value.source in known.get("enum", ()):
        is_old = value.source in known.get("x-enum-deprecated", ())
        yield _Token(value.inner.shift(site.start), "class", _DEPRECATED if is_old else 0)


def _language(site: VisitedValue, snapshot: Snapshot) -> str:
    """Return the language of a value, from a sibling key (`x-language-from`) or from the schema."""
    chosen = site.schema.get("x-language-from")
    if chosen:
        found = snapshot.tree.find((*site.pointer[:-2], chosen))
        if found is not None and found.node.source:
            return found.node.source
    return str(site.schema.get("x-language", ""))


def _encode(snapshot: Snapshot, coloured: list[_Token]) -> Iterator[int]:
    """Encode each token as five numbers, with positions relative to the previous token."""
    last_line = last_start = 0
    for it in coloured:
        line, start, length = snapshot.text.start_and_length(it.span)
        if length > 0:
            yield from (line - last_line, start - last_start if line == last_line else start)
            yield from (length, _TYPE_NUMBERS[it.kind], it.modifiers)
            last_line, last_start = line, start


@lru_cache(maxsize=64)
def _token_paths(form: Form) -> SchemaPaths:
    return schema_paths(form.schema, lambda schema, _: any(it in schema for it in _KEYWORDS))
