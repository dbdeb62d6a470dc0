"""The findings of `waza-lsp check` for people: one line each; on a terminal in colour, with the line of the file."""

import unicodedata
from collections.abc import Iterator, Sequence

import click

from waza_engine.findings import Severity
from waza_engine.reports.inert import harmless
from waza_lsp.cli.check_report import CheckedFile, Reported, counts_of

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
