"""Programs end with all that they have started, also without sessions."""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator

import psutil
import pytest

from waza_engine.lib.process import reaper, run
from waza_engine.lib.system import programs

_CHILD = "import time; time.sleep(600)"
_PARENT = f"""
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", {_CHILD!r}], start_new_session=True, env={{**__import__("os").environ, "WAZA_LSP_BIRTH": ""}})
print(child.pid, flush=True)
import time; time.sleep(float(sys.argv[1]))
"""


@pytest.fixture
def parent() -> Iterator[subprocess.Popen[bytes]]:
    process = _start("600")
    yield process
    process.kill()
    process.wait()


def _start(seconds: str) -> subprocess.Popen[bytes]:
    """Start a program whose child leaves its session and forgets its environment."""
    return run.start([sys.executable, "-c", _PARENT, seconds])


def _child(parent: subprocess.Popen[bytes]) -> psutil.Process:
    return psutil.Process(int(run.require_pipe(parent.stdout).readline()))


def _has_ended(process: psutil.Process) -> bool:
    end = time.monotonic() + 20
    while time.monotonic() < end:
        if not process.is_running() or process.status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.02)
    return False


def test_a_tree_has_a_child_that_left_the_session(parent: subprocess.Popen[bytes]) -> None:
    child = _child(parent)
    tree = programs.Tree(parent.pid)
    tree.kill()
    assert _has_ended(child)
    assert parent.wait(20) != 0
    tree.kill()
    tree.release()


def test_a_tree_of_a_program_that_has_ended_is_empty() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    tree = programs.Tree(process.pid)
    tree.kill()
    tree.release()


def test_a_reused_process_id_belongs_to_no_tree(parent: subprocess.Popen[bytes]) -> None:
    child = _child(parent)
    tree = programs.Tree(parent.pid)
    assert tree._leader is not None
    # As if the id had belonged to a process that started earlier.
    vars(tree._leader).update(_create_time=1.0, _ident=(parent.pid, 1.0), _hash=None)
    if sys.platform != "win32":
        tree.kill()
        assert child.is_running()
        assert parent.poll() is None
    run.end(parent)
    with contextlib.suppress(psutil.NoSuchProcess):
        child.kill()


@pytest.mark.skipif(sys.platform != "win32", reason="jobs are a part of Windows")
def test_a_job_has_a_child_without_parent() -> None:
    parent = _start("0")
    child = _child(parent)
    assert parent.wait(60) == 0
    reaper.kill_session(parent.pid)
    assert _has_ended(child)
    run.end(parent)


@pytest.mark.skipif(sys.platform != "win32", reason="jobs are a part of Windows")
def test_what_a_released_job_leaves_behind_lives_on() -> None:
    parent = _start("0")
    child = _child(parent)
    assert parent.wait(60) == 0
    reaper.unwatch(parent.pid)
    assert child.status() != psutil.STATUS_ZOMBIE
    assert child.is_running()
    child.kill()


def test_asking_a_program_to_end_reaches_it() -> None:
    code = (
        "import signal, sys, time\n"
        "for name in ('SIGTERM', 'SIGBREAK'):\n"
        "    if hasattr(signal, name):\n"
        "        signal.signal(getattr(signal, name), lambda *_: sys.exit(7))\n"
        "print('ready', flush=True)\n"
        "for _ in range(6000):\n    time.sleep(0.1)\n"
    )
    if sys.platform == "win32" and programs.start_flags() & subprocess.CREATE_NO_WINDOW:
        pytest.skip("without a console, Windows cannot ask a program")
    process = run.start([sys.executable, "-c", code])
    assert run.require_pipe(process.stdout).readline().strip() == b"ready"
    programs.ask_to_end(process.pid)
    assert process.wait(60) == 7
    run.end(process)


def test_whether_a_process_exists() -> None:
    process = subprocess.Popen([sys.executable, "-c", _CHILD])
    assert programs.exists(os.getpid())
    assert programs.exists(process.pid)
    assert process.poll() is None  # Looking does not end it.
    process.kill()
    process.wait()
    assert not programs.exists(process.pid)
