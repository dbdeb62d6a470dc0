"""How the grader scores of a trial become one, and when it passes (docs/reference/vally.md, section 5)."""

from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, Field

from waza_engine.dialects.vally.formats.model import TolerantModel, tolerant
from waza_engine.model.fields import IfGiven, Number, as_mapping


class ScoringConfig(TolerantModel):
    """Weights and threshold of the trial score."""

    model_config = ConfigDict(json_schema_extra=tolerant())

    weights: Annotated[dict[str, Annotated[Number, Field(ge=0)]], BeforeValidator(as_mapping)] = Field(
        default={},
        description=(
            "Weight of each grader, by its type (never by its name). They add up to 1.0; a type that is not listed "
            "weighs nothing. Without weights all graders count the same."
        ),
        examples=[{"prompt": 0.7, "output-contains": 0.3}],
        json_schema_extra={
            "additionalProperties": {"type": "number", "minimum": 0},
            "x-keys": "grader-type",
        },
    )
    threshold: IfGiven[Annotated[Number, Field(ge=0, le=1)]] = Field(
        default=None,
        description="The score from 0 to 1 that a trial needs. Left out, every grader has to pass.",
        examples=[0.8],
    )
