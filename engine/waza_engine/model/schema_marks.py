"""The base class of file models, and the marks that a field adds to its JSON Schema."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypedDict, TypeVar, Unpack

from pydantic import BaseModel, BeforeValidator, ConfigDict, GetCoreSchemaHandler, model_validator
from pydantic_core import CoreSchema

from waza_engine.model.fields import as_mapping, is_null

PathBase = Literal["eval", "task", "fixtures", "process", "workspace", "project"]
PathKind = Literal["file", "directory", "any", "glob"]

_Part = TypeVar("_Part")
SectionOf = Annotated[_Part, BeforeValidator(as_mapping)]
"""A mapping with known keys; an empty value is the empty mapping, as in Go."""
MapOf = Annotated[dict[str, _Part], BeforeValidator(as_mapping)]
"""A mapping with free keys; an empty value is the empty mapping."""


class FileModel(BaseModel):
    """A mapping in a file. Unknown keys are errors, and a required key needs a value."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True, populate_by_name=False)

    @model_validator(mode="before")
    @classmethod
    def _empty_is_missing(cls, value: Any) -> Any:
        if not isinstance(value, dict) or not any(map(is_null, value.values())):
            return value
        needed = {it.alias or name for name, it in cls.model_fields.items() if it.is_required()}
        return {key: it for key, it in value.items() if key not in needed or not is_null(it)}

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Make empty defaults anew for each object. pydantic would copy them deeply: a third of the time of a task."""
        schema = handler(source)
        part: Any = schema
        while isinstance(part, dict) and "fields" not in part:
            part = part.get("schema")
        for field in (part or {"fields": {}})["fields"].values():
            known = field["schema"]
            if isinstance(known.get("default"), (list, dict)) and not known["default"]:
                known["default_factory"] = type(known.pop("default"))
        return schema


class Marks(TypedDict, total=False):
    """The marks of a field.

    required: the key must be present, although the loader accepts its absence.
    tolerated: for a required key: the run accepts its absence as well, so that it is no error.
    recommended: the key should be present; the schema does not require it. `x-needless-beside` has the values of other
        keys that make it needless.
    path: the string is a path: its base, and what it names.
    holds: for a path: the file that the directory must contain.
    reference: the string refers to a name of this kind.
    defines: the string defines a name of this kind.
    base_for: the directory replaces this base for paths next to it and below.
    language: the string is `regex`, `python` or `javascript` code.
    applies_to: for a pattern: the text in which it is searched.
    values: the allowed strings, each with a description.
    instead: the key is outdated; what replaces it.
    move_to: for an outdated key: where its value belongs, as a path from its mapping; "" if the key can be removed.
    no_effect: waza reads the key and never uses it; "hint" if authors use the key as a note, "rule" if a rule reports it.
    """

    required: bool
    tolerated: bool
    recommended: bool
    path: tuple[PathBase, PathKind]
    holds: str
    reference: str
    defines: str
    base_for: str
    language: str
    applies_to: str
    values: Mapping[str, str]
    instead: str
    move_to: str
    no_effect: bool | Literal["hint", "rule"]


def marks(**given: Unpack[Marks]) -> dict[str, Any]:
    """Return extra keywords of a field's schema, for `Field(json_schema_extra=...)`."""
    extra: dict[str, Any] = {f"x-{name.replace('_', '-')}": value for name, value in given.items()}
    if path := extra.get("x-path"):
        extra["x-path"] = {"base": path[0], "kind": path[1]}
    if values := extra.pop("x-values", None):
        extra |= {"enum": list(values), "x-enum-descriptions": dict(values)}
    if instead := extra.pop("x-instead", ""):
        extra |= {"deprecated": True, "x-use-instead": instead}
    return extra


def foreign_keys(moved: Mapping[str, str] | None = None, **explained: str) -> dict[str, Any]:
    """Return hints for keys that authors write although the model does not have them, for its `json_schema_extra`.

    `moved` says where a key belongs: `name`, `section.name`, or `../name` for the mapping above (`../../name` for the
    one above that); of several ways, separated by blanks, the first that takes the value. `explained` has a sentence for each key that belongs nowhere.
    """
    extra = {"x-moved": dict(moved or {}), "x-explained": explained}
    return {key: value for key, value in extra.items() if value}


def item_marks(**given: Unpack[Marks]) -> dict[str, Any]:
    """Return the same marks for each string in a list of strings."""
    return {"items": {"type": "string", **marks(**given)}}
