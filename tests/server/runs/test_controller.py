"""Running from the editor: progress, verdict, cancel, refusal."""

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient, client_capabilities

from tests.forked import SERVER
from tests.server.conftest import Opener, make_client, one_editor
from tests.server.results.test_annotations import is_running, make_slow, task_file
from tests.server.results_harness import CANCEL_SECONDS, until


def configure(client: LanguageClient, **run: str) -> None:
    client.workspace_did_change_configuration(types.DidChangeConfigurationParams({"waza": {"run": run}}))


async def execute(client: LanguageClient, command: str, argument: dict[str, Any]) -> Any:
    return await client.workspace_execute_command_async(types.ExecuteCommandParams(command, [argument]))


async def test_a_task_runs_and_answers_with_its_verdict(
    client: LanguageClient, suite: Path, opened: Opener
) -> None:
    uri = opened(suite / "tasks" / "explain-retry.yaml")
    configure(client, executor="replay")
    answer = await execute(client, "waza.runTask", {"uri": uri, "task": "explain-retry"})
    assert answer["status"] == "passed", answer
    assert answer["score"] == 1.0
    assert answer["runId"]
    [task] = answer["tasks"]
    assert (task["id"], task["status"]) == ("explain-retry", "passed")
    assert {it["name"] for it in task["graders"]} >= {"names-the-ideas", "opened-the-file"}


@asynccontextmanager
async def asked_for_settings(suite: Path, told: asyncio.Event) -> AsyncIterator[LanguageClient]:
    """A client that sends its settings only once it is `told` to."""
    client = make_client()

    async def settings(_: types.ConfigurationParams) -> list[Any]:
        await told.wait()
        return [{"run": {"executor": "replay"}}]

    client.protocol.fm.features[types.WORKSPACE_CONFIGURATION] = settings
    await client.start_io(*SERVER, env=dict(os.environ))
    await client.initialize_session(
        types.InitializeParams(
            capabilities=client_capabilities("neovim"),
            root_uri=suite.as_uri(),
            initialization_options={"trusted": True},
        )
    )
    try:
        yield client
    finally:
        told.set()
        await client.shutdown_session()


@pytest.mark.slow
async def test_a_run_waits_for_the_settings(suite: Path) -> None:
    told = asyncio.Event()
    asked = {"uri": (suite / "eval.yaml").as_uri(), "task": "explain-retry"}
    async with asked_for_settings(suite, told) as client:
        asyncio.get_running_loop().call_later(0.5, told.set)
        answer = await execute(client, "waza.runTask", asked)
    assert (answer["status"], answer["error"]) == ("passed", "")


@pytest.mark.slow
async def test_a_client_that_does_not_tell_its_settings_gets_its_run(suite: Path) -> None:
    path = suite / "eval.yaml"
    path.write_text(path.read_text("utf-8").replace("executor: copilot-sdk", "executor: mock"), "utf-8")
    async with asked_for_settings(suite, asyncio.Event()) as client:
        answer = await execute(client, "waza.runTask", {"uri": path.as_uri(), "task": "explain-retry"})
    assert (answer["status"], answer["error"]) == ("failed", "")


@pytest.mark.slow
async def test_an_eval_runs_with_progress(client: LanguageClient, suite: Path, opened: Opener) -> None:
    uri = opened(suite / "eval.yaml")
    configure(client, executor="replay")
    answer = await execute(client, "waza.runEval", {"uri": uri})
    assert answer["status"] == "passed", answer
    assert len(answer["tasks"]) == 4
    window = client.capabilities.window if client.capabilities else None
    if window and window.work_done_progress:
        # The first check of the file may show a progress of its own.
        shown: list[list[Any]] = [*client.progress_reports.values()]
        [reports] = [it for it in shown if getattr(it[0], "cancellable", None) is True]
        assert isinstance(reports[0], types.WorkDoneProgressBegin)
        assert isinstance(reports[-1], types.WorkDoneProgressEnd)
        assert any(
            isinstance(it, types.WorkDoneProgressReport) and "of 4" in (it.message or "") for it in reports
        )


@one_editor
async def test_a_cancelled_run_ends_within_a_second(
    client: LanguageClient, suite: Path, opened: Opener
) -> None:
    command = make_slow(suite, "30.")
    uri = opened(task_file(suite))
    configure(client, executor="replay")
    running = asyncio.create_task(execute(client, "waza.runTask", {"uri": uri, "task": "explain-retry"}))
    window = client.capabilities.window if client.capabilities else None
    if not (window and window.work_done_progress):
        running.cancel()
        return
    await until(lambda: any(client.progress_reports.values()) and is_running(command))
    # Checks have a progress of their own, which has ended.
    token = [*client.progress_reports][-1]
    started = time.monotonic()
    client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token))
    answer = await running
    assert time.monotonic() - started < CANCEL_SECONDS
    assert answer["status"] == "cancelled", answer


@one_editor
async def test_a_run_whose_request_is_cancelled_ends_within_a_second(
    client: LanguageClient, suite: Path, opened: Opener
) -> None:
    command = make_slow(suite, "30.")
    uri = opened(task_file(suite))
    configure(client, executor="replay")
    before = set(client.protocol._request_futures)
    argument = {"uri": uri, "task": "explain-retry"}
    running = asyncio.create_task(execute(client, "waza.runTask", argument))
    await until(lambda: is_running(command))
    [number] = set(client.protocol._request_futures) - before
    started = time.monotonic()
    client.cancel_request(types.CancelParams(number))
    with pytest.raises(JsonRpcException):
        await running
    await until(lambda: not is_running(command))
    assert time.monotonic() - started < CANCEL_SECONDS


@one_editor
@pytest.mark.slow
async def test_a_task_that_no_eval_lists_is_refused_with_a_reason(
    client: LanguageClient, tmp_path: Path, opened: Opener
) -> None:
    path = tmp_path / "tasks" / "alone.yaml"
    path.parent.mkdir()
    path.write_text("id: alone\nname: Alone\ninputs: {prompt: hi}\n", encoding="utf-8")
    answer = await execute(client, "waza.runTask", {"uri": opened(path), "task": "alone"})
    assert answer is None
    assert any("No eval file lists alone.yaml" in it.message for it in client.messages)


@one_editor
async def test_without_a_task_no_task_is_run(client: LanguageClient, suite: Path, opened: Opener) -> None:
    uri = opened(task_file(suite))
    wrong: list[dict[str, Any]] = [{}, {"tasks": []}, {"task": ["explain-retry"]}]
    for named in wrong:
        assert await execute(client, "waza.runTask", {"uri": uri, **named}) is None
    assert sum("No task is named" in it.message for it in client.messages) == len(wrong)


@one_editor
@pytest.mark.slow
async def test_schemas_are_exported_into_the_workspace(
    client: LanguageClient, tmp_path: Path, suite: Path
) -> None:
    answer = await execute(client, "waza.exportSchemas", {"directory": "below/schemas"})
    assert answer["directory"] == str(tmp_path / "below/schemas")
    assert (tmp_path / "below" / "schemas" / "eval.schema.json").is_file()
    elsewhere = await execute(client, "waza.exportSchemas", {"directory": "../elsewhere"})
    assert elsewhere["directory"] == str(tmp_path.parent / "elsewhere")
    assert await execute(client, "waza.exportSchemas", {"directory": f"{suite}/eval.yaml"}) is None
    assert any("The schemas cannot be written" in it.message for it in client.messages)
