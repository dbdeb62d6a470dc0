"""`waza/runEvent` and `waza/testsChanged`: the events for a test view, and the keys that identify their items."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.server.results.test_annotations import make_slow
from tests.server.results.test_lenses import make_fail, run_outside
from tests.server.results_harness import Editor, editor, plain, until

TASK = "explain-retry"
MINE = {"token": "mine"}
NO_TOKEN = {"token": ""}


async def tree(it: Editor, **params: Any) -> list[dict[str, Any]]:
    protocol: Any = it.client.protocol
    found = await protocol.send_request_async("waza/tests", params)
    return [plain(one) for one in found]


def task_of(tree: list[dict[str, Any]], id_: str) -> dict[str, Any]:
    [found] = [it for it in tree[0]["children"] if it["id"] == id_]
    return dict(found)


@pytest.mark.slow
async def test_events_name_the_items_of_the_tree(tmp_path: Path, suite: Path) -> None:
    task_file = suite / "tasks" / f"{TASK}.yaml"
    make_fail(task_file)
    async with editor(tmp_path) as it:
        it.open(task_file)
        found = await tree(it, uri=it.uri)
        task = task_of(found, TASK)
        answer = await it.execute("waza.runTask", uri=it.uri, task=TASK, **MINE)
        assert answer["status"] == "failed"
        assert {event["token"] for event in it.events} == {"mine"}
        assert {event["run_id"] for event in it.events} == {answer["runId"]}
        by_name = {event["event"]: event for event in it.events}
        assert by_name["run_started"]["key"] == by_name["run_finished"]["key"] == found[0]["key"]
        assert by_name["run_started"]["keys"] == [task["key"]]
        started = by_name["task_started"]
        assert (started["key"], started["uri"]) == (task["key"], it.uri)
        assert started["range"] == task["range"]
        below = (*task["children"], *found[0]["children"])
        graders = {child["id"]: child["key"] for child in below if child["kind"] == "grader"}
        told = {one["name"]: one["key"] for one in by_name["trial_finished"]["graders"]}
        assert told == {**graders, "_output_contains": task["key"]}
        [message] = by_name["task_finished"]["messages"]
        assert message["message"].startswith('"no such words" not found in the output')
        assert (message["uri"], message["key"]) == (it.uri, graders["names-the-ideas"])
        assert it.marked(message["range"]) == "no such words"
        assert message["expected"] == "no such words"
        assert message["actual"] in message["excerpt"]
        end = by_name["task_finished"]
        totals = {one["key"]: (one["status"], one["passed"], one["total"]) for one in end["graders"]}
        of_task = {child["key"] for child in task["children"]}
        assert totals.keys() == of_task
        assert totals.pop(graders["names-the-ideas"]) == ("failed", 0, 1)
        assert {*totals.values()} == {("passed", 1, 1)}
        assert 0 < end["wall_ms"] < 60_000
        assert (end["cancelled"], end["partial"]) == (False, False)
        of_eval = {one["key"] for one in by_name["run_finished"]["graders"]}
        assert of_eval == {it["key"] for it in found[0]["children"] if it["kind"] == "grader"}


@pytest.mark.slow
async def test_a_message_stands_where_its_text_is_by_now(tmp_path: Path, suite: Path) -> None:
    task_file = suite / "tasks" / f"{TASK}.yaml"
    make_fail(task_file)
    make_slow(suite, "1.")  # or the run may end before the edit
    async with editor(tmp_path) as it:
        it.open(task_file)
        running = asyncio.create_task(it.execute("waza.runTask", uri=it.uri, task=TASK))
        await until(lambda: any(event["event"] == "run_started" for event in it.events))
        it.replace("name: Explain", "# one\n# two\nname: Explain")
        await running
        [end] = [event for event in it.events if event["event"] == "task_finished"]
        assert it.marked(end["messages"][0]["range"]) == "no such words"


@pytest.mark.slow
async def test_a_trial_without_a_verdict_says_why_at_its_task(tmp_path: Path, suite: Path) -> None:
    task_file = suite / "tasks" / f"{TASK}.yaml"
    for path in (suite / "recordings").iterdir():
        path.unlink()
    async with editor(tmp_path) as it:
        it.open(task_file)
        await it.execute("waza.runTask", uri=it.uri, task=TASK)
        [end] = [event for event in it.events if event["event"] == "task_finished"]
        [message] = end["messages"]
        assert "recording" in message["message"]
        assert message["key"] == end["key"]
        assert it.marked(message["range"]).startswith("id: ")


async def test_one_grader_is_graded_from_its_item(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path) as it:
        it.open(suite / "tasks" / f"{TASK}.yaml")
        it.replace("- name: names-the-ideas", "- name: ''")
        task = task_of(await tree(it, uri=it.uri), TASK)
        grader = task["children"][0]
        assert (grader["label"], grader["id"]) == ("text", "")
        command = grader["command"]
        assert command["command"] == "waza.grade"
        answer = await it.execute("waza.grade", **command["arguments"][0], **MINE)
        [graded] = answer["tasks"]
        assert [one["type"] for one in graded["graders"]] == ["text"]
        [end] = [event for event in it.events if event["event"] == "trial_finished"]
        assert [one["key"] for one in end["graders"]] == [grader["key"]]
        [end] = [event for event in it.events if event["event"] == "task_finished"]
        assert end["partial"], "one grader is no verdict on the task"


async def test_free_grading_runs_no_program_and_is_no_verdict_on_the_task(
    tmp_path: Path, suite: Path
) -> None:
    async with editor(tmp_path) as it:
        it.open(suite / "tasks" / f"{TASK}.yaml")
        answer = await it.execute("waza.grade", uri=it.uri, task=TASK, free=True, progress=False)
        [graded] = answer["tasks"]
        names = {one["name"] for one in graded["graders"]}
        assert "names-the-ideas" in names
        assert "has-some-substance" not in names, "it runs a program"
        [end] = [event for event in it.events if event["event"] == "task_finished"]
        assert end["partial"]
        assert not it.ended_progress()
        await it.execute("waza.grade", uri=it.uri, task=TASK)
        assert not it.events[-2]["partial"]


async def test_several_tasks_are_one_run_and_the_token_cancels_it(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path) as it:
        it.open(suite / "eval.yaml")
        wanted = [TASK, "document-query"]
        answer = await it.execute("waza.runTask", uri=it.uri, tasks=wanted)
        assert {task["id"] for task in answer["tasks"]} == set(wanted)
        running = asyncio.create_task(it.execute("waza.runEval", uri=it.uri, **MINE))
        await asyncio.sleep(0)
        cancelled = False
        async with asyncio.timeout(5):
            while not cancelled and not running.done():
                cancelled = await it.execute("waza.cancelRun", **MINE)
        assert cancelled
        assert (await running)["status"] == "cancelled"
        assert await it.execute("waza.cancelRun", **MINE) is False
        assert await it.execute("waza.cancelRun", **NO_TOKEN) is False


@pytest.mark.slow
async def test_the_tree_shows_results_from_before_a_restart(tmp_path: Path, suite: Path) -> None:
    run_outside(tmp_path, suite / "eval.yaml")
    async with editor(tmp_path) as it:
        [root] = await tree(it)
        await until(lambda: it.trees_changed)
        [root] = await tree(it)
        assert root["verdict"]["status"] == "passed"
        assert [child["verdict"]["status"] for child in root["children"] if child["kind"] == "task"] == [
            "passed"
        ] * 4
        count = len(it.trees_changed)
        await tree(it)
        await asyncio.sleep(0.8)
        assert len(it.trees_changed) == count, "an answer must not ask for the next request"


@pytest.mark.slow
async def test_a_change_of_the_tree_is_told_once(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path) as it:
        it.open(suite / "tasks" / f"{TASK}.yaml")
        await until(lambda: it.trees_changed)
        await asyncio.sleep(0.6)
        it.trees_changed.clear()
        it.replace("[jitter]", "[jitters]")
        await asyncio.sleep(0.6)
        it.replace(f"id: {TASK}", "id: new")
        it.replace("id: new", "id: newer")
        await until(lambda: it.trees_changed)
        await asyncio.sleep(0.6)
        assert it.trees_changed.count({"uri": it.uri}) == 1


@pytest.mark.slow
async def test_clients_that_do_not_ask_get_no_events(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path, runEvents=False) as it:
        it.open(suite / "tasks" / f"{TASK}.yaml")
        await it.execute("waza.runTask", uri=it.uri, task=TASK)
        it.replace(f"id: {TASK}", "id: new")
        await asyncio.sleep(0.6)
        assert it.events == it.trees_changed == []
