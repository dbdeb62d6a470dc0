"""The executor copilot-sdk without a CLI: whose fault an error is, and what its version is."""

import asyncio
from pathlib import Path

import pytest

from waza_engine.executors.base import ExecutorOptions, TrialRequest
from waza_engine.executors.copilot_sdk import CopilotExecutor
from waza_engine.executors.event_log import EventLog
from waza_engine.model.suite import Task


class ProcessExitedError(Exception):
    """The SDK has an error of this name, for a CLI that has ended."""


class BrokenSession:
    def __init__(self, error: Exception) -> None:
        self._error = error

    async def send_and_wait(self, prompt: str, timeout: float) -> None:  # noqa: ASYNC109  # the SDK's own signature
        raise self._error

    async def abort(self) -> None: ...


@pytest.mark.parametrize(
    ("error", "is_outage"),
    [
        (ProcessExitedError("CLI exited with 137"), True),
        (BrokenPipeError("gone"), True),
        (EOFError(), True),
        (RuntimeError("the model refused"), False),
    ],
)
async def test_a_cli_that_is_gone_is_no_failure_of_the_agent(
    tmp_path: Path, error: Exception, *, is_outage: bool
) -> None:
    executor, log = CopilotExecutor(ExecutorOptions(tmp_path)), EventLog()
    request = TrialRequest(Task("a", "a", "hello"), 1, tmp_path)
    await executor._turn(BrokenSession(error), "hello", request, log, asyncio.Event())
    found = log.so_far(request.task, "m")
    assert (found.infrastructure, found.error) == (is_outage, str(error) or "EOFError")
    # An earlier error of the agent stays its own.
    log = EventLog()
    log.error = "timed out"
    await executor._turn(BrokenSession(error), "hello", request, log, asyncio.Event())
    assert not log.infrastructure


def test_another_cli_is_another_version(tmp_path: Path) -> None:
    cli = tmp_path / "copilot"
    found = []
    for text in ("one", "two", "two"):
        cli.write_text(text)
        environment = {"COPILOT_CLI_PATH": str(cli)}
        found.append(CopilotExecutor(ExecutorOptions(tmp_path, environment=environment)).identity())
    assert found[0] != found[1] == found[2]
