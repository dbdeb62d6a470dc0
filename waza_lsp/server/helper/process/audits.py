"""Audits of the tasks of an eval, with the texts of the editor.

Nothing is executed: graders that run programs or ask a model are left out. Verdicts are kept between questions, so that after
an edit only the edited graders are asked again.
"""

import dataclasses
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from waza_engine.audit.codes import BLIND_GRADER
from waza_engine.audit.counter_examples import CounterExampleError, keep_counter_example
from waza_engine.audit.drafts import proven_drafts
from waza_engine.audit.findings import task_findings
from waza_engine.audit.run import AuditInputs, audit_task, skill_text, task_grading, work_to_keep
from waza_engine.audit.score import EvalAudit, TaskAudit
from waza_engine.audit.task_grading import TaskGrading, TaskMemory
from waza_engine.graders.registry import graders
from waza_engine.lib.files.spill import Spill
from waza_engine.lib.files.vfs import Files
from waza_engine.lib.queries.disk import Stamp, note_read
from waza_engine.lib.queries.store import query
from waza_engine.model.suite import Task
from waza_engine.model.trajectory import Trajectory
from waza_engine.project.reading import reading_through
from waza_engine.project.store_location import RECORDINGS_FOLDER, file_state, recording_sources
from waza_engine.runs.recordings.find import (
    Recording,
    UnreadableRecording,
    recording_names,
    recordings_to_audit,
)
from waza_engine.runs.store.store import StoreError, default_store_dir
from waza_engine.runs.trial.workspace import WorkspaceError
from waza_lsp.server.helper.process.documents import FILES
from waza_lsp.server.helper.process.suites import NothingError, Suite, suite_of, whole_suite_of
from waza_lsp.server.helper.questions import About, Answer, Audit, AuditPage, Keep, TellApart

_SLICE_SECONDS = 0.1
"""After this time, a part of an answer has what is done."""
_MOST_RECORDINGS = 4
_MOST_OTHERS = 20
"""So many other tasks are searched for trials to swap with."""
_MOST_SHOWN = 20
_MOST_CHARACTERS = 1_000


class _Recorded(NamedTuple):
    """The recordings of a task, and the files that cannot be read."""

    recordings: list[Recording]
    unreadable: list[UnreadableRecording]


@query(keep=5_000)
def _recorded(files: Files, eval_path: Path, task: str) -> _Recorded:
    folder = eval_path.parent / RECORDINGS_FOLDER
    store = default_store_dir(eval_path)
    for path in recording_sources(eval_path, store):
        _source_state(files, path)
    # A file that is edited in place does not change the time of its folder.
    for name in _recording_names(files, folder).get(task, ()):
        note_read(folder / name)
    skipped: list[UnreadableRecording] = []
    try:
        found = recordings_to_audit(eval_path, task, store, _MOST_RECORDINGS, unreadable=skipped)
    except StoreError:
        found = []
    return _Recorded(found, skipped)


@query(keep=500)
def _source_state(_: Files, path: Path) -> Stamp:
    """Return a value that changes with the content of a file, but not because SQLite reads it."""
    note_read(path)
    return file_state(path)


@query(keep=100)
def _recording_names(_: Files, folder: Path) -> dict[str, list[str]]:
    """Return the files in `recordings/` by task."""
    note_read(folder)
    return recording_names(folder)


@query(keep=5_000)
def _task_memory(files: Files, eval_path: Path, task: str) -> TaskMemory:
    """Return what audits of a task take again, as long as its recordings are the same."""
    _recorded(files, eval_path, task)
    return TaskMemory()


def audit(question: Audit) -> Iterator[Answer]:
    """Audit tasks in the order of the question, in parts, so that edits come between."""
    suite = whole_suite_of(question.about, few=_MOST_OTHERS)
    place = {id_: number for number, id_ in enumerate(question.tasks)}
    tasks = sorted((it for it in suite.plan.tasks if it.id in place), key=lambda it: place[it.id])
    found, done, is_last = _audits(suite, tasks), 0, False
    while not is_last:
        started = time.monotonic()
        audits: list[TaskAudit] = []
        while done < len(tasks) and (not audits or time.monotonic() - started < _SLICE_SECONDS):
            audits.append(next(found))
            done += 1
        is_last = done == len(tasks)
        yield {
            "is_last": is_last,
            "eval": str(suite.eval_path),
            "tasks": {it.task: _result(it) for it in audits},
            "findings": list(_findings(audits)),
            "left": [it.id for it in tasks[done:]],
        }


