"""The real Copilot CLI as agent: through its SDK, as a command, and over ACP. Its model is a script on loopback."""

import gc
import os
import shlex
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engine.runs.bench import Bench, contains, task
from tests.executors.conftest import needs
from tests.executors.stand_in_model import StandInModel
from waza_engine.executors.base import Executor, ExecutorOptions, TriggerRequest, UnavailableError
from waza_engine.executors.registry import make_executor
from waza_engine.judges.copilot import CopilotJudge
from waza_engine.lib.process.environment import PASS_VARIABLE
from waza_engine.model.results.records import TrialRecord
from waza_engine.model.suite import (
    CommandMock,
    CustomAgent,
    GraderEntry,
    InputFile,
    McpMock,
    Responder,
    Suite,
)
from waza_engine.project.load_suite import load_suite
from waza_engine.runs.planning.participants import judge_for
from waza_engine.runs.planning.plan import Overrides, make_plan

pytestmark = [
    pytest.mark.editor,
    pytest.mark.slow,
    # The SDK leaves its pipes open.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
SKILL = "---\nname: hello-skill\ndescription: Says hello to people.\n---\nAlways say hello, world.\n"
SHELL = ("bash", {"command": "cat in.txt > out.txt", "description": "copy"})
REQUIRED = GraderEntry("tool_calls", "shell", config={"required_tools": ["bash"]})
FILES = (InputFile("in.txt", b"from the fixture"),)


@pytest.fixture(autouse=True)
def _collected() -> Iterator[None]:
    yield
    gc.collect()  # what the open pipes warn of belongs to the test that left them


def options(
    folder: Path, model: StandInModel, cli: str, command: str = "", form: str = ""
) -> ExecutorOptions:
    environment = {**os.environ, **model.environment(folder / "home"), "COPILOT_CLI_PATH": cli}
    environment[PASS_VARIABLE] = "COPILOT_*"  # Commands get no keys of ours unless the user names them.
    return ExecutorOptions(folder, agent_command=command, agent_format=form, environment=environment)


@pytest.fixture
def sdk(bench: Bench, model: StandInModel, cli: str) -> Executor:
    needs("copilot")
    return make_executor("copilot-sdk", options(bench.folder, model, cli))


async def run_only(bench: Bench, suite: Suite, executor: Executor) -> TrialRecord:
    return (await bench.run(suite, executor)).tasks[0].trials[0]


def read(request: dict[str, Any]) -> str:
    return str(request["messages"])


async def test_the_sdk_runs_tools_in_the_workspace(bench: Bench, model: StandInModel, sdk: Executor) -> None:
    model.script = [SHELL, "Copied it."]
    suite = bench.suite(
        task("a", files=FILES), graders=(contains("copied"), REQUIRED), settings={"timeout_seconds": 30}
    )
    only = await run_only(bench, suite, sdk)
    assert (only.status, only.error) == ("passed", "")
    done = only.trajectory
    assert (done.output, done.files["out.txt"]) == ("Copied it.", "from the fixture")
    assert [(it.tool_name, it.args, it.success) for it in done.tool_events] == [(*SHELL, True)]
    assert done.session is not None
    assert done.session.usage is not None
    assert (done.session.usage.input_tokens, done.session.usage.output_tokens, done.session.usage.turns) == (
        20,
        6,
        2,
    )


async def test_the_sdk_keeps_the_session_for_follow_ups(
    bench: Bench, model: StandInModel, sdk: Executor
) -> None:
    model.script = ["first answer", "second answer"]
    suite = bench.suite(task("a", follow_ups=("and now?",)), settings={"timeout_seconds": 30})
    only = await run_only(bench, suite, sdk)
    assert (only.error, only.trajectory.output) == ("", "second answer")
    assert "first answer" in read(model.requests[-1])


async def test_the_sdk_loads_skills_and_the_baseline_does_not(
    bench: Bench, model: StandInModel, sdk: Executor
) -> None:
    folder = bench.folder / "skills" / "hello-skill"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL, encoding="utf-8")
    model.script = [("skill", {"skill": "hello-skill"}), "hello, world"]
    settings = {"timeout_seconds": 30, "skill_directories": (str(folder),), "baseline": True}
    wanted = GraderEntry(
        "skill_invocation", "loads", config={"required_skills": ["hello-skill"], "mode": "any_order"}
    )
    suite = bench.suite(task("a"), graders=(wanted,), settings=settings)
    suite = Suite(**{name: getattr(suite, name) for name in Suite.__slots__} | {"skill": "hello-skill"})
    record = await bench.run(suite, sdk)
    assert record.baseline is not None
    with_skills, without = record.tasks[0].trials[0], record.baseline.tasks[0].trials[0]
    assert [it.name for it in with_skills.trajectory.skills] == ["hello-skill"]
    assert "Always say hello, world." in read(model.requests[0])
    assert list(without.trajectory.skills) == []


