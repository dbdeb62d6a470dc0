"""The worker's answer to `grade`: the verdict of one entry on the newest recording of its tasks."""

import dataclasses
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TextIO

from waza_engine import processes
from waza_engine.drafts import grader_drafts
from waza_engine.formats import dialect
from waza_engine.graders.registry import find_grader, generation_of, graders
from waza_engine.recordings import Recording, all_recordings_of, recordings_of
from waza_engine.replayed import bench_for, grade_one, recorded_task, replayed
from waza_engine.runs.checkpoints import was_held
from waza_engine.runs.grade import grading_context
from waza_engine.runs.records import GraderOutcome
from waza_engine.runs.store import StoreError, default_store_dir
from waza_engine.runs.workspace import WorkspaceError
from waza_engine.suite import GraderEntry
from waza_lsp.server.live.worker_suite import (
    BrokenError,
    NothingError,
    Question,
    RecordedEntry,
    Suite,
    recorded_entry,
    suite_of,
)

_ENOUGH_SECONDS = 1.0
"""After this time no further recording is graded: the verdict is about those that were."""


class WaitsError(NothingError):
    """The entry executes something, which is not allowed now; who asks knows why."""


def graded(question: Question) -> dict[str, Any]:
    """`{eval, name, trials: [{task, trial, outcome}]}`, or with `waits` what is to be asked again later."""
    asked = recorded_entry(question)
    try:
        refuse_what_cannot_be_live(asked.entry, may_execute=question["mayExecute"])
    except WaitsError as reason:
        return {"none": str(reason), "waits": True}
    found = [it for task in asked.tasks for it in newest_recordings(asked.suite, task)]
    verdicts = verdicts_on(asked, found, _ENOUGH_SECONDS)
    trials = [
        {"task": it.task, "trial": it.trial, "outcome": dataclasses.asdict(verdict)}
        for it, verdict in verdicts
    ]
    return {"eval": str(asked.suite.eval_path), "name": asked.entry.name, "trials": trials}


def refuse_what_cannot_be_live(entry: GraderEntry, *, may_execute: bool) -> None:
    """See that grading costs nothing and starts nothing that the user has not started before.

    Raises:
        NothingError: the entry is of no type that can be graded for nothing.
        WaitsError: it may not be graded now.

    """
    kind = find_grader(entry.type, generation_of(entry))
    if kind is None:
        raise NothingError("no such grader type")
    if kind.asks_judge or (not kind.deterministic and not kind.executes):
        raise NothingError("it asks a model")
    if kind.executes and not may_execute:
        raise WaitsError("it executes something")


def newest_recordings(suite: Suite, task: str) -> Sequence[Recording]:
    """What was recorded of a task in its newest run; a store that cannot be read is none."""
    eval_path, trials = suite.eval_path, suite.plan.settings.trials
    try:
        return recordings_of(eval_path, task, default_store_dir(eval_path), trials)
    except StoreError:
        return recordings_of(eval_path, task, Path(os.devnull), trials)


def verdicts_on(
    asked: RecordedEntry, recordings: Sequence[Recording], seconds: float
) -> Iterator[tuple[Recording, GraderOutcome]]:
    """What the entry says about recorded trials, for so many seconds; trials without a workspace are left out.

    So are, for a grader of a checkpoint, those that came to an end before it.
    """
    plan, started = asked.suite.plan, time.monotonic()
    for it in recordings:
        if time.monotonic() - started > seconds:
            return
        task = recorded_task(plan, it)
        if asked.is_checkpoint and not was_held(task, it.checkpoints):
            continue
        try:
            with replayed(task, it) as trial:
                bench = bench_for(plan, it, asked.suite.process_dir)
                yield it, grade_one(bench, trial, asked.entry, asked.level)
        except WorkspaceError:
            continue


def drafted(question: Question) -> dict[str, Any]:
    """`{drafts: [{type, about, entry}]}`, each of which passes on all trials of the newest run."""
    suite, name = suite_of(question), question["task"]
    if not any(it.id == name for it in suite.plan.tasks):
        raise NothingError("the suite cannot be loaded as it is now")
    recordings = newest_recordings(suite, name)
    [folder, *_] = dialect(question["dialect"]).graders
    with ExitStack() as stack:
        trials = []
        for it in recordings:
            task = recorded_task(suite.plan, it)
            try:
                made = stack.enter_context(replayed(task, it))
            except WorkspaceError:
                continue
            bench = bench_for(suite.plan, it, suite.process_dir)
            trials.append(grading_context(bench, task, it.trajectory, made.workspace, made.captured))
        found = list(grader_drafts(graders(folder).values(), trials))
    return {"drafts": [dataclasses.asdict(it) for it in found]}


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


_ANSWERS: Mapping[str, Callable[[Question], dict[str, Any]]] = {
    "grade": graded,
    "explain": explained,
    "draft": drafted,
}


def main() -> None:
    """Answer until there are no more questions."""
    answers = _own_stdout()
    for line in sys.stdin:
        question = json.loads(line)
        try:
            answer = _ANSWERS[question["ask"]](question)
        except BrokenError as reason:
            answer = {"none": str(reason), "broken": True}
        except NothingError as reason:
            answer = {"none": str(reason)}
        except Exception as error:  # noqa: BLE001  # the one place per question where our own mistakes end
            answer = {"none": f"Unexpected error: {type(error).__name__}: {error}"}
        answers.write(json.dumps(answer, default=str) + "\n")
        answers.flush()
        processes.end_all()


def _own_stdout() -> TextIO:
    """The pipe to the server, out of reach of whatever prints something."""
    pipe = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return pipe


if __name__ == "__main__":
    main()
