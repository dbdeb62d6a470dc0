"""How a trial is scored and when it passes (docs/reference/vally.md, section 5)."""

from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, Field

from waza_engine.dialects.vally.fields import Duration
from waza_engine.dialects.vally.formats.model import TolerantModel, tolerant
from waza_engine.model.fields import IfGiven, Number, as_mapping


class ScoringConfig(TolerantModel):
    """Weights and threshold of the trial score."""

    model_config = ConfigDict(json_schema_extra=tolerant())

    weights: Annotated[dict[str, Annotated[Number, Field(ge=0)]], BeforeValidator(as_mapping)] = Field(
        default={},
        description=(
            "Weight of each grader type (not grader name). Weights must add up to 1.0; unlisted types have weight 0. "
            "Without weights, all graders count equally."
        ),
        examples=[{"prompt": 0.7, "output-contains": 0.3}],
        json_schema_extra={
            "additionalProperties": {"type": "number", "minimum": 0},
            "x-keys": "grader-type",
        },
    )
    threshold: IfGiven[Annotated[Number, Field(ge=0, le=1)]] = Field(
        default=None,
        description="Lowest score, from 0 to 1, that passes. Default: all graders must pass.",
        examples=[0.8],
    )
    timeout: IfGiven[Duration] = Field(
        default=None,
        description="Time limit of all graders of one trial together, with a unit. waza-lsp ignores it.",
        examples=["2m"],
    )
