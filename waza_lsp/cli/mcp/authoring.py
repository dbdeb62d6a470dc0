"""Tools about the text of eval files: `check`, `explain`, `complete` and `fix`. They start nothing."""

import os
import re
from collections.abc import Sequence
from functools import partial

from lsprotocol import types

from waza_engine.lib.spelling import nearest
from waza_engine.model.findings import Severity
from waza_engine.recognition.recognise import dialects_by_preference
from waza_lsp.cli.check.fix import fix_file, patch, write
from waza_lsp.cli.check.report import CheckedFile, as_text
from waza_lsp.cli.check.sources import Source, find_sources
from waza_lsp.cli.mcp.folder import Folder, ToolRefusedError, bounded, data
from waza_lsp.cli.pages.manual import RULES, page
from waza_lsp.features.completion import CompletionClient, completion
from waza_lsp.features.diagnostics import findings
from waza_lsp.features.hover import hover
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Place
from waza_lsp.workspace.workspace import WorkspaceFiles

_LEVELS = tuple(Severity)
_MOST_ITEMS = 100
_NAME = re.compile(r"[\w-]+")
_PLAIN = CompletionClient(snippets=False)


def check(folder: Folder, paths: Sequence[str], level: Severity) -> str:
    """Find mistakes in the files."""
    sources = find_sources(tuple(os.fspath(folder.path(it)) for it in paths), "", None)
    wanted = _LEVELS[: _LEVELS.index(level) + 1]
    checked = [_checked(folder, it, wanted) for it in sources if not it.unreadable]
    lines = [as_text(checked)] if checked else []
    for file in checked:
        lines += [
            f"{file.name}:{it.span.start.line + 1}: fix: {title}" for it in file.found for title in it.fixes
        ]
    # Such a file must not hide the findings of all others.
    lines += [f"{folder.relative(it.name)}: {it.unreadable}" for it in sources if it.unreadable]
    return data("findings, which quote the files", "\n".join(lines) or "0 eval files checked")


def _checked(folder: Folder, source: Source, levels: Sequence[Severity]) -> CheckedFile:
    found = [it for it in findings(source.snapshot, source.world) if it.finding.severity in levels]
    return CheckedFile.of(folder.relative(source.name), source.snapshot, found)


def explain_place(folder: Folder, path: str, line: int, column: int) -> str:
    """Return the hover of the key or value at a place."""
    snapshot = folder.source(path).snapshot
    found = hover(snapshot, _position(snapshot, line, column), WorkspaceFiles(folder.root))
    if found is None or not isinstance(found.contents, types.MarkupContent):
        raise ToolRefusedError(
            f"Nothing is known about line {line}, column {column}. Point at a key or a value."
        )
    return data(f"the text at line {line}, column {column}", found.contents.value)


def explain_page(name: str) -> str:
    """Return the page of a finding's code or of a grader type."""
    folders = (RULES, *(f"graders/{it.schema_folder}" for it in dialects_by_preference()))
    written = [page(f"{it}{name}") for it in folders] if _NAME.fullmatch(name) else []
    if any(written):
        return bounded("\n\n".join(filter(None, written)))
    # Imported late: it builds the models of all graders.
    from waza_engine.generate.pages import all_pages

    pages = {path.removesuffix(".md"): text for path, text in all_pages().items()}
    found = [text for path, text in pages.items() if name in {path, path.rpartition("/")[2]}]
    if found:
        return bounded("\n\n".join(found))
    known = sorted({it.rpartition("/")[2] for it in pages})
    guesses = ", ".join(nearest(name, known))
    raise ToolRefusedError(f"No page {name!r}.{f' Similar names: {guesses}.' if guesses else ''}")


def complete(folder: Folder, path: str, line: int, column: int) -> str:
    """Return what fits at a place, one item per line."""
    source = folder.source(path)
    found = completion(
        source.snapshot, _position(source.snapshot, line, column), _PLAIN, target=source.world.target
    )
    items = found.items[:_MOST_ITEMS]
    if not items:
        return f"Nothing is offered at line {line}, column {column}."
    rows = [f"{it.label}: {first}" if (first := _first_line(it)) else it.label for it in items]
    return data(f"{len(rows)} of {len(found.items)} items", "\n".join(rows))


def fix(folder: Folder, paths: Sequence[str], *, apply: bool) -> str:
    """Return the safe fixes as a patch; with `apply`, change the files."""
    if apply and not folder.may_write:
        raise ToolRefusedError(
            "This server may not write. Apply the patch yourself, or start it with --allow-write."
        )
    sources = find_sources(tuple(os.fspath(folder.path(it)) for it in paths), "", None)
    patches = []
    for source in sources:
        find = partial(findings, context=source.world)
        fixed = None if source.unreadable else fix_file(source.name, source.snapshot, find)
        if fixed is None:
            continue
        patches.append(patch(fixed._replace(name=folder.relative(source.name))))
        if apply:
            try:
                write(fixed)
            except OSError as error:
                problem = f"{folder.relative(source.name)} cannot be written: {error.strerror}"
                raise ToolRefusedError(data("a failed change", problem)) from error
    if not patches:
        return "No finding has a safe fix."
    return data("applied" if apply else "a patch, not applied", "".join(patches))


def _position(snapshot: Snapshot, line: int, column: int) -> types.Position:
    lines = snapshot.text.lines
    if line > len(lines):
        raise ToolRefusedError(f"There is no line {line}: the file has {len(lines)}.")
    return snapshot.text.position(Place(line - 1, min(column - 1, len(snapshot.text.line(line - 1)))))


def _first_line(item: types.CompletionItem) -> str:
    about = item.documentation
    text = about.value if isinstance(about, types.MarkupContent) else about or item.detail or ""
    return text.partition("\n")[0]
