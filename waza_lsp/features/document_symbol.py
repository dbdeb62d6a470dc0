"""`textDocument/documentSymbol`: the outline, with top-level keys and below them each list item that is a mapping.

The schema says which key is the title of an item. Keys in between appear only if they lead to items or name a thing
themselves (`x-named-by-key`), so a long file has one symbol per thing, not per value. The symbol of a top-level list
item and its JSON are cached with the item until it changes or moves.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from lsprotocol import types

from waza_engine.analysis.schema.navigate import Schema
from waza_lsp.schema.document_kind import Form
from waza_lsp.schema.visitor import SchemaPaths, schema_paths
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Place, Span, Text
from waza_lsp.syntax.tree.entry import Entry
from waza_lsp.syntax.tree.node import Kind, Node
from waza_lsp.syntax.tree.piece import Piece

_MAX_LENGTH = 80
_CACHE_KEY = object()
"""Key in a node's cache for its symbol and the inputs that the symbol was made from."""
_KINDS = {
    Kind.MAP: types.SymbolKind.Module,
    Kind.SEQ: types.SymbolKind.Array,
    Kind.SCALAR: types.SymbolKind.Property,
    Kind.ALIAS: types.SymbolKind.Property,
}


@dataclass(slots=True, eq=False)
class _Symbol:
    name: str
    kind: types.SymbolKind
    span: Span
    selection: Span
    detail: str
    children: "list[_Symbol]"
    json: str = ""
    """The JSON of the symbol, or empty. Valid only for texts with the same column encoding."""


def document_symbol(snapshot: Snapshot) -> list[types.DocumentSymbol]:
    """Return the outline as LSP symbols."""
    return [_lsp_symbol(it, snapshot.text) for it in _symbols(snapshot)]


def document_symbol_json(snapshot: Snapshot, *, nested: bool = True) -> str:
    """Return the outline as JSON. For long files this is three times as fast as creating objects first.

    Clients without support for `nested` symbols get a flat list, each symbol with the name of its parent.
    """
    if nested:
        return _symbols_json(_symbols(snapshot), snapshot.text)
    return f"[{','.join(_flat_json(_symbols(snapshot), snapshot, ''))}]"


def _lsp_symbol(it: _Symbol, text: Text) -> types.DocumentSymbol:
    return types.DocumentSymbol(
        name=it.name or " ",
        kind=it.kind,
        range=text.range(it.span),
        selection_range=text.range(it.selection),
        detail=it.detail or None,
        children=[_lsp_symbol(child, text) for child in it.children] or None,
    )


def _symbols_json(symbols: list[_Symbol], text: Text) -> str:
    for it in symbols:
        if not it.json:
            detail = f',"detail":{json.dumps(it.detail)}' if it.detail else ""
            children = f',"children":{_symbols_json(it.children, text)}' if it.children else ""
            it.json = (
                f'{{"name":{json.dumps(it.name or " ")},"kind":{it.kind.value},"range":{text.range_json(it.span)}'
                f',"selectionRange":{text.range_json(it.selection)}{detail}{children}}}'
            )
    return f"[{','.join(it.json for it in symbols)}]"


def _flat_json(symbols: list[_Symbol], snapshot: Snapshot, above: str) -> Iterator[str]:
    for it in symbols:
        place = f'{{"uri":{json.dumps(snapshot.uri)},"range":{snapshot.text.range_json(it.span)}}}'
        container = f',"containerName":{json.dumps(above)}' if above else ""
        yield f'{{"name":{json.dumps(it.name or " ")},"kind":{it.kind.value},"location":{place}{container}}}'
        yield from _flat_json(it.children, snapshot, it.name)


def _symbols(snapshot: Snapshot) -> list[_Symbol]:
    form, whole = snapshot.form, snapshot.tree.whole
    if form is None:
        return []
    start = _thing_paths(form)
    if whole is not None:
        pairs = whole.parsed.root.pairs if whole.parsed.root is not None else []
        return [
            _key_symbol(snapshot, key, value, start.keys.get(key.source), whole.start) for key, value in pairs
        ]
    return [
        _list_symbol(snapshot, it, start.keys.get(it.key.source))
        if it.is_list
        else _key_symbol(snapshot, it.key, it.value, start.keys.get(it.key.source), it.piece.start)
        for it in snapshot.tree.entries
    ]


