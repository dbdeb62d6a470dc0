"""Sandboxes: what agents, hooks and graders' programs cannot do there, and that no run starts without the one it names."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from textwrap import dedent

import pytest

from tests.forked import forked
from tests.hostility.bait import listener
from waza_engine.lib.process import sandbox as module
from waza_engine.lib.process.sandbox import (
    Mounts,
    bwrap_command,
    confined,
    docker_command,
    problem_with,
    using,
)
from waza_engine.lib.process.sandbox_choice import Sandbox, sandbox_in
from waza_engine.project.settings import read_project

_PROBLEM = problem_with(Sandbox("bwrap"))
with_bwrap = pytest.mark.skipif(bool(_PROBLEM), reason=_PROBLEM)

EVAL = """
name: demo
skill: demo-skill
config: {trials_per_task: 1, timeout_seconds: 30, executor: mock, model: none}
hooks:
  before_run: [{command: ./hook.sh, exit_codes: [0], error_on_fail: true}]
graders:
  - {type: text, name: answers, config: {contains: ["done:"]}}
  - {type: program, name: program, config: {command: ./program.sh}}
tasks: [tasks/*.yaml]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tasks").mkdir()
    (tmp_path / "eval.yaml").write_text(EVAL, encoding="utf-8")
    (tmp_path / "tasks/a.yaml").write_text(
        "id: a\nname: A\ninputs: {prompt: hello, files: [{path: in.txt, content: given}]}\n", encoding="utf-8"
    )
    for name in ("agent", "hook", "program"):
        _script(tmp_path / f"{name}.sh", "echo done:")
    return tmp_path


def _script(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/bash\n{dedent(text)}\n", encoding="utf-8")
    path.chmod(0o755)


def _run(
    folder: Path, *options: str, status: int = 0, **environment: str
) -> "subprocess.CompletedProcess[str]":
    done = forked(
        *("run", "eval.yaml", "--agent-command", "./agent.sh", "--output", "out.json", *options),
        cwd=folder,
        environment={**os.environ, **environment},
        seconds=120,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done


def _output(folder: Path) -> str:
    return json.dumps(json.loads((folder / "out.json").read_text(encoding="utf-8")))


_ATTACKS = {
    "write into the suite": 'echo x > "$SUITE/eval.yaml"',
    "create in the suite": 'echo x > "$SUITE/new"',
    "delete a file of the user": 'rm -f "$SUITE/tasks/a.yaml"; [ ! -e "$SUITE/tasks/a.yaml" ]',
    "write into the home folder": "echo x > ~/.waza-sandbox-test",
    "write into the system": "echo x > /etc/waza-sandbox-test",
    "mount everything writable": "mount -o remount,rw,bind / /",
    "see other processes": "[ $(ls /proc | grep -c '^[0-9]') -gt 20 ]",
    "signal the parent": "kill -0 $WAZA_PID",
    "change the kernel's settings": "cat /proc/sys/kernel/panic > /proc/sys/kernel/panic",
    "open a device": "head -c 1 /dev/kmsg",
    "sockets of services": "[ -n \"$(find /run -type s 2>/dev/null)\" ]",
    "temporary files of others": '[ -e "$BAIT" ]',
}  # fmt: skip


@with_bwrap
@pytest.mark.parametrize("attack", sorted(_ATTACKS))
@pytest.mark.parametrize("who", ["agent", "hook", "program"])
def test_programs_in_bubblewrap_change_only_the_workspace(attack: str, who: str, folder: Path) -> None:
    # The shared folder is meant, not the one of the test.
    with tempfile.NamedTemporaryFile(dir="/tmp", prefix="waza-bait-") as bait:
        _script(
            folder / f"{who}.sh",
            f"""
            SUITE={folder} WAZA_PID={os.getpid()} BAIT={bait.name}
            if ({_ATTACKS[attack]}) 2>/dev/null; then echo escaped; exit 1; fi
            echo done:
            """,
        )
        _run(folder, "--sandbox", "bwrap")
    assert "escaped" not in _output(folder)
    assert (folder / "eval.yaml").read_text(encoding="utf-8") == EVAL


@with_bwrap
def test_the_workspace_and_own_temporary_files_are_writable(folder: Path) -> None:
    _script(
        folder / "agent.sh", 'echo made > made.txt && echo x > "$(mktemp)" && cat in.txt && echo " done:"'
    )
    _script(folder / "program.sh", 'cat "$WAZA_WORKSPACE_DIR/made.txt" && touch "$WAZA_WORKSPACE_DIR/more"')
    _run(folder, "--sandbox", "bwrap")
    assert "given done:" in _output(folder)


@with_bwrap
def test_the_user_can_name_more_writable_folders(folder: Path) -> None:
    (folder / "cache").mkdir()
    _script(folder / "hook.sh", "echo x > cache/made")
    _run(folder, "--sandbox", "bwrap", "--sandbox-write", "cache")
    assert (folder / "cache/made").exists()


@with_bwrap
@pytest.mark.parametrize("network", ["--sandbox-network", "--no-sandbox-network"])
def test_the_network_is_a_choice(network: str, folder: Path) -> None:
    with listener() as (port, came):
        _script(folder / "agent.sh", f"(echo > /dev/tcp/127.0.0.1/{port}) 2>/dev/null\necho done:")
        _run(folder, "--sandbox", "bwrap", network)
        time.sleep(0.2)
        assert bool(came) == (network == "--sandbox-network")


@with_bwrap
def test_daemons_end_with_the_agent(folder: Path) -> None:
    marker = f"{100_000 + os.getpid()}.{time.monotonic_ns() % 10**9}"
    _script(folder / "agent.sh", f"(env -i setsid sleep {marker} </dev/null >/dev/null 2>&1 &)\necho done:")
    _run(folder, "--sandbox", "bwrap")
    assert not subprocess.run(["pgrep", "-f", marker], capture_output=True, check=False).stdout


@with_bwrap
def test_a_time_limit_ends_everything_in_the_sandbox(folder: Path) -> None:
    marker = f"{200_000 + os.getpid()}.{time.monotonic_ns() % 10**9}"
    _script(folder / "agent.sh", f"sleep {marker} & wait")
    _run(folder, "--sandbox", "bwrap", "--timeout", "1", status=1)
    assert not subprocess.run(["pgrep", "-f", marker], capture_output=True, check=False).stdout


@with_bwrap
def test_a_missing_program_is_named_as_without_a_sandbox(folder: Path) -> None:
    (folder / "program.sh").unlink()
    _run(folder, "--sandbox", "bwrap", status=1)
    assert "could not be started" in _output(folder)


@with_bwrap
def test_the_project_and_the_environment_choose_a_sandbox(folder: Path) -> None:
    _script(folder / "hook.sh", "! touch escaped")
    (folder / ".waza-lsp.toml").write_text('[sandbox]\nkind = "bwrap"\n', encoding="utf-8")
    _run(folder)
    assert not (folder / "escaped").exists()
    (folder / ".waza-lsp.toml").unlink()
    _run(folder, WAZA_LSP_SANDBOX="bwrap")
    assert not (folder / "escaped").exists()
    _script(folder / "hook.sh", "touch not-confined")
    _run(folder, "--sandbox", "none", WAZA_LSP_SANDBOX="bwrap")
    assert (folder / "not-confined").exists()


@with_bwrap
def test_grading_recordings_is_confined_as_well(folder: Path) -> None:
    _script(folder / "program.sh", "touch escaped; [ ! -e escaped ]")
    _run(folder, "--sandbox", "bwrap")
    request = json.dumps({"eval": str(folder / "eval.yaml"), "processDir": str(folder)})
    done = subprocess.run(
        [sys.executable, "-m", "waza_lsp", "grade", "--events", "jsonl"],
        cwd=folder,
        env={**os.environ, "WAZA_LSP_SANDBOX": "bwrap"},
        input=request,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert not (folder / "escaped").exists()


@pytest.mark.parametrize("text", ['[sandbox]\nkind = "bwarp"\n', "[sandbox]\n", "sandbox = 3\n"])
def test_a_sandbox_that_cannot_be_read_starts_nothing(text: str, folder: Path) -> None:
    _script(folder / "hook.sh", "touch started")
    (folder / ".waza-lsp.toml").write_text(text, encoding="utf-8")
    assert "Unknown sandbox" in _run(folder, status=2).stderr
    assert not (folder / "started").exists()
    found = read_project(folder / ".waza-lsp.toml")
    assert found
    assert found.problems


def test_a_missing_tool_is_an_error_before_the_run(folder: Path, tmp_path: Path) -> None:
    _script(folder / "hook.sh", "touch started")
    (tmp_path / "bin").mkdir()
    path = {"PATH": str(tmp_path / "bin")}
    assert "needs bubblewrap" in _run(folder, "--sandbox", "bwrap", status=2, **path).stderr
    assert "needs an image" in _run(folder, "--sandbox", "docker", status=2, **path).stderr
    image = ("--sandbox-image", "node:22")
    assert "needs Docker" in _run(folder, "--sandbox", "docker", *image, status=2, **path).stderr
    assert not (folder / "started").exists()
    assert not (folder / ".waza-lsp").exists()


def test_executors_that_cannot_be_confined_are_refused(folder: Path) -> None:
    command = [sys.executable, "-m", "waza_lsp", "run", "eval.yaml", "--executor", "copilot-sdk"]
    done = subprocess.run(
        [*command, "--sandbox", "docker", "--sandbox-image", "x"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert "cannot start its agent in the sandbox" in done.stderr


def test_without_a_sandbox_a_command_stays_as_it_is(tmp_path: Path) -> None:
    with using(Sandbox()):
        assert confined(["nothing", "x"], cwd=tmp_path, environment={}) == ["nothing", "x"]


def test_the_environment_describes_a_sandbox() -> None:
    given = {"WAZA_LSP_SANDBOX": "docker", "WAZA_LSP_SANDBOX_NETWORK": "off", "WAZA_LSP_SANDBOX_IMAGE": "a:1"}
    write = os.pathsep.join(["/a", "/b"])
    assert sandbox_in({}) is None
    assert sandbox_in({**given, "WAZA_LSP_SANDBOX_WRITE": write}) == Sandbox(
        "docker", False, "a:1", ("/a", "/b")
    )


def test_deeper_mounts_of_bubblewrap_come_later() -> None:
    mounts = Mounts(writable=("/t/w",), readable=("/t/w/fixed", "/t/s"), hidden=("/t", "/run"))
    line = " ".join(bwrap_command(Sandbox("bwrap", network=False), ["a", "b"], cwd="/t/w", mounts=mounts))
    places = "--tmpfs /t --tmpfs /run --ro-bind /t/s /t/s --bind /t/w /t/w"
    assert f"{places} --ro-bind /t/w/fixed /t/w/fixed --chdir /t/w -- a b" in line
    assert line.index("--ro-bind / /") < line.index("--tmpfs")
    for it in ("--unshare-net", "--unshare-pid", "--unshare-user", "--die-with-parent", "--cap-drop ALL"):
        assert it in line
    assert "--unshare-net" not in bwrap_command(Sandbox("bwrap"), ["a"], cwd="/", mounts=mounts)


def test_docker_gets_the_mounts_and_no_rights() -> None:
    mounts = Mounts(writable=("/w",), readable=("/suite", "/w"), hidden=("/t",))
    sandbox = Sandbox("docker", network=False, image="node:22")
    line = " ".join(docker_command(sandbox, ["a", "b"], cwd="/w", mounts=mounts, names=["MY_KEY"]))
    assert line.startswith("docker run --rm --interactive --init --label waza-lsp=")
    for it in (
        "--network none",
        "--read-only",
        "--tmpfs /tmp",
        "--cap-drop ALL",
        "--security-opt no-new-privileges",
    ):
        assert it in line
    assert "--mount type=bind,source=/suite,target=/suite,readonly" in line
    assert "--mount type=bind,source=/w,target=/w --env MY_KEY --workdir /w node:22 a b" in line
    assert "source=/w,target=/w,readonly" not in line


def test_docker_gets_only_variables_that_are_not_of_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "problem_with", lambda _: "")
    with using(Sandbox("docker", image="node:22")):
        environment = {"PATH": "/bin", "HOME": "/root", "PWD": "/", "WAZA_LSP_TASK": "a"}
        found = confined(["a"], cwd=tmp_path, environment=environment, writable=[tmp_path])
    assert [found[i + 1] for i, it in enumerate(found) if it == "--env"] == ["WAZA_LSP_TASK"]


@pytest.mark.skipif(shutil.which("sh") is None, reason="needs a shell")
def test_withheld_keys_are_named_where_a_program_asks_for_them(folder: Path) -> None:
    _script(folder / "agent.sh", "echo 'Error: set DEMO_API_KEY' >&2; exit 1")
    done = _run(folder, status=1, **dict.fromkeys(["DEMO_API_KEY", "OTHER_TOKEN"], "x"))
    [note] = [it for it in done.stderr.splitlines() if "graders' programs do not get" in it]
    assert "DEMO_API_KEY" in note
    assert "OTHER_TOKEN" in note
    assert "It did not get DEMO_API_KEY from your environment" in _output(folder)
    assert "OTHER_TOKEN" not in _output(folder)
