"""Store new verdicts of trials that could not be judged, so that an outage of a judge costs no second run of the agent.

Only undecided trials change, and only to `passed` or `failed`. Everything that the agent did stays as it was recorded.
"""

from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

from waza_engine.lib.redaction import REDACTED, REDACTED_NAME
from waza_engine.model.results.records import TrialRecord
from waza_engine.runs.run_header import is_running
from waza_engine.runs.store.record import stored_record
from waza_engine.runs.store.rows import StoredRun
from waza_engine.runs.store.store import RunStore, StoreError


def is_undecided(trial: TrialRecord) -> bool:
    """Return whether the trial, or one of its graders, could not be judged for reasons of infrastructure."""
    return trial.infrastructure or any(it.infrastructure for it in trial.graders)


def _is_decided(was: TrialRecord, now: TrialRecord) -> bool:
    """Return whether all graders that could not decide have decided now. Without a judge, none has."""
    open_ = {it.name for it in was.graders if it.infrastructure}
    return now.status in {"passed", "failed"} and not any(
        it.infrastructure or (it.status == "error" and it.name in open_) for it in now.graders
    )


def _sees_the_same(was: TrialRecord, now: TrialRecord) -> bool:
    """Return whether graders that need no judge decide as in the run. Secrets are missing in recordings."""
    text = was.trajectory.model_dump_json()
    if REDACTED not in text and REDACTED_NAME not in text:
        return True
    decided = {it.name: it.status for it in was.graders}
    return all(it.name in decided for it in now.graders) and all(
        decided[it.name] in {it.status, "error"} for it in now.graders
    )


@dataclass(slots=True)
class JudgedAgain:
    """Stores the verdicts of undecided trials in `directory`. It opens the store for writing when there is one.

    `count` is the number of stored verdicts; `problem` says why others could not be stored.
    """

    directory: Path
    count: int = 0
    problem: str = ""
    _store: RunStore | None = None
    _stack: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def keep(self, run: StoredRun, was: TrialRecord, now: TrialRecord) -> None:
        """Store the new verdict on a trial of the run at once, if the trial was undecided and now is decided."""
        if not is_undecided(was) or not _is_decided(was, now):
            return
        if not _sees_the_same(was, now):
            self.problem = (
                f"The recording of trial {was.trial} of {was.task} has no secrets any more, so other graders may judge it "
                "differently than in the run. Repeat it with: waza-lsp run EVAL --resume"
            )
            return
        if run.status is None and is_running(run.frame):
            self.problem = f"Run {run.run_id} is still running in process {run.frame.pid}"
            return
        record = replace(now, task_index=was.task_index, workspace=was.workspace)
        try:
            if self._store is None:
                self._store = self._stack.enter_context(RunStore(self.directory))
            self.count += self._store.replace_undecided(run.run_id, record)
        except StoreError as error:
            self.problem = str(error)

    def finish(self, run: StoredRun) -> None:
        """Store the new verdict on the whole run, and on its baseline."""
        if self._store is None or not self.count:
            return
        try:
            second = self._store.baseline_of(run.run_id)
            for it in filter(None, (second, run)):
                if it.status is not None:
                    record = stored_record(self._store, it)
                    self._store.change_verdict(it.run_id, record.status, record.totals.aggregate_score)
        except StoreError as error:
            self.problem = str(error)
