"""Detect whether the process of a run is still alive."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from waza_engine.runs.run_header import RunFrame, claim_for_process, is_running


@pytest.mark.skipif(sys.platform != "linux", reason="when a process was started is asked of /proc")
def test_a_zombie_process_performs_no_run() -> None:
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        with os.fdopen(writer, "w") as stream:
            stream.write(claim_for_process(RunFrame()).born)
        time.sleep(60)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as stream:
        born = stream.read()
    frame = replace(claim_for_process(RunFrame()), pid=child, born=born)
    assert is_running(frame)
    os.kill(child, signal.SIGKILL)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    os.kill(child, 0)
    assert not is_running(frame)
    os.waitpid(child, 0)
    assert not is_running(frame)


def test_a_reused_pid_performs_no_run() -> None:
    frame = claim_for_process(RunFrame())
    assert not is_running(frame)  # Who asks is going on with it.
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        assert is_running(replace(frame, pid=other.pid, born=""))
        assert not is_running(replace(frame, pid=other.pid))
        other.communicate(b"\n")
