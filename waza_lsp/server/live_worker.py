"""The child process of live grading: reads questions as lines of JSON, answers each with one line.

It grades one entry of a file, as the text is in the editor, against what was recorded. It never runs an agent and
never asks a judge; graders that start programs only where the question says that the user has run the eval.
"""

import dataclasses
import json
import os
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from waza_engine import processes
from waza_engine.findings import Pointer
from waza_engine.formats.owner import eval_of
from waza_engine.formats.reading import reading_open_texts
from waza_engine.graders.entry import Level
from waza_engine.graders.registry import find_grader, newest_generation
from waza_engine.recordings import Recording, recordings_of
from waza_engine.regrade import (
    bench_for,
    grade_one,
    plan_for_grading,
    plan_without_suite,
    recorded_task,
    replayed,
)
from waza_engine.runs.plan import Plan, PlanError
from waza_engine.runs.store import StoreError, default_store_dir
from waza_engine.runs.workspace import WorkspaceError
from waza_engine.scalars import plain
from waza_engine.suite import GraderEntry, LoadError
from waza_engine.yaml_reader import YamlError, read_yaml

_ENOUGH_SECONDS = 1.0
"""After this time no further recording is graded: the verdict is about those that were."""


def main() -> None:
    """Answer until there are no more questions."""
    answers = _own_stdout()
    for line in sys.stdin:
        question = json.loads(line)
        try:
            answer = _answer(question) if question else {}
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


def _answer(question: Mapping[str, Any]) -> dict[str, Any]:
    path, pointer = Path(question["path"]), tuple(question["pointer"])
    eval_path = eval_of(path)
    if eval_path is None:
        return {"none": "no eval lists this file"}
    process_dir = Path(question["processDir"])
    texts = {Path(it): text for it, text in question["texts"].items()}
    with reading_open_texts(texts):
        plan = _plan(eval_path, process_dir)
        entry, level, tasks = _entry(plan, path, pointer) or _entry_alone(
            texts[path], path, pointer, question
        )
    if entry is None:
        return {"none": "there is no grader"}
    if reason := _not_live(entry, may_execute=str(eval_path) in question["ranHere"]):
        return {"none": reason}
    found = _recordings(eval_path, tasks, plan.settings.trials)
    return {
        "eval": str(eval_path),
        "name": entry.name,
        "trials": list(_graded(plan, entry, level, found, process_dir)),
    }


def _plan(eval_path: Path, process_dir: Path) -> Plan:
    try:
        return plan_for_grading(eval_path, process_dir)
    except (LoadError, PlanError):
        return plan_without_suite(eval_path)


_Found = tuple[GraderEntry | None, Level, Sequence[str]]


def _entry(plan: Plan, path: Path, pointer: Pointer) -> _Found | None:
    for it in plan.suite.graders:
        if (it.path, it.pointer) == (path, pointer):
            return it, "eval", [task.id for task in plan.tasks]
    for task in plan.tasks:
        for it in task.graders:
            if (it.path, it.pointer) == (path, pointer):
                return it, "task", [task.id]
    return (None, "eval", ()) if plan.tasks else None


def _entry_alone(text: str, path: Path, pointer: Pointer, question: Mapping[str, Any]) -> _Found:
    """The entry while another part of the suite cannot be loaded: the task is what the editor takes for it."""
    try:
        value: Any = read_yaml(text)
        for part in pointer:
            value = value[part]
    except (YamlError, LookupError, TypeError):
        return None, "task", ()
    if not isinstance(value, Mapping) or not question.get("task"):
        return None, "task", ()
    extras = {key: it for key, it in value.items() if key not in {"type", "name", "weight", "config"}}
    kind, name = (str(plain(value.get(it)) or "") for it in ("type", "name"))
    entry = GraderEntry(kind, name, 1.0, value.get("config"), extras, path, pointer)
    return entry, "task", [question["task"]]


def _not_live(entry: GraderEntry, *, may_execute: bool) -> str:
    """Why the entry is not graded while its author types, or ""."""
    kind = find_grader(entry.type, newest_generation(entry.type))
    if kind is None:
        return "no such grader type"
    if kind.asks_judge or (not kind.deterministic and not kind.executes):
        return "it asks a model"
    if kind.executes and not may_execute:
        return "it executes something, and the eval was not run yet"
    return ""


def _recordings(eval_path: Path, tasks: Iterable[str], trials: int) -> list[Recording]:
    store_dir = default_store_dir(eval_path)
    try:
        return [it for task in tasks for it in recordings_of(eval_path, task, store_dir, trials)]
    except StoreError:
        nowhere = Path(os.devnull)
        return [it for task in tasks for it in recordings_of(eval_path, task, nowhere, trials)]


def _graded(
    plan: Plan, entry: GraderEntry, level: Level, recordings: Iterable[Recording], process_dir: Path
) -> Iterable[dict[str, Any]]:
    started = time.monotonic()
    for it in recordings:
        if time.monotonic() - started > _ENOUGH_SECONDS:
            return
        try:
            with replayed(recorded_task(plan, it), it) as trial:
                outcome = grade_one(bench_for(plan, it, process_dir), trial, entry, level)
        except WorkspaceError:
            continue
        yield {"task": it.task, "trial": it.trial, "outcome": dataclasses.asdict(outcome)}


if __name__ == "__main__":
    main()
