"""The findings in a settings file of a project, which is TOML and has no tree."""

from pathlib import Path

from waza_engine.lib.files.safe_read import regular_bytes
from waza_engine.model.findings import Severity
from waza_engine.project.settings import ProjectSettings, SettingsProblem
from waza_engine.rules.invalid_settings import INVALID_SETTINGS
from waza_lsp.diagnostics.ranges import RangedFinding
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import UTF_16, Place, Span


def settings_findings(
    path: Path, settings: ProjectSettings, encoding: str = UTF_16
) -> tuple[Snapshot, list[RangedFinding]]:
    """Return the text of a settings file and what is wrong there. What a run refuses cannot be switched off."""
    try:
        text = regular_bytes(path).decode("utf-8-sig", "replace")
    except (OSError, ValueError):
        text = ""
    level = settings.rules.get(INVALID_SETTINGS.code, INVALID_SETTINGS.severity)
    found = [
        _finding(it, text, Severity.ERROR if it.is_refused else level)
        for it in settings.problems
        if it.is_refused or level is not None
    ]
    return Snapshot.of(path.as_uri(), text, encoding=encoding), found


def _finding(problem: SettingsProblem, text: str, severity: Severity | None) -> RangedFinding:
    line, start, end = problem.span(text)
    finding = INVALID_SETTINGS.at(problem.keys, problem.message, severity=severity)
    return RangedFinding(Span(Place(line, start), Place(line, end)), finding)
