"""Live grading of a grader for all tasks: the newest recordings first, the rest in the background."""

from pathlib import Path

import pytest

from tests.server.results.test_lenses import run_outside
from tests.server.results_harness import Editor, editor, until

TASKS = 120
EVAL = """\
name: many
skill: demo
config:
  executor: mock
  model: m
  trials_per_task: 1
  timeout_seconds: 60
graders:
  - type: text
    name: says
    config: {contains: [e]}
tasks: ['tasks/*.yaml']
"""


@pytest.fixture
def many(tmp_path: Path) -> Path:
    (tmp_path / "tasks").mkdir()
    for it in range(TASKS):
        text = f"id: t{it:03}\nname: T{it}\ninputs:\n  prompt: number {it:03} has a hello\n"
        (tmp_path / "tasks" / f"t{it:03}.yaml").write_text(text, encoding="utf-8")
    path = tmp_path / "eval.yaml"
    path.write_text(EVAL, encoding="utf-8")
    run_outside(tmp_path, path, "--executor", "mock")
    return path


def _verdicts(it: Editor) -> list[str]:
    """Every verdict that was shown, in order."""
    codes = {"live-verdict", "failed-check"}
    found = [str(one.message) for _, sent in it.published for one in sent.diagnostics if one.code in codes]
    return list(dict.fromkeys(found))


async def test_the_newest_come_first_and_all_at_last(many: Path) -> None:
    async with editor(many.parent) as it:
        it.open(many)
        await it.lenses_with("passed")
        it.replace("[e]", "[hello]")
        await until(lambda: f"Passes on all {TASKS} recorded trials" in _verdicts(it))
        first, *_ = _verdicts(it)
        assert first.startswith("Passes on the newest ")
        # The one that fails ran last of all but is found in the background, too.
        it.replace("[hello]", "['number 000']")
        await until(lambda: any("t119" in one for one in _verdicts(it)))
        await until(lambda: any(f"t{one:03}" in _verdicts(it)[-1] for one in (1, 2)), 60)
        assert "t000:" not in _verdicts(it)[-1]


async def test_an_edit_does_not_wait_for_the_rest(many: Path) -> None:
    async with editor(many.parent) as it:
        it.open(many)
        await it.lenses_with("passed")
        for word in ("hello", "hell", "hel", "number"):
            old = it.text.split("contains: [")[1].split("]")[0]
            it.replace(f"contains: [{old}]", f"contains: [{word}]")
            await until(lambda: bool(_verdicts(it)))
            it.published.clear()
        await until(lambda: f"Passes on all {TASKS} recorded trials" in _verdicts(it))
