"""Tests of the command executor: prompt in, answer or events out, limits enforced, no process left behind."""

import asyncio
import json
import os
import shlex
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.engine.runs.bench import Bench, contains, task
from waza_engine.executors.agent_process import LONGEST_LINE, Lines
from waza_engine.executors.base import ExecutorError, ExecutorOptions, TriggerRequest, UnavailableError
from waza_engine.executors.command import CommandExecutor
from waza_engine.model.results.records import RunRecord, TrialRecord
from waza_engine.model.suite import GraderEntry
from waza_engine.runs.run import exit_status

ECHO = "import sys; print('got ' + sys.stdin.read())"


def agent(
    code: str, *arguments: str, form: str = "", environment: Mapping[str, str] | None = None
) -> CommandExecutor:
    command = shlex.join([sys.executable, "-c", code, *arguments])
    return CommandExecutor(
        ExecutorOptions(
            Path(), agent_command=command, agent_format=form, environment=environment or os.environ
        )
    )


async def only_trial(
    bench: Bench, executor: CommandExecutor, *graders: GraderEntry, **more: Any
) -> TrialRecord:
    record: RunRecord = await bench.run(bench.suite(task("a", **more), graders=graders), executor)
    return record.tasks[0].trials[0]


def exists(path: str) -> bool:
    return Path(path).exists()


def is_running(process: int) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):  # it can end while we read
        return False


async def test_the_prompt_goes_to_stdin_and_stdout_is_the_answer(bench: Bench) -> None:
    only = await only_trial(bench, agent(ECHO), contains("got hello"))
    assert (only.status, only.trajectory.output, only.error) == ("passed", "got hello", "")
    assert [it["type"] for it in only.trajectory.transcript] == ["user.message", "assistant.message"]


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_lines_are_assembled_from_pieces(size: int) -> None:
    text, found = b"one\n\ntwo and more\nthe end", list[bytes]()
    lines = Lines(found.append)
    for at in range(0, len(text), size):
        lines.add(text[at : at + size])
    lines.end()
    assert found == text.splitlines(keepends=True)


def test_a_long_line_is_joined_once() -> None:
    piece, found = b"x" * 1000, list[bytes]()
    lines = Lines(found.append)
    started = time.process_time()
    for _ in range(8_000):
        lines.add(piece)
    lines.add(b"\n")
    # Put together anew for each piece, it would be 32 gigabytes that are copied.
    assert time.process_time() - started < 10
    assert [len(it) for it in found] == [8_000_001]


