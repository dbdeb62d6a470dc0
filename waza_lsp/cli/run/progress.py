"""Show a run while it goes on: events for programs, lines for logs, moving lines on a terminal."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TextIO

from waza_engine.lib.plurals import counted
from waza_engine.model.results.decisions import decision_text
from waza_engine.reports.inert import harmless, inert, one_line
from waza_engine.reports.text import STATUS_WORDS
from waza_engine.runs.events import (
    BaselineEvent,
    Decided,
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

_COLOURS = {"passed": "green", "failed": "red", "error": "yellow", "skipped": "bright_black"}
_MAX_RUNNING = 8
_BAR_WIDTH = 24
_MIN_SECONDS = 0.1
"""Least time between two redraws: a run of many quick trials must not spend its time on drawing."""


@dataclass(slots=True)
class UntilClosed:
    """Passes events on until the output is closed. The run continues, and the store keeps its results."""

    show: Listener
    _is_closed: bool = False

    def __call__(self, event: Event) -> None:
        if not self._is_closed:
            try:
                self.show(event)
            except OSError:
                self._is_closed = True


@dataclass(slots=True)
class EventLines:
    """Writes each event as a line of JSON.

    Calls `gone` once when the reader has closed the pipe. Calls `warn` once when writing fails for another reason,
    such as a full disk; the run then continues without events.
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
    """Writes warnings and errors only."""

    out: TextIO

    def __call__(self, event: Event) -> None:
        if isinstance(event, Note) and event.level != "info":
            self.out.write(harmless(f"{event.level}: {one_line(event.message)}") + "\n")
            self.out.flush()


@dataclass(slots=True)
class ProgressLines:
    """Writes a line per finished trial, for logs. `LiveProgress` is for terminals."""

    out: TextIO
    _trials: int = 1

    def __call__(self, event: Event) -> None:
        match event:
            case RunStarted(tasks=tasks, trials=trials, executor=executor, until_decided=is_most):
                self._trials = trials
                self._write(f"Running {_size(len(tasks), trials, is_most=is_most)}, with {executor}")
            case TrialFinished():
                self._write_trial(event)
            case Decided():
                self._write(_decided(event))
            case TaskFinished(error=error) if error:
                self._write(f"FAIL  {one_line(event.task)}: {one_line(error)}")
            case BaselineEvent(told=TrialFinished() as trial):
                word = STATUS_WORDS[trial.status]
                self._write(f"without skills: {word} {one_line(trial.task)}  score {trial.score:.2f}")
            case Note(level=level, message=message):
                self._write(f"{level}: {one_line(message)}")
            case _:
                pass

    def _write_trial(self, event: TrialFinished) -> None:
        number = f" trial {event.trial}" if self._trials > 1 else ""
        error = f"  {one_line(event.error)}" if event.error else ""
        self._write(
            f"{STATUS_WORDS[event.status]:5} {one_line(event.task)}{number}  score {event.score:.2f}{error}"
        )

    def _write(self, line: str) -> None:
        self.out.write(harmless(line) + "\n")
        self.out.flush()


@dataclass(slots=True)
class _RunningTask:
    trial: int
    started_at: float
    text: str = ""


