"""Live progress on a terminal: a line for every finished task, and below them what is going on right now."""

import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
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
    TaskStarted,
    TrialFinished,
    TrialProgress,
    TrialStarted,
    event_line,
)
from waza_lsp.cli.console import may_colour

_COLOURS = {"passed": "32", "failed": "31", "error": "33", "skipped": "90"}
_MOST_RUNNING = 8
_BAR = 24
_LEAST_SECONDS = 0.1
"""Between two pictures: a run of many quick trials must not spend its time on drawing them."""


@dataclass(slots=True)
class _Running:
    trial: int
    since: float
    text: str = ""


@dataclass(slots=True)
class LiveProgress:
    """Takes events, and `tick`s between them; `clear` before anything else is printed. `clock` is in seconds."""

    out: TextIO
    clock: Callable[[], float] = time.monotonic
    _total: int = 0
    _trials: int = 1
    _done: int = 0
    _began: float = 0.0
    _drawn_at: float = -1.0
    _height: int = 0
    _prefix: str = ""
    _counts: Counter[str] = field(default_factory=Counter)
    _running: dict[str, _Running] = field(default_factory=dict)
    _finished: dict[str, Counter[str]] = field(default_factory=dict)

    def __call__(self, event: Event) -> None:
        match event:
            case RunStarted(tasks=tasks, trials=trials, executor=executor):
                self._total, self._trials, self._began = len(tasks) * trials, trials, self.clock()
                self._say(
                    f"{one_line(event.name)}: {len(tasks)} tasks, {trials} trial(s) each, with {executor}"
                )
            case BaselineEvent(told=told):
                if not self._prefix:
                    self._prefix, self._done = "without skills: ", 0
                if not isinstance(told, RunStarted):
                    self(told)
                return
            case Note(level=level, message=message):
                self._say(f"{level}: {one_line(message)}")
            case TaskFinished():
                self._task_finished(event)
            case TaskStarted() | TrialStarted() | TrialProgress() | TrialFinished():
                self._moved(event)
            case _:
                pass
        self.tick()

    def tick(self) -> None:
        """Draw what is going on, unless that was done just now."""
        if self._running and self.clock() - self._drawn_at >= _LEAST_SECONDS:
            self._draw()

    def clear(self) -> None:
        """Take the moving lines away."""
        if self._height:
            self.out.write(f"\x1b[{self._height}F\x1b[J")
            self._height = 0
        self.out.flush()

    def _moved(self, event: Event) -> None:
        match event:
            case TaskStarted(task=task):
                self._running[task] = _Running(0, self.clock())
            case TrialStarted(task=task, trial=trial):
                self._running[task] = _Running(trial, self.clock())
            case TrialProgress(task=task, text=text) if task in self._running:
                self._running[task].text = text
            case TrialFinished(task=task, status=status):
                self._done += 1
                self._counts[status] += 1
                self._finished.setdefault(task, Counter())[status] += 1
            case _:
                pass

    def _task_finished(self, event: TaskFinished) -> None:
        self._running.pop(event.task, None)
        trials = self._finished.pop(event.task, Counter())
        passed = f"  {trials['passed']}/{trials.total()} trials" if self._trials > 1 else ""
        told = f"  {one_line(event.error)}" if event.error else ""
        word = f"{WORDS[event.status]:5}"
        if may_colour(self.out):
            word = f"\x1b[{_COLOURS[event.status]}m{word}\x1b[0m"
        self._say(f"{self._prefix}{word} {one_line(event.task)}{passed}  score {event.score:.2f}{told}")

    def _say(self, line: str) -> None:
        self.clear()
        self.out.write(line + "\n")
        self._drawn_at = -1.0

    def _draw(self) -> None:
        columns, rows = shutil.get_terminal_size()
        lines = [it[: columns - 1] for it in self._lines(max(rows - 3, 1))]
        self.clear()
        self.out.write("".join(f"{it}\n" for it in lines))
        self.out.flush()
        self._height, self._drawn_at = len(lines), self.clock()

    def _lines(self, most: int) -> Iterator[str]:
        now = self.clock()
        full = round(_BAR * self._done / self._total) if self._total else 0
        counts = ", ".join(f"{count} {word}" for word, count in sorted(self._counts.items()))
        yield (
            f"{self._prefix}[{'#' * full}{'.' * (_BAR - full)}] {self._done}/{self._total}"
            f"{f'  {counts}' if counts else ''}  {_duration(now - self._began)}"
        )
        shown = list(self._running.items())[: min(_MOST_RUNNING, most)]
        for task, it in shown:
            number = f" trial {it.trial}" if self._trials > 1 and it.trial else ""
            text = f"  {one_line(it.text)}" if it.text else ""
            yield f"  > {one_line(task)}{number}  {_duration(now - it.since)}{text}"
        if left := len(self._running) - len(shown):
            yield f"  and {left} more"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02d}"


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
