"""Change an existing file as a fix does: comments and layout are kept."""

from pathlib import Path

from waza_engine.model.findings import Change, Fix, RemoveKey
from waza_lsp.cli.check.fix import FixedFile, write
from waza_lsp.cli.check.sources import Source, find_sources
from waza_lsp.cli.console import give_up
from waza_lsp.features.diagnostics import findings
from waza_lsp.fixes.edits import fix_edits
from waza_lsp.syntax.edit.edits import Draft

_UNKNOWN_SKILL = "unknown-skill"


def edited(source: Source, change: Change) -> bool:
    """Change a file; return False if its text does not allow the change."""
    snapshot = source.snapshot
    before = Draft(snapshot.text, snapshot.tree)
    fix = Fix("Change", (change,))
    edits = fix_edits(fix, before, snapshot.form.schema) if snapshot.form is not None else None
    if edits is None:
        return False
    try:
        write(FixedFile(source.name, str(snapshot.text), str(before.apply(edits.edits).text), ()))
    except OSError as error:
        give_up(f"{source.name} cannot be written: {error.strerror}")
    return True


def without_unknown_skill(path: Path) -> None:
    """Remove the skill from a new eval if the project has skills, but none of this name."""
    for source in find_sources((str(path),), "", None):
        for mark in findings(source.snapshot, source.world):
            if mark.finding.code == _UNKNOWN_SKILL:
                edited(source, RemoveKey(mark.in_document.pointer))