async def test_the_sdk_tells_whether_a_skill_is_triggered(
    bench: Bench, model: StandInModel, sdk: Executor
) -> None:
    folder = bench.folder / "skills" / "hello-skill"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL, encoding="utf-8")
    await sdk.start()
    try:
        asked = TriggerRequest(
            "greet", "hello-skill", should_trigger=True, timeout_seconds=30, skill_directories=(folder,)
        )
        model.script = [("skill", {"skill": "hello-skill"}), "hello"]
        assert await sdk.triggered(asked)
        model.script = ["no skill needed"]
        assert not await sdk.triggered(asked)
    finally:
        await sdk.close()


async def test_a_turn_that_takes_too_long_is_aborted(
    bench: Bench, model: StandInModel, sdk: Executor
) -> None:
    model.script = [("bash", {"command": "echo x > began.txt; sleep 60", "description": "wait"}), "late"]
    suite = bench.suite(task("a", timeout_seconds=4), graders=(REQUIRED,))
    before = time.monotonic()
    only = await run_only(bench, suite, sdk)
    assert time.monotonic() - before < 12
    assert (only.status, only.error) == ("error", "timed out after 4 s (turn 1)")
    assert only.trajectory.files == {"began.txt": "x\n"}
    assert [it.status for it in only.graders] == ["passed"]


async def test_nobody_is_signed_in(bench: Bench, cli: str) -> None:
    needs("copilot")
    environment = {"PATH": os.environ["PATH"], "HOME": str(bench.folder), "COPILOT_CLI_PATH": cli}
    executor = make_executor("copilot-sdk", ExecutorOptions(bench.folder, environment=environment))
    try:
        with pytest.raises(UnavailableError, match="You are not signed in"):
            await executor.start()
    finally:
        await executor.close()


async def test_the_cli_as_a_command(bench: Bench, model: StandInModel, cli: str) -> None:
    command = shlex.join([cli, "-p", "{prompt}", "--allow-all-tools", "--output-format", "json"])
    executor = make_executor("command", options(bench.folder, model, cli, command, "copilot-jsonl"))
    model.script = [SHELL, "Copied it."]
    suite = bench.suite(
        task("a", files=FILES), graders=(contains("copied"), REQUIRED), settings={"timeout_seconds": 30}
    )
    only = await run_only(bench, suite, executor)
    assert (only.status, only.error, only.trajectory.files["out.txt"]) == ("passed", "", "from the fixture")


async def test_the_cli_over_acp(bench: Bench, model: StandInModel, cli: str) -> None:
    needs("acp")
    executor = make_executor("acp", options(bench.folder, model, cli, shlex.join([cli, "--acp", "--stdio"])))
    model.script = [SHELL, "Copied it."]
    limit = GraderEntry("behavior", "few", config={"max_tool_calls": 1})
    suite = bench.suite(
        task("a", files=FILES), graders=(contains("copied"), limit), settings={"timeout_seconds": 30}
    )
    only = await run_only(bench, suite, executor)
    assert (only.status, only.error, only.trajectory.files["out.txt"]) == ("passed", "", "from the fixture")
    refused = bench.suite(task("a"), graders=(REQUIRED,), settings={"timeout_seconds": 30})
    only = await run_only(bench, refused, executor)
    assert (only.status, "not available: the executor 'acp' does not know tool names" in only.error) == (
        "error",
        True,
    )


