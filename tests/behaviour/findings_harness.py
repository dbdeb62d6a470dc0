"""The findings of a document: marked text, severity, code and message."""

from pathlib import Path
from typing import NamedTuple

from tests.behaviour.harness import snapshot_of
from waza_engine.analysis.pipeline import CheckContext
from waza_engine.model.findings import Scope
from waza_lsp.features.diagnostics import findings

HEADER = """\
name: notes
skill: notes
tasks: [tasks/*.yaml]
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: mock
  model: gpt-4o
"""


class Found(NamedTuple):
    """One finding as a user sees it. Lines count from one."""

    line: int
    underlined: str
    code: str
    message: str
    severity: str = "error"


def findings_in(source: str, name: str = "eval.yaml", folder: Path | None = None) -> list[Found]:
    """Return all findings of a document in text order."""
    snapshot = snapshot_of(source, name, folder)
    return [
        Found(
            it.highlight.start.line + 1,
            snapshot.text.slice(it.highlight),
            it.finding.code,
            it.finding.message,
            str(it.finding.severity),
        )
        for it in findings(snapshot, CheckContext(snapshot.path, Scope(folder, folder)))
    ]


def only_finding(source: str, name: str = "eval.yaml") -> Found:
    """Return the only finding of a document. More or fewer fail the test."""
    found = findings_in(source, name)
    assert len(found) == 1, found
    return found[0]
