"""Human reviews of a run: in lenses, and in regraded verdicts."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from lsprotocol import types

from tests.server.results_harness import editor, plain, until
from waza_lsp.server.results.reader import read_last_results

EVAL = """\
name: demo
skill: s
config: {executor: mock, model: m, trials_per_task: 1, timeout_seconds: 9}
tasks: [task.yaml]
"""
TASK = """\
id: greets
name: Greets
inputs: {prompt: hi}
graders:
  - {type: human, name: polite, config: {criteria: [Is it polite?]}}
  - {type: text, name: answers, config: {contains: [hi]}}
"""


def _move_graders_to_the_eval(task: Path) -> None:
    """The Python generation reads a human grader's options at the level of the eval only."""
    keys, _, graders = TASK.partition("graders:")
    task.write_text(keys, encoding="utf-8")
    task.with_name("eval.yaml").write_text(f"{EVAL}graders:{graders}", encoding="utf-8")


@pytest.fixture
def task(tmp_path: Path) -> Path:
    (tmp_path / "eval.yaml").write_text(EVAL, encoding="utf-8")
    path = tmp_path / "task.yaml"
    path.write_text(TASK, encoding="utf-8")
    return path


def waza(root: Path, *arguments: str) -> None:
    command = [sys.executable, "-P", "-m", "waza_lsp", *arguments]
    subprocess.run(command, cwd=root, check=False, capture_output=True)


def review(root: Path, *verdict: str) -> None:
    waza(root, "review", "submit", "greets", "polite", "--reviewer", "me", *verdict)


@pytest.mark.slow
async def test_a_review_is_seen_in_the_lens_of_the_run_that_is_shown(tmp_path: Path, task: Path) -> None:
    async with editor(tmp_path, settings={"run": {"executor": "mock"}}) as it:
        it.open(task)
        await it.execute("waza.runTask", uri=it.uri, task="greets")
        assert "✗ 0.50" in (await it.lenses_with("✗"))[-1]
        await it.says("failed-check")
        review(tmp_path, "--passed")
        assert "✓ 1.00" in (await it.lenses_with("✓"))[-1]
        await until(lambda: not it.said())
        review(tmp_path, "--failed", "--score", "0.25", "--comment", "Too short")
        assert "0.62" in (await it.lenses_with("✗"))[-1]
        _, _, message = await it.says("failed-check")
        assert "Too short" in message


@pytest.mark.usefixtures("task")
async def test_a_review_of_an_earlier_session_is_seen_at_once(tmp_path: Path) -> None:
    waza(tmp_path, "run", "eval.yaml")
    review(tmp_path, "--passed")
    async with editor(tmp_path) as it:
        it.open(tmp_path / "eval.yaml")
        assert "✓ 1 of 1 passed" in (await it.lenses_with("passed"))[-1]


@pytest.mark.slow
async def test_grading_again_counts_the_review_and_stays(tmp_path: Path, task: Path) -> None:
    waza(tmp_path, "run", "eval.yaml")
    review(tmp_path, "--passed")
    async with editor(tmp_path) as it:
        it.open(task)
        await it.lenses_with("✓")
        it.replace("[hi]", "[hi, nowhere]")
        answer = await it.execute("waza.grade", uri=it.uri, task="greets")
        assert (answer["status"], answer["tasks"][0]["score"]) == ("failed", 0.75)
        assert {one["name"]: one["status"] for one in answer["tasks"][0]["graders"]} == {
            "polite": "passed",
            "answers": "failed",
        }
        alone = await it.execute("waza.grade", uri=it.uri, task="greets", grader="polite")
        assert alone["status"] == "passed"
        for _ in range(3):
            assert "✗ 0.75" in (await it.lenses_with("✗"))[-1]


@pytest.mark.slow
async def test_reviews_that_cannot_be_read_are_named(tmp_path: Path, task: Path) -> None:
    waza(tmp_path, "run", "eval.yaml")
    (tmp_path / ".waza-lsp" / "reviews.jsonl").mkdir()
    async with editor(tmp_path) as it:
        it.open(task)
        answer = await it.execute("waza.grade", uri=it.uri, task="greets")
        assert answer["error"].startswith("The reviews ")


@pytest.mark.slow
@pytest.mark.usefixtures("task")
def test_only_the_run_that_was_reviewed_has_another_score(tmp_path: Path) -> None:
    for _ in range(2):
        waza(tmp_path, "run", "eval.yaml")
    before = read_last_results(tmp_path / "eval.yaml", None, [], types.PositionEncodingKind.Utf16)
    assert before is not None
    assert (before.tasks["greets"].reviews, before.tasks["greets"].verdict.scores) == ("", (0.5, 0.5))
    review(tmp_path, "--passed")
    after = read_last_results(tmp_path / "eval.yaml", before.stamps, [], types.PositionEncodingKind.Utf16)
    assert after is not None
    verdict = after.tasks["greets"].verdict
    assert (verdict.status, verdict.score, verdict.scores) == ("passed", 1.0, (0.5, 1.0))
    assert after.tasks["greets"].checks.failed == []


async def test_a_review_is_recorded_by_a_command(tmp_path: Path, task: Path) -> None:
    _move_graders_to_the_eval(task)
    waza(tmp_path, "run", "eval.yaml")
    uri = task.as_uri()
    async with editor(tmp_path) as it:
        found = plain(await it.execute("waza.pendingReviews", uri=uri))
        [waiting] = found["pending"]
        assert (waiting["task"], waiting["grader"], waiting["criteria"]) == (
            "greets",
            "polite",
            ["Is it polite?"],
        )
        about = {
            "uri": uri,
            "runId": found["runId"],
            **{key: waiting[key] for key in ("task", "grader", "trial")},
        }
        assert await it.execute("waza.review", **about) is None
        assert "needs a verdict" in it.messages[-1]
        assert await it.execute("waza.review", **about, passed=True, score=80) is None
        assert "from 0 to 1" in it.messages[-1]
        left = plain(await it.execute("waza.review", **about, passed=False, comment="Rude"))
        assert left == {"runId": found["runId"], "pending": []}
        assert await it.execute("waza.review", **about, passed=True) is None
        assert "No review of 'polite'" in it.messages[-1]
    [line] = (tmp_path / ".waza-lsp" / "reviews.jsonl").read_text(encoding="utf-8").splitlines()
    assert {key: json.loads(line)[key] for key in ("passed", "score", "comments")} == {
        "passed": False,
        "score": 0.0,
        "comments": "Rude",
    }
