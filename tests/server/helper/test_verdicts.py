"""Live grading: an edit inside a grader regrades the recording without a run."""

import asyncio
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.server.conftest import EXAMPLES
from tests.server.results.test_annotations import children, make_slow
from tests.server.results.test_lenses import run_outside
from tests.server.results_harness import Editor, editor, until
from tests.slow import first_quick

TASK = "explain-retry"


@pytest.fixture
def task_file(suite: Path) -> Path:
    return suite / "tasks" / f"{TASK}.yaml"


def workers(it: Editor) -> list[int]:
    """Return the process ids of the server's grading workers."""
    return children(it.pid, "helper.process")


async def ready(it: Editor, path: Path) -> None:
    """Open a file and wait until its recordings are loaded."""
    it.open(path)
    await it.lenses_with("Grade again")


@pytest.mark.parametrize("profile", first_quick(["visual_studio_code", "neovim"]))
async def test_an_edit_changes_the_verdict(tmp_path: Path, task_file: Path, profile: str) -> None:
    async with editor(tmp_path, profile=profile) as it:
        await ready(it, task_file)
        it.replace("[jitter]", "[jitters]")
        _, marked, message = await it.says("failed-check")
        assert (marked, message.partition(";")[0]) == ("jitters", '"jitters" not found in the output')
        it.replace("[jitters]", "[Jitter]")
        _, marked, message = await it.says("live-verdict")
        assert (marked, message) == ("text", "Passes on the recorded trial")
        assert it.said() == [("live-verdict", "text", "Passes on the recorded trial")]
        assert it.events == []


@pytest.mark.slow
async def test_edits_made_before_the_recordings_are_known_are_graded_when_they_are(
    tmp_path: Path, task_file: Path
) -> None:
    async with editor(tmp_path) as it:
        it.open(task_file)
        it.replace("name: Explain the retry helper", "name: Explain it")
        it.replace("[jitter]", "[jitters]")
        _, marked, message = await it.says("failed-check")
        assert (marked, message.partition(";")[0]) == ("jitters", '"jitters" not found in the output')
        assert len(it.said()) == 1


async def test_an_edit_elsewhere_grades_nothing(tmp_path: Path, task_file: Path) -> None:
    async with editor(tmp_path) as it:
        await ready(it, task_file)
        it.replace("name: Explain the retry helper", "name: Explain it")
        await asyncio.sleep(0.5)
        assert it.said() == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"),
    [("contains: [jitter]", "contians: [jitter]"), ("[jitter]", "[jitter"), ("type: text", "type: tex")],
)
async def test_a_grader_with_mistakes_has_no_verdict(
    tmp_path: Path, task_file: Path, old: str, new: str
) -> None:
    async with editor(tmp_path) as it:
        await ready(it, task_file)
        it.replace("[jitter]", "[jitters]")
        await it.says("failed-check")
        it.replace("[jitters]", "[jitter]")
        await it.says("live-verdict")
        it.replace(old, new)
        await until(lambda: not it.said())
        await asyncio.sleep(0.4)
        assert it.said() == []


@pytest.mark.slow
async def test_a_mistake_in_another_grader_takes_nothing_away(tmp_path: Path, task_file: Path) -> None:
    async with editor(tmp_path) as it:
        await ready(it, task_file)
        it.replace("assertions:", "assertion:")
        it.replace("[jitter]", "[jitters]")
        await it.says("failed-check", "jitters")


async def test_graders_that_execute_wait_for_a_run_by_the_user(tmp_path: Path, task_file: Path) -> None:
    edit = ("60 <= len(output.split()) <= 350", "len(output) < 3")
    async with editor(tmp_path) as it:
        await ready(it, task_file)
        it.replace(*edit)
        await asyncio.sleep(0.5)
        assert it.said() == []
        it.replace(*reversed(edit))
        await it.execute("waza.runTask", uri=it.uri, task=TASK)
        it.replace(*edit)
        _, _, message = await it.says("failed-check", "len(output)")
        assert message == "failed: len(output) < 3; len(output) is 1282"


@pytest.mark.slow
async def test_what_executes_waits_for_the_run_of_its_eval(
    tmp_path: Path, suite: Path, task_file: Path
) -> None:
    slow = make_slow(suite, "2.1")
    async with editor(tmp_path) as it:
        await ready(it, task_file)
        running = asyncio.create_task(it.execute("waza.runTask", uri=it.uri, task=TASK))
        await until(lambda: running_now(slow))
        it.replace("60 <= len(output.split()) <= 350", "len(output) < 3")
        it.replace("name: slow", "name: slow-one")
        it.replace("[jitter]", "[jitters]")
        # Comparing texts does no harm.
        await it.says("failed-check", "jitters")
        while not running.done():
            assert running_now(slow) <= 1
            assert not [one for one in it.said() if "len(output)" in one[1]]
            await asyncio.sleep(0.05)
        await until(lambda: running_now(slow) == 1)
        await it.says("live-verdict", "program")
        await it.says("failed-check", "len(output)")


