"""The events of a run for the test view: with the keys and ranges that the engine does not know.

`docs/protocol.md` fixes the shapes. Imported late: the engine's records bring pydantic.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lsprotocol import types

from waza_engine.lib.pointer import Pointer
from waza_engine.model.records import GraderOutcome
from waza_engine.runs.events import Event, RunStarted, TaskFinished, TaskStarted, TrialFinished, event_data
from waza_lsp.runnables.failed_checks import TaskChecks, is_expectation
from waza_lsp.runnables.runnables import PART_KINDS, eval_key, grader_key, runnables_in, task_key
from waza_lsp.server.results.annotations import short_span
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.span_mapping import change_between, map_span
from waza_lsp.syntax.text import Span


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

    def data(self, event: Event, checks: TaskChecks | None) -> dict[str, Any]:
        """An event as clients get it. `checks` are those of the task that has finished."""
        task = str(getattr(event, "task", ""))
        key = task_key(self.eval_path, task) if task else eval_key(self.eval_path)
        return {**event_data(event), "token": self.token, "key": key, **self._more(event, checks)}

    def _more(self, event: Event, checks: TaskChecks | None) -> dict[str, Any]:
        match event:
            case RunStarted():
                return {"keys": [task_key(self.eval_path, it) for it in event.tasks]}
            case TaskStarted():
                path = event.path or self.eval_path
                self._tasks[event.task] = (path, event.pointer)
                return {"uri": path.as_uri(), "range": self._current_range(*self._text_of(event.task))}
            case TrialFinished():
                if event.error:
                    self._errors.setdefault(event.task, event.error)
                data = event_data(event)["graders"]
                pairs = zip(event.graders, data, strict=True)
                return {"graders": [{**it, "key": self._key(event.task, outcome)} for outcome, it in pairs]}
            case TaskFinished():
                return {"messages": list(self._messages(event, checks))}
            case _:
                return {}

    def _key(self, task: str, outcome: GraderOutcome) -> str:
        if outcome.path is None or is_expectation(outcome):
            return task_key(self.eval_path, task)
        return self._grader_key(task, outcome.path, outcome.pointer)

    def _grader_key(self, task: str, path: Path, entry: Pointer) -> str:
        """The item of a grader: below the task if the entry is in the task's text, else below the eval."""
        home, pointer = self._tasks.get(task, (self.eval_path, ("?",)))
        is_of_task = path == home and entry[: len(pointer)] == pointer
        return grader_key(task_key(self.eval_path, task) if is_of_task else eval_key(self.eval_path), entry)

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
