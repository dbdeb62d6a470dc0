"""Runs from the editor that go on until each task is decided."""

from pathlib import Path

import pytest
from pytest_lsp import LanguageClient

from tests.server.conftest import Opener
from tests.server.runs.test_controller import configure, execute
from waza_engine.model.results.scores import ConfidenceInterval
from waza_engine.runs.events import Decided, Event, RunStarted, TaskStarted, TrialFinished
from waza_lsp.server.runs.controller import _Counts
from waza_lsp.server.runs.process import RunRequest


def test_the_command_has_the_threshold() -> None:
    command = RunRequest(Path("e.yaml"), threshold=0.8).command()
    assert command[-3:] == ["--until-decided", "--threshold", "0.8"]
    assert "--until-decided" not in RunRequest(Path("e.yaml")).command()


def test_the_progress_counts_decided_tasks() -> None:
    interval = ConfidenceInterval(0.0, 0.6)
    told: list[Event] = [
        RunStarted("r", Path("e.yaml"), "e", "mock", "", ("a", "b"), 50, 1, until_decided=True),
        TaskStarted("r", "a", "a", None, ()),
        TrialFinished("r", "a", 1, "failed", 0.0, 0.0, 1, 0, "", ()),
        Decided("r", "a", "below", 4, 0.0, 0.8, interval.lower, interval.upper),
        Decided("r", "b", "open", 4, 0.0, 0.8, interval.lower, interval.upper, "--max-trials"),
    ]
    counts = _Counts()
    assert [counts.take(it) for it in told] == [True, True, True, True, False]
    assert (counts.message, counts.percentage) == ("1 of 2 decided after 1 trial", 50)


@pytest.mark.slow
async def test_a_task_runs_until_it_is_decided(client: LanguageClient, suite: Path, opened: Opener) -> None:
    uri = opened(suite / "tasks" / "explain-retry.yaml")
    configure(client, executor="mock")
    argument = {"uri": uri, "task": "explain-retry", "threshold": 0.8}
    answer = await execute(client, "waza.runTask", argument)
    [task] = answer["tasks"]
    assert (answer["status"], task["status"]) == ("failed", "failed")
    # Two or three failures in a row are below 80 %, and the eval's own single trial would not be enough.
    assert len(task["graders"]) > 1
