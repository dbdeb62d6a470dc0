"""A vally suite in the editor: lenses, runs, live grading, the test view. The same tests as for waza, with other data."""

import shutil
from pathlib import Path

import pytest

from tests.server.conftest import EXAMPLES
from tests.server.results_harness import editor, plain


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "examples" / "release-notes"
    shutil.copytree(EXAMPLES / "release-notes", folder)
    return folder / "eval.yaml"


@pytest.mark.slow
async def test_an_edit_of_a_grader_is_graded_at_once(tmp_path: Path, notes: Path) -> None:
    async with editor(tmp_path) as it:
        it.open(notes)
        await it.lenses_with("Grade again")
        it.replace('value: \'"version": "2.4.0"\'', 'value: \'"version": "2.5.0"\'')
        _, marked, message = await it.says("failed-check")
        assert marked == "package.json"
        assert message.startswith("No file package.json contains")
        it.replace("2.5.0", "2.4.0")
        _, _, message = await it.says("live-verdict")
        assert message.startswith("Passes on")


async def test_a_stimulus_is_run_from_its_lens(tmp_path: Path, notes: Path) -> None:
    async with editor(tmp_path) as it:
        it.open(notes)
        answer = plain(await it.execute("waza.runTask", uri=it.uri, task="bumps-the-version"))
        assert answer["status"] == "passed"
        [task] = answer["tasks"]
        assert (task["id"], task["status"]) == ("bumps-the-version", "passed")
        assert [g["name"] for g in task["graders"]][:2] == ["file-contains", "file-contains (2)"]
        assert any("✓" in lens for lens in await it.lenses_with("just now"))


async def test_a_run_of_all_says_what_is_wrong_where_it_stands(tmp_path: Path, notes: Path) -> None:
    async with editor(tmp_path) as it:
        it.open(notes)
        answer = plain(await it.execute("waza.runEval", uri=it.uri))
        # One trial failed, but the eval as a whole reaches its threshold.
        assert answer["status"] == "passed"
        _, marked, message = await it.says("failed-check")
        assert marked == "RELEASE.md"
        assert "--output-dir" in message


async def test_the_test_view_has_stimuli_and_their_graders(tmp_path: Path, notes: Path) -> None:
    async with editor(tmp_path) as it:
        it.open(notes)
        await it.lenses_with("Grade again")
        suites = plain(await it.client.protocol.send_request_async("waza/tests", {}))  # type: ignore[no-untyped-call]  # the library gives it no types
        suite, experiment = sorted(suites, key=lambda it: str(it["kind"]))
        assert experiment["kind"] == "experiment"
        assert (suite["kind"], suite["label"]) == ("eval", "release-notes")
        assert [(task["kind"], task["id"]) for task in suite["children"]] == [
            ("task", "writes-the-notes"),
            ("task", "bumps-the-version"),
            ("task", "says-what-it-cannot-know"),
        ]
        graders = [(grader["kind"], grader["label"]) for grader in suite["children"][0]["children"]]
        assert graders[2:4] == [("grader", "read-the-changelog"), ("grader", "skill-invocation")]
