"""Annotations: failed checks at their place, and the commands that create, update and clear them."""

import asyncio
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.server.results.test_lenses import make_fail, run_outside
from tests.server.results_harness import CANCEL_SECONDS, Editor, editor, until
from tests.slow import first_quick

TASK = "explain-retry"
SLOW = (
    "  - name: slow\n    type: program\n    config:\n      command: sleep\n      args: ['{seconds}']\n"
    "      timeout: 60\n"
)


def task_file(suite: Path) -> Path:
    return suite / "tasks" / f"{TASK}.yaml"


def make_slow(suite: Path, seconds: str) -> str:
    """Make the task wait in a grader. Return the command line of that grader, which is unique to this test."""
    seconds = f"{seconds}{os.getpid()}"
    path = task_file(suite)
    text = path.read_text(encoding="utf-8").replace("graders:\n", "graders:\n" + SLOW.format(seconds=seconds))
    path.write_text(text, encoding="utf-8")
    return f"sleep {seconds}"


def children(pid: int, what: str) -> list[int]:
    """Return the ids of a process's children whose command line contains a text."""
    command = ["ps", "-o", "pid=,args=", "--ppid", str(pid)]
    found = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return [int(line.split()[0]) for line in found.splitlines() if what in line]


NO_LIVE = {"live": {"enable": False}}
"""Live grading is off, or it would start the slow grader as well."""


def trial_runs(it: Editor) -> bool:
    """Whether the run has reported the start of a trial."""
    return any(event["event"] == "trial_started" for event in it.events)


def is_running(needle: str) -> bool:
    found = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return any(it.startswith(needle) for it in found.splitlines())


@pytest.mark.parametrize("profile", first_quick(["visual_studio_code", "neovim"]))
async def test_a_failed_check_stands_at_its_own_text(tmp_path: Path, suite: Path, profile: str) -> None:
    make_fail(task_file(suite))
    async with editor(tmp_path, profile=profile) as it:
        it.open(task_file(suite))
        await it.execute("waza.runTask", uri=it.uri, task=TASK)
        _, marked, message = await it.says("failed-check")
        assert marked == "no such words"
        assert message.startswith('"no such words" not found in the output; line ')


async def hover(it: Editor, text: str) -> str:
    """Return the hover over the first occurrence of a text."""
    line = next(number for number, one in enumerate(it.text.split("\n")) if text in one)
    at = types.Position(line, it.text.split("\n")[line].index(text) + 1)
    found = await it.client.text_document_hover_async(
        types.HoverParams(types.TextDocumentIdentifier(it.uri), at)
    )
    contents = found.contents if found is not None else None
    return contents.value if isinstance(contents, types.MarkupContent) else ""


@pytest.mark.slow
async def test_a_failed_pattern_shows_the_nearest_recorded_text(tmp_path: Path, suite: Path) -> None:
    path = task_file(suite)
    text = path.read_text(encoding="utf-8").replace(
        "'(?i)exponential|doubl(es|ing|ed)'", "'(?i)the delay tripl(es|ed)'"
    )
    path.write_text(text, encoding="utf-8")
    async with editor(tmp_path) as it:
        it.open(path)
        before = await hover(it, "(?i)the delay")
        await it.execute("waza.runTask", uri=it.uri, task=TASK)
        await it.says("failed-check", "tripl")
        shown = await hover(it, "(?i)the delay")
        excerpt = shown.removeprefix("Recorded lines:\n```text\n").partition("\n```")[0]
        assert "delay" in excerpt
        assert "no match" not in shown
        # What is known from the recording is told once, whether or not it was there before the run.
        assert shown.endswith(before.partition("\n\nNot found")[0])
        assert "last recorded" not in shown
        it.replace("tripl(es|ed)", "doubl")
        assert "Recorded lines" not in await hover(it, "(?i)the delay")


@pytest.mark.slow
async def test_a_metric_has_its_last_value(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path) as it:
        it.open(suite / "eval.yaml")
        assert "Last value" not in await hover(it, "threshold: 0.9")
        await it.execute("waza.runTask", uri=it.uri, task=TASK)
        # The lens knows of the run sooner than the store can be asked.
        async with asyncio.timeout(60):
            while "Last value: **1**." not in (said := await hover(it, "threshold: 0.9")):
                assert "threshold" in said
                await asyncio.sleep(0.1)


@pytest.mark.slow
async def test_it_moves_with_edits_and_goes_when_touched(tmp_path: Path, suite: Path) -> None:
    make_fail(task_file(suite))
    async with editor(tmp_path, settings={"live": {"enable": False}}) as it:
        it.open(task_file(suite))
        await it.execute("waza.runTask", uri=it.uri, task=TASK)
        await it.says("failed-check", "no such words")
        it.replace("name: Explain", "# one more line\nname: Explain")
        it.replace("weight: 3", "weight: 2")
        await asyncio.sleep(0.2)
        assert [marked for _, marked, _ in it.said()] == ["no such words"]
        it.close()
        it.open(task_file(suite), "# on top\n" + it.text)
        await it.says("failed-check", "no such words")
        it.replace("no such words", "no such word")
        await until(lambda: not it.said())