@pytest.mark.slow
async def test_what_waits_for_a_run_is_found_where_it_stands_afterwards(
    tmp_path: Path, suite: Path, task_file: Path
) -> None:
    slow = make_slow(suite, "1.2")
    async with editor(tmp_path) as it:
        await ready(it, task_file)
        running = asyncio.create_task(it.execute("waza.runTask", uri=it.uri, task=TASK))
        await until(lambda: running_now(slow))
        it.replace("60 <= len(output.split()) <= 350", "len(output) < 3")
        it.replace("[jitter]", "[jitters]")
        await it.says("failed-check", "jitters")
        it.replace("graders:\n", "graders:\n  - {type: text, name: new, config: {contains: [retry]}}\n")
        await running
        await it.says("failed-check", "len(output)")


@pytest.mark.slow
async def test_what_is_said_of_an_edited_text_outlives_a_run_of_the_text_before(
    tmp_path: Path, suite: Path, task_file: Path
) -> None:
    slow = make_slow(suite, "0.6")
    async with editor(tmp_path) as it:
        await ready(it, task_file)
        running = asyncio.create_task(it.execute("waza.runTask", uri=it.uri, task=TASK))
        await until(lambda: running_now(slow))
        it.replace("[jitter]", "[jitters]")
        await it.says("failed-check", "jitters")
        before = len(it.published)
        assert (await running)["status"] == "passed"
        run_outside(tmp_path, suite / "eval.yaml")
        await it.lenses_with("✗ live")
        await asyncio.sleep(0.5)
        assert [one[:2] for one in it.said()] == [("failed-check", "jitters")]
        for _, told in it.published[before:]:
            assert [one.code for one in told.diagnostics if one.code == "failed-check"], "it went for a while"


@pytest.mark.slow
async def test_a_run_of_what_was_graded_live_says_it_instead(tmp_path: Path, task_file: Path) -> None:
    async with editor(tmp_path) as it:
        await ready(it, task_file)
        it.replace("[jitter]", "[retry]")
        await it.says("live-verdict")
        it.save(task_file)
        await it.execute("waza.runTask", uri=it.uri, task=TASK)
        await until(lambda: not it.said())


@pytest.mark.slow
@pytest.mark.usefixtures("fresh_children")
async def test_edits_on_both_sides_of_a_grader_that_is_being_graded_cost_no_verdict(
    tmp_path: Path, task_file: Path
) -> None:
    async with editor(tmp_path) as it:
        await ready(it, task_file)
        await until(lambda: workers(it))
        [worker] = workers(it)
        os.kill(worker, signal.SIGSTOP)
        it.replace("[jitter]", "[jitters]")
        await asyncio.sleep(0.3)
        it.replace("name: Explain the retry helper", "name: Explain it")
        it.replace("name: has-some-substance", "name: has-substance")
        await asyncio.sleep(0.3)
        os.kill(worker, signal.SIGCONT)
        await it.says("failed-check", "jitters")


@pytest.mark.slow
async def test_a_run_stops_what_is_executed_live(tmp_path: Path, suite: Path, task_file: Path) -> None:
    slow = make_slow(suite, "1.2")
    async with editor(tmp_path) as it:
        await ready(it, task_file)
        await it.execute("waza.runTask", uri=it.uri, task=TASK)
        it.replace("name: slow", "name: slow-one")
        await until(lambda: running_now(slow))
        running = asyncio.create_task(it.execute("waza.runTask", uri=it.uri, task=TASK))
        await until(lambda: not running_now(slow), 1)
        while not running.done():
            assert running_now(slow) <= 1
            await asyncio.sleep(0.05)
        assert (await running)["status"] == "passed"
        await it.says("live-verdict", "program")


def running_now(command: str) -> int:
    """Return the number of processes with this command."""
    found = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return sum(line.startswith(command) for line in found.splitlines())


@pytest.mark.slow
async def test_in_an_untrusted_workspace_nothing_executes_but_texts_are_compared(
    tmp_path: Path, task_file: Path
) -> None:
    async with editor(tmp_path, trusted=False) as it:
        await ready(it, task_file)
        it.replace("60 <= len(output.split()) <= 350", "len(output) < 3")
        it.replace("[jitter]", "[jitters]")
        await it.says("failed-check", "jitters")
        assert len(it.said()) == 1


