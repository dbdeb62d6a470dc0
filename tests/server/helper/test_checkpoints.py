"""Checkpoints of regraded recordings: verdicts on earlier turns, and graders after the last one."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.results_harness import editor, until
from tests.slow import first_quick

EVAL = """\
name: demo
skill: s
config: {executor: mock, model: m, trials_per_task: 1, timeout_seconds: 9}
tasks: [task.yaml]
"""
TASK = """\
id: talks
name: Talks
inputs: {prompt: first, follow_up_prompts: [second]}
graders:
  - {type: text, name: answers, config: {contains: [second]}}
checkpoints:
  - after_turn: 1
    on_failure: continue
    graders:
      - {type: text, name: early, config: {contains: [FIRST]}}
  - after_turn: 2
    graders:
      - {type: text, name: late, config: {contains: [LAST]}}
"""


def write(root: Path, first: str, last: str, *, stops: bool = False) -> Path:
    """Run a suite once whose checkpoints require these texts."""
    (root / "eval.yaml").write_text(EVAL, encoding="utf-8")
    task = root / "task.yaml"
    text = TASK.replace("FIRST", first).replace("LAST", last)
    task.write_text(text.replace("on_failure: continue", "on_failure: stop") if stops else text, "utf-8")
    command = [sys.executable, "-P", "-m", "waza_lsp", "run", "eval.yaml"]
    subprocess.run(command, cwd=root, check=False, capture_output=True)
    return task


@pytest.mark.parametrize(
    ("first", "last", "status"),
    first_quick(
        [("first", "second", "passed"), ("nowhere", "second", "failed"), ("first", "nowhere", "failed")]
    ),
)
async def test_a_recording_is_graded_with_its_checkpoints(
    tmp_path: Path, first: str, last: str, status: str
) -> None:
    task = write(tmp_path, first, last)
    async with editor(tmp_path, settings={"live": {"enable": False}}) as it:
        it.open(task)
        assert (await it.execute("waza.grade", uri=it.uri, task="talks"))["status"] == status
        if last == "nowhere":
            it.replace("[nowhere]", "[second]")
            assert (await it.execute("waza.grade", uri=it.uri, task="talks"))["status"] == "passed"


@pytest.mark.slow
async def test_one_grader_of_a_checkpoint_can_be_graded_alone(tmp_path: Path) -> None:
    task = write(tmp_path, "first", "nowhere")
    async with editor(tmp_path, settings={"live": {"enable": False}}) as it:
        it.open(task)
        await it.lenses_with("✗")
        late = ["checkpoints", 1, "graders", 0]
        answer = await it.execute("waza.grade", uri=it.uri, task="talks", pointer=late)
        assert [(one["name"], one["status"]) for one in answer["tasks"][0]["graders"]] == [("late", "failed")]
        await it.says("failed-check", "nowhere")
        early = ["checkpoints", 0, "graders", 0]
        await it.execute("waza.grade", uri=it.uri, task="talks", pointer=early)
        await until(lambda: any("have no grader" in message for message in it.messages))


@pytest.mark.slow
async def test_an_edit_of_a_checkpoint_is_graded_where_its_turn_was_recorded(tmp_path: Path) -> None:
    task = write(tmp_path, "first", "second")
    async with editor(tmp_path) as it:
        it.open(task)
        await it.lenses_with("Grade again")
        it.replace("contains: [first]", "contains: [nowhere]")
        it.replace("name: late, config: {contains: [second]", "name: late, config: {contains: [elsewhere]")
        _, marked, _ = await it.says("failed-check", "elsewhere")
        assert marked == "elsewhere"
        assert len(it.said()) == 1


@pytest.mark.slow
async def test_a_checkpoint_that_was_never_reached_says_nothing(tmp_path: Path) -> None:
    task = write(tmp_path, "nowhere", "first", stops=True)
    async with editor(tmp_path, settings={"live": {"enable": False}}) as it:
        it.open(task)
        late = ["checkpoints", 1, "graders", 0]
        answer = await it.execute("waza.grade", uri=it.uri, task="talks", pointer=late)
        assert answer["status"] == "error"
        assert (await it.execute("waza.grade", uri=it.uri, task="talks"))["status"] == "failed"
