"""Match the arguments of tool calls (`args`), for all graders that support it.

See docs/reference/waza-graders.md, section 6.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from waza_engine.graders.base import ConfigError, GradeError
from waza_engine.lib.go.json import go_json, json_equal
from waza_engine.lib.go.regexp import regex_error, regex_error_span, regex_matches
from waza_engine.lib.json_schema import SchemaError, UnknownFileError, compile_schema, schema_documents
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.fields import AnyValue, IfGiven, Number, Text
from waza_engine.model.findings import Finding
from waza_engine.model.schema_marks import FileModel, MapOf
from waza_engine.model.trajectory import DIGEST_ARGUMENTS, ToolCall
from waza_engine.rules.invalid_json_schema import INVALID_JSON_SCHEMA
from waza_engine.rules.invalid_regex import INVALID_REGEX

if TYPE_CHECKING:
    from waza_engine.lib.json_schema.compiled import CompiledSchema


def _mapping(value: Any) -> Any:
    if not isinstance(value, Mapping) or not value:
        raise ValueError("must be a mapping such as 'contains: text'")
    return value


class _StrictModel(FileModel):
    """A mapping in which the newest generation refuses unknown keys, too."""

    @model_validator(mode="before")
    @classmethod
    def _has_known_keys(cls, value: Any) -> Any:
        unknown = [it for it in value if it not in cls.model_fields] if isinstance(value, Mapping) else []
        if unknown:
            raise ValueError(f"unknown key '{unknown[0]}'; known keys: {', '.join(cls.model_fields)}")
        return value


class Range(_StrictModel):
    """Limits of a number; at least one."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    gte: IfGiven[Number] = Field(default=None, description="Minimum, inclusive.", examples=[1])
    lte: IfGiven[Number] = Field(default=None, description="Maximum, inclusive.", examples=[10])
    gt: IfGiven[Number] = Field(default=None, description="Minimum, exclusive.", examples=[0])
    lt: IfGiven[Number] = Field(default=None, description="Maximum, exclusive.", examples=[100])

    @model_validator(mode="after")
    def _is_bounded(self) -> Self:
        if self.gte is None and self.lte is None and self.gt is None and self.lt is None:
            raise ValueError("needs at least one of gte, lte, gt, lt")
        return self

    def holds(self, value: Any) -> bool:
        """Whether `value` is a number within all limits; strings and booleans never are."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        return (
            (self.gte is None or value >= self.gte)
            and (self.lte is None or value <= self.lte)
            and (self.gt is None or value > self.gt)
            and (self.lt is None or value < self.lt)
        )


class Matcher(_StrictModel):
    """A condition for one argument; exactly one of the keys."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1, "maxProperties": 1})

    equals: AnyValue = Field(
        default=None,
        description='Value that the argument must equal. 5 equals 5.0, but not "5".',
        examples=["main"],
    )
    regex: Text = Field(
        default="",
        min_length=1,
        description="RE2 pattern that must match in the argument (case-sensitive).",
        examples=["^src/"],
        json_schema_extra={"x-language": "regex"},
    )
    contains: Text = Field(
        default="",
        min_length=1,
        description="String that the argument must contain (case-sensitive).",
        examples=["--force"],
    )
    range: IfGiven[Range] = Field(
        default=None, description="Limits of a number.", examples=[{"gte": 1, "lte": 5}]
    )
    json_schema: Annotated[dict[str, Any], BeforeValidator(plain)] = Field(
        default={},
        min_length=1,
        description="JSON Schema that the argument must match.",
        examples=[{"type": "array", "minItems": 2}],
    )

    @model_validator(mode="after")
    def _is_of_one_kind(self) -> Self:
        if len(self.model_fields_set) != 1 or (self.kind == "range" and self.range is None):
            raise ValueError("needs exactly one of equals, regex, contains, range, json_schema")
        return self

    @property
    def kind(self) -> str:
        """The key that is set."""
        return next(iter(self.model_fields_set))

    def problem(self, base_dir: Path | None) -> str | None:
        """Return why the matcher is invalid, or None."""
        if self.kind == "regex" and (reason := regex_error(self.regex)):
            return f"Not a valid RE2 pattern: {reason}"
        if self.kind == "json_schema":
            try:
                compile_schema(self.json_schema, base_dir, within=True)
            except UnknownFileError:
                return None
            except SchemaError as error:
                return f"The schema does not compile: {error}"
        return None


Matchers = MapOf[Annotated[Matcher, BeforeValidator(_mapping)]]
"""Argument names, each with its matcher."""


class ArgumentTest:
    """The matchers of one entry, compiled. `$ref`s are relative to `base_dir`.

    Raises:
        ConfigError: a schema does not compile, possibly because of a file that static checks do not read.

    """

    def __init__(self, matchers: Mapping[str, Matcher], base_dir: Path) -> None:
        self._matchers = matchers
        self._schemas: dict[str, CompiledSchema] = {
            name: _compiled_schema(name, matcher, base_dir)
            for name, matcher in matchers.items()
            if matcher.kind == "json_schema"
        }

    def passes(self, arguments: Any) -> bool:
        """Whether all matchers match. A missing argument, or arguments that are not a mapping, never match."""
        if not self._matchers:
            return True
        return isinstance(arguments, Mapping) and all(
            name in arguments and self._holds(name, matcher, arguments[name])
            for name, matcher in self._matchers.items()
        )

    def _holds(self, name: str, matcher: Matcher, value: Any) -> bool:
        match matcher.kind:
            case "equals":
                return json_equal(matcher.equals, value)
            case "regex":
                return regex_matches(matcher.regex, _text(value)) is True
            case "contains":
                return matcher.contains in _text(value)
            case "range":
                return matcher.range is not None and matcher.range.holds(value)
            case _:
                try:
                    return self._schemas[name].error(value) is None
                except SchemaError as error:
                    raise GradeError(f"args.{name}: {error}") from error


def _compiled_schema(name: str, matcher: Matcher, base_dir: Path) -> "CompiledSchema":
    try:
        return compile_schema(matcher.json_schema, base_dir)
    except SchemaError as error:
        raise ConfigError(f"args.{name}.json_schema: the schema does not compile: {error}") from error


def matcher_documents(config: Any, base_dir: Path) -> Iterator[Path]:
    """Yield the files that the schemas of all matchers in `config` refer to."""
    values = [config]
    while values:
        match values.pop():
            case dict() as mapping:
                if isinstance(schema := mapping.get("json_schema"), dict):
                    yield from schema_documents(schema, base_dir)
                values.extend(mapping.values())
            case list() as items:
                values.extend(items)
            case _:
                pass


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else go_json(value)


def known_arguments(call: ToolCall) -> dict[str, Any]:
    """Return the arguments of a digest call for matchers: of the five known ones, empty means missing."""
    return {
        name: value for name, value in call.arguments.items() if value != "" or name not in DIGEST_ARGUMENTS
    }


def matcher_refusals(
    matchers: Mapping[str, Matcher], base_dir: Path | None, pointer: Pointer
) -> Iterator[Finding]:
    """Yield errors that forbid a run in the matchers at `pointer`."""
    for name, matcher in matchers.items():
        if reason := matcher.problem(base_dir):
            is_pattern = matcher.kind == "regex"
            rule, part = (
                (INVALID_REGEX, regex_error_span(matcher.regex))
                if is_pattern
                else (INVALID_JSON_SCHEMA, None)
            )
            yield rule.at((*pointer, name, matcher.kind), reason, refused=True, part=part)
