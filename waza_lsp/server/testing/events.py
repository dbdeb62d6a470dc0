"""What clients that show tests get of a run: its events, with the keys and places that the engine does not know.

The shapes are fixed in `docs/protocol.md`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lsprotocol import types

from waza_engine.findings import Pointer
from waza_lsp.schema.failed_checks import Outcome, failed_checks, is_expectation
from waza_lsp.schema.runnables import PARTS
from waza_lsp.schema.testview_keys import eval_key, grader_key, task_key
from waza_lsp.server.results.annotations import short_span
from waza_lsp.server.runs.process import Event
from waza_lsp.snapshot import Snapshot
from waza_lsp.suite.in_document import runnables_in
from waza_lsp.syntax.carry import carried, change_between
from waza_lsp.syntax.text import Span

Now = Callable[[Path], Snapshot | None]
"""A file as it is in the editor, None when it is not open."""


def messages(
    trials: Sequence[Sequence[Outcome]],
    texts: Mapping[Path, Snapshot],
    key_of: Callable[[Path, Pointer], str],
    now: Now,
) -> Iterator[dict[str, Any]]:
    """One message per failed check of a task: `{message, uri, range, key}`.

    The files had these texts when the task was graded; `range` is where it stands now, None where that is not known.
    `key_of` names the item of a grader's entry.
    """
    for check in failed_checks(trials):
        place = check.place
        text = texts.get(place.path)
        span = short_span(text, place.check, len(place.entry)) if text is not None else None
        yield {
            "message": check.message,
            "uri": place.path.as_uri(),
            "range": place_now(text, span, now),
            "key": key_of(place.path, place.entry),
        }


def place_now(text: Snapshot | None, span: Span | None, now: Now) -> types.Range | None:
    """Where a stretch of an earlier text stands in the editor; None when it was touched since."""
    if text is None or span is None or text.path is None:
        return None
    current = now(text.path)
    if current is None:
        return text.range(span)
    moved = carried(span, change_between(text.text.lines, current.text.lines))
    return current.range(moved) if moved is not None else None


@dataclass(slots=True)
class TestEvents:
    """Completes the events of one run. `texts` are the files as the run reads them; more may be added to it."""

    __test__ = False  # For pytest, which takes the name for that of a test.

    eval_path: Path
    token: str
    texts: Mapping[Path, Snapshot]
    now: Now
    _tasks: dict[str, tuple[Path, Pointer]] = field(default_factory=dict)
    """Where the tasks stand."""
    _errors: dict[str, str] = field(default_factory=dict)
    """Why a trial of a task has no verdict of its graders."""

    def told(self, event: Event, trials: Sequence[Sequence[Outcome]]) -> Event:
        """An event as clients get it; `trials` are the verdicts of its task so far."""
        task = str(event.get("task") or "")
        key = task_key(self.eval_path, task) if task else eval_key(self.eval_path)
        return {**event, "token": self.token, "key": key, **self._more(event, task, trials)}

    def _more(self, event: Event, task: str, trials: Sequence[Sequence[Outcome]]) -> dict[str, Any]:
        match event.get("event"):
            case "run_started":
                return {"keys": [task_key(self.eval_path, it) for it in event["tasks"]]}
            case "task_started":
                path = Path(event["path"]) if event.get("path") else self.eval_path
                self._tasks[task] = (path, tuple(event.get("pointer", ())))
                return {"uri": path.as_uri(), "range": place_now(*self._place(task), self.now)}
            case "trial_finished":
                if event.get("error"):
                    self._errors.setdefault(task, str(event["error"]))
                return {"graders": [self._with_key(it, task) for it in event.get("graders", ())]}
            case "task_finished":
                return {"messages": list(self._messages(event, task, trials))}
            case _:
                return {}

    def _with_key(self, outcome: Outcome, task: str) -> dict[str, Any]:
        path, entry = outcome.get("path"), tuple(outcome.get("pointer", ()))
        if not path or is_expectation(outcome):
            return {**outcome, "key": task_key(self.eval_path, task)}
        return {**outcome, "key": self._key(task, Path(path), entry)}

    def _key(self, task: str, path: Path, entry: Pointer) -> str:
        """The item of a grader: that of the task when it stands in its text, else that of the eval."""
        home, pointer = self._tasks.get(task, (self.eval_path, ("?",)))
        is_of_task = path == home and entry[: len(pointer)] == pointer
        return grader_key(task_key(self.eval_path, task) if is_of_task else eval_key(self.eval_path), entry)

    def _messages(
        self, event: Event, task: str, trials: Sequence[Sequence[Outcome]]
    ) -> Iterator[dict[str, Any]]:
        if event.get("status") == "passed":
            return
        found = list(messages(trials, self.texts, lambda path, entry: self._key(task, path, entry), self.now))
        yield from found
        if not found and (why := event.get("error") or self._errors.get(task)):
            path, _ = self._tasks.get(task, (self.eval_path, ()))
            where = place_now(*self._place(task), self.now)
            key = task_key(self.eval_path, task)
            yield {"message": str(why), "uri": path.as_uri(), "range": where, "key": key}

    def _place(self, task: str) -> tuple[Snapshot | None, Span | None]:
        """The text that a task stands in, and where it begins there."""
        path, pointer = self._tasks.get(task, (self.eval_path, ()))
        text = self.texts.get(path)
        if text is None:
            return None, None
        found = (it.range for it in runnables_in(text) if it.kind in PARTS and it.pointer == pointer)
        return text, next(found, None)
