"""Verdicts on recorded work: grade an entry while its author types, find the trials that it fails, draft graders."""

import dataclasses
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from waza_engine.graders.drafts import grader_drafts
from waza_engine.graders.registry import find_grader, graders
from waza_engine.model.results.records import GraderOutcome
from waza_engine.model.suite import GraderEntry
from waza_engine.runs.recordings.find import Recording, all_recordings_of, newest_first, recordings_of
from waza_engine.runs.recordings.free_graders import writes_files
from waza_engine.runs.recordings.regrade import (
    bench_for,
    grade_single_entry,
    replayed_trial,
    task_of_recording,
)
from waza_engine.runs.store.store import FILE_NAME, RunStore, StoreError, default_store_dir
from waza_engine.runs.trial.checkpoints import reached_last_turn
from waza_engine.runs.trial.grade import grading_context
from waza_engine.runs.trial.workspace import WorkspaceError
from waza_lsp.runnables.failed_checks import failed_checks, sentence
from waza_lsp.server.helper.process.suites import (
    NothingError,
    RecordedEntry,
    Suite,
    WaitsError,
    recorded_entry,
    suite_of,
)
from waza_lsp.server.helper.questions import Answer, Draft, Explain, Grade

_GRADE_SECONDS = 0.03
"""After this time, `grade` answers with what it has, so that edits come before the rest."""
_FEW, _FEW_SECONDS = 8, 0.3
"""So many tasks are graded at once even if that takes longer, up to this time: a verdict in two steps looks restless."""
_EXECUTE_SECONDS = 1.0
"""After this time, a grader that executes something grades no further recording at all."""
_EXPLAIN_SECONDS = 45.0
_MOST_TRIALS = 100
"""How many trials `explain` grades, shared by all tasks of an eval's grader."""


def grade(question: Grade) -> Iterator[Answer]:
    """Grade one entry on the newest recording of its tasks, in parts, so that edits come between."""
    target = recorded_entry(question.about, question.pointer, question.task)
    executes = _refuse_cost(target.entry, may_execute=question.may_execute)
    with ExitStack() as stack:
        store = _opened_store(target.suite.eval_path, stack)
        tasks = list(_newest_first(target, store))
        yield _graded(target, tasks, store, executes=executes, is_first=True)
        while tasks:
            yield _graded(target, tasks, store, executes=executes)


def _graded(
    target: RecordedEntry,
    tasks: list[str],
    store: RunStore | None,
    *,
    executes: bool,
    is_first: bool = False,
) -> Answer:
    """Grade as many of `tasks` as there is time for, and remove them from the list."""
    started, done = time.monotonic(), 0
    outcomes: dict[str, list[list[GraderOutcome]]] = {}
    while tasks:
        recordings = _newest_recordings(target.suite, tasks.pop(0), store)
        for recording, outcome in _grade_recordings(target, recordings, _EXECUTE_SECONDS):
            outcomes.setdefault(recording.task, []).append([outcome])
        done, spent = done + 1, time.monotonic() - started
        is_few = is_first and done < _FEW and spent < _FEW_SECONDS
        if executes and spent > _EXECUTE_SECONDS:
            tasks.clear()
        elif not executes and not is_few and spent > _GRADE_SECONDS:
            break
    return {
        "is_last": not tasks,
        "left": list(tasks),
        "eval": str(target.suite.eval_path),
        "trials": sum(map(len, outcomes.values())),
        "failed": {
            task: [
                {
                    **check.location._asdict(),
                    "path": str(check.location.path),
                    "message": check.message,
                    "excerpt": check.excerpt,
                }
                for check in failed_checks(trials)
            ]
            for task, trials in outcomes.items()
        },
    }


def _opened_store(eval_path: Path, stack: ExitStack) -> RunStore | None:
    """Return the open store of an eval; None if it is missing or cannot be read."""
    directory = default_store_dir(eval_path)
    if not (directory / FILE_NAME).is_file():
        return None
    try:
        return stack.enter_context(RunStore(directory, for_reading=True, briefly=True))
    except StoreError:
        return None


def _newest_first(target: RecordedEntry, store: RunStore | None) -> Sequence[str]:
    try:
        return target.tasks if store is None else newest_first(target.suite.eval_path, target.tasks, store)
    except StoreError:
        return target.tasks


