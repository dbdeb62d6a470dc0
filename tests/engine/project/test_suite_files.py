"""Which YAML texts are worth parsing because they may be evals."""

import time

import pytest

from waza_engine.project.suite_files import _may_be_eval


@pytest.mark.parametrize(
    "text",
    [
        "tasks: []",
        "name: x\n\n\ntasks_from: a.csv\n",
        "a: 1\r\n'tasks' : []\r\n",
        '  name: x\n \t"tasks": []\n',
        '{"name": "x", "tasks": []}',
        '{\n\n  "tasks"\n: []}',
        "{name: x,\n\n tasks: []}",
    ],
)
def test_an_eval_names_its_tasks(text: str) -> None:
    assert _may_be_eval(text)


@pytest.mark.parametrize("text", ["", "prompt: do the tasks: now\n", "my_tasks: []\n", "task: x\n- tasks\n"])
def test_others_do_not(text: str) -> None:
    assert not _may_be_eval(text)


@pytest.mark.parametrize("part", ["\n", " \n", " ", "{\n", "{", ", ", ",\n ", "tasks\n", "\r\n", "{ tasks "])
def test_the_time_grows_with_the_text_only(part: str) -> None:
    began = time.process_time()
    assert not _may_be_eval(part * 100_000)
    # Looking at all that follows once more for each line takes minutes.
    assert time.process_time() - began < 10