@dataclass(slots=True)
class LiveProgress:
    """Shows a line per finished task on a terminal, and below them a bar and the running tasks.

    Call `tick` between events, and `clear` before anything else is printed. `clock` returns seconds.
    """

    out: TextIO
    clock: Callable[[], float] = time.monotonic
    _total: int = 0
    _trials: int = 1
    _done: int = 0
    _started_at: float = 0.0
    _drawn_at: float = -1.0
    _prefix: str = ""
    _statuses: Counter[str] = field(default_factory=Counter)
    _running: dict[str, _RunningTask] = field(default_factory=dict)
    _finished: dict[str, Counter[str]] = field(default_factory=dict)
    _console: Any = None
    _live: Any = None

    def __post_init__(self) -> None:
        # Imported late: rich takes 60 ms, and pipes do without it.
        from rich.console import Console

        self._console = Console(
            file=self.out,
            force_terminal=True,
            no_color=not may_colour(self.out),
            highlight=False,
            markup=False,
            emoji=False,
        )

    def __call__(self, event: Event) -> None:
        match event:
            case RunStarted(tasks=tasks, trials=trials, executor=executor, until_decided=is_most):
                self._total, self._trials, self._started_at = len(tasks) * trials, trials, self.clock()
                self._print(
                    f"{one_line(event.name)}: {_size(len(tasks), trials, is_most=is_most)}, with {executor}"
                )
            case BaselineEvent(told=inner):
                if not self._prefix:
                    self._prefix, self._done = "without skills: ", 0
                if not isinstance(inner, RunStarted):
                    self(inner)
                return
            case Note(level=level, message=message):
                self._print(f"{level}: {one_line(message)}")
            case TaskFinished():
                self._finish_task(event)
            case Decided():
                self._print(_decided(event))
            case TaskStarted() | TrialStarted() | TrialProgress() | TrialFinished():
                self._update(event)
            case _:
                pass
        self.tick()

    def tick(self) -> None:
        """Redraw the moving lines, unless that was done just now."""
        if self._running and self.clock() - self._drawn_at >= _MIN_SECONDS:
            self._draw()

    def clear(self) -> None:
        """Remove the moving lines."""
        if self._live is not None:
            live, self._live = self._live, None
            live.stop()
        self.out.flush()

    def _update(self, event: Event) -> None:
        match event:
            case TaskStarted(task=task):
                self._running[task] = _RunningTask(0, self.clock())
            case TrialStarted(task=task, trial=trial):
                self._running[task] = _RunningTask(trial, self.clock())
            case TrialProgress(task=task, text=text) if task in self._running:
                self._running[task].text = text
            case TrialFinished(task=task, status=status):
                self._done += 1
                self._statuses[status] += 1
                self._finished.setdefault(task, Counter())[status] += 1
            case _:
                pass

    def _finish_task(self, event: TaskFinished) -> None:
        self._running.pop(event.task, None)
        trials = self._finished.pop(event.task, Counter())
        passed = f"  {trials['passed']}/{trials.total()} trials" if self._trials > 1 else ""
        error = f"  {one_line(event.error)}" if event.error else ""
        self._print(
            self._prefix,
            (f"{STATUS_WORDS[event.status]:5}", _COLOURS[event.status]),
            f" {one_line(event.task)}{passed}  score {event.score:.2f}{error}",
        )

    def _print(self, *parts: str | tuple[str, str]) -> None:
        """Print a line that stays. The next `tick` draws the moving lines below it."""
        from rich.text import Text

        self.clear()
        self._console.print(Text.assemble(*parts), soft_wrap=True)
        self._drawn_at = -1.0

    def _draw(self) -> None:
        from rich.live import Live

        self._drawn_at = self.clock()
        if self._live is None:
            # Without refresh thread and redirection: this run is the only one that writes here.
            self._live = Live(
                console=self._console,
                auto_refresh=False,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start()
        self._live.update(self._moving_lines(), refresh=True)

    def _moving_lines(self) -> Any:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        now = self.clock()
        statuses = ", ".join(f"{count} {word}" for word, count in sorted(self._statuses.items()))
        bar = Table.grid(padding=(0, 1))
        bar.add_row(
            *([self._prefix.rstrip()] if self._prefix else []),
            ProgressBar(total=self._total or 1, completed=self._done, width=_BAR_WIDTH),
            f"{self._done}/{self._total}{f'  {statuses}' if statuses else ''}  {_duration(now - self._started_at)}",
        )
        lines: list[Any] = [bar]
        limit = min(_MAX_RUNNING, max(self._console.height - 3, 1))
        for task, running in list(self._running.items())[:limit]:
            number = f" trial {running.trial}" if self._trials > 1 and running.trial else ""
            text = f"  {one_line(running.text)}" if running.text else ""
            line = f"  > {one_line(task)}{number}  {_duration(now - running.started_at)}{text}"
            lines.append(Text(line, no_wrap=True, overflow="ellipsis"))
        if (hidden := len(self._running) - limit) > 0:
            lines.append(Text(f"  and {hidden} more"))
        return Group(*lines)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02d}"


def _size(tasks: int, trials: int, *, is_most: bool) -> str:
    return f"{counted(tasks, 'task')}, {'at most ' if is_most else ''}{counted(trials, 'trial')} each"


def _decided(event: Decided) -> str:
    interval = None if event.lower is None or event.upper is None else (event.lower, event.upper)
    what = decision_text(event.mean, event.count, event.threshold, interval, event.reason)
    return f"{event.decision.upper():6} {one_line(event.task) or 'this run'}: {what}"