def test_a_line_that_is_too_long_is_left_out() -> None:
    found = list[bytes]()
    lines = Lines(found.append)
    lines.add(b"before\n")
    for _ in range(LONGEST_LINE // 1000 + 1):
        lines.add(b"x" * 1000)
    lines.add(b"\nafter\nlast")
    lines.end()
    assert found == [b"before\n", b"after\n", b"last"]


async def test_placeholders_are_filled_once_and_make_stdin_empty(bench: Bench) -> None:
    code = "import sys; print(sys.argv[1:], repr(sys.stdin.read()))"
    executor = agent(code, "--say={prompt}", "{model}", "{turn}", "{}", "${HOME}")
    record = await bench.run(
        bench.suite(task("a", prompt="do {model} 'it' $HOME"), settings={"model": "m"}), executor
    )
    output = record.tasks[0].trials[0].trajectory.output
    assert output == str(["--say=do {model} 'it' $HOME", "m", "1", "{}", "${HOME}"]) + " ''"


async def test_the_agent_works_in_the_workspace(bench: Bench) -> None:
    code = "import os; open('out.txt', 'w').write(os.environ['WAZA_LSP_TASK']); print(os.getcwd())"
    only = await only_trial(bench, agent(code))
    assert only.trajectory.files == {"out.txt": "a"}
    assert not exists(only.trajectory.output)


async def test_every_turn_starts_the_program_with_the_same_session(bench: Bench) -> None:
    code = "import sys; open('log', 'a').write(sys.argv[1] + ' ' + sys.argv[2] + '\\n'); print('turn', sys.argv[2])"
    only = await only_trial(bench, agent(code, "{session}", "{turn}", "{prompt}"), follow_ups=("more",))
    first, second = only.trajectory.files["log"].splitlines()
    assert first.split()[0] == second.split()[0]
    assert only.trajectory.output == "turn 2"


async def test_an_agent_that_fails_is_graded_and_stays_an_error(bench: Bench) -> None:
    code = "import sys; print('hello'); print('no credit', file=sys.stderr); sys.exit(3)"
    only = await only_trial(bench, agent(code), contains("hello"), follow_ups=("never said",))
    assert (only.status, only.error) == ("error", "The agent ended with exit code 3: no credit")
    assert [it.status for it in only.graders] == ["passed"]


async def test_a_timeout_kills_all_processes_of_the_agent(bench: Bench) -> None:
    code = (
        "import subprocess, sys, time; p = subprocess.Popen(['sleep', '60']); print('partial', p.pid, flush=True);"
        "time.sleep(60)"
    )
    before = time.monotonic()
    only = await only_trial(bench, agent(code), contains("partial"), timeout_seconds=1)
    assert time.monotonic() - before < 4
    assert (only.status, only.error) == ("error", "timed out after 1 s (turn 1)")
    assert [it.status for it in only.graders] == ["passed"]
    child = int(only.trajectory.output.split()[1])
    await asyncio.sleep(0.1)
    assert not is_running(child)


@pytest.mark.slow
async def test_without_output_in_time_the_agent_is_stopped(bench: Bench) -> None:
    code = "import time; time.sleep(30)"
    only = await only_trial(bench, agent(code), first_event_timeout_seconds=1)
    assert only.error == "no output within 1 s (turn 1)"
    code = "import time; print('here', flush=True); time.sleep(1.5); print('done')"
    only = await only_trial(bench, agent(code), first_event_timeout_seconds=1)
    assert (only.error, only.trajectory.output) == ("", "here\ndone")


@pytest.mark.slow
async def test_a_service_left_running_does_not_block_the_run(bench: Bench) -> None:
    code = "import subprocess; subprocess.Popen(['sleep', '30'], start_new_session=True); print('done')"
    before = time.monotonic()
    only = await only_trial(bench, agent(code), timeout_seconds=20)
    assert (only.error, only.trajectory.output) == ("", "done")
    assert time.monotonic() - before < 5


@pytest.mark.parametrize(
    ("config", "status"),
    [
        ({"max_tool_calls": 3}, "error"),
        ({"max_tokens": 3}, "error"),
        ({"forbidden_tools": ["bash"]}, "error"),
        ({"max_duration_ms": 60000}, "passed"),
    ],
)
async def test_graders_of_unknown_facts_have_no_verdict(bench: Bench, config: object, status: str) -> None:
    only = await only_trial(bench, agent(ECHO), GraderEntry("behavior", "limits", config=config))
    assert only.status == status
    assert ("not available: the executor 'command' does not know" in only.error) == (status == "error")


@pytest.mark.parametrize(
    ("kind", "config"),
    [
        ("tool_calls", {"max_calls": 0}),
        ("tool_constraint", {"reject_tools": [{"tool": "bash"}]}),
        ("action_sequence", {"matching_mode": "any_order_match", "expected_actions": ["view"]}),
        ("skill_invocation", {"forbidden_skills": ["x"]}),
        ("code", {"assertions": ["len(tool_calls) == 0"]}),
    ],
)
async def test_graders_of_tool_calls_and_skills_have_no_verdict(
    bench: Bench, kind: str, config: object
) -> None:
    only = await only_trial(bench, agent(ECHO), GraderEntry(kind, "it", config=config))
    assert only.status == "error"
    assert "not available: the executor 'command' does not know" in only.error


EVENTS = [
    {"type": "user.message", "data": {"content": "hello"}},
    {"type": "assistant.turn_start", "data": {}},
    {
        "type": "tool.execution_start",
        "data": {"toolCallId": "0", "toolName": "report_intent", "arguments": {}},
    },
    {"type": "tool.execution_complete", "data": {"toolCallId": "0", "success": True}},
    {
        "type": "tool.execution_start",
        "data": {"toolCallId": "1", "toolName": "bash", "arguments": {"command": "ls", "n": 3}},
    },
    {"type": "session.background_tasks_changed", "data": {}},
    {
        "type": "tool.execution_complete",
        "data": {"toolCallId": "1", "success": True, "result": {"content": "a.txt"}},
    },
    {"type": "skill.invoked", "data": {"name": "notes", "path": "/s/SKILL.md"}},
    {"type": "assistant.message", "data": {"content": "one "}},
    {"type": "assistant.message", "data": {"content": "two"}},
    {"type": "result", "sessionId": "s-1", "exitCode": 0},
]


async def test_events_of_the_copilot_cli_become_a_trajectory(bench: Bench) -> None:
    lines = ["no event", *(json.dumps(it) for it in EVENTS), "[1]", ""]
    code = f"print({chr(10).join(lines)!r})"
    graders = (
        GraderEntry("tool_calls", "calls", config={"required_tools": ["bash"], "max_calls": 1}),
        GraderEntry(
            "skill_invocation", "skill", config={"required_skills": ["notes"], "mode": "exact_match"}
        ),
        GraderEntry("code", "code", config={"assertions": ["tool_calls[0]['arguments']['command'] == 'ls'"]}),
    )
    only = await only_trial(bench, agent(code, form="copilot-jsonl"), *graders)
    assert (only.status, only.error) == ("passed", "")
    done = only.trajectory
    assert (done.output, done.session_id) == ("one two", "s-1")
    assert [it["type"] for it in done.transcript] == [
        "user.message",
        "assistant.turn_start",
        "tool.execution_start",
        "tool.execution_complete",
        "skill.invoked",
        "assistant.message",
        "assistant.message",
    ]
    assert [(it.tool_name, it.args, it.success) for it in done.tool_events] == [
        ("bash", {"command": "ls", "n": 3}, True)
    ]


async def test_triggers_are_read_from_events_and_unknown_in_text() -> None:
    code = f"print({chr(10).join(json.dumps(it) for it in EVENTS)!r})"
    executor = agent(code, form="copilot-jsonl")
    await executor.start()
    assert await executor.triggered(TriggerRequest("take notes", "notes", should_trigger=True))
    assert not await executor.triggered(TriggerRequest("take notes", "other", should_trigger=True))
    with pytest.raises(UnavailableError, match="does not know which skills were loaded"):
        await agent(ECHO).triggered(TriggerRequest("take notes", "notes", should_trigger=True))


@pytest.mark.parametrize(
    ("code", "is_outage"),
    [
        ("import sys; sys.exit('crash')", False),
        (f"print({json.dumps({'type': 'session.error', 'data': {'errorType': 'rate_limit'}})!r})", True),
    ],
    ids=["crash", "outage"],
)
async def test_an_agent_that_broke_down_has_not_decided_against_the_skill(
    code: str, *, is_outage: bool
) -> None:
    executor = agent(code, form="copilot-jsonl")
    await executor.start()
    with pytest.raises(ExecutorError) as caught:
        await executor.triggered(TriggerRequest("weather", "notes", should_trigger=False))
    assert caught.value.infrastructure is is_outage


async def test_an_agent_that_vanishes_during_the_run_is_no_failure(bench: Bench, tmp_path: Path) -> None:
    program = tmp_path / "agent"
    program.write_text('#!/bin/sh\nrm -f "$0"; echo done\n')
    program.chmod(0o755)
    executor = CommandExecutor(
        ExecutorOptions(Path(), agent_command=str(program), environment={"PATH": os.environ["PATH"]})
    )
    record = await bench.run(bench.suite(task("a"), task("b")), executor)
    first, second = (only for it in record.tasks for only in it.trials)
    assert (first.status, second.status, second.infrastructure) == ("passed", "error", True)
    assert "cannot be started: No such file" in second.error
    assert (record.status, exit_status(record), record.totals.success_rate) == ("error", 3, 1.0)


@pytest.mark.parametrize(
    ("command", "form", "message"),
    [
        ("", "", "needs an agent: --agent-command"),
        ("no-such-agent-anywhere {prompt}", "", "not found"),
        ("'unclosed", "", "cannot be split"),
        ("true", "xml", "Unknown agent format 'xml'"),
        ("true {nope} --say={promt} {prompt}", "", "does not know '{nope}', '{promt}' in the agent command"),
        ("true {nope}", "", "Known placeholders: {prompt}, {workspace}, {model}"),
    ],
)
async def test_an_unusable_command_is_reported_before_the_run(command: str, form: str, message: str) -> None:
    options = ExecutorOptions(
        Path(), agent_command=command, agent_format=form, environment={"PATH": os.environ["PATH"]}
    )
    with pytest.raises(UnavailableError, match=message):
        await CommandExecutor(options).start()


@pytest.mark.parametrize(
    "command",
    [
        "true {prompt} {}",
        "true 'a {nope} b'",
        """sh -c 'awk "{print}" < "$0"' {prompt}""",
        "true '{\"a\": 1}'",
        "true {a,b} ${HOME}",
        "true --template={{name}} {prompt}",
        "true HEAD@{upstream} --write-out=%{http_code}",
        "true {ab2504e0-4f89-11d3-9a0c-0305e82c3301}",
    ],
)
async def test_other_braces_are_passed_to_the_agent(command: str) -> None:
    executor = CommandExecutor(ExecutorOptions(Path(), agent_command=command, environment=os.environ))
    await executor.start()
    assert executor.warning == ""


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("true {prompt} | tee log", "'|'"),
        ("true < in > out 2>&1", "'<', '>', '2>&1'"),
        ("true && true 2>/dev/null ; true", "'&&', '2>/dev/null', ';'"),
        ("sh -c 'true | tee log'", ""),
        ("true '<b>' a|b", ""),
        ("'unclosed |", ""),
    ],
)
def test_shell_syntax_is_reported(command: str, words: str) -> None:
    warning = CommandExecutor(ExecutorOptions(Path(), agent_command=command)).warning
    assert (f"the agent gets {words} as an argument" in warning) == bool(words)
    assert bool(warning) == bool(words)


async def test_the_agent_command_may_come_from_the_environment(bench: Bench) -> None:
    named = {**os.environ, "WAZA_LSP_AGENT_COMMAND": shlex.join([sys.executable, "-c", ECHO])}
    executor = CommandExecutor(ExecutorOptions(Path(), environment=named))
    only = await only_trial(bench, executor)
    assert only.trajectory.output == "got hello"


async def test_a_prompt_that_is_not_a_valid_argument(bench: Bench) -> None:
    only = await only_trial(bench, agent(ECHO, "{prompt}"), prompt="nul \0")
    assert (only.status, "cannot be started" in only.error) == ("error", True)
