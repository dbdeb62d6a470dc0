"""Live progress on a terminal: a line for every finished task, and below them what is going on right now."""

import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TextIO

from waza_engine.reports.text import WORDS, one_line
from waza_engine.runs.events import (
    BaselineEvent,
    Event,
    Note,
    RunStarted,
    TaskFinished,
    TaskStarted,
    TrialFinished,
    TrialProgress,
    TrialStarted,
)
from waza_lsp.cli.printing import may_colour

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
