"""What the helper knows of an eval's judges. It asks no model and executes nothing."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from waza_engine.calibration.findings import judge_findings
from waza_engine.calibration.known import known_judgements
from waza_engine.calibration.standing import JudgeStanding, judge_standings
from waza_engine.calibration.subjects import stored_subjects
from waza_engine.calibration.words import standing_words
from waza_engine.runs.store.errors import StoreError
from waza_engine.runs.store.store import default_store_dir
from waza_engine.runs.trial.workspace import WorkspaceError
from waza_lsp.server.helper.process.suites import NothingError, whole_suite_of
from waza_lsp.server.helper.questions import Answer, Judges


def about_judges(question: Judges) -> Answer:
    """Return what is known of the eval's judges."""
    suite = whole_suite_of(question.about)
    store_dir = default_store_dir(suite.eval_path)
    try:
        judgements = known_judgements(suite.plan, store_dir)
        subjects = list(stored_subjects(suite.plan, store_dir))
        standings = list(judge_standings(suite.plan, judgements, subjects, suite.process_dir))
    except (StoreError, OSError, WorkspaceError) as error:
        raise NothingError(str(error)) from error
    return {
        "eval": str(suite.eval_path),
        "judges": [_judge(it) for it in standings if it.grader.entry.path is not None],
        "findings": _findings(standings),
    }


def _judge(it: JudgeStanding) -> dict[str, Any]:
    entry = it.grader.entry
    return {
        "path": str(entry.path),
        "pointer": list(entry.pointer),
        "grader": entry.name,
        "text": standing_words(it),
    }


def _findings(standings: Sequence[JudgeStanding]) -> list[dict[str, Any]]:
    def data(path: Path, finding: Any) -> dict[str, Any]:
        return {
            "path": str(path),
            "pointer": list(finding.pointer),
            "code": finding.code,
            "message": finding.message,
        }

    return [data(path, finding) for path, finding in judge_findings(standings)]
