"""What `waza-lsp check` prints: findings as text or as JSON (design.md, section 6)."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from waza_engine.findings import Severity
from waza_lsp.schema.check import Mark
from waza_lsp.schema.solutions import solutions
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.edits import Draft


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """One eval file with its findings; `name` is the path as the user gave it."""

    name: str
    snapshot: Snapshot
    marks: tuple[Mark, ...]


def as_text(files: Iterable[CheckedFile]) -> str:
    """One line a finding: `path:line:column: severity[code] message`, lines and columns from one."""
    files = list(files)
    lines = [
        f"{it.name}:{mark.span.start.line + 1}:{mark.span.start.column + 1}: "
        f"{mark.finding.severity}[{mark.finding.code}] {mark.finding.message}"
        for it in files
        for mark in it.marks
    ]
    counts = _counts(files)
    found = ", ".join(f"{counts[it]} {it}{'' if counts[it] == 1 else 's'}" for it in _PLURALS if counts[it])
    total = f"{len(files)} eval file{'' if len(files) == 1 else 's'} checked"
    return "\n".join([*lines, f"{total}: {found or 'nothing to report'}"])


_PLURALS = (Severity.ERROR, Severity.WARNING, Severity.HINT)


def as_json(files: Iterable[CheckedFile]) -> str:
    """One object for other programs; lines and characters from zero, characters in UTF-16 units."""
    files = list(files)
    counts = _counts(files)
    return json.dumps(
        {
            "files": len(files),
            "diagnostics": [_diagnostic(it, mark) for it in files for mark in it.marks],
            "summary": {str(it): counts[it] for it in Severity},
        },
        indent=2,
        ensure_ascii=False,
    )


def _diagnostic(file: CheckedFile, mark: Mark) -> dict[str, Any]:
    span = file.snapshot.range(mark.span)
    form = file.snapshot.form
    return {
        "path": file.name,
        "range": {
            "start": {"line": span.start.line, "character": span.start.character},
            "end": {"line": span.end.line, "character": span.end.character},
        },
        "severity": str(mark.finding.severity),
        "code": mark.finding.code,
        "message": mark.finding.message,
        "fixes": _fixes(file, mark),
        "dialect": form.dialect if form else "",
        "kind": form.kind if form else "",
    }


def _fixes(file: CheckedFile, mark: Mark) -> list[str]:
    snapshot, form = file.snapshot, file.snapshot.form
    if form is None:
        return []
    return [it.title for it in solutions(mark, Draft(snapshot.text, snapshot.tree), form.schema)]


def _counts(files: Iterable[CheckedFile]) -> Counter[Severity]:
    return Counter(mark.finding.severity for it in files for mark in it.marks)
