"""The events of a run for the test view: with the keys and ranges that the engine does not know.

`docs/protocol.md` fixes the shapes. Imported late: the engine's records bring pydantic.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lsprotocol import types

from waza_engine.lib.pointer import Pointer
from waza_engine.model.results.records import GraderOutcome
from waza_engine.runs.events import Event, RunFinished, RunStarted, TaskFinished, TaskStarted, TrialFinished
from waza_lsp.runnables.failed_checks import FailedCheck, TaskChecks
from waza_lsp.runnables.runnables import PART_KINDS, eval_key, grader_key, runnables_in, task_key
from waza_lsp.server.results.annotations.annotation import short_span
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.span_mapping import change_between, map_span
from waza_lsp.syntax.text import Span

_WORST_FIRST = ("error", "failed", "passed")


@dataclass(slots=True)
class _GraderTotals:
    """The outcomes of one grader over trials."""

    statuses: list[str] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)

    def add(self, other: "_GraderTotals") -> None:
        self.statuses += other.statuses
        self.scores += other.scores

    def data(self, key: str) -> dict[str, Any]:
        count = len(self.statuses)
        return {
            "key": key,
            "status": next(it for it in _WORST_FIRST if it in self.statuses),
            "score": sum(self.scores) / count,
            "passed": self.statuses.count("passed"),
            "total": count,
        }


@dataclass(slots=True)
class TestEvents:
    """Completes the events of one run.

    `texts` are the files as the run reads them; more may be added. `opened` gives a file as it is in the editor, None
    if it is not open.
    """

    __test__ = False  # pytest collects classes with such names.

    eval_path: Path
    token: str
    texts: Mapping[Path, Snapshot]
    opened: Callable[[Path], Snapshot | None]
    _tasks: dict[str, tuple[Path, Pointer]] = field(default_factory=dict)
    """The file and pointer of each task."""
    _errors: dict[str, str] = field(default_factory=dict)
    """Why a trial of a task has no outcomes of its graders."""
    _started: dict[str, float] = field(default_factory=dict)
    """When tasks started, in the time of `time.monotonic`."""
    _cancelled: set[str] = field(default_factory=set)
    """The tasks with a cancelled trial. The other trials are no verdict on them."""
    _graders: dict[str, dict[str, _GraderTotals]] = field(default_factory=dict)
    """The outcomes of graders by their key, for each task that has not finished."""
    _eval_graders: dict[str, _GraderTotals] = field(default_factory=dict)
    """The outcomes of the eval's own graders over finished tasks, by their key."""

    def data(self, event: Event, data: dict[str, Any], checks: TaskChecks | None) -> dict[str, Any]:
        """An event as clients get it, from its plain `data`. `checks` are those of the task that has finished."""
        task = str(getattr(event, "task", ""))
        key = task_key(self.eval_path, task) if task else eval_key(self.eval_path)
        return {**data, "token": self.token, "key": key, **self._more(event, data, checks)}

    def _more(self, event: Event, data: dict[str, Any], checks: TaskChecks | None) -> dict[str, Any]:
        match event:
            case RunStarted():
                return {"keys": [task_key(self.eval_path, it) for it in event.tasks]}
            case TaskStarted():
                path = event.path or self.eval_path
                self._tasks[event.task] = (path, event.pointer)
                self._started[event.task] = time.monotonic()
                return {"uri": path.as_uri(), "range": self._current_range(*self._text_of(event.task))}
            case TrialFinished():
                return {"graders": self._trial_graders(event, data["graders"])}
            case TaskFinished():
                return self._task_members(event, checks)
            case RunFinished():
                return {"graders": [its.data(key) for key, its in self._eval_graders.items()]}
            case _:
                return {}

    def _trial_graders(self, event: TrialFinished, data: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if event.error:
            self._errors.setdefault(event.task, event.error)
        if event.status == "skipped":
            self._cancelled.add(event.task)
        totals = self._graders.setdefault(event.task, {})
        found = []
        for outcome, it in zip(event.graders, data, strict=True):
            key = self._key(event.task, outcome)
            totals.setdefault(key, _GraderTotals()).add(_GraderTotals([outcome.status], [outcome.score]))
            found.append({**it, "key": key})
        return found

    def _task_members(self, event: TaskFinished, checks: TaskChecks | None) -> dict[str, Any]:
        began = self._started.pop(event.task, None)
        task, own = task_key(self.eval_path, event.task), []
        for key, totals in self._graders.pop(event.task, {}).items():
            if key.startswith(f"{task}#"):
                own.append(totals.data(key))
            elif key != task and event.task not in self._cancelled:
                self._eval_graders.setdefault(key, _GraderTotals()).add(totals)
        return {
            "messages": list(self._messages(event, checks)),
            "wall_ms": round((time.monotonic() - began) * 1000) if began is not None else 0,
            "cancelled": event.task in self._cancelled or event.status == "skipped",
            "graders": own,
        }

    def _key(self, task: str, outcome: GraderOutcome) -> str:
        if outcome.path is None or outcome.is_expectation:
            return task_key(self.eval_path, task)
        return self._grader_key(task, outcome.path, outcome.pointer)

    def _grader_key(self, task: str, path: Path, entry: Pointer) -> str:
        """The item of a grader: below the task if the entry is in the task's text, else below the eval."""
        home, pointer = self._tasks.get(task, (self.eval_path, ("?",)))
        is_of_task = path == home and entry[: len(pointer)] == pointer
        if is_of_task:
            return grader_key(task_key(self.eval_path, task), entry[len(pointer) :])
        return grader_key(eval_key(self.eval_path), entry)

    def _messages(self, event: TaskFinished, checks: TaskChecks | None) -> Iterator[dict[str, Any]]:
        """One message `{message, uri, range, key}` per failed check of a task, at its current range."""
        if event.status == "passed":
            return
        failed = checks.failed if checks is not None else []
        for check in failed:
            path, entry, pointer = check.location
            text = self.texts.get(path)
            span = short_span(text, pointer, len(entry)) if text is not None else None
            yield {
                "message": check.message,
                "uri": path.as_uri(),
                "range": self._current_range(text, span),
                "key": self._grader_key(event.task, path, entry),
                **_compared(check, text),
            }
        if not failed and (why := event.error or self._errors.get(event.task)):
            path, _ = self._tasks.get(event.task, (self.eval_path, ()))
            where = self._current_range(*self._text_of(event.task))
            key = task_key(self.eval_path, event.task)
            yield {"message": why, "uri": path.as_uri(), "range": where, "key": key}

    def _text_of(self, task: str) -> tuple[Snapshot | None, Span | None]:
        """The text that a task is in, and its range there."""
        path, pointer = self._tasks.get(task, (self.eval_path, ()))
        text = self.texts.get(path)
        if text is None:
            return None, None
        found = (it.range for it in runnables_in(text) if it.kind in PART_KINDS and it.pointer == pointer)
        return text, next(found, None)

    def _current_range(self, text: Snapshot | None, span: Span | None) -> types.Range | None:
        """The range of an earlier text in the editor's text; None if it was edited since."""
        if text is None or span is None or text.path is None:
            return None
        current = self.opened(text.path)
        if current is None:
            return text.range(span)
        moved = map_span(span, change_between(text.text.lines, current.text.lines))
        return current.range(moved) if moved is not None else None


def _compared(check: FailedCheck, text: Snapshot | None) -> dict[str, str]:
    """The recorded lines of a check, and what it wanted and what the trial has instead as texts to compare."""
    members = {"excerpt": check.excerpt} if check.excerpt else {}
    wanted = _value_at(text.data, check.location.check) if text is not None and check.actual else None
    if not wanted:
        return members
    items = wanted if isinstance(wanted, list) else [wanted]
    expected = "\n".join(it if isinstance(it, str) else json.dumps(it, ensure_ascii=False) for it in items)
    return {**members, "expected": expected, "actual": check.actual}


def _value_at(value: Any, pointer: Pointer) -> Any:
    """The value at a pointer of plain data; None if there is none."""
    for part in pointer:
        try:
            value = value[part]
        except (IndexError, KeyError, TypeError):
            return None
    return value