@pytest.mark.slow
async def test_what_was_said_is_found_again_after_a_restart(tmp_path: Path, suite: Path) -> None:
    make_fail(task_file(suite))
    run_outside(tmp_path, suite / "eval.yaml")
    async with editor(tmp_path) as it:
        it.open(task_file(suite))
        await it.says("failed-check", "no such words")
        await it.execute("waza.clearResults", uri=it.uri)
        await until(lambda: not it.said())
        assert not any("✗" in lens for lens in await it.lenses())


@pytest.mark.slow
async def test_everything_can_be_cleared_and_switched_off(tmp_path: Path, suite: Path) -> None:
    make_fail(task_file(suite))
    async with editor(tmp_path, settings={"results": {"inline": False}}) as it:
        it.open(task_file(suite))
        await it.execute("waza.runTask", uri=it.uri, task=TASK)
        assert it.said() == []
        # The lens speaks once it is known which eval the task belongs to.
        assert any("✗" in lens for lens in await it.lenses_with("✗"))
        await it.execute("waza.clearResults")
        assert not any("✗" in lens for lens in await it.lenses())


@pytest.mark.slow
async def test_a_check_of_the_evals_graders_names_the_task(tmp_path: Path, suite: Path) -> None:
    path = suite / "eval.yaml"
    text = path.read_text(encoding="utf-8").replace("- I don't have access", "- retry")
    path.write_text(text, encoding="utf-8")
    async with editor(tmp_path) as it:
        it.open(path)
        await it.execute("waza.runEval", uri=it.uri)
        _, marked, message = await it.says("failed-check")
        assert marked == "retry"
        assert message.startswith(f'{TASK}: "retry" found in the output; line 1: ')


@pytest.mark.slow
async def test_grading_again_takes_the_text_of_the_editor(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path) as it:
        it.open(task_file(suite))
        await it.execute("waza.runTask", uri=it.uri, task=TASK)
        it.replace("contains: [jitter]", "contains: [jitter, no such words]")
        answer = await it.execute("waza.grade", uri=it.uri, task=TASK)
        assert (answer["status"], len(answer["tasks"])) == ("failed", 1)
        await it.says("failed-check", "no such words")
        assert "✗" in (await it.lenses_with("✗"))[-1]
        assert "stale" not in (await it.lenses())[-1]
        kinds = [event["event"] for event in it.events if event["run_id"] == answer["runId"]]
        assert kinds == [
            "run_started", "task_started", "trial_started", "trial_finished", "task_finished", "run_finished"
        ]  # fmt: skip


@pytest.mark.slow
async def test_grading_right_after_opening_is_about_the_text_of_the_editor(
    tmp_path: Path, suite: Path
) -> None:
    async with editor(tmp_path) as it:
        it.open(task_file(suite))
        it.replace("contains: [jitter]", "contains: [jitter, no such words]")
        answer = await it.execute("waza.grade", uri=it.uri, task=TASK)
        assert answer["status"] == "failed"
        assert "stale" not in (await it.lenses_with("✗"))[-1]


async def test_one_grader_can_be_graded_alone(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path) as it:
        it.open(task_file(suite))
        answer = await it.execute("waza.grade", uri=it.uri, task=TASK, grader="names-the-ideas")
        [task] = answer["tasks"]
        assert [one["name"] for one in task["graders"]] == ["names-the-ideas"]
        assert await it.execute("waza.grade", uri=it.uri, task=TASK, grader="nobody") is not None
        await until(lambda: any("no grader 'nobody'" in message for message in it.messages))


@pytest.mark.slow
async def test_without_a_recording_grading_says_what_to_do(tmp_path: Path, suite: Path) -> None:
    for path in (suite / "recordings").iterdir():
        path.unlink()
    async with editor(tmp_path) as it:
        it.open(task_file(suite))
        answer = await it.execute("waza.grade", uri=it.uri, task=TASK)
        assert answer["status"] == "error"
        await until(lambda: any("Run it once" in message for message in it.messages))


async def test_unsaved_changes_are_told_and_graded_live(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path) as it:
        it.open(task_file(suite))
        it.replace("contains: [jitter]", "contains: [jitter, no such words]")
        await it.lenses_with("Grade again")
        answer = await it.execute("waza.runTask", uri=it.uri, task=TASK)
        assert (answer["status"], answer["unsaved"]) == ("passed", ["explain-retry.yaml"])
        assert any("unsaved changes" in message for message in it.messages)
        assert (await it.lenses_with("✗ live"))[-1] == "✗ live: 1 grader fails · run just now"


async def test_an_untrusted_workspace_runs_and_grades_nothing(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path, trusted=False) as it:
        it.open(task_file(suite))
        for command in ("waza.runTask", "waza.grade", "waza.runFailed"):
            assert await it.execute(command, uri=it.uri, task=TASK) is None
        assert len([1 for message in it.messages if "not trusted" in message]) == 3


