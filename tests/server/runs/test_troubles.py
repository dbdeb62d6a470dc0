"""Problems of runs: invalid calls, clients that do not respond, a killed server, missing parts."""

import asyncio
import os
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.server.results.test_annotations import NO_LIVE, TASK, is_running, make_slow, task_file
from tests.server.results_harness import CANCEL_SECONDS, Editor, editor, plain, until

OTHERS = ("comment-worker-pool", "document-query", "explain-debounce-short")
"""The tasks besides the slow one."""
FIRST = OTHERS[0]


async def call(it: Editor, command: str, *arguments: Any) -> Any:
    return await it.client.workspace_execute_command_async(
        types.ExecuteCommandParams(command, list(arguments))
    )


@pytest.mark.parametrize("command", ["waza.runTask", "waza.runEval", "waza.runFailed", "waza.grade"])
async def test_a_call_without_a_file_says_so(tmp_path: Path, command: str) -> None:
    odd: list[list[Any]] = [[], [None], ["text"], [7], [[1, 2]], [{"uri": 3}], [{"uri": "x:y"}]]
    async with editor(tmp_path) as it:
        for arguments in odd:
            it.client.messages.clear()
            assert await call(it, command, *arguments) is None
            await until(lambda: any("Only files on disk" in one for one in it.messages))


@pytest.mark.slow
async def test_more_arguments_than_needed_and_other_types(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path) as it:
        it.open(task_file(suite))
        wanted = {"uri": it.uri, "task": TASK, "tasks": "text", "token": 5, "more": {"a": [1]}}
        answer = await call(it, "waza.runTask", wanted, {"uri": "second"}, 3)
        assert [one["id"] for one in plain(answer)["tasks"]] == [TASK]
        for command in ("waza.cancelRun", "waza.clearResults", "waza.explainGrader"):
            assert not await call(it, command)
            assert not await call(it, command, {"runId": 3, "uri": 4, "pointer": "x"})
        # Without an id, it is the report of the newest run.
        assert "path" in plain(await call(it, "waza.showReport"))
        assert not await call(it, "waza.showReport", {"runId": 3, "uri": 4, "pointer": "x"})


@pytest.mark.slow
async def test_each_run_has_a_token_of_its_own(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path, profile="visual_studio_code") as it:
        it.open(task_file(suite))
        for _ in range(2):
            await it.execute("waza.runTask", uri=it.uri, task=TASK)
        await until(lambda: len(it.ended_progress()) == 2)
        first, second = it.ended_progress()
        assert first != second
        # A late click on Cancel, and one for something that never was.
        for token in (first, "never"):
            it.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token))
        assert (await it.execute("waza.runTask", uri=it.uri, task=TASK))["status"] == "passed"


@pytest.mark.slow
async def test_progress_counts_tasks_and_names_the_current_one(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path, profile="visual_studio_code") as it:
        it.open(suite / "eval.yaml")
        await it.execute("waza.runEval", uri=it.uri)
        await until(it.ended_progress)
        [token] = it.ended_progress()
        told: list[Any] = it.client.progress_reports[token]
        begin, *reports, end = told
        assert isinstance(begin, types.WorkDoneProgressBegin)
        assert (begin.title, begin.cancellable) == ("code-explainer", True)
        shares = [one.percentage for one in reports if isinstance(one, types.WorkDoneProgressReport)]
        assert shares == sorted(shares, key=lambda share: share or 0)
        assert shares[-1] == 100
        messages = {one.message for one in reports if isinstance(one, types.WorkDoneProgressReport)}
        assert any(one and one.endswith("of 4: Explain the retry helper") for one in messages)
        assert isinstance(end, types.WorkDoneProgressEnd)
        assert end.message == "passed"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["silent", "refuses"])
async def test_a_client_that_shows_no_progress_gets_its_run(tmp_path: Path, suite: Path, kind: str) -> None:
    async with editor(tmp_path, profile="visual_studio_code") as it:

        async def create(_params: Any) -> None:
            if kind == "refuses":
                raise RuntimeError("no progress here")
            await asyncio.sleep(60)

        it.client.protocol.fm.features[types.WINDOW_WORK_DONE_PROGRESS_CREATE] = create
        it.open(task_file(suite))
        answer = await asyncio.wait_for(it.execute("waza.runTask", uri=it.uri, task=TASK), 20)
        assert answer["status"] == "passed"


