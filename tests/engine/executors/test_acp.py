"""Agents over the Agent Client Protocol, with a stand-in agent that does what the prompt says."""

import os
import shlex
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.engine.executors import stand_in_acp_agent
from tests.engine.runs.bench import Bench, contains, task
from waza_engine.executors.acp import AcpExecutor
from waza_engine.executors.base import ExecutorOptions, TriggerRequest, UnavailableError
from waza_engine.model.records import TrialRecord
from waza_engine.model.suite import CommandMock, GraderEntry, InputFile, McpMock

pytest.importorskip(
    "acp", reason="the protocol is not installed; install the extra: pip install 'waza-lsp[acp]'"
)
COMMAND = shlex.join([sys.executable, stand_in_acp_agent.__file__])


def executor() -> AcpExecutor:
    return AcpExecutor(ExecutorOptions(Path(), agent_command=COMMAND, environment=os.environ))


async def only_trial(bench: Bench, prompt: str, *graders: GraderEntry, **more: Any) -> TrialRecord:
    around = {key: more.pop(key) for key in ("mcp_mocks", "settings") if key in more}
    suite = bench.suite(task("a", prompt, **more), graders=graders, **around)
    return (await bench.run(suite, executor())).tasks[0].trials[0]


async def test_what_the_agent_says_and_consumes(bench: Bench) -> None:
    only = await only_trial(bench, "hello", contains("you said hello"))
    assert (only.status, only.error, only.trajectory.session_id) == ("passed", "", "s-1")
    assert only.trajectory.session is not None
    assert only.trajectory.session.usage is not None
    assert only.trajectory.session.usage.tokens == 9


async def test_files_are_written_through_us(bench: Bench) -> None:
    only = await only_trial(bench, "write from the agent", files=(InputFile("in.txt", b"x"),))
    assert only.trajectory.files == {"in.txt": "x", "out.txt": "from the agent"}


async def test_the_session_goes_on_with_follow_ups(bench: Bench) -> None:
    only = await only_trial(bench, "one", contains("you said three"), follow_ups=("two", "three"))
    assert (only.status, only.trajectory.output) == ("passed", "you said three")


async def test_permission_is_given(bench: Bench) -> None:
    assert (await only_trial(bench, "ask")).trajectory.output == "yes"


async def test_mocked_servers_and_programs_reach_the_agent(bench: Bench) -> None:
    mock = McpMock("tickets", {"find": {"responses": [{"return": "a broken thing"}]}})
    only = await only_trial(bench, "call tickets find", contains("a broken thing"), mcp_mocks=(mock,))
    assert (only.status, only.error) == ("passed", "")
    [event] = only.trajectory.tool_events
    assert (event.tool_name, event.success, event.args) == ("tickets/find", True, {"x": 1})
    program = CommandMock("kubectl", ({"args": ["get"], "stdout": "pod-1"},), expect_calls=1)
    only = await only_trial(bench, "run kubectl get", contains("pod-1"), command_mocks=(program,))
    assert [it.status for it in only.graders] == ["passed", "passed"]


async def test_graders_of_tool_names_have_no_verdict(bench: Bench) -> None:
    strict = GraderEntry("tool_calls", "none", config={"forbidden_tools": ["bash"]})
    only = await only_trial(bench, "hello", strict)
    assert (only.status, "does not know tool names" in only.error) == ("error", True)


async def test_a_turn_that_takes_too_long_is_ended_and_what_there_is_is_graded(bench: Bench) -> None:
    before = time.monotonic()
    only = await only_trial(bench, "sleep", contains("sleeping"), timeout_seconds=1)
    assert time.monotonic() - before < 8
    assert (only.status, only.error) == ("error", "timed out after 1 s (turn 1)")
    assert [it.status for it in only.graders] == ["passed"]


@pytest.mark.parametrize(
    ("prompt", "told"), [("die", "The agent failed"), ("refuse", "The agent stopped: refusal")]
)
async def test_an_agent_that_fails(bench: Bench, prompt: str, told: str) -> None:
    only = await only_trial(bench, prompt)
    assert (only.status, only.error.startswith(told)) == ("error", True), only.error


async def test_an_agent_that_speaks_something_else(bench: Bench) -> None:
    other = AcpExecutor(ExecutorOptions(Path(), agent_command="true", environment=os.environ))
    only = (await bench.run(bench.suite(task("a")), other)).tasks[0].trials[0]
    assert (only.status, "opens no session" in only.error) == ("error", True)


async def test_words_in_braces_would_reach_the_agent_as_they_are() -> None:
    command = f"{COMMAND} --model {{model}} | tee log"
    other = AcpExecutor(ExecutorOptions(Path(), agent_command=command, environment=os.environ))
    assert "the agent gets '|' as an argument" in other.warning
    with pytest.raises(UnavailableError, match=r"does not know '\{model\}' .* It replaces no words"):
        await other.start()


async def test_it_cannot_tell_whether_a_skill_was_triggered() -> None:
    with pytest.raises(UnavailableError, match="which skills were loaded"):
        await executor().triggered(TriggerRequest("p", "s", should_trigger=True))
