"""`textDocument/inlayHint`: effective values that are not in the text.

They show the number of files that a pattern matches, the share of a weight in the score, settings inherited from the
eval, the flags of a regular expression, what the number of tasks and trials can show and, if enabled, defaults that affect a
verdict.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType
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
from waza_lsp.workspace.score_shares import Share, score_shares
from waza_lsp.workspace.workspace import WorkspaceFiles


@dataclass(frozen=True, slots=True)
class EnabledHints:
    """Which hints are enabled."""

    matches: bool = True
    weights: bool = True
    inherited: bool = True
    flags: bool = True
    defaults: bool = False
    power: bool = True


@dataclass(frozen=True, slots=True)
class _Hint:
    place: Place
    label: str
    tooltip: str


def inlay_hint(
    snapshot: Snapshot,
    span: types.Range,
    workspace: WorkspaceFiles,
    enabled: EnabledHints,
    overrides: Mapping[str, str] = MappingProxyType({}),
) -> list[types.InlayHint]:
    """Return the enabled hints in the lines of a range.

    `overrides` are the editor's settings for runs, such as `executor`. They win over settings of the eval.
    """
    if snapshot.form is None:
        return []
    lines = (span.start.line, span.end.line)
    found: list[_Hint] = []
    if enabled.matches:
        found += _match_hints(snapshot, lines, workspace)
    if enabled.weights:
        found += _weight_hints(snapshot, workspace)
    if enabled.power:
        found += _power_hint(snapshot, workspace)
    if enabled.flags:
        found += _flag_hints(snapshot, snapshot.form, lines)
    if enabled.inherited or enabled.defaults:
        found += _implicit_hints(snapshot, snapshot.form, lines, workspace, enabled, overrides)
    return [
        types.InlayHint(snapshot.text.position(it.place), it.label, tooltip=it.tooltip, padding_left=True)
        for it in sorted(found, key=lambda it: it.place)
        if lines[0] <= it.place.line <= lines[1]
    ]


def _match_hints(snapshot: Snapshot, lines: tuple[int, int], workspace: WorkspaceFiles) -> Iterator[_Hint]:
    form = snapshot.form
    for it in path_values(form, snapshot.tree, snapshot.path, workspace, lines) if form is not None else ():
        if it.is_pattern:
            found = it.targets(workspace)
            count = "1 file" if len(found) == 1 else f"{len(found) or 'no'} files"
            listed = "\n".join(path.name for path in found[:10])
            yield _Hint(_after_quote(it.span.end, it.style), count, listed or "No file matches this pattern")


def _after_quote(place: Place, style: str) -> Place:
    return Place(place.line, place.column + 1) if style else place


def _weight_hints(snapshot: Snapshot, workspace: WorkspaceFiles) -> Iterator[_Hint]:
    for it in score_shares(snapshot, workspace, only_explicit=True):
        node = it.entry.node or _title_node(it)
        if node is not None:
            place = node.span.shift(it.entry.site.start).end
            yield _Hint(place, it.percent, "Share of this grader in the score of a task")


def _power_hint(snapshot: Snapshot, workspace: WorkspaceFiles) -> Iterator[_Hint]:
    """Show how much the chosen tasks and trials can show."""
    # Imported late: the server starts without statistics.
    from waza_lsp.workspace.power_facts import power_note

    note = power_note(snapshot, workspace)
    located = snapshot.tree.find(note.pointer) if note is not None else None
    if note is None or located is None:
        return
    if located.node.kind is Kind.SCALAR and located.value.start.line == located.value.end.line:
        yield _Hint(located.value.end, note.label, note.tooltip)
    elif located.key is not None:
        yield _Hint(_line_end(snapshot, located.key.start.line), note.label, note.tooltip)


def _flag_hints(snapshot: Snapshot, form: Form, lines: tuple[int, int]) -> Iterator[_Hint]:
    """Explain the flags at the start of regular expressions."""
    for site in visit(snapshot.tree, _pattern_paths(form), lines):
        node = site.node
        found = _FLAGS.match(node.source) if node.kind is Kind.SCALAR else None
        meanings = [_MEANINGS[it] for it in found[1] if it in _MEANINGS] if found else []
        if meanings and node.start.line == node.end.line:
            yield _Hint(
                node.span.shift(site.start).end, ", ".join(meanings), "Flags of this regular expression"
            )


_FLAGS = re.compile(r"\(\?([a-zA-Z]+)[:)]")
_MEANINGS = {
    "i": "case-insensitive",
    "m": "^ and $ match at line breaks",
    "s": ". matches line breaks",
    "U": "lazy",
}


def _title_node(share: Share) -> Node | None:
    """Return the value that names an entry, or else its first value."""
    site = share.entry.site
    named = (site.node.pair(it) for it in site.schema.get("x-title-from", ()))
    values = [it[1] for it in named if it is not None] + [value for _, value in site.node.pairs]
    return next((it for it in values if it.kind is Kind.SCALAR and it.start.line == it.end.line), None)


def _implicit_hints(
    snapshot: Snapshot,
    form: Form,
    lines: tuple[int, int],
    workspace: WorkspaceFiles,
    enabled: EnabledHints,
    overrides: Mapping[str, str],
) -> Iterator[_Hint]:
    """Return the hints for inherited settings and defaults."""
    suite = cache(lambda: workspace.suite(snapshot))
    if enabled.inherited and "x-inherits" in form.schema:
        first = snapshot.tree.entries[0] if snapshot.tree.entries else None
        if first is not None and not first.is_list:
            line = first.value.span.shift(first.piece.start).end.line
            keys = set(snapshot.tree.keys() or ())
            yield from _settings_hint(
                _line_end(snapshot, line), _inherited_settings(form.schema, keys, suite, overrides)
            )
    for site in visit(snapshot.tree, _implicit_paths(form), lines):
        if site.node.kind is not Kind.MAP or site.node.flow or not site.pointer:
            continue
        keys = {it.source for it, _ in site.node.pairs}
        settings: dict[str, Any] = {}
        if enabled.defaults:
            settings |= {
                name: it["x-shown-default"] for name, it in _shown_defaults(site.schema) if name not in keys
            }
        if enabled.inherited:
            settings |= _inherited_settings(site.schema, keys, suite, overrides)
        line = site.key.span.shift(site.start).start.line if site.key is not None else -1
        yield from _settings_hint(_line_end(snapshot, line), settings) if line >= 0 else ()


def _settings_hint(place: Place, settings: Mapping[str, Any]) -> Iterator[_Hint]:
    if settings:
        named = [f"{name}: {flow(value)}" for name, value in settings.items()]
        texts = [value if isinstance(value, str) else "" for value in settings.values()]
        last = max((index for index, text in enumerate(texts) if text), default=-1)
        if len(" · ".join(named[: last + 1])) > _MAX_WIDTH:
            label = " · ".join(text or name for text, name in zip(texts, named, strict=True))
        else:
            label = " · ".join(named)
        yield _Hint(place, label, "\n".join(["Effective values, not set here:", *named]))


_MAX_WIDTH = 43
"""VS Code cuts longer hints (`editor.inlayHints.maximumLength`): a model's name must end before."""


