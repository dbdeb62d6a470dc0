"""`check` and `audit` of many files: several processes print what one does, and none of them is left over."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.forked import forked
from tests.slow import first_quick
from waza_engine.lib.system import linux

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it looks at processes and sends signals")

_EVAL = """\
name: e{number}
skill: s
config: {{trials_per_task: 1, timeout_seconds: 60, executor: mock, model: m}}
tasks: [tasks/*.yaml]
"""
_TASK = """\
id: t{number}
name: t
inputs: {{prompt: Say moon {number}}}
graders:
- {{type: text, name: says, config: {{contains: [moon, cheese-{number}]}}}}
"""
_FORMATS = ["text", "json", "sarif", "github", "junit"]
_SUITES = 110


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of suites. Some have mistakes, broken files, or settings with mistakes."""
    root = tmp_path_factory.mktemp("many")
    (root / ".git").mkdir()
    for number in range(_SUITES):
        folder = root / f"g{number // 30}" / f"s{number:03}"
        (folder / "tasks").mkdir(parents=True)
        typo = "gradres: []\n" if number % 20 == 7 else ""
        (folder / "eval.yaml").write_text(_EVAL.format(number=number) + typo)
        (folder / "tasks" / "a.yaml").write_text(_TASK.format(number=number))
    (root / "g0" / "s004" / "tasks" / "a.yaml").write_bytes(_TASK.format(number=4).encode() + b"# \xff\n")
    (root / "g1" / "s031" / "tasks" / "a.yaml").write_text("id: [\n")
    (root / "g2" / "s070" / "eval.yaml").write_text("name: e\ntasks: {\n")
    (root / "g1" / ".waza-lsp.toml").write_text("taget = '0.34'\n[rules]\nunknown-key = 'warning'\n")
    (root / "g3" / "s105" / ".waza-lsp.toml").write_text("exclude = 3\n")
    (root / "notes.yaml").write_text("just: notes\n")
    return root


@pytest.mark.parametrize("form", first_quick(_FORMATS))
def test_check_prints_the_same_with_any_number_of_processes(form: str, workspace: Path) -> None:
    command = ["check", "--format", form, "g3/s105/eval.yaml", ".", "not-there"]
    one = forked(*command, "--jobs", "1", cwd=workspace)
    three = forked(*command, "--jobs", "3", cwd=workspace)
    assert (three.returncode, three.stderr, three.stdout) == (one.returncode, one.stderr, one.stdout)
    assert one.returncode == 2
    assert "not-there" in one.stderr
    for name in ("g0/s007/eval.yaml", "g0/s004/tasks/a.yaml", "g3/s105/.waza-lsp.toml"):
        assert name in one.stdout


@pytest.mark.parametrize("form", first_quick(_FORMATS))
def test_audit_prints_the_same_with_any_number_of_processes(form: str, workspace: Path) -> None:
    command = ["audit", "--format", form, "--no-cache", "--fail-under", "0"]
    one = forked(*command, "--jobs", "1", cwd=workspace)
    three = forked(*command, "--jobs", "3", cwd=workspace)
    assert (three.returncode, three.stderr, three.stdout) == (one.returncode, one.stderr, one.stdout)
    assert one.returncode == 2
    assert "s070" in one.stderr


@pytest.mark.slow
def test_the_cache_of_an_audit_is_shared_by_processes(workspace: Path) -> None:
    command = ["audit", "--format", "json"]
    fresh = forked(*command, "--jobs", "3", cwd=workspace)
    assert forked(*command, "--jobs", "1", cwd=workspace).stdout == fresh.stdout
    assert forked(*command, "--jobs", "2", cwd=workspace).stdout == fresh.stdout


def test_time_that_is_over_ends_all_processes_of_an_audit(workspace: Path) -> None:
    done = forked("audit", "--no-cache", "--jobs", "3", "--max-seconds", "0.05", cwd=workspace)
    found = re.search(r"(\d+) tasks? audited;.*out of time after", done.stdout)
    assert found is not None, done.stdout
    assert 0 < int(found[1]) < _SUITES
    # Each eval is in the report or named.
    reached = re.findall(r"^g\d/s\d{3}/eval\.yaml$", done.stdout, re.MULTILINE)
    left = done.stdout.rpartition("not reached: ")[2].split(", ")
    broken = 2  # s070, and s031 with its only task
    assert len(reached) + len(left) in range(_SUITES - broken, _SUITES + 1)


_PATCHES = {
    "check": """
from waza_lsp.cli.check import checks
of = checks.CheckedFile.of
def patched(name, *rest, **more):
    if "s060" in name:
        act()
    return of(name, *rest, **more)
checks.CheckedFile.of = patched
""",
    "audit": """
from waza_lsp.cli.audit import perform
load = perform.load_suite
def patched(path, *rest, **more):
    if "s060" in str(path):
        act()
    return load(path, *rest, **more)
perform.load_suite = patched
""",
}
_MAIN = """
import os, sys, time
def act():
    {act}
{patch}
from waza_lsp.cli import main
main({arguments})
"""


def _started(command: str, act: str, workspace: Path) -> subprocess.Popen[str]:
    """Start a command that acts so in the process that comes to a certain eval."""
    arguments = [command, "--jobs", "2", *(["--no-cache"] if command == "audit" else []), "."]
    code = _MAIN.format(act=act, patch=_PATCHES[command], arguments=arguments)
    return subprocess.Popen(
        [sys.executable, "-P", "-c", code],
        cwd=workspace,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.slow
@pytest.mark.parametrize("command", ["check", "audit"])
def test_a_killed_worker_is_an_error(command: str, workspace: Path) -> None:
    process = _started(command, f"os.kill(os.getpid(), {signal.SIGKILL:d})", workspace)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, "")
    assert err.startswith("error: A worker process ended before its work was done.")
    assert _others_in_session(process.pid) == []


@pytest.mark.slow
@pytest.mark.parametrize("command", ["check", "audit"])
def test_ctrl_c_ends_all_processes(command: str, workspace: Path, tmp_path: Path) -> None:
    process = _waiting(command, workspace, tmp_path)
    os.killpg(process.pid, signal.SIGINT)
    began = time.monotonic()
    out, err = process.communicate(timeout=30)
    assert time.monotonic() - began < 10
    assert process.returncode == 130
    assert _others_in_session(process.pid) == []
    if command == "check":
        assert (out, err) == ("", "Cancelled.\n")
    else:
        assert "cancelled after" in out
        assert "Traceback" not in err


@pytest.mark.slow
@pytest.mark.parametrize("command", ["check", "audit"])
def test_workers_end_with_a_killed_command(command: str, workspace: Path, tmp_path: Path) -> None:
    process = _waiting(command, workspace, tmp_path)
    process.kill()
    until = time.monotonic() + 20
    while _others_in_session(process.pid) and time.monotonic() < until:
        time.sleep(0.05)
    assert _others_in_session(process.pid) == []
    process.communicate(timeout=30)


def _waiting(command: str, workspace: Path, folder: Path) -> subprocess.Popen[str]:
    """Start a command, and wait until one of its workers would wait for ever."""
    mark = folder / "mark"
    process = _started(command, f"open({str(mark)!r}, 'w').close(); time.sleep(600)", workspace)
    until = time.monotonic() + 60
    while not mark.exists() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    assert mark.exists()
    assert len(_others_in_session(process.pid)) == 2
    return process


def _others_in_session(leader: int) -> list[int]:
    return [it for it in linux.processes() if linux.session(it) == leader != it and linux.parent(it)]
