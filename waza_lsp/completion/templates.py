"""Completion of template variables: `{{ }}` lists the variables of the file, `${ }` the names it already uses.

The schema says whether a file has them (`x-variables`, `x-placeholders`). They can occur in any string, even a
multi-line one, so the line up to the cursor decides.
"""

import csv
import re
from collections.abc import Iterator, Mapping
from typing import Any

from waza_engine.analysis.schema.navigate import Schema
from waza_engine.lib.files.safe_read import open_regular
from waza_engine.model.placeholders import PLACEHOLDER
from waza_lsp.completion.candidates import Candidate, CompletionContext
from waza_lsp.completion.embedded import EmbeddedCandidates
from waza_lsp.completion.suggestions import Rank, Suggestion, SuggestionKind
from waza_lsp.schema.paths import Disk, start_folder
from waza_lsp.syntax.cursor.surroundings import At, Situation
from waza_lsp.syntax.text import Place, Span, Text

_TEMPLATE = re.compile(r"\{\{-?[ \t]*(?P<word>[.\w]*)$")
_OPEN_PLACEHOLDER = re.compile(r"\$\{(?P<word>\w*)$")
_REST = re.compile(r"[.\w]*")
_COMMENT = re.compile(r"(?:^|\s)#")


def template_candidates(text: Text, place: Place, context: CompletionContext) -> EmbeddedCandidates | None:
    """Return the candidates for the template at a place, or None outside of a template."""
    root = context.form.schema
    line = text.line(place.line)
    before = line[: place.column]
    if _COMMENT.match(before):
        return None
    if "x-variables" in root and (found := _TEMPLATE.search(before)):
        return _embedded(line, place, found["word"], "}}", list(_variables(root["x-variables"], context)))
    if root.get("x-placeholders") and (found := _OPEN_PLACEHOLDER.search(before)):
        return _embedded(line, place, found["word"], "}", list(_placeholders(text, place)))
    return None


def _embedded(line: str, place: Place, typed: str, end: str, found: list[Suggestion]) -> EmbeddedCandidates:
    rest = _REST.match(line, place.column)
    last = rest.end() if rest else place.column
    close = "" if line[last:].lstrip().startswith(end) else end
    span = Span(Place(place.line, place.column - len(typed)), Place(place.line, last))
    here = Situation(At.VALUE, (), {}, span, typed, close=close)
    return EmbeddedCandidates(
        here, [Candidate(At.VALUE, it, ()) for it in found if it.label.startswith(typed)]
    )


def _variables(variables: Mapping[str, Any], context: CompletionContext) -> Iterator[Suggestion]:
    """Return the columns of the CSV files, the keys of the maps, and the built-in variables."""
    note = str(variables.get("note", ""))
    known: dict[str, str] = {}
    for key in variables.get("columns", ()):
        known |= {name: f"column of {file}" for file, name in _columns(key, context)}
    for key in variables.get("maps", ()):
        located = context.tree.find((key,))
        pairs = located.node.pairs if located is not None else ()
        known = {**{name.source: f"in {key}" for name, _ in pairs}, **known}
    for name, where in known.items():
        yield _variable(f"{variables.get('prefix', '')}{name}", where, note)
    for name, meaning in variables.get("others", {}).items() if known else ():
        yield _variable(name, meaning, note)


def _columns(key: str, context: CompletionContext) -> Iterator[tuple[str, str]]:
    """Return the file name and each column of the CSV file that a key names."""
    located, files, schema = context.tree.find((key,)), context.files, context.form.schema
    mark = _path_mark(schema, key)
    if located is None or files is None or not located.node.source or mark is None:
        return
    folder = start_folder(context.form, context.tree, context.path, files, mark["base"], (key,))
    header = _header(folder / located.node.source, files) if folder is not None else None
    for name in next(csv.reader([header]), ()) if header else ():
        if name.strip().isidentifier():
            yield located.node.source, name.strip()


def _path_mark(root: Schema, key: str) -> Mapping[str, str] | None:
    mark: Mapping[str, str] | None = root.get("properties", {}).get(key, {}).get("x-path")
    return mark


def _header(path: Any, files: Disk) -> str | None:
    try:
        with open_regular(path) as file:
            line = file.readline(4 * _MAX_HEADER).decode("utf-8-sig")
            return line[:_MAX_HEADER].rstrip("\r\n") if files.is_file(path) else None
    except (OSError, ValueError):
        return None


_MAX_HEADER = 10_000


def _placeholders(text: Text, place: Place) -> Iterator[Suggestion]:
    """Return the names that other parts of the file use, with their defaults."""
    known: dict[str, str] = {}
    for number, line in enumerate(text.lines):
        for found in PLACEHOLDER.finditer(line):
            if number != place.line or not found.start() <= place.column <= found.end():
                known[found[1]] = known.get(found[1]) or (f"default {found[2]}" if found[2] else "")
    for name, default in known.items():
        yield _variable(name, default or "used in this file", "Replaced before the file is read.")


def _variable(text: str, detail: str, meaning: str) -> Suggestion:
    return Suggestion(
        SuggestionKind.WORD, text, detail=detail, text=meaning, rank=Rank.OPTIONAL, is_literal=True
    )
