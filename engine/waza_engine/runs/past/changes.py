"""Compare a run in which a task failed with the last one in which it passed: what differs. Pure functions on headers."""

from collections.abc import Iterator
from dataclasses import fields

from waza_engine.executors.base import REPLAY
from waza_engine.model.results.records import Change, SinceGreen, TaskParts
from waza_engine.runs.run_header import RunFrame, TaskFrame

PARTS = {
    "task": "task text",
    "settings": "eval settings",
    "graders": "grader text",
    "skill": "skill text",
    "fixtures": "fixtures",
}
"""The words for the parts of a task's fingerprint."""
_VERSION, _RECORDINGS = "executor version", "recordings"
_Found = Iterator[Change | str]
"""Differences, and the words for what one of the runs did not record."""


def since_green(
    run_id: str, started_at: float, green: RunFrame, red: RunFrame, task: TaskFrame
) -> SinceGreen:
    """Return what differs for `task` between the run `green`, in which it passed, and the run `red`."""
    found = [*_of_run(green, red), *_of_task(_task_in(green, task), task)]
    changes = tuple(it for it in found if isinstance(it, Change))
    return SinceGreen(run_id, started_at, changes, tuple(it for it in found if isinstance(it, str)))


def _of_run(green: RunFrame, red: RunFrame) -> _Found:
    if green.model != red.model:
        yield Change("model", _named(green.model), _named(red.model))
    if green.executor != red.executor:
        yield Change("executor", _named(green.executor), _named(red.executor))
    else:
        yield from _version(green, red)
    if green.judge_model != red.judge_model:
        yield Change("judge model", _named(green.judge_model), _named(red.judge_model))
    if green.engine and red.engine and green.engine != red.engine:
        yield Change("waza-lsp", green.engine, red.engine)


def _version(green: RunFrame, red: RunFrame) -> _Found:
    word = _RECORDINGS if red.executor == REPLAY else _VERSION
    if green.agent and red.agent and green.agent != red.agent:
        yield Change(word)
    elif not (green.agent and red.agent and red.agent_versioned):
        yield word


def _named(name: str) -> str:
    return name or "default"


def _task_in(frame: RunFrame, task: TaskFrame) -> TaskFrame | None:
    """Return the same task of another run. Of several with the same id, the name decides."""
    found = [it for it in frame.tasks if it.id == task.id]
    return next((it for it in found if it.name == task.name), found[0] if found else None)


def _of_task(before: TaskFrame | None, after: TaskFrame) -> _Found:
    empty = TaskParts()
    if before is None or empty in {before.parts, after.parts}:
        # The fingerprint covers all parts.
        if before is None or not before.fingerprint or before.fingerprint != after.fingerprint:
            yield from PARTS.values()
        return
    for it in fields(TaskParts):
        if getattr(before.parts, it.name) != getattr(after.parts, it.name):
            yield Change(PARTS[it.name])
