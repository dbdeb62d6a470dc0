"""The agent's environment: mocked servers and programs, instruction files, custom agents, a simulated user."""

import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.engine.dialects.waza.suite_files import CONFIG, load, refused
from tests.engine.runs.bench import Bench, Scripted, contains, said, task
from waza_engine.executors.base import ExecutorOptions, TrialRequest
from waza_engine.executors.command import CommandExecutor
from waza_engine.judges.scripted import ScriptedJudge
from waza_engine.model.judge import JudgeCall
from waza_engine.model.suite import CommandMock, Responder
from waza_engine.model.trajectory import Session, ToolEvent, Trajectory
from waza_engine.reports.results.write import results_data
from waza_engine.runs.events import Note


def agent(code: str, *arguments: str) -> CommandExecutor:
    command = shlex.join([sys.executable, "-c", code, *arguments])
    return CommandExecutor(ExecutorOptions(Path(), agent_command=command, environment=os.environ))


def notes(bench: Bench) -> list[str]:
    return [it.message for it in bench.events if isinstance(it, Note)]


MOCKED = f"""
name: demo
skill: demo
{CONFIG}
mcp_mocks:
  - name: tickets
    fixtures: mocks/tickets
    tools: {{close: {{responses: [{{return: closed}}]}}}}
tasks: [tasks/*.yaml]
"""
FIXTURES = {
    "mocks/tickets/find.json": json.dumps(
        {"responses": [{"match": {"id": 7}, "return": {"title": "Broken"}}]}
    ),
    "mocks/tickets/more.json": json.dumps({"tools": {"list": {"responses": [{"return": []}]}}}),
}
# An agent that starts the servers of its configuration and calls a tool of the first one.
CALLS_A_TOOL = """
import json, subprocess, sys
servers = json.load(open(sys.argv[1]))["mcpServers"]
server = servers["tickets"]
ask = [{"id": 1, "method": "tools/list"}, {"id": 2, "method": "tools/call", "params": {"name": "find", "arguments": {"id": 7}}}]
done = subprocess.run([server["command"], *server["args"]], input="".join(json.dumps(it) + chr(10) for it in ask), capture_output=True, text=True)
tools, call = [json.loads(it)["result"] for it in done.stdout.splitlines()]
print([it["name"] for it in tools["tools"]], call["content"][0]["text"])
"""


async def test_a_mocked_server_is_there_for_the_agent(bench: Bench) -> None:
    suite = load(bench.folder, eval=MOCKED, **FIXTURES)
    record = await bench.run(suite, agent(CALLS_A_TOOL, "{mcp_config}"))
    only = record.tasks[0].trials[0]
    assert only.trajectory.output == """['find', 'list', 'close'] {"title":"Broken"}"""
    assert notes(bench) == []


async def test_the_mocked_servers_of_a_task_replace_those_of_the_eval(bench: Bench) -> None:
    task = "id: {0}\nname: {0}\ninputs: {{prompt: hi}}\n{1}"
    own = "mcp_mocks: [{name: tickets, tools: {find: {responses: [{return: own}]}}}]\n"
    tasks = {"tasks/a.yaml": task.format("a", own), "tasks/b.yaml": task.format("b", "")}
    suite = load(bench.folder, eval=MOCKED, **FIXTURES, **tasks)
    record = await bench.run(suite, agent(CALLS_A_TOOL, "{mcp_config}"))
    outputs = {it.task: it.trials[0].trajectory.output for it in record.tasks}
    assert (outputs["a"], outputs["b"]) == (
        "['find'] own",
        """['find', 'list', 'close'] {"title":"Broken"}""",
    )


async def test_an_empty_list_of_a_task_disables_the_mocked_servers(bench: Bench) -> None:
    task = "id: a\nname: a\ninputs: {prompt: hi}\nmcp_mocks: []\n"
    suite = load(bench.folder, eval=MOCKED, **FIXTURES, **{"tasks/a.yaml": task})
    record = await bench.run(suite, agent("import sys; print(open(sys.argv[1]).read())", "{mcp_config}"))
    outputs = {it.task: json.loads(it.trials[0].trajectory.output) for it in record.tasks}
    assert outputs["a"] == {"mcpServers": {}}


async def test_features_that_the_executor_ignores_are_noted(bench: Bench) -> None:
    suite = load(bench.folder, eval=MOCKED, **FIXTURES)
    await bench.run(suite)
    assert notes(bench) == ["The mock executor ignores mcp_mocks"]
    bench.events.clear()
    await bench.run(suite, agent("print('hello')"))
    assert notes(bench) == ["The command executor ignores mcp_mocks"]


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({}, "there is no directory"),
        ({"mocks/tickets/find.json": "{"}, "cannot be read"),
        ({"mocks/tickets/find.json": "{}"}, "responses"),
        ({"mocks/tickets/x.txt": ""}, "there is no JSON file"),
    ],
)
def test_fixtures_that_cannot_be_used_are_named(tmp_path: Path, files: dict[str, str], told: str) -> None:
    assert told in refused(tmp_path, eval=MOCKED, **files).message


