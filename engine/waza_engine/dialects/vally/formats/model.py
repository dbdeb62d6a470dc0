"""What the models of vally files share: most of their mappings tolerate keys that vally does not know.

See docs/reference/vally.md, section 2.
"""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, WithJsonSchema

from waza_engine.model.fields import AnyValue
from waza_engine.model.pydantic_messages import value_kind
from waza_engine.model.schema_marks import FileModel

Strange = Literal["warning", "near"]


class TolerantModel(FileModel):
    """A mapping whose unknown keys are passed over when it is loaded."""

    model_config = ConfigDict(extra="ignore")


NAMED_BY_KEY: dict[str, Any] = {"x-named-by-key": True}
"""The mark of mappings that stand under names of the writer's: an outline shows them."""


def tolerant(strange: Strange = "warning", **keywords: Any) -> dict[str, Any]:
    """The extra keywords of a tolerant mapping's schema: unknown keys are warnings, or only those `near` a known one."""
    return {"x-unknown-keys": strange, **keywords}


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
"""What a tag may hold: a text or a list of texts."""
