"""Hold the findings of `waza-lsp check`, and print them as text or JSON."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Self

import click

from waza_engine.lib.links import rule_page
from waza_engine.lib.text_width import columns
from waza_engine.model.findings import Finding, Severity
from waza_engine.reports.inert import harmless
from waza_lsp.cli.console import link
from waza_lsp.diagnostics.ranges import RangedFinding
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.edit.edits import Draft
from waza_lsp.syntax.text import Span

_MAX_TRIED = 100
"""For this many findings of a file, fixes are tried before they are listed: each try parses the whole text."""
_FIXABLE = "[*]"
_COLOURS = {
    Severity.ERROR: "red",
    Severity.WARNING: "yellow",
    Severity.INFORMATION: "blue",
    Severity.HINT: "cyan",
}
_PLURALS = {
    Severity.ERROR: "errors",
    Severity.WARNING: "warnings",
    Severity.INFORMATION: "information",
    Severity.HINT: "hints",
}
_MAX_EXCERPT = 160


class Tries(Enum):
    """The fixes to try before they are reported: a fix may not work in this text."""

    NONE = "none"
    SAFE = "safe"
    ALL = "all"

    def has(self, finding: Finding) -> bool:
        """Whether the fixes of this finding are tried."""
        if self is not Tries.SAFE:
            return self is Tries.ALL
        # The fixes of syntax errors are not in the finding.
        return finding.rule.fixable and (not finding.fixes or any(it.safe for it in finding.fixes))


@dataclass(frozen=True, slots=True)
class ReportedFinding:
    """A finding with what reports need of its document: `range` as LSP JSON, and the text of its first line.

    `fixable` is whether `--fix` repairs it.
    """

    finding: Finding
    span: Span
    range: str
    line: str
    fixes: tuple[str, ...]
    related: tuple[tuple[Span, str], ...]
    fixable: bool = False

    @classmethod
    def of(cls, snapshot: Snapshot, mark: RangedFinding, draft: Draft | None) -> Self:
        """Read what is needed from the document. With a draft, list only fixes that work there."""
        line = snapshot.text.line(mark.highlight.start.line)
        fixable = False
        if draft is None:
            fixes = tuple(it.title for it in mark.finding.fixes)
        elif snapshot.form is None:
            fixes = ()
        else:
            # Imported late: few findings of most files are fixable.
            from waza_lsp.fixes.fixes import safe_among, solutions

            found = solutions(mark, draft, snapshot.form.schema)
            fixes, fixable = tuple(it.title for it in found), safe_among(mark, found) is not None
        where = snapshot.text.range_json(mark.highlight)
        return cls(mark.finding, mark.highlight, where, line, fixes, mark.related, fixable)


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """One eval file with its findings. `name` is the path that the user gave."""

    name: str
    dialect: str
    kind: str
    found: tuple[ReportedFinding, ...]

    @classmethod
    def of(
        cls, name: str, snapshot: Snapshot, marks: Sequence[RangedFinding], tries: Tries = Tries.ALL
    ) -> Self:
        """Record the findings of a file, without its text. Fixes that were tried and do not work are left out."""
        form = snapshot.form
        tried = [index for index, it in enumerate(marks) if tries.has(it.finding)][:_MAX_TRIED]
        # All findings share one draft, which caches what fixes look up.
        draft = Draft(snapshot.text, snapshot.tree) if tried else None
        drafts = dict.fromkeys(tried, draft)
        found = tuple(
            ReportedFinding.of(snapshot, mark, drafts.get(index)) for index, mark in enumerate(marks)
        )
        return cls(name, form.dialect if form else "", form.kind if form else "", found)


def as_json(files: Sequence[CheckedFile]) -> str:
    """Return all findings as one JSON object. Lines and characters count from 0, characters in UTF-16 units."""
    counts = _count_severities(files)
    return json.dumps(
        {
            "files": len(files),
            "diagnostics": [_diagnostic(file, it) for file in files for it in file.found],
            "summary": {str(it): counts[it] for it in Severity},
        },
        indent=2,
        ensure_ascii=False,
    )


def _count_severities(files: Iterable[CheckedFile]) -> Counter[Severity]:
    return Counter(it.finding.severity for file in files for it in file.found)


def _diagnostic(file: CheckedFile, reported: ReportedFinding) -> dict[str, Any]:
    return {
        "path": file.name,
        "range": json.loads(reported.range),
        "severity": str(reported.finding.severity),
        "code": reported.finding.code,
        "message": reported.finding.message,
        "fixes": list(reported.fixes),
        "fixable": reported.fixable,
        "dialect": file.dialect,
        "kind": file.kind,
    }


def as_text(
    files: Sequence[CheckedFile], *, quiet: bool = False, colour: bool = False, links: bool = False
) -> str:
    """Return one line per finding, `path:line:column: severity[code] message`, and a summary unless `quiet`.

    Lines and columns count from 1. `[*]` before the message marks what `--fix` repairs. With `colour`, an excerpt of the
    file follows each line. With `links`, a code is a link to its page.
    """
    lines = [
        line
        for file in files
        for it in file.found
        for line in _lines(file.name, it, colour=colour, links=links)
    ]
    if quiet:
        return "\n".join(lines)
    fixable = sum(it.fixable for file in files for it in file.found)
    advice = [f"{_FIXABLE} {fixable} fixable with --fix"] if fixable else []
    return "\n".join([*lines, summary(files), *advice])


def summary(files: Sequence[CheckedFile]) -> str:
    """Return one line with the number of checked files and of findings per severity."""
    counts = _count_severities(files)
    words = {it: str(it) if counts[it] == 1 else _PLURALS[it] for it in Severity}
    found = ", ".join(f"{counts[it]} {words[it]}" for it in Severity if counts[it])
    total = f"{len(files)} eval file{'' if len(files) == 1 else 's'} checked"
    nothing = (
        "nothing to report"
        if files
        else "no file is recognised as an eval. Create one with: waza-lsp new NAME"
    )
    return f"{total}: {found or nothing}"


def _lines(name: str, reported: ReportedFinding, *, colour: bool, links: bool) -> Iterator[str]:
    start, finding = reported.span.start, reported.finding
    where = f"{harmless(name)}:{start.line + 1}:{start.column + 1}:"
    message = harmless(finding.message)
    code = link(f"[{finding.code}]", rule_page(finding.code)) if links else f"[{finding.code}]"
    if not colour:
        yield f"{where} {finding.severity}{code} {f'{_FIXABLE} ' if reported.fixable else ''}{message}"
        return
    severity = click.style(str(finding.severity), fg=_COLOURS[finding.severity])
    mark = click.style(f"{_FIXABLE} ", fg="cyan") if reported.fixable else ""
    yield f"{click.style(where, bold=True)} {severity}{click.style(code, dim=True)} {mark}{message}"
    yield from _excerpt(reported)


def _excerpt(reported: ReportedFinding) -> Iterator[str]:
    """Yield the first line of the range with carets below it, unless the line is empty or too long."""
    if not reported.line.strip() or len(reported.line) > _MAX_EXCERPT:
        return
    start, end = reported.span
    last = end.column if end.line == start.line else start.column + 1
    line = reported.line.replace("\t", " ")
    number = str(start.line + 1)
    before, width = columns(line[: start.column]), max(1, columns(line[start.column : last]))
    yield click.style(f"  {number} | ", dim=True) + harmless(line)
    carets = click.style("^" * width, fg=_COLOURS[reported.finding.severity])
    yield click.style(f"  {' ' * len(number)} | ", dim=True) + " " * before + carets