@pytest.mark.slow
async def test_a_grader_of_the_eval_is_graded_on_all_tasks(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path) as it:
        await ready(it, suite / "eval.yaml")
        it.replace("- I don't have access", "- I do not have access")
        assert (await it.says("live-verdict"))[2] == "Passes on all 4 recorded trials"
        it.replace("- I do not have access", "- backoff")
        _, marked, message = await it.says("failed-check")
        assert marked == "backoff"
        assert message.startswith(f'{TASK}: "backoff" found in the output')


@pytest.mark.slow
async def test_a_grader_edited_in_a_broken_suite_has_its_verdict_once_that_is_mended(
    tmp_path: Path, suite: Path
) -> None:
    async with editor(tmp_path) as it:
        await ready(it, suite / "eval.yaml")
        it.replace("executor: copilot", "executor: : copilot")
        it.replace("- I don't have access", "- backoff")
        await asyncio.sleep(0.5)
        it.replace("executor: : copilot", "executor: copilot")
        await it.says("failed-check")


@pytest.mark.slow
async def test_it_can_be_switched_off(tmp_path: Path, task_file: Path) -> None:
    async with editor(tmp_path, settings={"live": {"enable": False}}) as it:
        await ready(it, task_file)
        it.replace("[jitter]", "[jitters]")
        await asyncio.sleep(0.5)
        assert it.said() == []
        assert workers(it) == []


@pytest.mark.slow
@pytest.mark.usefixtures("fresh_children")
async def test_a_dead_worker_is_replaced(tmp_path: Path, task_file: Path) -> None:
    async with editor(tmp_path) as it:
        await ready(it, task_file)
        it.replace("[jitter]", "[jitters]")
        await it.says("failed-check")
        [first] = workers(it)
        os.kill(first, signal.SIGKILL)
        it.replace("[jitters]", "[jitter]")
        it.replace("[jitter]", "[exponential]")
        await it.says("live-verdict")
        [second] = workers(it)
        assert first != second


@pytest.mark.slow
@pytest.mark.usefixtures("fresh_children")
async def test_a_worker_that_hangs_is_killed_and_holds_nothing_up(tmp_path: Path, task_file: Path) -> None:
    async with editor(tmp_path) as it:
        await ready(it, task_file)
        it.replace("[jitter]", "[jitters]")
        await it.says("failed-check")
        [first] = workers(it)
        os.kill(first, signal.SIGSTOP)
        it.replace("[jitters]", "[jitter]")
        await asyncio.sleep(0.1)
        assert await asyncio.wait_for(it.lenses(), 1)
        await until(lambda: first not in workers(it), 8)
        it.replace("[jitter]", "[exponential]")
        await it.says("live-verdict")


@pytest.mark.usefixtures("fresh_children")
async def test_no_worker_outlives_the_server(tmp_path: Path, task_file: Path) -> None:
    async with editor(tmp_path) as it:
        await ready(it, task_file)
        it.replace("[jitter]", "[jitters]")
        await it.says("failed-check")
        [worker] = workers(it)
        os.kill(it.pid, signal.SIGKILL)
        await until(lambda: not Path(f"/proc/{worker}/cmdline").exists() or not _command(worker))


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


@pytest.mark.slow
async def test_each_edit_has_its_own_verdict(tmp_path: Path, task_file: Path) -> None:
    async with editor(tmp_path) as it:
        await ready(it, task_file)
        for number in range(6):
            old, new = ("jitter]", "jitters]") if number % 2 == 0 else ("jitters]", "jitter]")
            it.replace(old, new)
            await it.says("failed-check" if number % 2 == 0 else "live-verdict")


@pytest.mark.parametrize(
    ("example", "name", "old", "new"),
    first_quick(
        [
            ("code-explainer", "tasks/explain-retry.yaml", "[jitter", "[jitters"),
            ("file-editor", "tasks/list-todos.yaml", "must_not_exist: [TODO.md", "must_not_exist: [src"),
            ("deploy-orchestrator", "tasks/deploy-to-staging.yaml", "graders:", "graders: "),
            ("release-notes", "eval.yaml", r"version\.js|version\.js", r"version\.ts|version\.ts"),
        ]
    ),
)
async def test_shipped_examples(tmp_path: Path, example: str, name: str, old: str, new: str) -> None:
    shutil.copytree(EXAMPLES / example, tmp_path / "examples" / example)
    async with editor(tmp_path) as it:
        await ready(it, tmp_path / "examples" / example / name)
        it.replace(old, new)
        if old != "graders:":
            await it.says("failed-check", new.partition("[")[2])
