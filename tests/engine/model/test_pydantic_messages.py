"""What does not fit a model is told in our own words, whatever pydantic calls it."""

from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, BeforeValidator, Field, ValidationError
from pydantic_core import PydanticKnownError, _pydantic_core

import waza_engine
from waza_engine.graders.base import ConfigError
from waza_engine.graders.entry import read_entry
from waza_engine.graders.registry import find_grader
from waza_engine.lib.yaml.reader import read_yaml
from waza_engine.model.pydantic_messages import first_words, kind_of, shown, words

KNOWN: dict[str, Any] = {it["type"]: it for it in _pydantic_core.list_all_errors()}


class Given(BaseModel):
    texts: list[str] = []
    level: Literal["low", "high"] = "low"
    ratio: float = Field(default=0, gt=0, lt=1)


def refused(data: Any) -> ValidationError:
    with pytest.raises(ValidationError) as caught:
        Given.model_validate(data)
    return caught.value


@pytest.mark.parametrize("kind", sorted(KNOWN.keys() - {"value_error", "assertion_error"}))
def test_no_kind_of_problem_has_the_words_of_pydantic(kind: str) -> None:
    def fail(_: Any) -> None:
        raise PydanticKnownError(kind, KNOWN[kind].get("example_context"))  # type: ignore[arg-type]

    class Model(BaseModel):
        it: Annotated[Any, BeforeValidator(fail)]

    with pytest.raises(ValidationError) as caught:
        Model.model_validate({"it": 5})
    [problem] = caught.value.errors()
    assert words(problem)
    assert words(problem) != problem["msg"]
    assert "nput should" not in words(problem)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"texts": "a"}, "texts: must be a list, not 'a'"),
        ({"texts": [1]}, "texts.0: must be a string, not 1"),
        ({"level": "mid"}, "level: must be 'low' or 'high', not 'mid'"),
        ({"ratio": 1}, "ratio: must be less than 1.0, not 1"),
        ({"ratio": "a"}, "ratio: must be a number, not 'a'"),
        ([], "the file: must be a mapping, not a list"),
    ],
)
def test_the_first_thing_is_told_with_its_place(data: Any, told: str) -> None:
    assert first_words(refused(data), "the file") == told


@pytest.mark.parametrize("written", ["true", "0x10", "2024-01-01", ".nan", "~", "[]"])
def test_a_value_is_told_as_it_is_written(written: str) -> None:
    [value] = read_yaml(f"[{written}]")
    told = {"[]": "a list", "~": "nothing"}.get(written, written)
    assert kind_of(value) == told


@pytest.mark.parametrize(
    ("value", "told"), [(True, "true"), (None, "nothing"), ({}, "a mapping"), ("a", "'a'")]
)
def test_a_value_has_no_word_of_python(value: Any, told: str) -> None:
    assert shown(value) == told


def test_only_one_file_takes_the_words_of_a_problem() -> None:
    root = Path(waza_engine.__file__).parent
    takers = [it.name for it in root.rglob("*.py") if '["msg"]' in it.read_text("utf-8")]
    assert takers == ["pydantic_messages.py"]


@pytest.mark.parametrize(
    ("kind", "config", "told"),
    [
        ("tool_constraint", {"reject_tools": ["x"]}, "config.reject_tools.0: must be a mapping, not 'x'"),
        ("diff", {"expected_files": []}, "config.expected_files: must not be empty"),
        (
            "tool_calls",
            {"expect": [{"tool": "a", "args": {"b": {"json_schema": None}}}]},
            "config.expect.0.args.b.json_schema: must be a mapping, not nothing",
        ),
    ],
)
def test_a_config_is_refused_in_our_words(kind: str, config: Any, told: str) -> None:
    found = find_grader(kind, "G3")
    assert found is not None
    with pytest.raises(ConfigError) as caught:
        read_entry({"type": kind, "name": "a", "config": config}, "G3", "eval").configured(found)
    assert str(caught.value) == told
