"""Grader entries (docs/reference/vally.md, section 6). Only the grader type can parse `config`."""

from typing import Annotated, Any

from pydantic import ConfigDict, Field

from waza_engine.dialects.vally.fields import Integer
from waza_engine.dialects.vally.formats.model import TolerantModel, tolerant
from waza_engine.dialects.vally.formats.sibling_types import SIBLING_TYPES
from waza_engine.model.fields import IfGiven, Number, Text
from waza_engine.model.schema_marks import foreign_keys, marks


class GraderConfig(TolerantModel):
    """One check of the agent's work."""

    model_config = ConfigDict(
        json_schema_extra={
            **tolerant(),
            **foreign_keys(ref="vally has no shared graders. Write the grader's 'type' and 'config'"),
            "x-stand-ins": ["ref"],
            "x-grader-entry": "stimulus",
            "x-title-from": ["name", "type"],
        }
    )

    type: Text = Field(
        default="",
        description="Type of the check. It determines the options under `config`.",
        examples=["output-contains"],
        json_schema_extra={
            **marks(required=True),
            "x-open": "warning",
            "x-siblings": SIBLING_TYPES,
            "x-if-unknown": "If a plug-in adds this type, name it in `waza.vally.extraGraderTypes`",
        },
    )
    config: Any = Field(default=None, description="Options of the grader type.")
    name: Text = Field(
        default="",
        description="Label in results, instead of the grader's type.",
        examples=["names-the-group"],
    )
    turn: IfGiven[Annotated[Integer, Field(ge=0)]] = Field(
        default=None,
        description="Turn to grade in a stimulus with `turns`, counted from 0. Default: the whole conversation.",
        examples=[0],
    )
    weight: IfGiven[Number] = Field(
        default=None,
        description="Used in some files, but without a known effect: set weights by type under `scoring.weights`.",
        examples=[0.5],
    )
