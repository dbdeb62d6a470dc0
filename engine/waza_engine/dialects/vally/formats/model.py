"""Base class and field types of vally file models. Most mappings tolerate unknown keys.

See docs/reference/vally.md, section 2.
"""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, WithJsonSchema

from waza_engine.model.fields import AnyValue
from waza_engine.model.pydantic_messages import value_kind
from waza_engine.model.schema_marks import FileModel

UnknownKeys = Literal["warning", "near"]


class TolerantModel(FileModel):
    """A mapping that ignores unknown keys when it is loaded."""

    model_config = ConfigDict(extra="ignore")


NAMED_BY_KEY: dict[str, Any] = {"x-named-by-key": True}
"""Marks mappings under user-defined names, so that outlines show them."""


def tolerant(unknown: UnknownKeys = "warning", **keywords: Any) -> dict[str, Any]:
    """Return schema keywords that report all unknown keys as warnings, or only keys `near` a known one."""
    return {"x-unknown-keys": unknown, **keywords}


def _tag(value: Any) -> Any:
    if isinstance(value, dict):
        raise ValueError("expected a string or a list of strings")  # noqa: TRY004  # pydantic wants ValueError
    strange = (
        next((it for it in value if isinstance(it, dict | list)), None) if isinstance(value, list) else None
    )
    if strange is not None:
        raise ValueError(f"expected a list of strings, not with {value_kind(strange)} in it")
    return value


TagValues = Annotated[
    AnyValue,
    AfterValidator(_tag),
    WithJsonSchema({"type": ["string", "number", "boolean", "array"], "items": {"type": "string"}}),
]
"""The value of a tag: a string or a list of strings."""
