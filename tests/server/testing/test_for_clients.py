"""Requests beyond LSP for clients with a test view and a status line (docs/running.md, "For clients")."""

import asyncio
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.server.results_harness import Editor, editor


def plain(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else value._asdict()


async def about(it: Editor, uri: str) -> Any:
    return await it.client.protocol.send_request_async("waza/document", {"uri": uri})  # type: ignore[no-untyped-call]  # the library gives it no types


@pytest.mark.slow
async def test_a_failed_task_says_where_in_the_text_it_failed(tmp_path: Path, suite: Path) -> None:
    path = suite / "tasks" / "explain-retry.yaml"
    text = path.read_text(encoding="utf-8").replace("[jitter]", "[no such word]")
    path.write_text(text, encoding="utf-8")
    async with editor(tmp_path) as it:
        it.open(path)
        await it.execute("waza.runTask", uri=it.uri, task="explain-retry")
        [end] = [event for event in it.events if event["event"] == "task_finished"]
        [message] = [plain(found) for found in end["messages"]]
        assert "no such word" in message["message"]
        assert message["uri"] == it.uri
        start = plain(plain(message["range"])["start"])
        assert text.split("\n")[start["line"]][start["character"] :].startswith("no such word")


@pytest.mark.slow
async def test_several_tasks_are_one_run(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path) as it:
        it.open(suite / "eval.yaml")
        answer = plain(
            await it.execute("waza.runTask", uri=it.uri, tasks=["explain-retry", "document-query"])
        )
        assert sorted(plain(task)["id"] for task in answer["tasks"]) == ["document-query", "explain-retry"]
        assert sum(event["event"] == "run_started" for event in it.events) == 1


async def test_an_open_document_is_explained(tmp_path: Path, suite: Path) -> None:
    other = tmp_path / "ci.yaml"
    other.write_text("on: push\njobs: {}\n", encoding="utf-8")
    async with editor(tmp_path) as it:
        it.open(other)
        assert await about(it, it.uri) is None
        it.open(suite / "eval.yaml")
        found = plain(await about(it, it.uri))
        assert (found["dialect"], found["kind"]) == ("waza", "eval")
        assert found["reason"]
        assert await about(it, "untitled:one") is None


async def test_a_client_gets_the_files_of_new_evals_and_the_server_of_tools(tmp_path: Path) -> None:
    async with editor(tmp_path) as it:

        async def ask(method: str, **params: str) -> Any:
            return await it.client.protocol.send_request_async(method, params)  # type: ignore[no-untyped-call]  # the library gives it no types

        found = [plain(one) for one in await ask("waza/starters", name="greeter")]
        assert [plain(one["files"][0])["path"] for one in found] == ["eval.yaml", "eval.yaml"]
        assert all("name: greeter-eval\n" in plain(one["files"][0])["text"] for one in found)
        assert [one["dialect"] for one in found] == ["waza", "vally"]
        assert await ask("waza/starters", name="../up") == []
        server = plain(await ask("waza/mcp"))
    command = [server["command"], *server["args"], "--folder", str(tmp_path), "--call", "runs"]
    done = await asyncio.to_thread(
        subprocess.run, command, input="{}", capture_output=True, text=True, check=False
    )
    assert "No run" in done.stdout + done.stderr
