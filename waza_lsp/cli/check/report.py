"""What `waza-lsp check` has found, and its JSON (design.md, section 6)."""

import json
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import click

from waza_engine.findings import Finding, Severity
from waza_engine.reports.inert import harmless
from waza_lsp.schema.mark import Mark
from waza_lsp.schema.solutions import solutions
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.edits import Draft
from waza_lsp.syntax.text import Span


@dataclass(frozen=True, slots=True)
class Reported:
    """A finding with what reports need of its document: `range` as LSP writes it, `line` without its end."""

    finding: Finding
    span: Span
    range: str
    line: str
    fixes: tuple[str, ...]
    related: tuple[tuple[Span, str], ...]


_MOST_TRIED = 100
"""The fixes of so many findings of a file are tried before they are named: each try reads the whole text again."""


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """One eval file with its findings; `name` is the path as the user gave it."""

    name: str
    dialect: str
    kind: str
    found: tuple[Reported, ...]


def checked_file(name: str, snapshot: Snapshot, marks: Iterable[Mark]) -> CheckedFile:
    """The record of a file, which no longer needs its text."""
    form = snapshot.form
    # One for all of them: what a fix has asked of it is known to the next one.
    draft = Draft(snapshot.text, snapshot.tree)
    found = tuple(
        _reported(snapshot, it, draft if index < _MOST_TRIED else None) for index, it in enumerate(marks)
    )
    return CheckedFile(name, form.dialect if form else "", form.kind if form else "", found)


def counts_of(files: Iterable[CheckedFile]) -> Counter[Severity]:
    """How many findings of each severity there are."""
    return Counter(it.finding.severity for file in files for it in file.found)


def as_json(files: Sequence[CheckedFile]) -> str:
    """One object for other programs; lines and characters from zero, characters in UTF-16 units."""
    counts = counts_of(files)
    return json.dumps(
        {
            "files": len(files),
            "diagnostics": [_diagnostic(file, it) for file in files for it in file.found],
            "summary": {str(it): counts[it] for it in Severity},
        },
        indent=2,
        ensure_ascii=False,
    )


def _reported(snapshot: Snapshot, mark: Mark, draft: Draft | None) -> Reported:
    """With fixes that are tried in the draft, if there is one."""
    line = snapshot.text.line(mark.shown.start.line)
    fixes = tuple(it.title for it in mark.finding.fixes) if draft is None else _fixes(snapshot, mark, draft)
    return Reported(mark.finding, mark.shown, snapshot.text.written(mark.shown), line, fixes, mark.related)


def _fixes(snapshot: Snapshot, mark: Mark, draft: Draft) -> tuple[str, ...]:
    if snapshot.form is None:
        return ()
    return tuple(it.title for it in solutions(mark, draft, snapshot.form.schema))


def _diagnostic(file: CheckedFile, reported: Reported) -> dict[str, Any]:
    return {
        "path": file.name,
        "range": json.loads(reported.range),
        "severity": str(reported.finding.severity),
        "code": reported.finding.code,
        "message": reported.finding.message,
        "fixes": list(reported.fixes),
        "dialect": file.dialect,
        "kind": file.kind,
    }


_COLOURS = {
    Severity.ERROR: "red",
    Severity.WARNING: "yellow",
    Severity.INFORMATION: "blue",
    Severity.HINT: "cyan",
}
_MANY = {
    Severity.ERROR: "errors",
    Severity.WARNING: "warnings",
    Severity.INFORMATION: "information",
    Severity.HINT: "hints",
}
_LONGEST_LINE = 160


def as_text(files: Sequence[CheckedFile], *, quiet: bool = False, colour: bool = False) -> str:
    """A line for each finding, `path:line:column: severity[code] message`, lines and columns from one; then the sum."""
    lines = [line for file in files for it in file.found for line in _lines(file.name, it, colour=colour)]
    return "\n".join(lines if quiet else [*lines, summary(files)])


def summary(files: Sequence[CheckedFile]) -> str:
    """How many files were checked, and what was found in them."""
    counts = counts_of(files)
    found = ", ".join(f"{counts[it]} {it if counts[it] == 1 else _MANY[it]}" for it in Severity if counts[it])
    total = f"{len(files)} eval file{'' if len(files) == 1 else 's'} checked"
    return f"{total}: {found or 'nothing to report'}"


def _lines(name: str, it: Reported, *, colour: bool) -> Iterator[str]:
    start, finding = it.span.start, it.finding
    where = f"{harmless(name)}:{start.line + 1}:{start.column + 1}:"
    message = harmless(finding.message)
    if not colour:
        yield f"{where} {finding.severity}[{finding.code}] {message}"
        return
    severity = click.style(str(finding.severity), fg=_COLOURS[finding.severity])
    yield f"{click.style(where, bold=True)} {severity}{click.style(f'[{finding.code}]', dim=True)} {message}"
    yield from _excerpt(it)


def _excerpt(it: Reported) -> Iterator[str]:
    """The line of the file with the stretch marked; nothing for an empty line, or one too long to show."""
    if not it.line.strip() or len(it.line) > _LONGEST_LINE:
        return
    start, end = it.span
    last = end.column if end.line == start.line else start.column + 1
    line = it.line.replace("\t", " ")
    number = str(start.line + 1)
    before, marked = _width(line[: start.column]), max(1, _width(line[start.column : last]))
    yield click.style(f"  {number} | ", dim=True) + harmless(line)
    carets = click.style("^" * marked, fg=_COLOURS[it.finding.severity])
    yield click.style(f"  {' ' * len(number)} | ", dim=True) + " " * before + carets


def _width(text: str) -> int:
    """Columns on a terminal, on which some characters take two."""
    return sum(2 if unicodedata.east_asian_width(it) in "WF" else 1 for it in text)
