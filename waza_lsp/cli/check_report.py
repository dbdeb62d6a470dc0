"""What `waza-lsp check` has found, and its JSON."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from waza_engine.findings import Finding, Severity
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
