"""What `waza-lsp run` shows while it goes on: events for programs, or progress for people."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TextIO

from waza_engine.reports.inert import harmless, inert
from waza_engine.reports.text import WORDS, one_line
from waza_engine.runs.events import (
    BaselineEvent,
    Event,
    Listener,
    Note,
    RunStarted,
    TaskFinished,
    TrialFinished,
    event_line,
)


@dataclass(slots=True)
class WhileHeard:
    """Shows events for as long as they can be shown. The run goes on: what it finds out is in the store."""

    show: Listener
    _is_over: bool = False

    def __call__(self, event: Event) -> None:
        if not self._is_over:
            try:
                self.show(event)
            except OSError:
                self._is_over = True


@dataclass(slots=True)
class EventLines:
    """Writes every event as a line of JSON. When nobody reads any more, `gone` is called once.

    When they cannot be written for another reason, a full disk say, `warn` is called once, and the run goes on.
    """

    out: TextIO
    gone: Callable[[], None]
    warn: Callable[[str], None]
    _is_gone: bool = False

    def __call__(self, event: Event) -> None:
        if self._is_gone:
            return
        try:
            self.out.write(inert(event_line(event)) + "\n")
            self.out.flush()
        except BrokenPipeError:
            self._is_gone = True
            self.gone()
        except OSError as error:
            self._is_gone = True
            self.warn(f"The events cannot be written: {error.strerror}. The run goes on without them")


@dataclass(slots=True)
class QuietLines:
    """Only what the user must know: warnings and errors."""

    out: TextIO

    def __call__(self, event: Event) -> None:
        if isinstance(event, Note) and event.level != "info":
            self.out.write(harmless(f"{event.level}: {one_line(event.message)}") + "\n")
            self.out.flush()


@dataclass(slots=True)
class ProgressLines:
    """A line per finished trial, for logs; `run_live` is for terminals."""

    out: TextIO
    _trials: int = 1

    def __call__(self, event: Event) -> None:
        match event:
            case RunStarted(tasks=tasks, trials=trials, executor=executor):
                self._trials = trials
                self._say(f"Running {len(tasks)} task(s), {trials} trial(s) each, with {executor}")
            case TrialFinished():
                self._finished(event)
            case TaskFinished(error=error) if error:
                self._say(f"FAIL  {one_line(event.task)}: {one_line(error)}")
            case BaselineEvent(told=TrialFinished() as told):
                self._say(
                    f"without skills: {WORDS[told.status]} {one_line(told.task)}  score {told.score:.2f}"
                )
            case Note(level=level, message=message):
                self._say(f"{level}: {one_line(message)}")
            case _:
                pass

    def _finished(self, event: TrialFinished) -> None:
        number = f" trial {event.trial}" if self._trials > 1 else ""
        error = f"  {one_line(event.error)}" if event.error else ""
        self._say(f"{WORDS[event.status]:5} {one_line(event.task)}{number}  score {event.score:.2f}{error}")

    def _say(self, line: str) -> None:
        self.out.write(harmless(line) + "\n")
        self.out.flush()
