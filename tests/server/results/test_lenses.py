"""Result lenses: the last verdict, failed tasks, regrading, stale results."""

import asyncio
import os
import shutil
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.faults.endpoint import endpoint, refusal, vote
from tests.forked import forked
from tests.server.results_harness import editor, plain, until

FAILING = ("contains: [jitter]", "contains: [jitter, no such words]")


def run_outside(root: Path, eval_path: Path, *options: str) -> None:
    """Simulate a run by another program: the command line or another window."""
    forked("run", str(eval_path), "--executor", "replay", *options, cwd=root)


def text_of(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")


def store_below(root: Path) -> Path:
    [store] = root.rglob("runs.sqlite3")
    return store


def make_fail(path: Path) -> None:
    path.write_text(path.read_text(encoding="utf-8").replace(*FAILING), encoding="utf-8")


async def test_a_result_shows_and_goes_stale_with_the_text(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path, profile="visual_studio_code") as it:
        it.open(suite / "tasks" / "explain-retry.yaml")
        assert await it.lenses_with("Grade again") == ["▶ Run task", "↻ Grade again"]
        await it.execute("waza.runTask", uri=it.uri, task="explain-retry")
        assert await it.lenses_with("tokens") == [
            "▶ Run task",
            "↻ Grade again",
            "✓ 1.00 · just now · 11.1k tokens",
        ]
        assert it.refreshes
        it.replace("weight: 3", "weight: 2")
        assert (await it.lenses())[-1].endswith("stale")
        it.replace("weight: 2", "weight: 3")
        assert "stale" not in (await it.lenses())[-1]
        it.replace("id: explain-retry\n", "id: explain-retry\ntags: [\n")
        assert (await it.lenses())[0] == "▶ Run task"
        # Red after green: the lens and the hover on its line say what has changed.
        make_fail(suite / "tasks" / "explain-retry.yaml")
        run_outside(suite, suite / "eval.yaml", "--model", "another")
        it.open(suite / "tasks" / "explain-retry.yaml")
        await it.lenses_with("✗")
        [tooltip] = [one.tooltip for one in await it.lens_commands() if "✗" in one.title]
        assert tooltip is not None
        assert tooltip.startswith("Last passed in run")
        assert tooltip.endswith("grader text.")
        assert "changed since: model (" in tooltip
        shown = await it.hover(await it.first_lens_line(), 0)
        assert shown.startswith("Last passed in run")


async def test_an_eval_counts_its_tasks_and_offers_those_that_failed(tmp_path: Path, suite: Path) -> None:
    make_fail(suite / "tasks" / "explain-retry.yaml")
    async with editor(tmp_path) as it:
        it.open(suite / "eval.yaml")
        answer = await it.execute("waza.runEval", uri=it.uri)
        assert answer["status"] == "failed"
        run, failed, again, result = await it.lenses_with("3 of 4 passed")
        assert (run, failed, again) == ("▶ Run all", "▶ Run failed (1)", "↻ Grade again")
        assert result.startswith("✗ 3 of 4 passed · 0.9")
        answer = await it.execute("waza.runFailed", uri=it.uri)
        assert [task["id"] for task in answer["tasks"]] == ["explain-retry"]


async def test_without_a_failure_nothing_failed_is_run(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path) as it:
        it.open(suite / "eval.yaml")
        assert await it.execute("waza.runFailed", uri=it.uri) is None
        await until(lambda: any("failed the last time" in message for message in it.messages))


async def test_results_of_other_programs_are_found(tmp_path: Path, suite: Path) -> None:
    task = suite / "tasks" / "explain-retry.yaml"
    run_outside(tmp_path, suite / "eval.yaml")
    async with editor(tmp_path) as it:
        it.open(task)
        assert "stale" not in (await it.lenses_with("✓ 1.00"))[-1]
        make_fail(task)
        run_outside(tmp_path, suite / "eval.yaml")
        lens = (await it.lenses_with("✗"))[-1]
        # The document still has the text that passed; the run was about what was on disk.
        assert "✗ 0." in lens
        assert lens.endswith("stale")


@pytest.mark.slow
async def test_a_run_of_another_program_is_noticed_without_being_asked(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path, profile="visual_studio_code") as it:
        it.open(suite / "eval.yaml")
        await it.lenses_with("Grade again")
        await until(lambda: it.refreshes)
        count = it.refreshes
        await asyncio.to_thread(run_outside, tmp_path, suite / "eval.yaml")
        await until(lambda: it.refreshes > count)
        assert any("✓ 4 of 4 passed" in lens for lens in await it.lenses())


@pytest.mark.slow
async def test_a_file_changed_after_the_run_is_stale_from_the_start(tmp_path: Path, suite: Path) -> None:
    task = suite / "tasks" / "explain-retry.yaml"
    run_outside(tmp_path, suite / "eval.yaml")
    task.write_text(task.read_text(encoding="utf-8") + "# seen by nobody yet\n", encoding="utf-8")
    async with editor(tmp_path) as it:
        it.open(task)
        assert (await it.lenses_with("✓ 1.00"))[-1].endswith("stale")


@pytest.mark.slow
async def test_a_file_only_touched_after_the_run_is_not_stale(tmp_path: Path, suite: Path) -> None:
    task = suite / "tasks" / "explain-retry.yaml"
    run_outside(tmp_path, suite / "eval.yaml")
    os.utime(task, (time.time() + 5, time.time() + 5))
    async with editor(tmp_path) as it:
        it.open(task)
        assert not (await it.lenses_with("✓ 1.00"))[-1].endswith("stale")


@pytest.mark.slow
@pytest.mark.parametrize("state", ["missing", "garbage", "newer", "locked", "no-folder-rights"])
async def test_a_store_that_cannot_be_read_hurts_nothing(tmp_path: Path, suite: Path, state: str) -> None:
    run_outside(tmp_path, suite / "eval.yaml")
    store = store_below(tmp_path)
    lock = sqlite3.connect(store, isolation_level=None)
    match state:
        case "missing":
            shutil.rmtree(store.parent)
        case "garbage":
            for file in store.parent.glob("runs.sqlite3*"):
                file.write_bytes(b"no database at all" * 100)
        case "newer":
            lock.execute("DROP TABLE results")
            lock.execute("PRAGMA user_version = 99")
        case "locked":
            lock.execute("PRAGMA journal_mode = DELETE")
            lock.execute("BEGIN EXCLUSIVE")
        case _:
            store.unlink()
            store.mkdir()
    async with editor(tmp_path) as it:
        it.open(suite / "tasks" / "explain-retry.yaml")
        assert await it.lenses_with("Grade again") == ["▶ Run task", "↻ Grade again"]
        answer = await it.execute("waza.grade", uri=it.uri, task="explain-retry")
        if state == "missing":
            assert answer["status"] == "passed"
        assert await it.lenses()
    lock.close()


@pytest.mark.slow
async def test_each_kind_of_lens_has_a_setting(tmp_path: Path, suite: Path) -> None:
    run_outside(tmp_path, suite / "eval.yaml")
    wanted = {"run": False, "runFailed": True, "grade": False, "result": True}
    async with editor(tmp_path, settings={"lens": wanted}) as it:
        it.open(suite / "tasks" / "explain-retry.yaml")
        [only] = await it.lenses_with("✓")
        assert only.startswith("✓ 1.00")


@pytest.mark.slow
async def test_the_report_of_a_result_can_be_shown(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path) as it:
        it.open(suite / "eval.yaml")
        answer = await it.execute("waza.runEval", uri=it.uri)
        shown = await it.execute("waza.showReport", runId=answer["runId"], uri=it.uri)
        assert "Explain the retry helper" in text_of(shown["path"])
        task = (suite / "tasks" / "explain-retry.yaml").as_uri()
        for uri in (task, suite.as_uri()):
            shown = await it.execute("waza.showReport", runId=answer["runId"], uri=uri)
            assert shown is not None, uri
        assert await it.execute("waza.showReport", runId="no-such-run", uri=it.uri) is None
        await until(lambda: any("no longer in the run store" in message for message in it.messages))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "broken"),
    [("eval.yaml", '"open\n'), ("eval.yaml", "| \n"), ("tasks/explain-retry.yaml", '"open\n')],
)
async def test_lenses_outlive_what_an_error_swallows(
    tmp_path: Path, suite: Path, name: str, broken: str
) -> None:
    run_outside(tmp_path, suite / "eval.yaml")
    async with editor(tmp_path) as it:
        it.open(suite / name)
        before = await it.lenses_with("✓")
        top = types.Range(types.Position(0, 0), types.Position(0, 0))
        line = await it.first_lens_line()
        it.change(top, broken)
        assert await it.lenses() == before
        assert await it.first_lens_line() == line + 1
        it.change(types.Range(types.Position(0, 0), types.Position(1, 0)), "")
        assert await it.lenses() == before
        it.replace(it.text, "on: push\njobs: {}\n")
        assert await it.lenses() == []


