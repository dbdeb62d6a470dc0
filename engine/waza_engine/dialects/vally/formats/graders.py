"""Grader entries (docs/reference/vally.md, section 6). `config` stays raw here: only the grader type can read it."""

from typing import Annotated, Any

from pydantic import ConfigDict, Field

from waza_engine.dialects.vally.formats.model import TolerantModel, tolerant
from waza_engine.model.fields import IfGiven, Integer, Number, Text
from waza_engine.model.schema_marks import marks


class GraderConfig(TolerantModel):
    """One check of what the agent did."""

    model_config = ConfigDict(
        json_schema_extra={**tolerant(), "x-grader-entry": "stimulus", "x-title-from": ["name", "type"]}
    )

    type: Text = Field(
        default="",
        description="What kind of check this is. The options under `config` depend on it.",
        examples=["output-contains"],
        json_schema_extra={**marks(required=True), "x-open": "warning"},
    )
    config: Any = Field(default=None, description="The options of the grader type.")
    name: Text = Field(
        default="",
        description="A label that stands in results instead of the grader's type.",
        examples=["names-the-group"],
    )
    turn: IfGiven[Annotated[Integer, Field(ge=0)]] = Field(
        default=None,
        description="Judge only this turn of a stimulus with `turns`, counted from 0. Left out, the whole conversation.",
        examples=[0],
        json_schema_extra=marks(since="0.7"),
    )
    weight: IfGiven[Number] = Field(
        default=None,
        description="Written in some files, but not known to count: weights stand under `scoring.weights`, by type.",
        examples=[0.5],
    )