def _audits(suite: Suite, tasks: Sequence[Task]) -> Iterator[TaskAudit]:
    others = _other_trials(suite.eval_path, suite.plan.tasks)
    with reading_through(FILES):
        skill = skill_text(suite.plan.suite)
    for task in tasks:
        recorded = _recorded(FILES, suite.eval_path, task.id)
        # A comment in an unsaved text can mark the task.
        with reading_through(FILES):
            others_of_task = tuple(it for id_, it in others.items() if id_ != task.id)
            inputs = AuditInputs(task, recorded.recordings, others_of_task, skill, recorded.unreadable)
            memory = _task_memory(FILES, suite.eval_path, task.id)
            audit = audit_task(suite.plan, inputs, suite.process_dir, memory=memory)
        yield audit


def audit_page(question: AuditPage) -> Iterator[Answer]:
    """Audit all tasks of an eval for a page, in parts; the last part has the page."""
    suite = whole_suite_of(question.about)
    audits, tasks = Spill[TaskAudit](), suite.plan.tasks
    audited = EvalAudit(suite.eval_path, suite.plan.suite.name, audits, len(tasks))
    left, started = _audits(suite, tasks), time.monotonic()
    for it in left:
        audits.append(it)
        if time.monotonic() - started >= _SLICE_SECONDS:
            yield {"eval": str(audited.path), "done": len(audits), "total": len(tasks)}
            started = time.monotonic()
    # Imported late: few questions are about a page, and it brings Jinja.
    from waza_engine.reports.html.audit import html_audit

    yield {
        "is_last": True,
        "eval": str(audited.path),
        "done": len(tasks),
        "total": len(tasks),
        "html": "".join(html_audit([audited], task=question.first)),
    }


def tell_apart(question: TellApart) -> Answer:
    """Draft checks that notice broken work which passes."""
    known, dialect = _known_task(question.about, question.task), question.about.dialect
    kinds = graders(dialect).values()
    with known.grading as grading:
        drafts = proven_drafts(
            grading, kinds, known.recordings, dialect, others=known.others, skill=known.skill
        )
    return {
        "drafts": [
            {**dataclasses.asdict(it.draft), "passes": it.passes, "notices": len(it.notices)} for it in drafts
        ]
    }


def keep(question: Keep) -> Answer:
    """Write the broken work with the key `mutant` into a new counter example."""
    known = _known_task(question.about, question.task)
    try:
        with known.grading as grading:
            found = work_to_keep(
                grading, known.recordings, question.mutant, others=known.others, skill=known.skill
            )
        if found is None:
            raise NothingError("the task or its recordings have changed since the audit")
        path = keep_counter_example(known.eval_path, question.task, found.trajectory)
    except (CounterExampleError, WorkspaceError) as error:
        raise NothingError(str(error)) from error
    return {"path": str(path), "change": found.attempt.change}


class _KnownTask(NamedTuple):
    """A task with what its broken work is made of."""

    eval_path: Path
    grading: TaskGrading
    recordings: list[Recording]
    others: tuple[Trajectory, ...]
    skill: str


def _known_task(about: About, id_: str) -> _KnownTask:
    suite = suite_of(about, few=_MOST_OTHERS)
    task = next((it for it in suite.plan.tasks if it.id == id_), None)
    if task is None:
        raise NothingError("the suite cannot be loaded as it is now")
    memory = _task_memory(FILES, suite.eval_path, id_)
    others = _other_trials(suite.eval_path, suite.plan.tasks)
    return _KnownTask(
        suite.eval_path,
        task_grading(suite.plan, task, suite.process_dir, memory=memory),
        _recorded(FILES, suite.eval_path, id_).recordings,
        tuple(it for other, it in others.items() if other != id_),
        skill_text(suite.plan.suite),
    )


def _other_trials(eval_path: Path, tasks: Sequence[Task]) -> dict[str, Trajectory]:
    """Return a recorded trial of each of the first tasks."""
    found = {it.id: _recorded(FILES, eval_path, it.id).recordings for it in tasks[:_MOST_OTHERS]}
    return {task: its[0].trajectory for task, its in found.items() if its}


def _result(audit: TaskAudit) -> dict[str, Any]:
    return {
        "passesFor": [it.name for it in audit.accused],
        "score": audit.mutation_score,
        "mutants": len(audit.mutants),
        "survivors": [
            {
                "kind": it.kind,
                "name": it.name,
                "key": it.key,
                "change": it.change,
                "before": it.before[:_MOST_CHARACTERS],
                "after": it.after[:_MOST_CHARACTERS],
            }
            for it in [*audit.accused, *audit.survivors][:_MOST_SHOWN]
        ],
        "problem": audit.problem,
    }


def _findings(audits: Sequence[TaskAudit]) -> Iterator[dict[str, Any]]:
    """Yield the findings of each task, also those of graders that tasks share: each task is audited again on its own."""
    told_once = False
    for audit in audits:
        for path, finding in task_findings(audit):
            if finding.code != BLIND_GRADER.code or not told_once:
                told_once |= finding.code == BLIND_GRADER.code
                yield {
                    "task": audit.task,
                    "path": str(path),
                    "pointer": list(finding.pointer),
                    "code": finding.code,
                    "message": finding.message,
                }