@pytest.mark.slow
async def test_a_task_that_was_renamed_counts_no_more_for_its_eval(tmp_path: Path, suite: Path) -> None:
    task = suite / "tasks" / "explain-retry.yaml"
    passing = task.read_text(encoding="utf-8")
    make_fail(task)
    run_outside(tmp_path, suite / "eval.yaml")
    recordings = suite / "recordings"
    for file in recordings.glob("explain-retry.*"):
        shutil.copy(file, file.with_name(file.name.replace("explain-retry", "renamed")))
    async with editor(tmp_path) as it:
        it.open(suite / "eval.yaml")
        await it.lenses_with("Run failed (1)")
        task.write_text(passing.replace("id: explain-retry", "id: renamed"), encoding="utf-8")
        assert await it.execute("waza.runFailed", uri=it.uri) is None
        await until(lambda: any("failed the last time" in message for message in it.messages))
        assert not any("Run failed" in lens for lens in await it.lenses())
        answer = await it.execute("waza.runEval", uri=it.uri)
        assert answer["status"] == "passed"
        assert (await it.lenses_with("passed"))[-1].startswith("✓ 4 of 4 passed")
    async with editor(tmp_path) as it:
        it.open(suite / "eval.yaml")
        assert (await it.lenses_with("passed"))[-1].startswith("✓ 4 of 4 passed")


