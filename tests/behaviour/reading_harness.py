"""Requests that read a document, as texts: hover, outline, lenses, folds, selections, names, links."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types

from tests.behaviour.harness import marked, snapshot_of
from tests.lenses import code_lens
from waza_lsp.features.definition import definition
from waza_lsp.features.document_highlight import document_highlight
from waza_lsp.features.document_link import document_link
from waza_lsp.features.document_symbol import document_symbol
from waza_lsp.features.folding_range import folding_range
from waza_lsp.features.hover import hover
from waza_lsp.features.references import references
from waza_lsp.features.selection_range import selection_range
from waza_lsp.snapshot import Snapshot, path_of
from waza_lsp.workspace.workspace import WorkspaceFiles


@dataclass(frozen=True)
class HoverText:
    """The text of a hover, and the text in its range."""

    text: str
    on: str

    @property
    def heading(self) -> str:
        return self.text.partition("\n")[0]


def hover_at(document: str, name: str = "eval.yaml", *, line_end: str = "\n") -> HoverText | None:
    """Return the hover at the mark."""
    mark = marked(document)
    snapshot = snapshot_of(mark.source.replace("\n", line_end), name)
    assert mark.cursor is not None
    found = hover(snapshot, mark.cursor, WorkspaceFiles())
    if found is None:
        return None
    assert isinstance(found.contents, types.MarkupContent)
    assert found.range is not None
    return HoverText(found.contents.value, text_in(snapshot, found.range))


def check_hover(document: str, expected: str, *, on: str, name: str = "eval.yaml") -> None:
    """Check the hover at the mark and its range."""
    assert hover_at(document, name) == HoverText(textwrap.dedent(expected).strip(), on)


def text_in(snapshot: Snapshot, stretch: types.Range) -> str:
    """Return the text in a range."""
    lines = str(snapshot.text).replace("\r\n", "\n").split("\n")
    encoded = [it.encode("utf-16-le") for it in lines]
    first, last = stretch.start, stretch.end
    if first.line == last.line:
        return encoded[first.line][first.character * 2 : last.character * 2].decode("utf-16-le")
    middle = lines[first.line + 1 : last.line]
    head = encoded[first.line][first.character * 2 :].decode("utf-16-le")
    tail = encoded[last.line][: last.character * 2].decode("utf-16-le")
    return "\n".join([head, *middle, tail])


def outline(document: str, name: str = "eval.yaml") -> str:
    """Return the outline as indented lines, `name: detail`."""
    return "\n".join(_outline(document_symbol(snapshot_of(textwrap.dedent(document), name)), ""))


def _outline(symbols: Sequence[types.DocumentSymbol], indent: str) -> list[str]:
    lines: list[str] = []
    for it in symbols:
        lines.append(f"{indent}{it.name}" + (f": {it.detail}" if it.detail else ""))
        lines += _outline(it.children or (), indent + "  ")
    return lines


def lenses(source: str, name: str = "eval.yaml") -> list[tuple[str, str, object]]:
    """Return the line, title and task of each lens."""
    snapshot = snapshot_of(source, name)
    found: list[tuple[str, str, object]] = []
    for it in code_lens(snapshot):
        assert it.command is not None
        (argument,) = it.command.arguments or ()
        assert isinstance(argument, dict)
        assert argument["uri"] == snapshot.uri
        line = snapshot.text.line(it.range.start.line).strip()
        found.append((line, f"{it.command.title} {it.command.command}", argument.get("task")))
    return found


def folds(source: str, name: str = "eval.yaml") -> list[tuple[int, int]]:
    """Return the first and last line of each fold, counted from zero."""
    found = folding_range(snapshot_of(source, name))
    return sorted((it.start_line, it.end_line) for it in found)


def selections(document: str, name: str = "eval.yaml") -> list[str]:
    """Return each step of the selection from the mark, without the last one, the whole document."""
    mark = marked(document)
    snapshot = snapshot_of(mark.source, name)
    assert mark.cursor is not None
    (found,) = selection_range(snapshot, [mark.cursor])
    texts: list[str] = []
    step: types.SelectionRange | None = found
    while step is not None:
        texts.append(text_in(snapshot, step.range))
        step = step.parent
    assert texts.pop() == mark.source
    return texts


def definitions(
    document: str, folder: Path, name: str = "eval.yaml", process_dir: Path | None = None
) -> list[str]:
    """Return the definition at the mark: a `path` below `folder`, or a text in the document."""
    mark = marked(document)
    snapshot = snapshot_of(mark.source, name, folder)
    assert mark.cursor is not None
    return [
        text_in(snapshot, it.range) if it.uri == snapshot.uri else _relative(it.uri, folder)
        for it in definition(snapshot, mark.cursor, WorkspaceFiles(process_dir))
    ]


def links(
    source: str, folder: Path, name: str = "eval.yaml", process_dir: Path | None = None
) -> dict[str, str]:
    """Return each linked text with its target below `folder`."""
    snapshot = snapshot_of(textwrap.dedent(source), name, folder)
    found = document_link(snapshot, WorkspaceFiles(process_dir))
    return {text_in(snapshot, it.range): _relative(it.target or "", folder) for it in found}


def _relative(uri: str, folder: Path) -> str:
    path = path_of(uri)
    assert path is not None
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else path.as_posix()


def highlights(document: str, name: str = "eval.yaml") -> list[tuple[int, str, str]]:
    """Return line, text and `read` or `write` of each highlight for the name at the mark."""
    mark = marked(document)
    snapshot = snapshot_of(mark.source, name)
    assert mark.cursor is not None
    found = document_highlight(snapshot, mark.cursor)
    kinds = {types.DocumentHighlightKind.Read: "read", types.DocumentHighlightKind.Write: "write"}
    return [(it.range.start.line, text_in(snapshot, it.range), kinds[it.kind]) for it in found if it.kind]


def referring_lines(document: str, name: str = "eval.yaml", *, include_declaration: bool = True) -> list[int]:
    """Return the lines with references to the name at the mark."""
    mark = marked(document)
    snapshot = snapshot_of(mark.source, name)
    assert mark.cursor is not None
    found = references(snapshot, mark.cursor, WorkspaceFiles(), include_declaration=include_declaration)
    return [it.range.start.line for it in found]
