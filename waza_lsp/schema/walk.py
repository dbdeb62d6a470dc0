"""Names of `waza_engine.analysis.schema.navigate` under their former address."""

from waza_engine.analysis.schema.navigate import (
    DISCRIMINATOR,
    Schema,
    branch_of,
    branches,
    child,
    discriminated,
    narrowed,
    properties,
    resolve,
    schema_at,
    value_at,
    way_data,
)

__all__ = [
    "DISCRIMINATOR",
    "Schema",
    "branch_of",
    "branches",
    "child",
    "discriminated",
    "narrowed",
    "properties",
    "resolve",
    "schema_at",
    "value_at",
    "way_data",
]