def explain(question: Explain) -> Iterator[Answer]:
    """Find the recorded trials that an entry fails, the newest first. Only the last part of the answer has them."""
    target = recorded_entry(question.about, question.pointer, question.task)
    # The user asks for it, as for a run.
    _refuse_cost(target.entry, may_execute=question.may_execute)
    eval_path, count = target.suite.eval_path, target.suite.plan.settings.trials
    share = max(1, _MOST_TRIALS // max(1, len(target.tasks)))
    try:
        recordings = [
            recording
            for task in target.tasks
            for recording in all_recordings_of(eval_path, task, default_store_dir(eval_path), count, share)
        ]
    except StoreError as error:
        raise NothingError(str(error)) from error
    recordings.sort(key=lambda recording: recording.at, reverse=True)
    trials, started = [], time.monotonic()
    for recording, outcome in _grade_recordings(target, recordings, _EXPLAIN_SECONDS):
        trials.append(_trial_data(recording, outcome))
        if time.monotonic() - started > _GRADE_SECONDS:
            yield {"done": len(trials)}
            started = time.monotonic()
    name = target.entry.name or target.entry.type
    yield {"is_last": True, "eval": str(eval_path), "name": name, "trials": trials}


def _trial_data(recording: Recording, outcome: GraderOutcome) -> dict[str, Any]:
    why = sentence(outcome.parts[0]) if outcome.parts else outcome.feedback
    return {
        "runId": recording.run_id,
        "task": recording.task,
        "trial": recording.trial,
        "at": recording.at,
        "status": outcome.status,
        "score": outcome.score,
        "message": "" if outcome.passed else why,
    }


def draft(question: Draft) -> Answer:
    """Draft graders that pass on all trials of a task's newest run."""
    suite, name = suite_of(question.about), question.task
    if not any(it.id == name for it in suite.plan.tasks):
        raise NothingError("the suite cannot be loaded as it is now")
    with ExitStack() as stack:
        recordings = _newest_recordings(suite, name, _opened_store(suite.eval_path, stack))
        trials = []
        for recording in recordings:
            task = task_of_recording(suite.plan, recording)
            try:
                trial = stack.enter_context(replayed_trial(task, recording))
            except WorkspaceError:
                continue
            bench = bench_for(suite.plan, recording, suite.process_dir)
            trials.append(grading_context(bench, task, recording.trajectory, trial.workspace, trial.captured))
        drafts = list(grader_drafts(graders(question.about.dialect).values(), trials))
    return {"drafts": [dataclasses.asdict(it) for it in drafts]}


def _refuse_cost(entry: GraderEntry, *, may_execute: bool) -> bool:
    """Check that grading an entry is free and starts no program that the user has not started before.

    Return whether it executes something.

    Raises:
        NothingError: Graders of this type are never free.
        WaitsError: The grader must not run now.

    """
    kind = find_grader(entry.type, entry.dialect)
    if kind is None:
        raise NothingError("no such grader type")
    if kind.asks_judge or (not kind.deterministic and not kind.executes):
        raise NothingError("it asks a model")
    if kind.executes and not may_execute:
        raise WaitsError("it executes something")
    if writes_files(entry):
        raise NothingError("it writes files")
    return kind.executes


def _newest_recordings(suite: Suite, task: str, store: RunStore | None) -> Sequence[Recording]:
    """Return the recordings of a task's newest run. A store that cannot be read is ignored."""
    eval_path, trials = suite.eval_path, suite.plan.settings.trials
    try:
        return recordings_of(eval_path, task, Path(os.devnull), trials, store)
    except StoreError:
        return recordings_of(eval_path, task, Path(os.devnull), trials)


def _grade_recordings(
    target: RecordedEntry, recordings: Sequence[Recording], seconds: float
) -> Iterator[tuple[Recording, GraderOutcome]]:
    """Grade an entry on recorded trials for at most `seconds`.

    Trials without a workspace are skipped. For a checkpoint's grader, so are trials that ended before the checkpoint.
    """
    plan, started = target.suite.plan, time.monotonic()
    for recording in recordings:
        if time.monotonic() - started > seconds:
            return
        task = task_of_recording(plan, recording)
        if target.is_checkpoint and not reached_last_turn(task, recording.checkpoints):
            continue
        try:
            with replayed_trial(task, recording) as trial:
                bench = bench_for(plan, recording, target.suite.process_dir)
                yield recording, grade_single_entry(bench, trial, target.entry, target.level)
        except WorkspaceError:
            continue
