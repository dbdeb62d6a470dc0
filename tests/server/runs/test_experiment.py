"""An experiment in the editor: lenses of the file and its variants, runs, and results."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.server.conftest import EXAMPLES
from tests.server.results_harness import Editor, editor, plain
from waza_engine.runs.store.store import RunStore, default_store_dir


@pytest.fixture
def experiment(tmp_path: Path) -> Path:
    folder = tmp_path / "examples" / "release-notes"
    shutil.copytree(EXAMPLES / "release-notes", folder)
    path = folder / "skill.experiment.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("runs: 2", "runs: 1"), encoding="utf-8")
    return path


async def tree(it: Editor, **params: str) -> list[dict[str, Any]]:
    protocol: Any = it.client.protocol
    return [plain(root) for root in await protocol.send_request_async("waza/tests", params)]


def text_of(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")


@pytest.mark.slow
async def test_an_experiment_is_run_from_its_lens(tmp_path: Path, experiment: Path) -> None:
    broken = text_of(str(experiment)).replace("baseline: without-skill", "baseline: nobody")
    async with editor(tmp_path) as it:
        it.open(experiment)
        assert set(await it.lenses_with("▶ Run experiment")) == {"▶ Run experiment", "▶ Run variant"}
        answer = plain(await it.execute("waza.runEval", uri=it.uri))
        assert answer["status"] == "passed"
        assert [(arm["id"], arm["status"]) for arm in answer["tasks"]] == [
            ("without-skill", "passed"),
            ("with-skill", "passed"),
        ]
        assert answer["tasks"][0]["score"] < answer["tasks"][1]["score"]
        lenses = await it.lenses_with("just now")
        assert sum("✓" in lens for lens in lenses) == 3, lenses
        assert lenses.count("↻ Grade again") == 3, lenses
        # The inner runs are told inside of the events of the experiment, which are those of a run.
        assert [event["event"] for event in it.events if event["event"] != "arm"] == [
            "run_started",
            "task_started",
            "task_finished",
            "task_started",
            "task_finished",
            "run_finished",
        ]
        report = plain(await it.execute("waza.showReport", runId=answer["runId"], uri=it.uri))
        assert all(name in text_of(report["path"]) for name in ("without-skill", "with-skill"))

    # Another session knows it from the store; the eval itself has no result by that.
    async with editor(tmp_path) as it:
        it.open(experiment)
        await it.lenses_with("2 of 2 passed")
        # Each variant can be run alone.
        answer = plain(await it.execute("waza.runTask", uri=it.uri, task="with-skill"))
        assert [arm["id"] for arm in answer["tasks"]] == ["with-skill"]
        it.open(experiment.parent / "eval.yaml")
        assert not any("✓" in lens for lens in await it.lenses_with("Grade again"))
        it.open(experiment, broken)
        it.save(experiment)
        answer = plain(await it.execute("waza.runTask", uri=it.uri, task="with-skill"))
        assert answer["status"] == "error"
        assert "No variant named 'nobody'" in answer["error"]


@pytest.mark.slow
async def test_what_was_recorded_of_the_arms_is_graded_again(tmp_path: Path, experiment: Path) -> None:
    async with editor(tmp_path) as it:
        it.open(experiment)
        await it.lenses_with("▶ Run experiment")
        nothing = plain(await it.execute("waza.grade", uri=it.uri))
        assert (nothing["status"], "Nothing was recorded for this yet" in nothing["error"]) == ("error", True)
        ran = plain(await it.execute("waza.runEval", uri=it.uri))
        it.events.clear()

        # With the graders as they are in the editor, and without a run.
        it.open(experiment.parent / "eval.yaml")
        it.replace('\'"version": "2.4.0"\'', '\'"version": "9.9.9"\'')
        answer = plain(await it.execute("waza.grade", uri=experiment.as_uri()))
        assert [arm["id"] for arm in answer["tasks"]] == ["without-skill", "with-skill"]
        for now, before in zip(answer["tasks"], ran["tasks"], strict=True):
            assert now["score"] < before["score"]
        assert (answer["status"], answer["tasks"][0]["status"]) == ("failed", "failed")
        assert {event["told"]["event"] for event in it.events if event["event"] == "arm"} == {
            "run_started",
            "run_finished",
        }
        one = plain(await it.execute("waza.grade", uri=experiment.as_uri(), task="with-skill"))
        assert [arm["id"] for arm in one["tasks"]] == ["with-skill"]
        it.open(experiment)
        lenses = await it.lenses_with("1 of 2 passed")
        assert sum("✗" in lens for lens in lenses) == 2, lenses
        # What is reported is the run.
        assert plain(await it.execute("waza.showReport", runId=ran["runId"], uri=it.uri)) is not None
    with RunStore(default_store_dir(experiment), for_reading=True) as store:
        assert len(store.runs(experiment)) == 2


async def test_the_tree_has_experiments_with_their_variants(tmp_path: Path, experiment: Path) -> None:
    async with editor(tmp_path) as it:
        found = await tree(it)
        assert sorted(root["kind"] for root in found) == ["eval", "experiment"]
        [root] = await tree(it, uri=experiment.as_uri())
        assert (root["kind"], root["label"]) == ("experiment", "release-notes-skill")
        assert root["command"] == {"command": "waza.runEval", "arguments": [{"uri": experiment.as_uri()}]}
        assert [(child["kind"], child["id"], child["verdict"]) for child in root["children"]] == [
            ("variant", "without-skill", None),
            ("variant", "with-skill", None),
        ]
        tasks = [child["id"] for child in root["children"]]
        answer = plain(await it.execute("waza.runTask", uri=experiment.as_uri(), tasks=tasks))
        assert [arm["id"] for arm in answer["tasks"]] == tasks
        # Events speak of the items of the tree.
        [started] = [event for event in it.events if event["event"] == "run_started"]
        assert (started["key"], started["keys"]) == (
            root["key"],
            [child["key"] for child in root["children"]],
        )
        [root] = await tree(it, uri=experiment.as_uri())
        assert (root["verdict"]["runId"], root["verdict"]["status"]) == (answer["runId"], "passed")
        assert {child["verdict"]["status"] for child in root["children"]} == {"passed"}