CALLS_A_PROGRAM = """
import subprocess
done = subprocess.run(["kubectl", "get", "pods"], capture_output=True, text=True)
print(done.stdout.strip())
"""


async def test_mocked_programs_answer_and_are_counted(bench: Bench) -> None:
    mocks = CommandMock("kubectl", ({"args": ["get", "pods"], "stdout": "pod-1"},), expect_calls=1)
    other = CommandMock("az", ({"args": []},), expect_calls=2)
    suite = bench.suite(task("a", command_mocks=(mocks, other)), graders=(contains("pod-1"),))
    record = await bench.run(suite, agent(CALLS_A_PROGRAM))
    only = record.tasks[0].trials[0]
    assert [(it.name, it.status, it.feedback) for it in only.graders] == [
        ("says", "passed", "All checks passed"),
        ("_expect_calls:kubectl", "passed", ""),
        ("_expect_calls:az", "failed", "az was called 0 times, expected 2"),
    ]
    assert only.status == "failed"
    assert only.score == pytest.approx(2 / 3)
    assert results_data(record)["tasks"][0]["runs"][0]["command_invocations"] == [
        {"command": "kubectl", "args": ["get", "pods"], "exit_code": 0, "response_index": 0}
    ]


def test_a_task_s_own_mocks_replace_those_of_the_eval(tmp_path: Path) -> None:
    text = f"""
name: demo
skill: demo
{CONFIG.replace("executor: mock", "executor: copilot-sdk")}
command_mocks: [{{name: az, responses: [{{args: [], fixture: out.txt}}, {{args: [x], stdout: {{a: 1}}}}]}}]
tasks: [tasks/*.yaml]
"""
    tasks = {
        "tasks/b.yaml": "id: b\ninputs: {prompt: x}\ncommand_mocks: []\n",
        "tasks/c.yaml": "id: c\ninputs: {prompt: x}\ncommand_mocks: [{name: git, responses: [{args: []}]}]\n",
    }
    suite = load(tmp_path, eval=text, **{"out.txt": "from a file\n", **tasks})
    assert [[it.name for it in task.command_mocks] for task in suite.tasks] == [["az"], [], ["git"]]
    assert [it["stdout"] for it in suite.tasks[0].command_mocks[0].responses] == [
        "from a file\n",
        '{"a": 1}\n',
    ]
    missing = refused(tmp_path, eval=text.replace("out.txt", "gone.txt"), **tasks)
    assert missing.pointer == ("command_mocks", 0, "responses", 0, "fixture")


async def test_skill_and_instruction_files_are_in_the_system_message(
    bench: Bench, scripted: Scripted
) -> None:
    config = CONFIG.replace(
        "model: m", "model: m, skill_directories: [skills/demo], instruction_files: [AGENTS.md]"
    )
    files = {
        "skills/demo/SKILL.md": "---\nname: demo\n---\nBe polite.\n",
        "fixtures/AGENTS.md": "Use tabs.\n",
        "fixtures/docs/own.md": "Mind the gap.",
    }
    own = "id: a\ninputs: {prompt: x}\ninstruction_files: [docs/own.md]\n"
    text = f"name: demo\nskill: demo\n{config}\ntasks: [tasks/*.yaml]\n"
    await bench.run(load(bench.folder, eval=text, task=own, **files), scripted)
    without = text.replace("model: m", "model: m, inject_skill_body: false")
    await bench.run(load(bench.folder, eval=without, task=own, **files), scripted)
    assert [it.system_message for it in scripted.requests] == [
        "Be polite.\n\nUse tabs.\n\nMind the gap.",
        "Use tabs.\n\nMind the gap.",
    ]
    shown = agent("import sys; print(sys.argv[1])", "{system}")
    record = await bench.run(load(bench.folder, eval=text, task=own, **files), shown)
    assert record.tasks[0].trials[0].trajectory.output.startswith("Be polite.")


AGENT = "---\nname: demo\ntools: [read, bash]\n---\nYou are careful.\n"


