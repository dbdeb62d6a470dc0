"""Agents, hooks and graders' programs: what they get of our environment, and what they leave behind."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from textwrap import dedent

import pytest

from tests.hostility.bait import CANARY
from waza_engine.lib.process.environment import program_environment, withheld_secrets

on_linux = pytest.mark.skipif(
    sys.platform != "linux", reason="daemons are found in /proc, which only Linux has"
)

EVAL = """
name: demo
skill: demo-skill
config: {trials_per_task: 1, timeout_seconds: 30, executor: mock, model: none}
hooks:
  before_run: [{command: ./hook.sh, exit_codes: [0], error_on_fail: true}]
graders:
  - {type: text, name: answers, config: {contains: [PATH=]}}
  - {type: program, name: program, config: {command: ./program.sh}}
tasks: [tasks/*.yaml]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    _write(tmp_path / "eval.yaml", EVAL)
    _write(tmp_path / "tasks/a.yaml", "id: a\nname: A\ninputs: {prompt: hello}\n")
    _script(tmp_path / "hook.sh", "env > hook.txt")
    _script(tmp_path / "program.sh", "env > program.txt")
    _script(tmp_path / "agent.sh", "env")
    return tmp_path


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(text), encoding="utf-8")


def _script(path: Path, text: str) -> None:
    _write(path, f"#!/bin/bash\n{text}\n")
    path.chmod(0o755)


def _run(folder: Path, *options: str, **environment: str) -> str:
    """Run the eval and return the agent's output."""
    command = [sys.executable, "-m", "waza_lsp", "run", "eval.yaml", "--agent-command", "./agent.sh"]
    done = subprocess.run(
        [*command, "--output", "out.json", "-q", *options],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.dumps(json.loads((folder / "out.json").read_text(encoding="utf-8")))


_SECRETS = (
    "OPENAI_API_KEY",
    "COPILOT_PROVIDER_API_KEY",
    "AWS_SECRET_ACCESS_KEY",
    "MY_OWN_THING",
    "SSH_AUTH_SOCK",
)


def test_programs_do_not_get_our_environment(folder: Path) -> None:
    output = _run(folder, **dict.fromkeys(_SECRETS, CANARY))
    seen = [output, *((folder / it).read_text(encoding="utf-8") for it in ("hook.txt", "program.txt"))]
    assert all("PATH=" in it for it in seen)
    assert not any(CANARY in it for it in seen)


def test_the_user_can_pass_variables_on(folder: Path) -> None:
    output = _run(folder, "--pass-env", "MY_*", MY_OWN_THING="passed-on", OTHER=CANARY)
    assert "MY_OWN_THING=passed-on" in output
    assert CANARY not in output


def test_pwd_is_the_folder_in_which_an_agent_starts(folder: Path) -> None:
    """A real agent edited the user's folder, because it trusted `PWD` more than its working directory."""
    _script(
        folder / "agent.sh", 'echo "PATH= $(/usr/bin/printenv PWD) is $(/bin/pwd -P)" > here; /bin/cat here'
    )
    line = _run(folder, PWD=str(folder)).split("PATH= ")[1]
    first, _, rest = line.partition(" is ")
    assert rest.startswith(first)
    assert not first.startswith(str(folder))


def test_names_are_compared_as_the_system_does() -> None:
    source = {"PATH": "p", "LC_ALL": "c", "OPENAI_API_KEY": "k", "WAZA_LSP_PASS_ENV": "OPENAI_*, X", "X": "1"}
    assert program_environment(source) == {"PATH": "p", "LC_ALL": "c", "OPENAI_API_KEY": "k", "X": "1"}
    assert withheld_secrets({"GH_TOKEN": "1", "PATH": "", "KEYBOARD": "x"}) == ["GH_TOKEN"]


@on_linux
@pytest.mark.parametrize(
    "daemon",
    [
        "(setsid sleep {0} </dev/null >/dev/null 2>&1 &)",
        "(env -i setsid sleep {0} </dev/null >/dev/null 2>&1 &)",
        "setsid bash -c '(setsid sleep {0} & ) ; exit' </dev/null >/dev/null 2>&1",
        "env -i setsid bash -c 'env -i setsid sleep {0} & exit' </dev/null >/dev/null 2>&1",
        "nohup sleep {0} >/dev/null 2>&1 &",
    ],
)
def test_daemons_of_an_agent_end_with_the_run(daemon: str, folder: Path) -> None:
    marker = f"{100_000 + os.getpid()}.{time.monotonic_ns() % 10**9}"
    _script(folder / "agent.sh", f"echo PATH=\n{daemon.format(marker)}\nsleep 0.2")
    _run(folder)
    assert not subprocess.run(["pgrep", "-f", marker], capture_output=True, check=False).stdout


def test_scripts_of_older_versions_do_not_get_our_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from waza_engine.dialects.waza.legacy_graders.py_script import PyScriptGrader
    from waza_engine.graders.base import GradingContext

    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    _write(tmp_path / "check.py", "import json, os; print(json.dumps({'message': repr(dict(os.environ))}))")
    message = PyScriptGrader(script="check.py").grade(GradingContext(process_dir=tmp_path)).feedback
    assert "PATH" in message
    assert CANARY not in message