async def test_a_cancelled_run_keeps_what_is_finished(tmp_path: Path, suite: Path) -> None:
    slow = make_slow(suite, "41.")
    async with editor(tmp_path, profile="visual_studio_code", settings=NO_LIVE) as it:
        it.open(suite / "eval.yaml")
        running = asyncio.create_task(it.execute("waza.runEval", uri=it.uri))
        await until(lambda: is_running(slow) and all(map(it.finished, OTHERS)))
        [token] = it.client.progress_reports
        started = time.monotonic()
        it.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token))
        answer = await running
        assert time.monotonic() - started < CANCEL_SECONDS
        assert answer["status"] == "cancelled"
        assert not is_running(slow)
        statuses = {one["id"]: one["status"] for one in answer["tasks"]}
        assert statuses[FIRST] == "passed"
        assert statuses[TASK] == "skipped"
        assert any("passed" in lens for lens in await it.lenses_with("of 3 passed"))


@pytest.mark.slow
async def test_a_killed_server_loses_no_finished_trial(tmp_path: Path, suite: Path) -> None:
    slow = make_slow(suite, "42.")
    async with editor(tmp_path, settings=NO_LIVE) as it:
        it.open(suite / "eval.yaml")
        running = asyncio.create_task(it.execute("waza.runEval", uri=it.uri))
        await until(lambda: is_running(slow) and all(map(it.finished, OTHERS)))
        os.kill(it.pid, signal.SIGKILL)
        await until(lambda: not is_running(slow))
        running.cancel()
    async with editor(tmp_path, settings=NO_LIVE) as it:
        it.open(suite / "tasks" / f"{FIRST}.yaml")
        assert "stale" not in (await it.lenses_with("✓ 1.00"))[-1]
        it.open(task_file(suite))
        assert not any("Running" in lens or "✓" in lens for lens in await it.lenses_with("Grade again"))
        it.open(suite / "eval.yaml")
        await it.lenses_with("✓ 3 of 3 passed")
        answer = await it.execute("waza.grade", uri=it.uri, task=FIRST)
        assert answer["status"] == "passed"


@pytest.mark.slow
async def test_a_missing_extra_is_named_with_what_to_do(
    tmp_path: Path, suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in = tmp_path / "packages"
    stand_in.mkdir()
    (stand_in / "copilot.py").write_text("raise ImportError('not installed')\n", encoding="utf-8")
    path = os.pathsep.join([str(stand_in), *filter(None, [os.environ.get("PYTHONPATH")])])
    monkeypatch.setenv("PYTHONPATH", path)
    async with editor(tmp_path, settings={"run": {"executor": "copilot-sdk"}}) as it:
        it.open(task_file(suite))
        answer = await it.execute("waza.runTask", uri=it.uri, task=TASK)
        assert answer["status"] == "error"
        assert "-m pip install github-copilot-sdk==" in answer["error"]
        await until(lambda: any("-m pip install github-copilot-sdk==" in one for one in it.messages))
        assert (await it.lenses_with("Grade again"))[0] == "▶ Run task"


@pytest.mark.slow
async def test_an_unknown_executor_is_named_with_those_there_are(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path, settings={"run": {"executor": "nobody"}}) as it:
        it.open(task_file(suite))
        assert (await it.execute("waza.runTask", uri=it.uri, task=TASK))["status"] == "error"
        await until(
            lambda: any("Unknown executor 'nobody'" in one and "replay" in one for one in it.messages)
        )


async def test_a_folder_that_is_gone_is_no_internal_error(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path) as it:
        it.open(task_file(suite))
        shutil.rmtree(suite)
        assert await it.execute("waza.runTask", uri=it.uri, task=TASK) is None
        await until(lambda: any("is not on disk; save it first" in one for one in it.messages))
