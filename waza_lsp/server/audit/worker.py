"""The child process that audits the tasks of an eval, with the texts of the editor.

It executes nothing: graders that run programs or ask a model are left out. Between questions it keeps what was graded, so
that after an edit only the edited graders are asked again.
"""

import dataclasses
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from waza_engine.audit.codes import BLIND_GRADER
from waza_engine.audit.counter_examples import CounterExampleError, keep_counter_example
from waza_engine.audit.drafts import proven_drafts
from waza_engine.audit.findings import task_findings
from waza_engine.audit.run import audit_task, skill_text, task_grading, work_to_keep
from waza_engine.audit.score import EvalAudit, TaskAudit
from waza_engine.audit.task_grading import TaskGrading, TaskMemory
from waza_engine.graders.registry import graders
from waza_engine.lib.files.spill import Spill
from waza_engine.lib.queries.disk import stamp
from waza_engine.model.suite import Task
from waza_engine.model.trajectory import Trajectory
from waza_engine.project.reading import reading_open_texts
from waza_engine.project.store_location import RECORDINGS_FOLDER, recording_sources
from waza_engine.runs.recordings.find import Recording, UnreadableRecording, recording_names, recordings_of
from waza_engine.runs.store.store import StoreError, default_store_dir
from waza_engine.runs.trial.workspace import WorkspaceError
from waza_lsp.server.judges.answers import about_judges
from waza_lsp.server.live.question_loop import answer_questions
from waza_lsp.server.live.worker_suite import (
    BrokenError,
    NothingError,
    Question,
    Suite,
    suite_of,
    texts_of,
)

_SLICE_SECONDS = 0.1
"""After this time, an answer has what is done. The rest is a further question, so that edits come between."""
_MOST_RECORDINGS = 4
_MOST_OTHERS = 20
"""So many other tasks are searched for trials to swap with."""
_MOST_PAGES = 2
"""So many pages can be made at the same time. One more gives up the oldest, which the user may have cancelled."""
_MOST_SHOWN = 20
_MOST_CHARACTERS = 1_000


def main() -> None:
    """Answer until there are no more questions."""
    answer_questions(
        {
            "audit": _audit,
            "audit page": _audit_page,
            "tell apart": _tell_apart,
            "keep": _keep,
            "judges": about_judges,
        }
    )


@dataclass(slots=True)
class _EvalMemory:
    """What is known of an eval, as long as the list of its recordings is the same."""

    sources: tuple[object, ...]
    names: dict[str, list[str]]
    """The files in `recordings/` by task."""
    recordings: dict[str, "_Recorded"] = field(default_factory=dict)
    tasks: dict[str, TaskMemory] = field(default_factory=dict)


class _Recorded(NamedTuple):
    """The recordings of a task, the files that cannot be read, and the stamps of all of these files."""

    recordings: list[Recording]
    unreadable: list[UnreadableRecording]
    stamps: tuple[object, ...]


_MEMORIES: dict[Path, _EvalMemory] = {}


def _audit(question: Question) -> dict[str, Any]:
    """Audit tasks: `{eval, tasks: {id: result}, findings, left}`.

    `only` are the ids of the tasks in the order of their audits, None for all; at most `most` are audited.
    """
    started = time.monotonic()
    only = question.get("only")
    suite = suite_of(question, few=_MOST_OTHERS if only is not None else None)
    if suite.problem:
        raise BrokenError(suite.problem)
    tasks = list(suite.plan.tasks)
    if only is not None:
        place = {id_: number for number, id_ in enumerate(only)}
        tasks = sorted((it for it in tasks if it.id in place), key=lambda it: place[it.id])
    tasks = tasks[: question["most"]]
    found = _audits(suite, tasks, texts_of(question))
    audits: list[TaskAudit] = []
    while len(audits) < len(tasks) and (not audits or time.monotonic() - started < _SLICE_SECONDS):
        audits.append(next(found))
    return {
        "eval": str(suite.eval_path),
        "tasks": {it.task: _result(it) for it in audits},
        "findings": list(_findings(audits)),
        "left": [it.id for it in tasks[len(audits) :]],
    }


def _audits(suite: Suite, tasks: Sequence[Task], texts: Mapping[Path, str]) -> Iterator[TaskAudit]:
    memory = _memory(suite.eval_path)
    others = _other_trials(memory, suite.eval_path, suite.plan.tasks)
    skill = skill_text(suite.plan.suite)
    for task in tasks:
        recorded = _recorded(memory, suite.eval_path, task.id)
        # A comment in an unsaved text can mark the task.
        with reading_open_texts(texts):
            audit = audit_task(
                suite.plan,
                task,
                recorded.recordings,
                suite.process_dir,
                others=tuple(it for id_, it in others.items() if id_ != task.id),
                skill=skill,
                memory=memory.tasks.setdefault(task.id, TaskMemory()),
                unreadable=recorded.unreadable,
            )
        yield audit


@dataclass(slots=True)
class _Page:
    """The audit of all tasks of an eval, as far as it is done."""

    audited: EvalAudit
    done: Spill[TaskAudit]
    """The tasks of `audited`."""
    left: Iterator[TaskAudit]


