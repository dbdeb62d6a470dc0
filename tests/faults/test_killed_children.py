"""Kill children of a run or server: assertion interpreters, the live grading worker, the reaper."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.leftovers import finished, processes_with, until, wait_for_nothing
from tests.faults.suites import Case, environment, started
from tests.server.conftest import EXAMPLES
from tests.server.helper.test_verdicts import ready, workers
from tests.server.results.test_annotations import NO_LIVE, TASK, children, make_slow, task_file
from tests.server.results_harness import editor
from tests.server.results_harness import until as until_in_editor
from tests.slow import first_quick
from waza_engine.lib.process import run as processes

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for leftovers in /proc")

LOOPS = """\
name: demo
skill: demo-skill
config: {trials_per_task: 1, timeout_seconds: 60, executor: mock}
graders: [{type: code, name: loops, config: {assertions: ["any(c == '--' for a in [output * 10000] for b in a for c in a)"]}}]
tasks: [tasks/*.yaml]
"""


@pytest.fixture
def looping(tmp_path: Path) -> Path:
    """A suite with an assertion that never comes to an end."""
    Case("waza", "mock", trials=1).written(tmp_path)
    (tmp_path / "eval.yaml").write_text(LOOPS)
    return tmp_path


def interpreters(folder: Path) -> list[int]:
    """The interpreters of assertions, those that are at work last: each is the child of one that waits."""
    found = subprocess.run(["ps", "-eo", "pid=,args="], capture_output=True, text=True, check=True).stdout
    mine = [it.split(None, 1) for it in found.splitlines() if "-I -S -X utf8" in it]
    word = f"TMPDIR={folder / 'tmp'}".encode()
    pids = []
    for pid, _ in mine:
        try:
            if word in Path(f"/proc/{pid}/environ").read_bytes():
                pids.append(int(pid))
        except OSError:
            continue
    return sorted(pids)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_an_endless_assertion_does_not_outlive_its_run(looping: Path, number: signal.Signals) -> None:
    process = started(looping, "run", "eval.yaml")
    until(lambda: len(interpreters(looping)) == 2)
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode == (130 if number == signal.SIGTERM else -signal.SIGKILL)
    wait_for_nothing(looping / "tmp")


@pytest.mark.slow
@pytest.mark.parametrize("which", first_quick([0, 1]))
def test_an_interpreter_that_is_killed_costs_its_verdict_alone(looping: Path, which: int) -> None:
    process = started(looping, "run", "eval.yaml")
    killed = 0
    while killed < 4:  # each of the four tasks has one
        until(lambda: len(interpreters(looping)) == 2 or process.poll() is not None)
        found = interpreters(looping)
        if len(found) < 2:
            break
        os.kill(found[which], signal.SIGKILL)
        killed += 1
        until(lambda: found[-1] not in interpreters(looping))  # noqa: B023  # at once
    output, said = process.communicate(timeout=60)
    assert (process.returncode, "Traceback" in said) == (1, False), said
    assert "0 of 4 tasks passed" in output
    assert len(finished(looping / ".waza-lsp")[0]) == 4
    wait_for_nothing(looping / "tmp")


_KILLED_WITH_ITS_GUARD = """
import os, signal, subprocess, sys
from pathlib import Path
from waza_engine.lib.files import temporary
from waza_engine.lib.process import reaper
from waza_engine.lib.process import run as processes
first = processes.start(["sleep", "3600"])
folder = temporary.make_folder()
os.kill(reaper._guard.pid, signal.SIGKILL)
reaper._guard.wait()
second = processes.start(["sleep", "3600"])
print("ready", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_another_guard_knows_what_the_killed_one_knew(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _KILLED_WITH_ITS_GUARD],
        env=environment(tmp_path, os.environ),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (ended.returncode, ended.stdout) == (-signal.SIGKILL, "ready\n"), ended.stderr
    wait_for_nothing(tmp_path)


_KILLED_AT_BIRTH = """
import os, signal, subprocess, sys
from waza_engine.lib.process import reaper
environment = reaper.announce()
subprocess.Popen(["sleep", "3600"], env=environment, start_new_session=True, stdout=-3, stderr=-3)
# What has no word of ours is not ours.
other = subprocess.Popen(["sleep", "1800"], start_new_session=True, stdout=-3, stderr=-3)
print(other.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_child_is_found_that_nobody_had_the_time_to_tell_of(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _KILLED_AT_BIRTH],
        env=environment(tmp_path, os.environ),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ended.returncode == -signal.SIGKILL
    other = int(ended.stdout)
    try:
        until(lambda: processes_with(tmp_path) == ["sleep 1800 "], lambda: processes_with(tmp_path))
    finally:
        os.kill(other, signal.SIGKILL)


def test_what_leads_a_group_of_its_own_ends_with_its_session(tmp_path: Path) -> None:
    # As a shell does it for its jobs.
    code = "import os, time; child = os.fork(); os.setpgid(child, child) if child else None; time.sleep(3600)"
    child = processes.start([sys.executable, "-S", "-c", code], env=environment(tmp_path / "tmp", os.environ))
    until(lambda: len(processes_with(tmp_path / "tmp")) == 2)
    processes.end(child)
    until(lambda: not processes_with(tmp_path / "tmp"))


def test_a_folder_that_is_kept_stays(tmp_path: Path) -> None:
    code = (
        "from waza_engine.lib.files import temporary; folder = temporary.make_folder(); (folder / 'x').touch();"
        "temporary.keep_folder(folder); gone = temporary.make_folder(); (gone / 'x').touch(); print(folder)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(tmp_path, os.environ),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    kept = Path(ended.stdout.strip())
    until(lambda: list(tmp_path.iterdir()) == [kept])
    assert (kept / "x").exists()


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    folder = tmp_path / "examples" / "code-explainer"
    shutil.copytree(EXAMPLES / "code-explainer", folder)
    return folder


@pytest.mark.slow
@pytest.mark.usefixtures("fresh_children")
async def test_a_worker_that_is_killed_while_it_grades_answers_all_the_same(
    tmp_path: Path, suite: Path
) -> None:
    async with editor(tmp_path) as it:
        await ready(it, task_file(suite))
        it.replace("[jitter]", "[jitters]")
        await it.says("failed-check", "jitters")
        for old, new, code in (("jitters", "jitter", "live-verdict"), ("jitter", "jitters", "failed-check")):
            [worker] = workers(it)
            # It has the question and cannot answer any more.
            os.kill(worker, signal.SIGSTOP)
            it.replace(f"[{old}]", f"[{new}]")
            await asyncio.sleep(0.1)
            os.kill(worker, signal.SIGKILL)
            await it.says(code)
            assert worker not in workers(it)


@pytest.mark.usefixtures("fresh_children")
async def test_a_run_that_is_killed_says_so_and_what_to_do(tmp_path: Path, suite: Path) -> None:
    slow = make_slow(suite, "36.")
    async with editor(tmp_path, settings=NO_LIVE) as it:
        it.open(task_file(suite))
        running = asyncio.create_task(it.execute("waza.runTask", uri=it.uri, task=TASK))
        await until_in_editor(lambda: _is_running(slow))
        [child] = children(it.pid, "waza_lsp run")
        os.kill(child, signal.SIGKILL)
        answer = await running
        assert answer["status"] == "error"
        told = "The process was killed (SIGKILL), perhaps because the system ran out of memory. Finished trials are stored"
        assert told in answer["error"]
        await until_in_editor(lambda: any(told in message for message in it.messages))
        await until_in_editor(lambda: not _is_running(slow))


def _is_running(needle: str) -> bool:
    found = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return any(it.startswith(needle) for it in found.splitlines())
