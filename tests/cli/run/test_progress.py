"""Progress of a run: moving lines on a terminal, and lines for logs and programs elsewhere."""

import io
import re
from pathlib import Path

import pytest

from waza_engine.runs.events import (
    BaselineEvent,
    Note,
    RunStarted,
    TaskFinished,
    TaskStarted,
    TrialFinished,
    TrialProgress,
    TrialStarted,
)
from waza_lsp.cli.run.progress import LiveProgress

_CONTROL = re.compile(r"\x1b\[(\??\d*)([A-Za-z])|(\r)|(\n)|([^\x1b\r\n]+)")


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("TERM", "xterm"), ("COLUMNS", "80"), ("LINES", "24"), ("NO_COLOR", "1")):
        monkeypatch.setenv(name, value)


def screen(progress: LiveProgress) -> list[str]:
    """The lines on the terminal now: a terminal that knows what `rich` writes."""
    assert isinstance(progress.out, io.StringIO)
    lines, row = [""], 0
    for count, command, start, end, text in _CONTROL.findall(progress.out.getvalue()):
        if end:
            row += 1
            lines += [""] * (row == len(lines))
        elif text:
            lines[row] += text
        elif command == "A":
            row -= int(count or 1)
        elif command == "K":
            assert count == "2"
            lines[row] = ""
        else:
            assert start or command in "mhl"
    return [line.rstrip() for line in lines if line.strip()]


def finished(task: str, trial: int, status: str = "passed") -> TrialFinished:
    return TrialFinished("r", task, trial, status, 1.0, 1.0, 1, 5, "", ())  # type: ignore[arg-type]  # a status


def test_a_terminal_shows_what_goes_on() -> None:
    now = 100.0
    progress = LiveProgress(io.StringIO(), lambda: now)
    progress(RunStarted("r", Path("e"), "demo", "mock", "m", ("a", "b"), 2, 2))
    progress(TaskStarted("r", "a", "A", None, ()))
    progress(TaskStarted("r", "b", "B", None, ()))
    progress(TrialStarted("r", "a", 1))
    progress(TrialStarted("r", "b", 1))
    now += 65
    progress(TrialProgress("r", "a", 1, "tool bash\x1b[31m\nevil"))
    assert screen(progress) == [
        "demo: 2 tasks, 2 trials each, with mock",
        f"{' ' * 24} 0/4  1:05",
        "  > a trial 1  1:05  tool bash\ufffd[31m evil",
        "  > b trial 1  1:05",
    ]
    progress(finished("a", 1))
    progress(TrialStarted("r", "a", 2))
    progress(finished("a", 2, "failed"))
    progress(TaskFinished("r", "a", "failed", 0.5, 0.5))
    now += 1
    progress.tick()
    shown = screen(progress)
    assert [shown[0], shown[1], shown[3]] == [
        "demo: 2 tasks, 2 trials each, with mock",
        "FAIL  a  1/2 trials  score 0.50",
        "  > b trial 1  1:06",
    ]
    assert shown[2] == "\u2501" * 12 + " " * 13 + "2/4  1 failed, 1 passed  1:06"
    progress(Note("r", "warning", "careful"))
    progress.clear()
    assert screen(progress)[-1] == "warning: careful"


def test_the_cursor_is_visible_after_the_run() -> None:
    out = io.StringIO()
    progress = LiveProgress(out, lambda: 0.0)
    progress(RunStarted("r", Path("e"), "demo", "mock", "m", ("a",), 1, 1))
    progress(TaskStarted("r", "a", "A", None, ()))
    assert out.getvalue().count("\x1b[?25l") == 1
    progress.clear()
    progress.clear()
    assert out.getvalue().count("\x1b[?25h") == 1


def test_markup_of_a_task_is_text() -> None:
    progress = LiveProgress(io.StringIO(), lambda: 0.0)
    progress(RunStarted("r", Path("e"), "[red]demo[/red] :smile:", "mock", "m", ("a",), 1, 1))
    progress(TaskStarted("r", "[bold]a", "A", None, ()))
    assert screen(progress)[0].startswith("[red]demo[/red] :smile:: 1 task, 1 trial each")
    assert screen(progress)[-1] == "  > [bold]a  0:00"


def test_the_pass_without_skills_is_told_apart() -> None:
    progress = LiveProgress(io.StringIO(), lambda: 0.0)
    progress(RunStarted("r", Path("e"), "demo", "mock", "m", ("a",), 1, 1))
    for told in (
        TaskStarted("r", "a", "A", None, ()),
        finished("a", 1),
        TaskFinished("r", "a", "passed", 1.0, 1.0),
    ):
        progress(BaselineEvent("r", told))
    progress.clear()
    assert screen(progress)[-1] == "without skills: PASS  a  score 1.00"


def test_many_quick_trials_are_not_all_drawn() -> None:
    out = io.StringIO()
    progress = LiveProgress(out, lambda: 0.0)
    progress(RunStarted("r", Path("e"), "demo", "mock", "m", ("a",), 1000, 1))
    progress(TaskStarted("r", "a", "A", None, ()))
    for number in range(1000):
        progress(TrialStarted("r", "a", number))
        progress(finished("a", number))
    assert len(out.getvalue()) < 1000


def test_only_some_of_many_running_tasks_are_shown() -> None:
    now = 0.0
    progress = LiveProgress(io.StringIO(), lambda: now)
    tasks = tuple(f"t{number}" for number in range(12))
    progress(RunStarted("r", Path("e"), "demo", "mock", "m", tasks, 1, 12))
    for task in tasks:
        progress(TaskStarted("r", task, task, None, ()))
    now = 1.0
    progress.tick()
    assert screen(progress)[-2:] == ["  > t7  0:01", "  and 4 more"]
