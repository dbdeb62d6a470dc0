"""The reason for an unexpected end of a run: its response and its trials in the store."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

_ASKED = {
    "trials": "SELECT task_id, trial, status, error FROM trials WHERE run_id = ? AND status != 'passed'",
    "graders": "SELECT task_id, name, results.status, feedback, details FROM results JOIN trials ON trials.id = trial_id"
    " WHERE run_id = ? AND results.status != 'passed'",
    "run": "SELECT status, ending FROM runs WHERE run_id = ?",
}


def told(root: Path, name: str, answer: dict[str, Any]) -> str:
    """Return some lines about the run, because the workspace no longer exists when you read them."""
    about = {it: answer.get(it) for it in ("status", "error", "runId", "unsaved")}
    tasks = [{**it, "graders": _not_passed(it["graders"])} for it in answer.get("tasks", ())]
    lines = [f"{name}: {json.dumps(about)}", *(f"  answered: {json.dumps(it)}" for it in tasks)]
    return "\n".join([*lines, *(f"  stored: {it}" for it in _stored(root, answer.get("runId", "")))])


def _not_passed(graders: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [it for it in graders if it.get("status") != "passed"]


def _stored(root: Path, run_id: str) -> list[str]:
    store = root / ".waza-lsp" / "runs.sqlite3"
    try:
        with closing(sqlite3.connect(f"{store.as_uri()}?mode=ro", uri=True)) as sql:
            return [
                f"{what}: {row}" for what, asked in _ASKED.items() for row in sql.execute(asked, (run_id,))
            ]
    except sqlite3.Error as error:
        return [f"the store cannot be read: {error}"]
