"""`textDocument/inlayHint`: what counts here although it is not written here.

How many files a pattern matches, the part that a weight has in the score, what a task or grader takes from the eval,
what the flags of a regular expression mean, and, on request, defaults that decide a verdict.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from lsprotocol import types

from waza_engine.analysis.schema.navigate import Schema
from waza_engine.project.suite_files import SuiteFiles
from waza_lsp.schema.document_kind import Form
from waza_lsp.schema.paths import path_values
from waza_lsp.schema.visitor import SchemaPaths, schema_paths, visit
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.edit.emit import flow
from waza_lsp.syntax.text import Place
from waza_lsp.syntax.tree.node import Kind, Node
from waza_lsp.workspace.score_shares import Share, shares
from waza_lsp.workspace.workspace import Around


@dataclass(frozen=True, slots=True)
class Hints:
    """Which hints are wanted."""

    matches: bool = True
    weights: bool = True
    inherited: bool = True
    flags: bool = True
    defaults: bool = False


@dataclass(frozen=True, slots=True)
class _Hint:
    place: Place
    label: str
    tooltip: str


def inlay_hint(snapshot: Snapshot, span: types.Range, around: Around, wanted: Hints) -> list[types.InlayHint]:
    """The wanted hints in the lines of a range."""
    if snapshot.form is None:
        return []
    lines = (span.start.line, span.end.line)
    found: list[_Hint] = []
    if wanted.matches:
        found += _matches(snapshot, lines, around)
    if wanted.weights:
        found += _weights(snapshot, around)
    if wanted.flags:
        found += _flags(snapshot, snapshot.form, lines)
    if wanted.inherited or wanted.defaults:
        found += _unwritten(snapshot, snapshot.form, lines, around, wanted)
    return [
        types.InlayHint(snapshot.text.position(it.place), it.label, tooltip=it.tooltip, padding_left=True)
        for it in sorted(found, key=lambda it: it.place)
        if lines[0] <= it.place.line <= lines[1]
    ]


def _matches(snapshot: Snapshot, lines: tuple[int, int], around: Around) -> Iterator[_Hint]:
    form = snapshot.form
    for it in path_values(form, snapshot.tree, snapshot.path, around, lines) if form is not None else ():
        if it.is_pattern:
            found = it.targets(around)
            count = "1 file" if len(found) == 1 else f"{len(found) or 'no'} files"
            listed = "\n".join(path.name for path in found[:10])
            yield _Hint(_behind_quote(it.span.end, it.style), count, listed or "Nothing matches this pattern")


def _behind_quote(place: Place, style: str) -> Place:
    return Place(place.line, place.column + 1) if style else place


def _weights(snapshot: Snapshot, around: Around) -> Iterator[_Hint]:
    for it in shares(snapshot, around, only_written=True):
        node = it.entry.written or _title(it)
        if node is not None:
            place = node.span.shift(it.entry.site.start).end
            yield _Hint(place, it.percent, "Part of this grader in the score of a task")


def _flags(snapshot: Snapshot, form: Form, lines: tuple[int, int]) -> Iterator[_Hint]:
    """What the flags at the start of a pattern mean."""
    for site in visit(snapshot.tree, _pattern_ways(form), lines):
        node = site.node
        found = _FLAGS.match(node.source) if node.kind is Kind.SCALAR else None
        meanings = [_MEANINGS[it] for it in found[1] if it in _MEANINGS] if found else []
        if meanings and node.start.line == node.end.line:
            yield _Hint(
                node.span.shift(site.start).end, ", ".join(meanings), "What the flags of the pattern mean"
            )


_FLAGS = re.compile(r"\(\?([a-zA-Z]+)[:)]")
_MEANINGS = {
    "i": "any case",
    "m": "^ and $ at every line",
    "s": ". takes line ends",
    "U": "as little as possible",
}


def _title(share: Share) -> Node | None:
    """The value that names an entry, else its first one."""
    site = share.entry.site
    named = (site.node.pair(it) for it in site.schema.get("x-title-from", ()))
    values = [it[1] for it in named if it is not None] + [value for _, value in site.node.pairs]
    return next((it for it in values if it.kind is Kind.SCALAR and it.start.line == it.end.line), None)


def _unwritten(
    snapshot: Snapshot, form: Form, lines: tuple[int, int], around: Around, wanted: Hints
) -> Iterator[_Hint]:
    """What mappings have without having it written."""
    suite = cache(lambda: around.suite(snapshot))
    if wanted.inherited and "x-inherits" in form.schema:
        first = snapshot.tree.entries[0] if snapshot.tree.entries else None
        if first is not None and not first.is_list:
            line = first.value.span.shift(first.piece.start).end.line
            keys = set(snapshot.tree.keys() or ())
            yield from _hint(_line_end(snapshot, line), _inherited(form.schema, keys, suite))
    for site in visit(snapshot.tree, _unwritten_ways(form), lines):
        if site.node.kind is not Kind.MAP or site.node.flow or not site.pointer:
            continue
        keys = {it.source for it, _ in site.node.pairs}
        said: dict[str, Any] = {}
        if wanted.defaults:
            said |= {name: it["x-shown-default"] for name, it in _defaults(site.schema) if name not in keys}
        if wanted.inherited:
            said |= _inherited(site.schema, keys, suite)
        line = site.key.span.shift(site.start).start.line if site.key is not None else -1
        yield from _hint(_line_end(snapshot, line), said) if line >= 0 else ()


def _hint(place: Place, said: Mapping[str, Any]) -> Iterator[_Hint]:
    if said:
        label = " · ".join(f"{name}: {flow(value)}" for name, value in said.items())
        yield _Hint(place, label, "Not written here, but in force")


def _line_end(snapshot: Snapshot, line: int) -> Place:
    return Place(line, len(snapshot.text.line(line).rstrip()))


def _inherited(schema: Schema, keys: set[str], suite: Callable[[], SuiteFiles | None]) -> dict[str, Any]:
    """The settings that a mapping takes from other files, with their values there."""
    missing = {name: it for name, it in schema.get("x-inherits", {}).items() if name not in keys}
    found = suite() if missing else None
    if found is None:
        return {}
    values = {name: _first([found.setting(place) for place in it]) for name, it in missing.items()}
    return {name: it for name, it in values.items() if it is not None}


def _first(values: list[Any]) -> Any:
    return next((it for it in values if isinstance(it, (str, int, float)) and it), None)


def _defaults(schema: Schema) -> list[tuple[str, Schema]]:
    return [(name, it) for name, it in schema.get("properties", {}).items() if "x-shown-default" in it]


@lru_cache(maxsize=64)
def _pattern_ways(form: Form) -> SchemaPaths:
    return schema_paths(form.schema, lambda schema, _: str(schema.get("x-language", "")).startswith("regex"))


@lru_cache(maxsize=64)
def _unwritten_ways(form: Form) -> SchemaPaths:
    return schema_paths(form.schema, lambda schema, _: "x-inherits" in schema or bool(_defaults(schema)))