async def test_a_custom_agent_is_held_to_its_tools(bench: Bench, scripted: Scripted) -> None:
    async def uses(_request: TrialRequest) -> Trajectory:
        events = [ToolEvent(tool_name=it, tool_call_id=it) for it in ("view", "fetch")]
        return Trajectory(output="hello", session=Session(), tool_events=events)

    scripted.perform = uses
    suite = load(bench.folder, **{".github/agents/demo.agent.md": AGENT, ".git/HEAD": ""})
    [implicit] = suite.tasks[0].graders
    assert (implicit.type, implicit.name, implicit.config) == (
        "tool_constraint",
        "agent_tools_implicit",
        {"allow_only": [{"tool": "read"}, {"tool": "bash"}]},
    )
    only = (await bench.run(suite, scripted)).tasks[0].trials[0]
    assert (only.status, only.error) == (
        "error",
        "The custom agent 'demo' called 'fetch', which its tools do not allow",
    )
    assert scripted.requests[0].allowed_tools == ("read", "bash")
    assert scripted.requests[0].system_message == "You are careful."


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("You are Ann.\n\n---\n\nMore.\n", "You are Ann.\n\n---\n\nMore."),
        ("---\nname: demo\n---\nOne.\n---\nTwo.\n", "One.\n---\nTwo."),
        ("---\n---\nOne.\n", "One."),
        ("---\nname: demo\nOne.\n", None),
        ("---\nname: [\n---\nOne.\n", None),
    ],
)
def test_a_custom_agent_is_told_all_that_is_not_front_matter(
    tmp_path: Path, text: str, body: str | None
) -> None:
    found = load(tmp_path, **{"demo.agent.md": text, ".git/HEAD": ""}).agent
    assert (found.body if found is not None else None) == body


def test_a_skill_wins_over_an_agent_and_a_grader_over_the_implicit_one(tmp_path: Path) -> None:
    files = {"demo.agent.md": AGENT, ".git/HEAD": ""}
    own = "graders: [{name: g, type: tool_constraint, config: {reject_tools: [{tool: rm}]}}]"
    suite = load(tmp_path, task=f"id: a\ninputs: {{prompt: x}}\n{own}\n", **files)
    assert suite.agent is not None
    assert [it.name for it in suite.tasks[0].graders] == ["g"]
    assert load(tmp_path, **{**files, "SKILL.md": "---\nname: demo\n---\n"}).agent is None


def replies(*calls: tuple[str, dict[str, Any]]) -> ScriptedJudge:
    return ScriptedJudge([[JudgeCall(*it)] for it in calls])


async def talked(bench: Bench, scripted: Scripted, most: int = 2) -> tuple[Any, list[str]]:
    heard: list[str] = []

    async def listens(request: TrialRequest) -> Trajectory:
        prompt: str | None = request.task.prompt
        so_far = said("")
        while prompt is not None:
            heard.append(prompt)
            so_far = said(f"heard {prompt}")
            prompt = await request.after_turn(len(heard), so_far)
        return so_far

    scripted.perform = listens
    asked = task("a", responder=Responder("Say yes.", most))
    record = await bench.run(bench.suite(asked, graders=(contains("heard"),)), scripted)
    return record, heard


@pytest.mark.parametrize(
    ("calls", "heard", "status", "outcome"),
    [
        (
            [("reply", {"message": "yes"}), ("stop", {"reason": "done"})],
            ["hello", "yes"],
            "passed",
            "stopped",
        ),
        ([("stop", {})], ["hello"], "passed", "stopped"),
        ([("reply", {"message": it}) for it in "abc"], ["hello", "a", "b"], "passed", "cap_exhausted"),
        ([("abstain", {"reason": "who knows"})], ["hello"], "error", "abstained"),
        ([("dance", {})], ["hello"], "error", "error"),
    ],
)
async def test_a_simulated_user_answers_stops_or_gives_up(
    bench: Bench, scripted: Scripted, calls: Any, heard: list[str], status: str, outcome: str
) -> None:
    bench.judge = replies(*calls)
    record, said_to_agent = await talked(bench, scripted)
    only = record.tasks[0].trials[0]
    assert (said_to_agent, only.status, only.trajectory.responder.outcome) == (heard, status, outcome)
    data = results_data(record)["tasks"][0]["runs"][0]["responder"]
    assert (data["outcome"], data["followups"]) == (outcome, len(heard) - 1)
    assert [it.status for it in only.graders] == ["passed"]


async def test_a_simulated_user_without_a_model_is_an_error_that_says_so(
    bench: Bench, scripted: Scripted
) -> None:
    record, _ = await talked(bench, scripted)
    assert "no model is configured to play the user" in record.tasks[0].trials[0].error


async def test_a_simulated_user_whose_model_is_down_is_no_failure(bench: Bench, scripted: Scripted) -> None:
    bench.judge = ScriptedJudge(errors=["err"])
    record, _ = await talked(bench, scripted)
    assert (record.tasks[0].trials[0].status, record.infrastructure) == ("error", True)


async def test_an_agent_that_fails_ends_the_talk(bench: Bench, scripted: Scripted) -> None:
    bench.judge = replies(("reply", {"message": "never said"}))

    async def fails(request: TrialRequest) -> Trajectory:
        so_far = said("half", error="hung up")
        assert await request.after_turn(1, so_far) is None
        return so_far

    scripted.perform = fails
    record = await bench.run(bench.suite(task("a", responder=Responder("Say yes.", 2))), scripted)
    only = record.tasks[0].trials[0]
    assert only.trajectory.responder is not None
    assert (only.error, only.trajectory.responder.outcome) == ("hung up", "error")
