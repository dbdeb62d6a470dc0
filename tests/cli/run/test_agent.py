"""`--agent-command`: whoever names an agent gets it, or is told why not."""

import contextlib
import json
import os
import shlex
import sqlite3
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from click.testing import CliRunner, Result

from waza_engine import run_eval
from waza_engine.runs.events import Event, Note
from waza_engine.runs.planning.plan import Overrides, PlanError
from waza_engine.runs.store.store import FILE_NAME, RunStore
from waza_lsp.cli import main

EVAL = """
name: demo
skill: demo-skill
config: {trials_per_task: 1, timeout_seconds: 30, executor: EXECUTOR}
graders: [{type: text, name: howls, config: {contains: [howdy]}}]
tasks: [tasks/*.yaml]
"""
ARMS = """
name: arms
evals: [spec.yaml]
baseline: {by: one}
matrix:
  by: {path: /defaults/executor, values: [{one: mock}, {two: OTHER}]}
"""
SPEC = """
stimuli:
  - {name: greets, prompt: hello, graders: [{type: output-contains, config: {substring: howdy}}]}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_eval(tmp_path, "mock")
    write(tmp_path / "tasks" / "a.yaml", "id: a\nname: a\ninputs: {prompt: hello}\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def agent(folder: Path) -> str:
    write(folder / "agent.py", "print('howdy')\n")
    return shlex.join([sys.executable, str(folder / "agent.py")])


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(text).lstrip(), encoding="utf-8")


def write_eval(folder: Path, executor: str) -> None:
    write(folder / "eval.yaml", EVAL.replace("EXECUTOR", executor))


def run(*arguments: str, of: str = "eval.yaml") -> Result:
    result = CliRunner().invoke(main, ["run", of, *arguments])
    assert "Traceback" not in result.output
    return result


def planned(*arguments: str, of: str = "eval.yaml") -> list[dict[str, Any]]:
    plans: list[dict[str, Any]] = json.loads(run(*arguments, "--dry-run", "--format", "json", of=of).stdout)[
        "plans"
    ]
    return plans


@pytest.mark.parametrize("executor", ["mock", "replay", "copilot-sdk", "codex"])
def test_an_agent_is_started_where_the_eval_names_an_executor_without_one(
    folder: Path, agent: str, executor: str
) -> None:
    write_eval(folder, executor)
    assert [it["executor"] for it in planned("--agent-command", agent)] == ["command"]
    result = run("--agent-command", agent)
    assert result.exit_code == 0, result.output


def test_the_executor_of_the_eval_stays_where_it_starts_agents(folder: Path, agent: str) -> None:
    write_eval(folder, "acp")
    assert [it["executor"] for it in planned("--agent-command", agent)] == ["acp"]
    assert [it["executor"] for it in planned("--agent-command", agent, "--executor", "command")] == [
        "command"
    ]


def test_who_goes_on_need_not_say_it_again(folder: Path, agent: str) -> None:
    run("--agent-command", agent)
    with RunStore(folder / ".waza-lsp") as store:
        [only] = store.runs()
    assert (only.frame.overrides.executor, only.frame.overrides.agent_command) == ("command", agent)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--executor", "mock"], "'mock' starts no program"),
        (["--executor", "copilot-sdk"], "'copilot-sdk' starts no program"),
        (["--executor", "nonsense"], "Unknown executor 'nonsense'"),
        (["--replay-from", "last"], "--replay-from starts no agent"),
    ],
)
def test_an_agent_that_nobody_would_start_is_refused(folder: Path, arguments: list[str], told: str) -> None:
    result = run("--agent-command", "my-agent", *arguments)
    assert (result.exit_code, told in result.stderr) == (2, True), result.output
    assert not (folder / ".waza-lsp").exists()


def test_a_pipe_is_told_before_the_agent_gets_it(agent: str) -> None:
    result = run("--agent-command", f"{agent} | tee log")
    assert "The agent command runs without a shell: the agent gets '|' as an argument" in result.stderr
    assert result.exit_code == 0, result.output
    assert "warning:" not in run("--agent-command", agent).stderr


def test_a_dry_run_of_a_resumed_run_is_refused() -> None:
    result = run("--resume", "--dry-run")
    assert (result.exit_code, "--dry-run shows a new run" in result.stderr) == (2, True)


def test_a_relative_path_is_told_before_the_agent_misses_it(folder: Path) -> None:
    write(folder / "agent.py", "print('howdy')")
    python = shlex.quote(sys.executable)
    result = run("--agent-command", f"{python} agent.py")
    told = "The agent starts in the task's workspace, not in this folder, so it may not find 'agent.py'. Use the full path"
    assert (result.exit_code, f"warning: {told}\n" in result.stderr) == (1, True), result.output
    result = run("--agent-command", f"{python} {shlex.quote(str(folder / 'agent.py'))}")
    assert (result.exit_code, "warning:" in result.stderr) == (0, False), result.output


def test_a_placeholder_that_nobody_replaces_is_an_error(agent: str) -> None:
    result = run("--agent-command", f"{agent} {{nope}}")
    assert result.exit_code == 2
    assert "does not know '{nope}' in the agent command. Known placeholders: {prompt}, " in result.stdout


def test_a_run_without_an_agent_is_not_gone_on_with_by_one(folder: Path, agent: str) -> None:
    run()
    with contextlib.closing(sqlite3.connect(folder / ".waza-lsp" / FILE_NAME)) as database, database:
        database.execute("UPDATE runs SET status = 'cancelled'")
    result = run("--resume", "--agent-command", agent)
    assert (result.exit_code, "starts no agent. Remove --agent-command" in result.stderr) == (2, True)


def test_the_library_chooses_and_refuses_as_well(folder: Path, agent: str) -> None:
    record = run_eval(folder / "eval.yaml", Overrides(agent_command=agent))
    assert (record.executor, record.status) == ("command", "passed")
    with pytest.raises(PlanError, match="'mock' starts no program"):
        run_eval(folder / "eval.yaml", Overrides(agent_command=agent, executor="mock"))


def test_the_library_names_the_credentials_that_agents_of_its_environment_do_not_get(
    folder: Path, agent: str
) -> None:
    events: list[Event] = []
    environment = {**os.environ, "ACME_API_KEY": "sk-123456789"}
    run_eval(
        folder / "eval.yaml", Overrides(agent_command=agent), emit=events.append, environment=environment
    )
    [note] = [it.message for it in events if isinstance(it, Note) and "do not get" in it.message]
    assert "ACME_API_KEY" in note


@pytest.mark.parametrize(
    ("other", "status", "executors"), [("command", 0, ["mock", "command"]), ("replay", 2, [])]
)
def test_arms_that_differ_in_who_performs_them_stay_different(
    folder: Path, agent: str, other: str, status: int, executors: list[str]
) -> None:
    write(folder / "spec.yaml", SPEC)
    write(folder / "arms.experiment.yaml", ARMS.replace("OTHER", other))
    result = run("--agent-command", agent, "--dry-run", "--format", "json", of="arms.experiment.yaml")
    assert result.exit_code == status, result.output
    if executors:
        assert [it["executor"] for it in json.loads(result.stdout)["plans"]] == executors
    else:
        assert "No arm of the experiment has an executor that starts an agent" in result.stderr
