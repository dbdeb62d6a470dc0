"""After an edit, lenses, hints and the test view show the same live verdict as the checks in the text."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.server.results.test_annotations import NO_LIVE, TASK, is_running, make_slow, task_file
from tests.server.results_harness import Editor, editor, plain, until

GRADER = "contains: [jitter]"


def live_verdicts(it: Editor) -> list[Any]:
    told: list[Any] = []
    it.client.protocol.fm.features["waza/liveVerdicts"] = lambda params: told.extend(
        plain(params)["verdicts"]
    )
    return told


async def hints(it: Editor) -> list[str]:
    whole = types.Range(types.Position(0, 0), types.Position(200, 0))
    found = await it.client.text_document_inlay_hint_async(
        types.InlayHintParams(types.TextDocumentIdentifier(it.uri), whole)
    )
    return [str(hint.label) for hint in found or ()]


async def test_the_lens_shows_the_live_verdict(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path, profile="visual_studio_code") as it:
        told = live_verdicts(it)
        it.open(task_file(suite))
        await it.execute("waza.runTask", uri=it.uri, task=TASK)
        assert (await it.lenses())[-1].startswith("✓ 1.00")

        it.replace(GRADER, "contains: [jitter, moon cheese]")
        await it.says("failed-check", "moon cheese")
        [lens] = [one for one in await it.lenses_with("live") if "live" in one]
        assert lens == "✗ live: 1 grader fails · run just now"
        await until(lambda: told)
        assert (told[0]["status"], [one["message"] for one in told[0]["messages"]]) == (
            "failed",
            [(await it.says("failed-check"))[2]],
        )

        it.replace("[jitter, moon cheese]", "[jitter, jitter]")
        await it.says("live-verdict")
        assert (await it.lenses_with("✓ live"))[-1] == "✓ live: passes · run just now"
        assert "✓ live" in await hints(it)
        await until(lambda: told[-1]["status"] == "passed")

        it.replace("[jitter, jitter]", "[jitter]")
        await it.says("live-verdict")
        assert (await it.lenses_with("✓ 1.00"))[-1].startswith("✓ 1.00")
        await asyncio.sleep(1.5)
        before = it.refreshes
        await it.lenses()
        await asyncio.sleep(1)
        assert it.refreshes == before


@pytest.mark.slow
async def test_other_edits_are_still_stale(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path) as it:
        it.open(task_file(suite))
        await it.execute("waza.runTask", uri=it.uri, task=TASK)
        it.replace("prompt: |", "prompt: >")
        assert (await it.lenses_with("✓ 1.00"))[-1].endswith("stale")
        it.replace(GRADER, "contains: [jitter, moon cheese]")
        await it.says("failed-check", "moon cheese")
        assert (await it.lenses_with("✗ live"))[-1] == "✗ live: 1 grader fails · run just now · stale"


@pytest.mark.slow
async def test_a_broken_grader_has_no_live_verdict(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path) as it:
        it.open(task_file(suite))
        await it.execute("waza.runTask", uri=it.uri, task=TASK)
        it.replace(GRADER, "contains: [jitter, moon cheese]")
        await it.lenses_with("✗ live")
        it.replace("contains: [jitter, moon cheese]", "contians: [jitter]")
        assert (await it.lenses_with("✓ 1.00"))[-1].endswith("stale")


@pytest.mark.slow
async def test_a_grader_of_the_eval_changes_its_tasks(tmp_path: Path, suite: Path) -> None:
    eval_file = suite / "eval.yaml"
    text = eval_file.read_text(encoding="utf-8")
    graders = "graders:\n  - name: any\n    type: text\n    config: {regex_match: ['.']}\n"
    eval_file.write_text(text.replace("graders:\n", graders, 1), encoding="utf-8")
    async with editor(tmp_path) as it:
        it.open(eval_file)
        await it.execute("waza.runEval", uri=it.uri)
        await it.lenses_with("✓ 4 of 4 passed")
        it.replace("regex_match: ['.']", "regex_match: ['moon cheese']")
        assert (await it.lenses_with("live"))[-1] == "✗ live: 0 of 4 pass · run just now"
        it.open(task_file(suite))
        assert "✗ live: 1 grader fails" in (await it.lenses_with("live"))[-1]


@pytest.mark.slow
async def test_cancelled_is_cancelled(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path, settings=NO_LIVE) as it:
        it.open(task_file(suite))
        await it.execute("waza.runTask", uri=it.uri, task=TASK)
        await it.lenses_with("✓ 1.00")
        slow = make_slow(suite, "47.")
        running = asyncio.create_task(it.execute("waza.runTask", uri=it.uri, task=TASK))
        await until(lambda: is_running(slow))
        run_id = it.events[-1]["run_id"]
        assert await it.execute("waza.cancelRun", runId=run_id)
        assert (await running)["status"] == "cancelled"
        assert (await it.lenses_with("○"))[-1] == "○ cancelled · just now"
        await it.execute("waza.clearResults", uri=it.uri)
        assert not any("cancelled" in one for one in await it.lenses())
