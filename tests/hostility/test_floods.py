"""Agents and programs that print without end: memory stays bounded, and time limits hold."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads the peak memory in Linux's unit")

_LIMIT_SECONDS = 2
_GROWTH_BYTES = 50_000_000
_LINE = "some line of text that is printed again and again"
_FLOODS = {
    "text": f"yes '{_LINE}'",
    "one line": "tr '\\0' x < /dev/zero",
    "errors": f"yes '{_LINE}' >&2",
    "both": f"yes '{_LINE}' >&2 & yes '{_LINE}'",
    "events": f"""yes '{{"type": "assistant.message", "data": {{"content": "{_LINE}"}}}}'""",
    "tool calls": """yes '{"type": "tool.execution_start", "data": {"toolName": "a", "toolCallId": "1"}}'""",
    "odd events": """yes '{"type": "unknown", "data": {}}'""",
    "an event without end": """printf '{"type": "assistant.message", "data": {"content": "'; tr '\\0' x < /dev/zero""",
}
_FORMS = [
    (name, form)
    for form, names in (
        ("text", ("text", "one line", "errors", "both")),
        ("copilot-jsonl", ("events", "tool calls", "odd events", "an event without end", "one line")),
    )
    for name in names
]


def _measure(folder: Path, script: str, *, form: str = "text", grader: str = "true") -> tuple[float, int]:
    """Return how long a run took and how much memory its process needed."""
    folder.mkdir()
    (folder / "tasks").mkdir()
    (folder / "eval.yaml").write_text(
        "name: demo\nskill: demo-skill\nconfig: "
        f"{{trials_per_task: 1, timeout_seconds: {_LIMIT_SECONDS}, executor: mock, model: none}}\n"
        f"graders: [{{type: program, name: p, config: {{command: {grader}, timeout: {_LIMIT_SECONDS}}}}}]\n"
        "tasks: [tasks/*.yaml]\n",
        encoding="utf-8",
    )
    (folder / "tasks/a.yaml").write_text("id: a\nname: A\ninputs: {prompt: hello}\n", encoding="utf-8")
    (folder / "agent.sh").write_text(f"#!/bin/bash\n{script}\n", encoding="utf-8")
    (folder / "agent.sh").chmod(0o755)
    options = ["--agent-command", "./agent.sh", "--agent-format", form, "-q", "--output", "out.json"]
    started = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "waza_lsp", "run", "eval.yaml", *options],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in {0, 1}
    return time.monotonic() - started, usage.ru_maxrss * 1024


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> tuple[float, int]:
    """An agent that says nothing until its time is up."""
    return _measure(tmp_path_factory.mktemp("quiet") / "suite", "sleep 3600")


@pytest.mark.slow
@pytest.mark.parametrize(("flood", "form"), _FORMS)
def test_an_agent_that_floods_costs_little_and_ends_in_time(
    flood: str, form: str, tmp_path: Path, quiet: tuple[float, int]
) -> None:
    seconds, memory = _measure(tmp_path / "suite", _FLOODS[flood], form=form)
    assert memory - quiet[1] < _GROWTH_BYTES
    # Idle, it is less than a second; tests share the machine with others.
    assert seconds - quiet[0] < 4
    assert "timed out" in json.dumps(json.loads((tmp_path / "suite/out.json").read_text(encoding="utf-8")))


@pytest.mark.slow
def test_a_program_that_floods_costs_little_and_ends_in_time(
    tmp_path: Path, quiet: tuple[float, int]
) -> None:
    program = tmp_path / "flood.sh"
    program.write_text(f"#!/bin/bash\n{_FLOODS['both']}\n", encoding="utf-8")
    program.chmod(0o755)
    seconds, memory = _measure(tmp_path / "suite", "echo hello", grader=str(program))
    assert memory - quiet[1] < _GROWTH_BYTES
    assert seconds - quiet[0] < 4
