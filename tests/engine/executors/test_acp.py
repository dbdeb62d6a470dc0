"""Tests of the acp executor, with a stand-in agent that executes its prompt."""

import os
import shlex
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.engine.executors import stand_in_acp_agent
from tests.engine.runs.bench import Bench, contains, task
from waza_engine.executors.acp import AcpExecutor
from waza_engine.executors.base import ExecutorOptions, TriggerRequest, UnavailableError
from waza_engine.model.results.records import TrialRecord
from waza_engine.model.suite import CommandMock, GraderEntry, InputFile, McpMock

pytestmark = pytest.mark.skipif(
    find_spec("acp") is None,  # Importing it takes 0.7 s, in every worker.
    reason="the protocol is not installed; install the extra: pip install 'waza-lsp[acp]'",
)
COMMAND = shlex.join([sys.executable, stand_in_acp_agent.__file__])


def executor() -> AcpExecutor:
    return AcpExecutor(ExecutorOptions(Path(), agent_command=COMMAND, environment=os.environ))


async def only_trial(bench: Bench, prompt: str, *graders: GraderEntry, **more: Any) -> TrialRecord:
    around = {key: more.pop(key) for key in ("mcp_mocks", "settings") if key in more}
    suite = bench.suite(task("a", prompt, **more), graders=graders, **around)
    return (await bench.run(suite, executor())).tasks[0].trials[0]


async def test_output_and_token_usage(bench: Bench) -> None:
    only = await only_trial(bench, "hello", contains("you said hello"))
    assert (only.status, only.error, only.trajectory.session_id) == ("passed", "", "s-1")
    assert only.trajectory.session is not None
    assert only.trajectory.session.usage is not None
    assert only.trajectory.session.usage.tokens == 9


async def test_files_are_written_through_the_client(bench: Bench) -> None:
    only = await only_trial(bench, "write from the agent", files=(InputFile("in.txt", b"x"),))
    assert only.trajectory.files == {"in.txt": "x", "out.txt": "from the agent"}


async def test_follow_ups_continue_the_session(bench: Bench) -> None:
    only = await only_trial(bench, "one", contains("you said three"), follow_ups=("two", "three"))
    assert (only.status, only.trajectory.output) == ("passed", "you said three")


async def test_permission_requests_are_approved(bench: Bench) -> None:
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


async def test_a_turn_that_times_out_is_stopped_and_graded(bench: Bench) -> None:
    before = time.monotonic()
    only = await only_trial(bench, "sleep", contains("sleeping"), timeout_seconds=1)
    assert time.monotonic() - before < 8
    assert (only.status, only.error) == ("error", "timed out after 1 s (turn 1)")
    assert [it.status for it in only.graders] == ["passed"]


@pytest.mark.parametrize(
    ("prompt", "message", "infrastructure"),
    [
        ("die", "The agent is gone: Connection closed", True),
        ("fail -32000", "The agent failed: no", True),  # nobody has logged in
        ("fail -32603", "The agent failed: no", False),
        ("refuse", "The agent stopped: refusal", False),
    ],
)
async def test_an_agent_that_fails(bench: Bench, prompt: str, message: str, *, infrastructure: bool) -> None:
    only = await only_trial(bench, prompt)
    assert (only.status, only.error, only.infrastructure) == ("error", message, infrastructure)


async def test_an_agent_with_another_protocol(bench: Bench) -> None:
    other = AcpExecutor(ExecutorOptions(Path(), agent_command="true", environment=os.environ))
    only = (await bench.run(bench.suite(task("a")), other)).tasks[0].trials[0]
    assert (only.status, "did not open a session" in only.error) == ("error", True)


async def test_placeholders_in_the_command_are_refused() -> None:
    command = f"{COMMAND} --model {{model}} | tee log"
    other = AcpExecutor(ExecutorOptions(Path(), agent_command=command, environment=os.environ))
    assert "the agent gets '|' as an argument" in other.warning
    with pytest.raises(UnavailableError, match=r"does not know '\{model\}' .* It has no placeholders"):
        await other.start()


async def test_triggered_skills_are_unknown() -> None:
    with pytest.raises(UnavailableError, match="which skills were loaded"):
        await executor().triggered(TriggerRequest("p", "s", should_trigger=True))
