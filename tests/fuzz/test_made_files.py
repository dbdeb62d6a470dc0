"""Files with whatever values in whatever places: no rule and no check minds, and the loader says what is wrong."""

import random
from pathlib import Path

import pytest

from tests.fuzz.edits import Desk
from tests.fuzz.made_files import made_file
from tests.slow import examples

EVALS = Path("/nowhere/evals")
TASK = "id: a\nname: A\ninputs: {prompt: x}\n"
EVAL = "name: n\nskill: s\ntasks: [t.yaml]\n"


def shown(name: str, text: str) -> list[str]:
    found = Desk("utf-16", {EVALS / name: text}).seen(EVALS / name)["diagnostics"]
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize("seed", range(examples(300)))
def test_any_values_can_be_looked_at(seed: int) -> None:
    shown(*made_file(random.Random(seed)))  # noqa: S311  # not for secrets


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tasks/t.yaml", TASK + "requirements:\n  - checks: [{scope: [a], grader: g}]\n"),
        ("tasks/t.yaml", TASK + "requirements:\n  - checks: [{scope: {a: b}, grader: g}]\n"),
        (
            "eval.yaml",
            EVAL + "graders: [{type: text, name: a}, {type: text, name: a}, {type: text, name: [b]}]\n",
        ),
        ("eval.yaml", EVAL + "config: {executor: mock, reasoning_effort: {a: 1}}\n"),
        ("eval.yaml", EVAL + "config: {executor: mock, judge_reasoning_effort: [low]}\n"),
    ],
)
def test_a_list_or_mapping_where_a_word_belongs_is_a_finding(name: str, text: str) -> None:
    assert any('"severity":1' in it for it in shown(name, text))


@pytest.mark.parametrize("value", ["true", "1.5", "null", "word"])
@pytest.mark.parametrize("key", ["hooks", "command_mocks", "expected", "inputs", "responder"])
def test_a_scalar_where_a_mapping_belongs_is_a_finding(key: str, value: str) -> None:
    shown("tasks/t.yaml", f"{TASK}{key}: {value}\n")
    shown("eval.yaml", f"{EVAL}{key}: {value}\ngraders: [{{type: text, {key}: {value}, config: {value}}}]\n")