_PAGES: dict[str, _Page] = {}
"""The pages that are being made, by the names in the questions about them; the oldest is first."""


def _audit_page(question: Question) -> dict[str, Any]:
    """Audit all tasks of an eval for a page: `{eval, done, total}`, in the last answer with the `html`.

    `page` is the name of the page. Its questions are repeated until the `html` is there.
    """
    started = time.monotonic()
    name = question["page"]
    page = _PAGES.get(name)
    if page is None:
        suite = suite_of(question)
        if suite.problem:
            raise BrokenError(suite.problem)
        tasks = suite.plan.tasks
        audits = Spill[TaskAudit]()
        audited = EvalAudit(suite.eval_path, suite.plan.suite.name, audits, len(tasks))
        page = _PAGES[name] = _Page(audited, audits, _audits(suite, tasks, texts_of(question)))
        while len(_PAGES) > _MOST_PAGES:
            del _PAGES[next(iter(_PAGES))]
    audited = page.audited
    while time.monotonic() - started < _SLICE_SECONDS and (audit := next(page.left, None)) is not None:
        page.done.append(audit)
    done, total = len(audited.audits), audited.task_count
    if done < total:
        return {"eval": str(audited.path), "done": done, "total": total}
    # Imported late: few questions are about a page, and it brings Jinja.
    from waza_engine.reports.html.audit import html_audit

    del _PAGES[name]
    return {
        "eval": str(audited.path),
        "done": done,
        "total": total,
        "html": "".join(html_audit([audited], task=question["first"])),
    }


def _tell_apart(question: Question) -> dict[str, Any]:
    """Draft checks that notice broken work which passes: `{drafts: [{type, about, entry, passes, notices}]}`."""
    known = _known_task(question)
    kinds = graders(question["dialect"]).values()
    with known.grading as grading:
        drafts = proven_drafts(
            grading, kinds, known.recordings, question["dialect"], others=known.others, skill=known.skill
        )
    return {
        "drafts": [
            {**dataclasses.asdict(it.draft), "passes": it.passes, "notices": len(it.notices)} for it in drafts
        ]
    }


def _keep(question: Question) -> dict[str, Any]:
    """Write the broken work with the key `mutant` into a new counter example: `{path, change}`. The user has asked for it."""
    known = _known_task(question)
    try:
        with known.grading as grading:
            found = work_to_keep(
                grading, known.recordings, question["mutant"], others=known.others, skill=known.skill
            )
        if found is None:
            raise NothingError("the task or its recordings have changed since the audit")
        path = keep_counter_example(known.eval_path, question["task"], found.trajectory)
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


def _known_task(question: Question) -> _KnownTask:
    suite, id_ = suite_of(question, few=_MOST_OTHERS), question["task"]
    task = next((it for it in suite.plan.tasks if it.id == id_), None)
    if task is None:
        raise NothingError("the suite cannot be loaded as it is now")
    memory = _memory(suite.eval_path)
    others = _other_trials(memory, suite.eval_path, suite.plan.tasks)
    own = _recorded(memory, suite.eval_path, id_).recordings
    return _KnownTask(
        suite.eval_path,
        task_grading(suite.plan, task, suite.process_dir, memory=memory.tasks.setdefault(id_, TaskMemory())),
        own,
        tuple(it for other, it in others.items() if other != id_),
        skill_text(suite.plan.suite),
    )


def _memory(eval_path: Path) -> _EvalMemory:
    """Return the memory of an eval; an empty one if recordings were added or removed."""
    sources = tuple(map(stamp, recording_sources(eval_path, default_store_dir(eval_path))))
    known = _MEMORIES.get(eval_path)
    if known is None or known.sources != sources:
        folder = eval_path.parent / RECORDINGS_FOLDER
        known = _MEMORIES[eval_path] = _EvalMemory(sources, recording_names(folder))
    return known


def _recorded(memory: _EvalMemory, eval_path: Path, task: str) -> _Recorded:
    # A file that is edited in place does not change the time of its folder.
    folder = eval_path.parent / RECORDINGS_FOLDER
    stamps = tuple(stamp(folder / it) for it in memory.names.get(task, ()))
    known = memory.recordings.get(task)
    if known is None or known.stamps != stamps:
        skipped: list[UnreadableRecording] = []
        try:
            store = default_store_dir(eval_path)
            found = recordings_of(eval_path, task, store, _MOST_RECORDINGS, unreadable=skipped)
        except StoreError:
            found = []
        known = memory.recordings[task] = _Recorded(found[:_MOST_RECORDINGS], skipped, stamps)
        memory.tasks.pop(task, None)
    return known


def _other_trials(memory: _EvalMemory, eval_path: Path, tasks: Sequence[Task]) -> dict[str, Trajectory]:
    """Return a recorded trial of each of the first tasks."""
    found = {it.id: _recorded(memory, eval_path, it.id).recordings for it in tasks[:_MOST_OTHERS]}
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


if __name__ == "__main__":
    main()
