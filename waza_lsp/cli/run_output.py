"""What `waza-lsp run` shows while it goes on: events for programs, or progress for people."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TextIO

from waza_engine.reports.text import one_line
from waza_engine.runs.events import (
    BaselineEvent,
    Event,
    Note,
    RunStarted,
    TaskFinished,
    TrialFinished,
    TrialProgress,
    TrialStarted,
    event_line,
)

_WORDS = {"passed": "PASS", "failed": "FAIL", "error": "ERROR", "skipped": "SKIP"}
_CLEAR = "\r\x1b[K"


@dataclass(slots=True)
class EventLines:
    """Writes every event as a line of JSON. When nobody reads any more, `gone` is called once."""

    out: TextIO
    gone: Callable[[], None]
    _is_gone: bool = False

    def __call__(self, event: Event) -> None:
        if self._is_gone:
            return
        try:
            self.out.write(event_line(event) + "\n")
            self.out.flush()
        except OSError:
            self._is_gone = True
            self.gone()


@dataclass(slots=True)
class QuietLines:
    """Only what the user must know: warnings and errors."""

    out: TextIO

    def __call__(self, event: Event) -> None:
        if isinstance(event, Note) and event.level != "info":
            self.out.write(f"{event.level}: {one_line(event.message)}\n")
            self.out.flush()


@dataclass(slots=True)
class ProgressLines:
    """A line per finished trial or task; on a terminal, one more that shows what is going on right now."""

    out: TextIO
    on_terminal: bool
    _total: int = 0
    _trials: int = 1
    _done: int = 0
    _running: dict[tuple[str, int], str] = field(default_factory=dict)

    def __call__(self, event: Event) -> None:
        match event:
            case RunStarted(tasks=tasks, trials=trials, executor=executor):
                self._total, self._trials = len(tasks) * trials, trials
                self._say(f"Running {len(tasks)} task(s), {trials} trial(s) each, with {executor}")
            case TrialStarted(task=task, trial=trial):
                self._running[task, trial] = ""
            case TrialProgress(task=task, trial=trial, text=text):
                self._running[task, trial] = text
            case TrialFinished():
                self._running.pop((event.task, event.trial), None)
                self._done += 1
                self._finished(event)
            case TaskFinished(error=error) if error:
                self._say(f"FAIL  {one_line(event.task)}: {one_line(error)}")
            case BaselineEvent(told=TrialFinished() as told):
                self._say(
                    f"without skills: {_WORDS[told.status]} {one_line(told.task)}  score {told.score:.2f}"
                )
            case Note(level=level, message=message):
                self._say(f"{level}: {one_line(message)}")
            case _:
                pass
        self._show()

    def clear(self) -> None:
        """Take the moving line away, before something else is printed."""
        if self.on_terminal:
            self.out.write(_CLEAR)
            self.out.flush()

    def _finished(self, event: TrialFinished) -> None:
        number = f" trial {event.trial}" if self._trials > 1 else ""
        error = f"  {one_line(event.error)}" if event.error else ""
        self._say(f"{_WORDS[event.status]:5} {one_line(event.task)}{number}  score {event.score:.2f}{error}")

    def _say(self, line: str) -> None:
        self.out.write(f"{_CLEAR if self.on_terminal else ''}{line}\n")
        self.out.flush()

    def _show(self) -> None:
        if not self.on_terminal or not self._running:
            return
        now = ", ".join(f"{task}{f': {text}' if text else ''}" for (task, _), text in self._running.items())
        width = shutil.get_terminal_size().columns
        self.out.write(_CLEAR + one_line(f"[{self._done}/{self._total}] {now}")[: width - 1])
        self.out.flush()
