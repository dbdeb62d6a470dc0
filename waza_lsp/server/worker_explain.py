"""The worker's answer to `explain`: which of all recorded trials an entry would have failed, and why."""

from typing import Any

from waza_engine.recordings import Recording, all_recordings_of
from waza_engine.runs.records import GraderOutcome
from waza_engine.runs.store import StoreError, default_store_dir
from waza_lsp.server.recorded_entry import NothingError, Question, recorded_entry
from waza_lsp.server.worker_grade import WaitsError, refuse_what_cannot_be_live, verdicts_on

_MOST = 100
"""How many trials are graded, shared by all tasks of an eval's grader."""
_SECONDS = 45.0


def explained(question: Question) -> dict[str, Any]:
    """`{eval, name, trials: [{runId, task, trial, at, status, score, message}]}`, the newest first; as in `graded` with `waits`."""
    asked = recorded_entry(question)
    # The user asks for it, as for a run.
    try:
        refuse_what_cannot_be_live(asked.entry, may_execute=question["mayExecute"])
    except WaitsError as reason:
        return {"none": str(reason), "waits": True}
    eval_path, count = asked.suite.eval_path, asked.suite.plan.settings.trials
    share = max(1, _MOST // max(1, len(asked.tasks)))
    try:
        found = [
            it
            for task in asked.tasks
            for it in all_recordings_of(eval_path, task, default_store_dir(eval_path), count, share)
        ]
    except StoreError as error:
        raise NothingError(str(error)) from error
    found.sort(key=lambda it: it.at, reverse=True)
    trials = [_told(recording, verdict) for recording, verdict in verdicts_on(asked, found, _SECONDS)]
    return {"eval": str(eval_path), "name": asked.entry.name or asked.entry.type, "trials": trials}


def _told(it: Recording, verdict: GraderOutcome) -> dict[str, Any]:
    return {
        "runId": it.run_id,
        "task": it.task,
        "trial": it.trial,
        "at": it.at,
        "status": verdict.status,
        "score": verdict.score,
        "message": "" if verdict.passed else _why(verdict),
    }


def _why(verdict: GraderOutcome) -> str:
    parts = [f"{it.message}; {it.found}" if it.found else it.message for it in verdict.parts]
    return parts[0] if parts else verdict.feedback
