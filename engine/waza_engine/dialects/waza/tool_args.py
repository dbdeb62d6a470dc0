"""Matching the arguments of a tool call (`args`), for all graders that look at them.

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
    """A mapping whose keys the newest generation checks itself: an unknown one is an error there, too."""

    @model_validator(mode="before")
    @classmethod
    def _has_known_keys(cls, value: Any) -> Any:
        unknown = [it for it in value if it not in cls.model_fields] if isinstance(value, Mapping) else []
        if unknown:
            raise ValueError(f"'{unknown[0]}' is an unknown key; one of {', '.join(cls.model_fields)}")
        return value


class Range(_StrictModel):
    """Bounds of a number; at least one."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    gte: IfGiven[Number] = Field(default=None, description="The number is at least this.", examples=[1])
    lte: IfGiven[Number] = Field(default=None, description="The number is at most this.", examples=[10])
    gt: IfGiven[Number] = Field(default=None, description="The number is more than this.", examples=[0])
    lt: IfGiven[Number] = Field(default=None, description="The number is less than this.", examples=[100])

    @model_validator(mode="after")
    def _is_bounded(self) -> Self:
        if self.gte is None and self.lte is None and self.gt is None and self.lt is None:
            raise ValueError("needs at least one of gte, lte, gt, lt")
        return self

    def holds(self, value: Any) -> bool:
        """Whether `value` is a number within all bounds; a text or a boolean never is."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        return (
            (self.gte is None or value >= self.gte)
            and (self.lte is None or value <= self.lte)
            and (self.gt is None or value > self.gt)
            and (self.lt is None or value < self.lt)
        )


class Matcher(_StrictModel):
    """What one argument must be; exactly one of the keys."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1, "maxProperties": 1})

    equals: AnyValue = Field(
        default=None, description='The argument is this value; 5 is 5.0, but not "5".', examples=["main"]
    )
    regex: Text = Field(
        default="",
        min_length=1,
        description="RE2 pattern found in the argument's text; upper and lower case differ.",
        examples=["^src/"],
        json_schema_extra={"x-language": "regex"},
    )
    contains: Text = Field(
        default="",
        min_length=1,
        description="Text that occurs in the argument's text; upper and lower case differ.",
        examples=["--force"],
    )
    range: IfGiven[Range] = Field(
        default=None, description="Bounds of a number.", examples=[{"gte": 1, "lte": 5}]
    )
    json_schema: Annotated[dict[str, Any], BeforeValidator(plain)] = Field(
        default={},
        min_length=1,
        description="JSON Schema that the argument fits.",
        examples=[{"type": "array", "minItems": 2}],
    )

    @model_validator(mode="after")
    def _is_of_one_kind(self) -> Self:
        if len(self.model_fields_set) != 1 or (self.kind == "range" and self.range is None):
            raise ValueError("needs exactly one of equals, regex, contains, range, json_schema")
        return self

    @property
    def kind(self) -> str:
        """The key that was given."""
        return next(iter(self.model_fields_set))

    def problem(self, base_dir: Path | None) -> str | None:
        """Why the matcher cannot be used, None when it can."""
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
"""Argument names, each with what the argument must be."""


class ArgumentTest:
    """The matchers of one entry, ready to be put to calls. Relative `$ref`s start from `base_dir`.

    Raises:
        ConfigError: a schema does not compile, also because of a file that a static check does not look into.

    """

    def __init__(self, matchers: Mapping[str, Matcher], base_dir: Path) -> None:
        self._matchers = matchers
        self._schemas: dict[str, CompiledSchema] = {
            name: _compiled(name, it, base_dir) for name, it in matchers.items() if it.kind == "json_schema"
        }

    def passes(self, arguments: Any) -> bool:
        """Whether all matchers hold; arguments that are no mapping never do, a missing argument fails any matcher."""
        if not self._matchers:
            return True
        return isinstance(arguments, Mapping) and all(
            name in arguments and self._holds(name, it, arguments[name])
            for name, it in self._matchers.items()
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


def _compiled(name: str, matcher: Matcher, base_dir: Path) -> "CompiledSchema":
    try:
        return compile_schema(matcher.json_schema, base_dir)
    except SchemaError as error:
        raise ConfigError(f"args.{name}.json_schema: the schema does not compile: {error}") from error


def matcher_documents(config: Any, base_dir: Path) -> Iterator[Path]:
    """The files that the schemas of matchers reach, wherever in `config` these stand."""
    places = [config]
    while places:
        match places.pop():
            case dict() as found:
                if isinstance(schema := found.get("json_schema"), dict):
                    yield from schema_documents(schema, base_dir)
                places.extend(found.values())
            case list() as found:
                places.extend(found)
            case _:
                pass


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else go_json(value)


def known_arguments(call: ToolCall) -> dict[str, Any]:
    """What matchers see of a digest call: empty ones of the five known arguments are as good as missing."""
    return {
        name: value for name, value in call.arguments.items() if value != "" or name not in DIGEST_ARGUMENTS
    }


def matcher_refusals(
    matchers: Mapping[str, Matcher], base_dir: Path | None, pointer: Pointer
) -> Iterator[Finding]:
    """What is wrong with the matchers at `pointer`; each forbids the run."""
    for name, matcher in matchers.items():
        if reason := matcher.problem(base_dir):
            is_pattern = matcher.kind == "regex"
            rule, part = (
                (INVALID_REGEX, regex_error_span(matcher.regex))
                if is_pattern
                else (INVALID_JSON_SCHEMA, None)
            )
            yield rule.at((*pointer, name, matcher.kind), reason, refused=True, part=part)