@pytest.mark.slow
async def test_a_run_is_cancelled_by_its_id_and_every_start_has_its_end(tmp_path: Path, suite: Path) -> None:
    slow = make_slow(suite, "33.")
    async with editor(tmp_path, settings=NO_LIVE) as it:
        it.open(task_file(suite))
        running = asyncio.create_task(it.execute("waza.runEval", uri=it.uri))
        await until(lambda: trial_runs(it) and is_running(slow))
        run_id = it.events[0]["run_id"]
        await it.lenses_with("Running: cancel")
        started = time.monotonic()
        assert await it.execute("waza.cancelRun", runId=run_id) is True
        answer = await running
        assert time.monotonic() - started < CANCEL_SECONDS
        assert answer["status"] == "cancelled"
        assert not is_running(slow)
        kinds = [event["event"] for event in it.events]
        for what in ("run", "task", "trial"):
            assert kinds.count(f"{what}_started") == kinds.count(f"{what}_finished") > 0
        assert not any("Running" in lens for lens in await it.lenses())
        assert await it.execute("waza.cancelRun", runId=run_id) is False


@pytest.mark.slow
@pytest.mark.usefixtures("fresh_children")
async def test_a_run_that_is_killed_has_its_ends_too(tmp_path: Path, suite: Path) -> None:
    slow = make_slow(suite, "34.")
    async with editor(tmp_path, settings=NO_LIVE) as it:
        it.open(task_file(suite))
        running = asyncio.create_task(it.execute("waza.runTask", uri=it.uri, task=TASK))
        await until(lambda: trial_runs(it) and is_running(slow))
        [run] = children(it.pid, "waza_lsp run")
        os.kill(run, signal.SIGKILL)
        answer = await running
        assert answer["status"] == "error"
        kinds = [event["event"] for event in it.events]
        assert kinds[-3:] == ["trial_finished", "task_finished", "run_finished"]
        await until(lambda: not is_running(slow))


@pytest.mark.usefixtures("fresh_children")
async def test_a_killed_server_leaves_no_run_behind(tmp_path: Path, suite: Path) -> None:
    slow = make_slow(suite, "35.")
    async with editor(tmp_path) as it:
        it.open(task_file(suite))
        running = asyncio.create_task(it.execute("waza.runTask", uri=it.uri, task=TASK))
        await until(lambda: is_running(slow))
        os.kill(it.pid, signal.SIGKILL)
        await until(lambda: not is_running(slow))
        running.cancel()


@pytest.mark.slow
async def test_a_cancelled_request_is_answered_once_and_ends_its_run(tmp_path: Path, suite: Path) -> None:
    slow = make_slow(suite, "36.")
    async with editor(tmp_path, settings=NO_LIVE) as it:
        it.open(task_file(suite))
        params = types.ExecuteCommandParams("waza.runTask", [{"uri": it.uri, "task": TASK}])
        protocol: Any = it.client.protocol
        running = asyncio.ensure_future(
            protocol.send_request_async("workspace/executeCommand", params, msg_id="77")
        )
        await until(lambda: trial_runs(it) and is_running(slow))
        it.client.cancel_request(types.CancelParams("77"))
        with pytest.raises(JsonRpcException, match="cancel"):
            await asyncio.wait_for(running, 1)
        await until(lambda: it.events[-1]["event"] == "run_finished", CANCEL_SECONDS)
        assert it.events[-1]["status"] == "cancelled"
        await until(lambda: not is_running(slow))
        kinds = [event["event"] for event in it.events]
        for what in ("run", "task", "trial"):
            assert kinds.count(f"{what}_started") == kinds.count(f"{what}_finished") > 0
        assert not any("Running" in lens for lens in await it.lenses())


@pytest.mark.slow
async def test_a_file_renamed_during_the_run_hurts_nothing(tmp_path: Path, suite: Path) -> None:
    make_fail(task_file(suite))
    slow = make_slow(suite, "1.6")
    async with editor(tmp_path) as it:
        it.open(task_file(suite))
        running = asyncio.create_task(it.execute("waza.runTask", uri=it.uri, task=TASK))
        await until(lambda: is_running(slow))
        it.close()
        renamed = task_file(suite).rename(suite / "tasks" / "renamed.yaml")
        it.open(renamed)
        assert (await running)["status"] == "failed"
        assert any("✗" in lens for lens in await it.lenses_with("✗"))


@pytest.mark.slow
async def test_two_windows_share_the_store(tmp_path: Path, suite: Path) -> None:
    make_fail(task_file(suite))
    async with editor(tmp_path) as one, editor(tmp_path) as other:
        for it in (one, other):
            it.open(task_file(suite))
        answers = await asyncio.gather(
            *(it.execute("waza.runTask", uri=it.uri, task=TASK) for it in (one, other))
        )
        assert [it["status"] for it in answers] == ["failed", "failed"]
        for it in (one, other):
            await it.says("failed-check", "no such words")
            await it.lenses_with("✗")