def _line_end(snapshot: Snapshot, line: int) -> Place:
    return Place(line, len(snapshot.text.line(line).rstrip()))


def _inherited_settings(
    schema: Schema, keys: set[str], suite: Callable[[], SuiteFiles | None], overrides: Mapping[str, str]
) -> dict[str, Any]:
    """Return the settings that a mapping inherits from other files or the editor, with their values."""
    missing = {name: it for name, it in schema.get("x-inherits", {}).items() if name not in keys}
    found = suite() if missing else None
    if found is None:
        return {}
    values = {
        name: _first_scalar([_override(place, overrides) or found.setting(place) for place in it])
        for name, it in missing.items()
    }
    return {name: it for name, it in values.items() if it is not None}


def _override(place: str, overrides: Mapping[str, str]) -> str:
    """Return the editor's setting for a place in the eval; "" if it has none."""
    where, _, keys = place.partition(":")
    return overrides.get(keys.rpartition(".")[2], "") if where == "eval" else ""


def _first_scalar(values: list[Any]) -> Any:
    return next((it for it in values if isinstance(it, (str, int, float)) and it), None)


def _shown_defaults(schema: Schema) -> list[tuple[str, Schema]]:
    return [(name, it) for name, it in schema.get("properties", {}).items() if "x-shown-default" in it]


@lru_cache(maxsize=64)
def _pattern_paths(form: Form) -> SchemaPaths:
    return schema_paths(form.schema, lambda schema, _: str(schema.get("x-language", "")).startswith("regex"))


@lru_cache(maxsize=64)
def _implicit_paths(form: Form) -> SchemaPaths:
    return schema_paths(
        form.schema, lambda schema, _: "x-inherits" in schema or bool(_shown_defaults(schema))
    )