@lru_cache(maxsize=64)
def _thing_paths(form: Form) -> SchemaPaths:
    # The options of a discriminator branch are settings of one thing, not things of their own.
    def is_thing(schema: Schema, is_item: bool) -> bool:
        return "properties" in schema and (is_item or "x-named-by-key" in schema)

    return schema_paths(form.schema, is_thing, into_branches=False)


def _list_symbol(snapshot: Snapshot, entry: Entry, way: SchemaPaths | None) -> _Symbol:
    """Return the symbol of a top-level list, each of whose items is a piece."""
    name = entry.key.span.shift(entry.piece.start)
    end = entry.items[-1][1].end if entry.items else entry.key.end
    line = entry.items[-1][0].start if entry.items else entry.piece.start
    items = way.items if way is not None else None
    children = [
        symbol
        for index, (piece, node) in enumerate(entry.items)
        if items is not None and (symbol := _cached_item(snapshot, piece, node, items, index)) is not None
    ]
    span = Span(name.start, Place(end.line + line, end.column))
    return _Symbol(entry.key.source, types.SymbolKind.Array, span, name, "", children)


def _cached_item(
    snapshot: Snapshot, piece: Piece, node: Node, way: SchemaPaths, index: int
) -> _Symbol | None:
    if piece.parsed.has_alias:
        return _item_symbol(
            snapshot, node, way, index, piece.start
        )  # An alias can refer to another piece, so it is not cached.
    now = way, piece.start, index, snapshot.text.encoding
    symbol: _Symbol | None
    then, symbol = node.memory.get(_CACHE_KEY, (None, None))
    if then != now:
        symbol = _item_symbol(snapshot, node, way, index, piece.start)
        node.memory[_CACHE_KEY] = now, symbol
    return symbol


def _key_symbol(snapshot: Snapshot, key: Node, value: Node, way: SchemaPaths | None, start: int) -> _Symbol:
    name = key.span.shift(start)
    span = Span(name.start, max(name.end, value.span.shift(start).end))
    detail = _one_line(value.source) if value.kind is Kind.SCALAR else ""
    children = list(_child_symbols(snapshot, value, way, start)) if way is not None else []
    return _Symbol(key.source, _KINDS[value.kind], span, name, detail, children)


def _child_symbols(snapshot: Snapshot, node: Node, way: SchemaPaths, start: int) -> Iterator[_Symbol]:
    for part, key, value, next_way in way.below(node):
        if key is not None:
            symbol = _key_symbol(snapshot, key, value, next_way, start)
            # A user-defined key is the name of a thing.
            if symbol.children or (next_way is way.others and next_way.schema is not None):
                yield symbol
        elif (
            isinstance(part, int)
            and (item := _item_symbol(snapshot, value, next_way, part, start)) is not None
        ):
            yield item


def _item_symbol(snapshot: Snapshot, node: Node, way: SchemaPaths, index: int, start: int) -> _Symbol | None:
    meant = snapshot.tree.anchors.get(node.source) if node.kind is Kind.ALIAS else node
    if way.schema is None or meant is None or meant.kind is not Kind.MAP:
        return None
    named = _title_node(meant, way.schema)
    name = _one_line(named.source) if named is not None else ""
    # The name behind an alias is in another place.
    title = named if meant is node else None
    detail = meant.pair(way.schema.get("x-detail-from", ""))
    span = node.span.shift(start)
    return _Symbol(
        name or f"#{index + 1}",
        types.SymbolKind.Function if "x-runnable" in way.schema else types.SymbolKind.Object,
        span,
        title.span.shift(start) if title is not None else Span(span.start, span.start),
        _one_line(detail[1].source) if detail is not None else "",
        list(_child_symbols(snapshot, node, way, start)),
    )


def _title_node(node: Node, schema: Schema) -> Node | None:
    """Return the value that names an item: its title key, or else its first scalar."""
    for key in schema.get("x-title-from", ()):
        found = node.pair(key)
        if found is not None and found[1].source and found[1].kind is Kind.SCALAR:
            return found[1]
    return next((it for _, it in node.pairs if it.kind is Kind.SCALAR and it.source.strip()), None)


def _one_line(text: str) -> str:
    line = text.strip().partition("\n")[0].rstrip() if "\n" in text else text.strip()
    return line if len(line) <= _MAX_LENGTH else line[: _MAX_LENGTH - 1] + "…"