async def test_an_outage_of_the_judge_is_no_failure(
    tmp_path: Path, suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = suite / "eval.yaml"
    grader = "graders:\n  - {type: prompt, name: judged, config: {prompt: Right?, model: m}}\n"
    assert spec.read_text().count("\ngraders:\n") == 1
    spec.write_text(spec.read_text().replace("graders:\n", grader))
    with endpoint(lambda _: refusal(401)) as judge:
        monkeypatch.setenv("OPENAI_BASE_URL", judge.base_url)
        async with editor(tmp_path) as it:
            it.open(spec)
            answer = await it.execute("waza.runEval", uri=it.uri)
            assert answer["status"] == "error"
            lenses = await it.lenses_with("could not be judged")
            assert "0 of 4 passed · could not be judged" in lenses[-1]
            assert not any("Run failed" in lens for lens in lenses)
            protocol: Any = it.client.protocol
            tests = await protocol.send_request_async("waza/tests", {"uri": it.uri})
        async with editor(tmp_path) as again:
            again.open(suite / "tasks" / "explain-retry.yaml")
            await again.lenses_with("could not be judged")
            judge.answer = lambda _: vote()
            await again.execute("waza.runTask", uri=again.uri, task="explain-retry")
            await again.lenses_with("✓ 1.00")
    assert "infrastructure" in str(plain(tests))