async def test_mocked_servers_and_programs_are_there_for_the_agent(
    bench: Bench, model: StandInModel, sdk: Executor
) -> None:
    model.script = [
        ("bash", {"command": "kubectl get pods > pods.txt", "description": "look"}),
        ("tickets-find", {"id": 7}),
        "There is one pod.",
    ]
    program = CommandMock("kubectl", ({"args": ["get", "pods"], "stdout": "pod-1\n"},), expect_calls=1)
    server = McpMock("tickets", {"find": {"responses": [{"match": {"id": 7}, "return": "a broken thing"}]}})
    suite = bench.suite(
        task("a", command_mocks=(program,)),
        graders=(contains("one pod"),),
        settings={"timeout_seconds": 30},
        mcp_mocks=(server,),
    )
    only = await run_only(bench, suite, sdk)
    assert (only.status, only.error, only.trajectory.files["pods.txt"]) == ("passed", "", "pod-1\n")
    assert [it.name for it in only.graders] == ["says", "_expect_calls:kubectl"]
    assert [it.tool_name for it in only.trajectory.tool_events] == ["bash", "tickets-find"]
    assert "a broken thing" in read(model.requests[-1])


async def test_a_custom_agent_is_offered_its_tools_alone(
    bench: Bench, model: StandInModel, sdk: Executor
) -> None:
    model.script = ["I only look."]
    agent = CustomAgent(bench.folder / "x.agent.md", "x", "You only look.", ("read",))
    suite = bench.suite(task("a"), graders=(contains("only"),), settings={"timeout_seconds": 30}, agent=agent)
    assert (await run_only(bench, suite, sdk)).status == "passed"
    request = model.requests[0]
    assert [it["function"]["name"] for it in request["tools"]] == ["view"]
    assert "You only look." in read(request)


async def test_the_cli_plays_the_user(bench: Bench, model: StandInModel, sdk: Executor, cli: str) -> None:
    answers = {
        "assistant": iter(["Which file?", "Done."]),
        "user": iter([("reply", {"message": "a.txt"}), ("stop", {})]),
    }
    settings = {"timeout_seconds": 30, "executor": "copilot-sdk"}
    suite = bench.suite(
        task("a", responder=Responder("The file is a.txt.", 3)),
        graders=(contains("done"),),
        settings=settings,
    )
    environment = options(bench.folder, model, cli).environment
    bench.judge = judge_for(make_plan(suite, Overrides()), environment)
    assert isinstance(bench.judge, CopilotJudge)

    def answer(request: dict[str, Any]) -> Any:
        plays_user = "You play the user" in read(request)
        last = request["messages"][-1]["role"]
        return "ok" if last == "tool" else next(answers["user" if plays_user else "assistant"])

    model.decide = answer
    only = await run_only(bench, suite, sdk)
    assert (only.status, only.error, only.trajectory.output) == ("passed", "", "Done.")
    assert only.trajectory.responder is not None
    assert (only.trajectory.responder.outcome, only.trajectory.responder.followups) == ("stopped", 1)


VALLY = """\
environment:
  skills: [skills/hello-skill]
  files: [{src: in.txt, dest: in.txt}]
stimuli:
  - name: says-hello
    turns: [Greet me., Copy the file.]
    graders:
      - type: output-contains
        config: {substring: copied}
      - type: tool-calls
        config:
          required: [{name: ^bash$, command: in\\.txt}]
      - type: skill-invocation
        config: {required: [hello-skill]}
      - type: file-contains
        config: {path: out.txt, value: from the fixture}
      - type: turn-count
        config: {max: 9}
scoring:
  threshold: 0.9
"""


async def test_the_sdk_runs_a_spec_of_vally(bench: Bench, model: StandInModel, sdk: Executor) -> None:
    folder = bench.folder / "skills" / "hello-skill"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL, encoding="utf-8")
    (bench.folder / "in.txt").write_text("from the fixture", encoding="utf-8")
    (bench.folder / "eval.yaml").write_text(VALLY, encoding="utf-8")
    model.script = [("skill", {"skill": "hello-skill"}), "hello, world", SHELL, "Copied it."]
    suite = load_suite(bench.folder / "eval.yaml", process_dir=bench.folder)
    only = await run_only(bench, suite, sdk)
    assert (only.status, only.error) == ("passed", ""), [(it.name, it.feedback) for it in only.graders]
