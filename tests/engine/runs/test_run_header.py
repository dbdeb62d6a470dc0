"""Whether the process of a run is still there."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from waza_engine.runs.run_header import RunFrame, is_performed_now, performed_here


@pytest.mark.skipif(sys.platform != "linux", reason="when a process was started is asked of /proc")
def test_a_process_that_nobody_has_waited_for_performs_nothing() -> None:
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        with os.fdopen(writer, "w") as stream:
            stream.write(performed_here(RunFrame()).born)
        time.sleep(60)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as stream:
        born = stream.read()
    frame = replace(performed_here(RunFrame()), pid=child, born=born)
    assert is_performed_now(frame)
    os.kill(child, signal.SIGKILL)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    os.kill(child, 0)
    assert not is_performed_now(frame)
    os.waitpid(child, 0)
    assert not is_performed_now(frame)


def test_a_process_of_that_number_that_is_another_one_performs_nothing() -> None:
    frame = performed_here(RunFrame())
    assert not is_performed_now(frame)  # Who asks is going on with it.
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        assert is_performed_now(replace(frame, pid=other.pid, born=""))
        assert not is_performed_now(replace(frame, pid=other.pid))
        other.communicate(b"\n")
