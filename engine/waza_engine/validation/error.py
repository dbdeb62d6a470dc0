"""One violated keyword of a schema: what the messages are made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from waza_engine.findings import Pointer, Severity


@dataclass(frozen=True, slots=True)
class SchemaError:
    """`validator` is the keyword, with its `validator_value` in `schema`; `instance` at `absolute_path` violates it."""

    validator: str
    validator_value: Any
    instance: Any
    schema: Mapping[str, Any]
    absolute_path: Pointer
    message: str = ""
    """In the words of the `jsonschema` library, for keywords that we have no words for."""
    context: Sequence["SchemaError"] = ()
    """For alternatives: why each of them does not fit."""
    relative_schema_path: tuple[int, ...] = ()
    """In a `context`: which alternative this is about."""

    @property
    def severity(self) -> Severity | None:
        """What the schema of the value says about mistakes in it; None leaves it to the rule."""
        said = self.schema.get("x-severity")
        return Severity(said) if said else None
