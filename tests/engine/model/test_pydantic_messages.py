"""Validation problems are described in our own words, whatever pydantic's message is."""

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
from waza_engine.model.pydantic_messages import first_problem_text, problem_text, value_kind, value_text

KNOWN: dict[str, Any] = {it["type"]: it for it in _pydantic_core.list_all_errors()}


class Config(BaseModel):
    texts: list[str] = []
    level: Literal["low", "high"] = "low"
    ratio: float = Field(default=0, gt=0, lt=1)


def validation_error(data: Any) -> ValidationError:
    with pytest.raises(ValidationError) as caught:
        Config.model_validate(data)
    return caught.value


@pytest.mark.parametrize("kind", sorted(KNOWN.keys() - {"value_error", "assertion_error"}))
def test_no_problem_has_the_message_of_pydantic(kind: str) -> None:
    def fail(_: Any) -> None:
        raise PydanticKnownError(kind, KNOWN[kind].get("example_context"))  # type: ignore[arg-type]

    class Model(BaseModel):
        option: Annotated[Any, BeforeValidator(fail)]

    with pytest.raises(ValidationError) as caught:
        Model.model_validate({"option": 5})
    [problem] = caught.value.errors()
    assert problem_text(problem)
    assert problem_text(problem) != problem["msg"]
    assert "nput should" not in problem_text(problem)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"texts": "a"}, "texts: must be a list, not 'a'"),
        ({"texts": [1]}, "texts.0: must be a string, not 1"),
        ({"level": "mid"}, "level: must be 'low' or 'high', not 'mid'"),
        ({"ratio": 1}, "ratio: must be less than 1.0, not 1"),
        ({"ratio": "a"}, "ratio: must be a number, not 'a'"),
        ([], "the file: must be a mapping, not a list"),
    ],
)
def test_the_first_problem_is_described_with_its_place(data: Any, message: str) -> None:
    assert first_problem_text(validation_error(data), "the file") == message


@pytest.mark.parametrize("source", ["true", "0x10", "2024-01-01", ".nan", "~", "[]"])
def test_a_value_is_quoted_as_it_is_written(source: str) -> None:
    [value] = read_yaml(f"[{source}]")
    expected = {"[]": "a list", "~": "nothing"}.get(source, source)
    assert value_kind(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"), [(True, "true"), (None, "nothing"), ({}, "a mapping"), ("a", "'a'")]
)
def test_a_value_is_not_quoted_in_python_notation(value: Any, expected: str) -> None:
    assert value_text(value) == expected


def test_only_one_file_uses_the_message_of_pydantic() -> None:
    root = Path(waza_engine.__file__).parent
    users = [it.name for it in root.rglob("*.py") if '["msg"]' in it.read_text("utf-8")]
    assert users == ["pydantic_messages.py"]


@pytest.mark.parametrize(
    ("kind", "config", "message"),
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
def test_a_config_is_refused_in_our_words(kind: str, config: Any, message: str) -> None:
    found = find_grader(kind, "G3")
    assert found is not None
    with pytest.raises(ConfigError) as caught:
        read_entry({"type": kind, "name": "a", "config": config}, "G3", "eval").configure(found)
    assert str(caught.value) == message
