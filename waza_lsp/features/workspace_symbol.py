"""`workspace/symbol`: every eval, task and grader of the workspace, by name."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from lsprotocol import types

from waza_lsp.runnables.runnables import grader_paths, runnables
from waza_lsp.schema.document_kind import Form, may_be_eval, recognise_form
from waza_lsp.schema.visitor import VisitedValue, visit
from waza_lsp.syntax.text import Place, Span, Text, split_lines
from waza_lsp.syntax.tree.node import Kind
from waza_lsp.syntax.tree.tree import Tree
from waza_lsp.workspace.workspace import WorkspaceFiles

_MAX_SYMBOLS = 2000
_RUNNABLE_KINDS = {"eval": types.SymbolKind.Module, "task": types.SymbolKind.Function}


class _Symbol(NamedTuple):
    name: str
    detail: str
    id: str
    """The id, if it differs from the name."""
    kind: types.SymbolKind
    range: types.Range


def workspace_symbol(
    query: str, paths: Iterable[Path], workspace: WorkspaceFiles
) -> Iterator[types.WorkspaceSymbol]:
    """Yield the symbols whose names or ids contain the letters of the query in that order.

    A symbol that only the id matches has the id as name, because editors filter by name again.
    """
    count = 0
    read = _reader(workspace.encoding)
    for path in paths:
        for it in workspace.files.read_as(path, read) or ():
            by_name = _matches(query, it.name)
            if count < _MAX_SYMBOLS and (by_name or (it.id and _matches(query, it.id))):
                count += 1
                location = types.Location(path.as_uri(), it.range)
                name, detail = (it.name, it.detail) if by_name else (it.id, it.name)
                yield types.WorkspaceSymbol(location, name, it.kind, container_name=detail or None)


def _matches(query: str, name: str) -> bool:
    letters = iter(name.lower())
    return all(it in letters for it in query.lower() if not it.isspace())


@cache
def _reader(encoding: str) -> Callable[[str], tuple[_Symbol, ...]]:
    """Return the function that extracts symbols from a text, one per column encoding."""

    def read(source: str) -> tuple[_Symbol, ...]:
        if not may_be_eval(source, None):
            return ()
        text = Text(split_lines(source), encoding)
        tree = Tree.of(text.lines)
        found = recognise_form(tree.sketch(), None)
        return tuple(_symbols(found.form, tree, text)) if found is not None else ()

    return read


def _symbols(form: Form, tree: Tree, text: Text) -> Iterator[_Symbol]:
    container = ""
    for it in runnables(form, tree, ""):
        container = container or it.label
        kind = _RUNNABLE_KINDS.get(it.kind, types.SymbolKind.Object)
        start = it.range.start
        here = Span(start, Place(start.line, len(text.line(start.line))))
        other = it.id if it.id != it.label else ""
        yield _Symbol(it.label, other, other, kind, text.range(here))
    for site in visit(tree, grader_paths(form)):
        if site.node.kind is Kind.MAP and (found := _entry_name(site)) is not None:
            name, span = found
            yield _Symbol(name, container, "", types.SymbolKind.Object, text.range(span))


def _entry_name(site: VisitedValue) -> tuple[str, Span] | None:
    """Return the name of an entry and its span."""
    for key in site.schema.get("x-title-from", ()):
        found = site.node.pair(key)
        if found is not None and found[1].kind is Kind.SCALAR and found[1].source.strip():
            return found[1].source.strip(), found[1].span.shift(site.start)
    return None
