"""An experiment in the editor: the lenses of the file and of its variants, runs, and what came out."""

import shutil
from pathlib import Path

import pytest

from tests.lsp.server.conftest import EXAMPLES
from tests.lsp.server.results_harness import editor, plain


@pytest.fixture
def experiment(tmp_path: Path) -> Path:
    folder = tmp_path / "examples" / "release-notes"
    shutil.copytree(EXAMPLES / "release-notes", folder)
    path = folder / "skill.experiment.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("runs: 2", "runs: 1"), encoding="utf-8")
    return path


def text_of(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")


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
        assert not any("Grade again" in lens for lens in lenses)
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
        assert "There is no variant 'nobody'" in answer["error"]
