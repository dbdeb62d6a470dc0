"""The base of all file models, and the marks that a field can carry into its JSON Schema."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, model_validator

from waza_engine.model.fields import as_mapping, is_null

PathBase = Literal["eval", "task", "fixtures", "process", "workspace", "project"]
PathKind = Literal["file", "directory", "any", "glob"]

_Part = TypeVar("_Part")
SectionOf = Annotated[_Part, BeforeValidator(as_mapping)]
"""A mapping with known keys; an empty value is the empty mapping, as in Go."""
MapOf = Annotated[dict[str, _Part], BeforeValidator(as_mapping)]
"""A mapping with free keys; an empty value is the empty mapping."""


class FileModel(BaseModel):
    """A mapping of a file: unknown keys are errors, and a key that must be there has to have a value."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True, populate_by_name=False)

    @model_validator(mode="before")
    @classmethod
    def _empty_is_missing(cls, value: Any) -> Any:
        if not isinstance(value, dict) or not any(map(is_null, value.values())):
            return value
        needed = {it.alias or name for name, it in cls.model_fields.items() if it.is_required()}
        return {key: it for key, it in value.items() if key not in needed or not is_null(it)}


def marks(  # noqa: PLR0913  # one argument for each keyword of our own
    *,
    since: str = "",
    required: bool = False,
    tolerated: bool = False,
    recommended: bool = False,
    path: tuple[PathBase, PathKind] | None = None,
    reference: str = "",
    defines: str = "",
    base_for: str = "",
    language: str = "",
    values: Mapping[str, str] | None = None,
    instead: str = "",
    move_to: str | None = None,
    no_effect: bool = False,
    **keywords: Any,
) -> dict[str, Any]:
    """Extra keywords of a field's schema, for `Field(json_schema_extra=...)`.

    `required` asks for the key although the loader lets its absence pass; with `tolerated` the whole run does, and
    absence is no error. `recommended` is weaker still: the schema does not ask for the key. `path` says what a text is
    relative to and what it names; `reference` what kind of name a text is, and `defines` that it gives such a name.
    `base_for` marks a directory that paths of that base, beside it and below, are relative to instead. `language` is
    what a text is written in: `regex`, `python`, `javascript`. `values` are the allowed texts with a sentence each.
    `instead` marks a legacy key and says what replaces it, and `move_to` where its value goes unchanged: the way from
    its mapping, empty when the key can simply go.
    `no_effect` marks a key that is read and never used. `keywords` are taken as they are.
    """
    extra = {
        "x-since": since,
        "x-required": required,
        "x-tolerated": tolerated,
        "x-recommended": recommended,
        "x-path": {"base": path[0], "kind": path[1]} if path else None,
        "x-reference": reference,
        "x-defines": defines,
        "x-base-for": base_for,
        "x-language": language,
        "enum": list(values or ()),
        "x-enum-descriptions": dict(values or {}),
        "deprecated": bool(instead),
        "x-use-instead": instead,
        "x-no-effect": no_effect,
    }
    given = {key: value for key, value in extra.items() if value}
    return {**keywords, **given, **({} if move_to is None else {"x-move-to": move_to})}


def foreign(moved: Mapping[str, str] | None = None, **explained: str) -> dict[str, Any]:
    """Keys that people write into a mapping although it has none of that name, for `json_schema_extra` of a model.

    `moved` says where such a key belongs: `name`, `section.name`, or `../name` for the mapping above. `explained`
    has a sentence for those that belong nowhere.
    """
    extra = {"x-moved": dict(moved or {}), "x-explained": explained}
    return {key: value for key, value in extra.items() if value}


def each(**extra: Any) -> dict[str, Any]:
    """The same marks for every text of a list of texts."""
    return {"items": {"type": "string", **marks(**extra)}}
