"""The eight rubric templates, and the score of a judge's reply to one.

waza shipped templates of this form for a while, but no version read them (docs/reference/waza-graders.md, section 7.12).
So the texts and the scoring are our own.
"""

from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from waza_engine.lib.yaml.reader import read_yaml
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.fields import AnyValue, Strings, Text

_PlainMapping = Annotated[dict[str, Any], BeforeValidator(plain)]


class Normalization(BaseModel):
    """Which member of the reply is the score, and what its values mean.

    `1-5`: (n - 1) / 4. `0/1`: unchanged. `boolean`: true is 1. `violation`: true is 0.
    """

    model_config = ConfigDict(frozen=True, defer_build=True)

    member: Text
    scale: Literal["1-5", "0/1", "boolean", "violation"]


class Template(BaseModel):
    """The content of a rubric template's file."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    name: Text
    description: Text
    version: Text
    score_normalization: Normalization
    input_mapping: _PlainMapping
    evaluation_criteria: Strings
    rating_levels: _PlainMapping
    chain_of_thought: Text = ""
    output: AnyValue = Field(default=None, validation_alias="output_schema")
    output_format: AnyValue = None

    def body(self) -> str:
        """Return the text for the judge."""
        criteria = "\n".join(f"- {it}" for it in self.evaluation_criteria)
        levels = "\n".join(f"- {level}: {meaning}" for level, meaning in self.rating_levels.items())
        members = self.output or self.output_format or {}
        shape = ", ".join(f'"{name}": {meaning}' for name, meaning in members.items())
        return (
            f"{self.description}\n\nCriteria:\n{criteria}\n\nRating:\n{levels}\n\n"
            f"{self.chain_of_thought}\n\nAnswer with one JSON object: {{{shape}}}"
        )


@cache
def templates() -> dict[str, Template]:
    """Return all templates by name."""
    folder = Path(__file__).parent / "templates"
    resources = [it for it in folder.iterdir() if it.name.endswith(".yaml")]
    parsed = [Template.model_validate(read_yaml(it.read_text("utf-8"))) for it in resources]
    return {it.name: it for it in sorted(parsed, key=lambda it: it.name)}


def template_score(normalization: Normalization, reply: dict[str, Any]) -> float | None:
    """Return the score of `reply` from 0 to 1; None if it has none."""
    value = reply.get(normalization.member)
    match normalization.scale:
        case "boolean" | "violation" if isinstance(value, bool):
            return float(value is (normalization.scale == "boolean"))
        case "1-5" if isinstance(value, (int, float)) and not isinstance(value, bool) and 1 <= value <= 5:
            return (value - 1) / 4
        case "0/1" if isinstance(value, (int, float)) and value in {0, 1}:
            return float(value)
        case _:
            return None
