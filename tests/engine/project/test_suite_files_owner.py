"""Which eval is run for a file: the rules and the runs have one answer."""

from pathlib import Path

import pytest

from tests.engine.dialects.waza.suite_files import EVAL, TASK, write
from waza_engine.lib.files.vfs import Files
from waza_engine.project.suite_files import eval_of, suite_of


@pytest.mark.parametrize(
    "pattern", ["tasks/*.yaml", "./tasks/*.yaml", "tasks/./*.yaml", "tasks//*.yaml", "/tasks/*.yaml", "x/../tasks/*.yaml"]
)  # fmt: skip
def test_a_glob_means_the_same_to_runs_and_rules(tmp_path: Path, pattern: str) -> None:
    write(tmp_path, {"eval.yaml": EVAL.replace("tasks/*.yaml", pattern), "tasks/a.yaml": TASK})
    task = tmp_path / "tasks" / "a.yaml"
    suite = suite_of("task", task, {}, Files())
    assert suite is not None
    assert eval_of(task) == suite.eval_path == tmp_path / "eval.yaml"


def test_a_link_that_leads_nowhere_hides_no_eval(tmp_path: Path) -> None:
    write(tmp_path, {"my.eval.yaml": EVAL, "tasks/a.yaml": TASK})
    (tmp_path / ".#my.eval.yaml").symlink_to("me@machine.1234:5678")
    assert eval_of(tmp_path / "tasks" / "a.yaml") == tmp_path / "my.eval.yaml"


@pytest.mark.parametrize("text", ['{"name": d, "skill": d, "config": {}, "tasks": [tasks/*.yaml]}', EVAL.replace("tasks:", "'tasks' :")])  # fmt: skip
def test_however_the_key_is_written(tmp_path: Path, text: str) -> None:
    write(tmp_path, {"eval.yaml": text, "tasks/a.yaml": TASK})
    assert eval_of(tmp_path / "tasks" / "a.yaml") == tmp_path / "eval.yaml"


def test_what_is_run_by_itself(tmp_path: Path) -> None:
    vally = "name: a\ndefaults: {}\nstimuli:\n  - {name: s, prompt: hi, count: ${N}}\n"
    write(tmp_path, {"eval.yaml": EVAL, "vally.eval.yaml": vally, "tasks/a.yaml": TASK})
    for it in ("eval.yaml", "vally.eval.yaml"):
        assert eval_of(tmp_path / it) == tmp_path / it


def test_what_no_eval_lists(tmp_path: Path) -> None:
    write(tmp_path, {"eval.yaml": EVAL, "more/a.yaml": TASK, "broken.yaml": "tasks: [\n"})
    assert eval_of(tmp_path / "more" / "a.yaml") is None
    assert eval_of(tmp_path / "broken.yaml") is None
    assert eval_of(tmp_path / "gone.yaml") is None


def test_trigger_tests_belong_to_the_eval_beside_them(tmp_path: Path) -> None:
    triggers = "skill: demo\nshould_trigger_prompts:\n  - prompt: Say hello.\n"
    write(tmp_path, {"eval.yaml": EVAL, "trigger_tests.yaml": triggers, ".waza.yaml": "paths: {}\n"})
    path = tmp_path / "trigger_tests.yaml"
    suite = suite_of("triggers", path, {}, Files())
    assert suite is not None
    assert eval_of(path) == suite.eval_path == tmp_path / "eval.yaml"
    assert eval_of(tmp_path / ".waza.yaml") is None


def test_an_experiment_is_run_itself_and_has_no_suite(tmp_path: Path) -> None:
    experiment = "name: e\nevals: [eval.yaml]\nvariants:\n  a: {}\n  b: {}\n"
    write(tmp_path, {"my.experiment.yaml": experiment})
    path = tmp_path / "my.experiment.yaml"
    assert eval_of(path) == path
    assert suite_of("experiment", path, {}, Files()) is None
