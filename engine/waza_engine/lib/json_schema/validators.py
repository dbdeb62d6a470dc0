"""The drafts of JSON Schema that waza knows: validator classes of `jsonschema` with waza's differences (keywords)."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import jsonschema
from jsonschema import FormatChecker, ValidationError
from jsonschema.validators import create
from referencing import Specification
from referencing.jsonschema import specification_with

from waza_engine.lib.go.regexp import regex_error
from waza_engine.lib.json_schema.keywords import KEYWORDS, KEYWORDS_OF_DRAFT, error_text, in_order

_MOST_KEPT = 20_000
"""The longest text of a schema, in characters, whose problem is remembered."""


class SchemaObject(dict[str, Any]):
    """A JSON object of a schema. If it is a schema itself, it knows its draft and its keywords."""

    draft: "Draft | None" = None
    keywords: tuple[tuple[str, Any], ...] = ()

    def use(self, draft: "Draft") -> None:
        """Make the object a schema of `draft`."""
        self.draft = draft
        alone = "$ref" in self and draft.reference_stands_alone
        known = ["$ref"] if alone else [key for key in self if key in draft.validator.VALIDATORS]
        self.keywords = tuple((key, self[key]) for key in in_order(known))


class _ValueObject(dict[str, Any]):
    """An object of a value. `jsonschema` puts its `repr` into messages, also of mere attempts, so it is short."""

    def __repr__(self) -> str:
        return "{}"


class _ValueArray(list[Any]):
    """An array of a value, with a short `repr` for the same reason."""

    def __repr__(self) -> str:
        return "[]"


def schema_copy(schema: Any) -> Any:
    """Return a copy of a schema in which objects can be marked as schemas."""
    return _copy(schema, SchemaObject, list)


def _copy(value: Any, objects: type[dict[str, Any]], arrays: type[list[Any]]) -> Any:
    """Return a copy in which each number is the double that Go reads, and an `int` if it is whole."""
    match value:
        case bool():
            return value
        case int():
            try:
                return int(float(value))
            except OverflowError:
                return value
        case float() if value.is_integer():
            return int(value)
        case list():
            return arrays([_copy(it, objects, arrays) for it in value])
        case dict():
            return objects({key: _copy(it, objects, arrays) for key, it in value.items()})
        case _:
            return value


@dataclass(frozen=True, slots=True, eq=False)
class Draft:
    """One draft. `number` orders them (4, 6, 7, 2019, 2020)."""

    number: int
    specification: Specification[Any]
    validator: Any
    """The validator class that evaluates schemas of this draft."""

    @property
    def definitions(self) -> frozenset[str]:
        """The keywords whose values the metaschema checks as schemas, though no validation reaches them there."""
        return frozenset(["definitions"] if self.number <= 7 else ["definitions", "$defs"])

    @property
    def reference_stands_alone(self) -> bool:
        """Whether `$ref` makes validators ignore all other keywords of a schema."""
        return self.number <= 7

    def problem(self, schema: Any) -> str | None:
        """Return why `schema` does not fit the metaschema, None if it fits."""
        try:
            text = json.dumps(schema)
        except (TypeError, ValueError, RecursionError):
            return _problem(self, schema)
        is_json = len(text) <= _MOST_KEPT and json.loads(text) == schema
        return _problem_of_text(self, text) if is_json else _problem(self, schema)

    def enter(self, schema: Any, resolver: Any) -> Any:
        """Return the resolver for references in `schema`, which may have an address of its own."""
        if not isinstance(schema, dict):
            return resolver
        return resolver.in_subresource(self.specification.create_resource(schema))


# The graders of a suite often expect the same, and this takes longer than all else about them.
@lru_cache(maxsize=128)
def _problem_of_text(draft: Draft, text: str) -> str | None:
    return _problem(draft, json.loads(text))


def _problem(draft: Draft, schema: Any) -> str | None:
    formats = _REGEX_ONLY if draft.number <= 7 else _NO_FORMATS
    try:
        draft.validator.check_schema(schema, format_checker=formats)
    except jsonschema.SchemaError as error:
        where = "/".join(str(it) for it in error.absolute_path)
        return f"{error.message}{f' (at {where})' if where else ''}"
    return None


# Python's `re` must not compile patterns, so the checkers of `jsonschema` are not used.
_NO_FORMATS = FormatChecker(formats=())
_REGEX_ONLY = FormatChecker(formats=())
_REGEX_ONLY.checks("regex")(lambda it: not isinstance(it, str) or regex_error(it) is None)


def _keywords(schema: Any) -> Iterable[tuple[str, Any]]:
    return schema.keywords if isinstance(schema, SchemaObject) else ()


def _draft(number: int, original: Any) -> Draft:
    keywords = {
        **original.VALIDATORS,
        **{key: it for key, it in KEYWORDS.items() if key in original.VALIDATORS},
    }
    validator: Any = create(
        original.META_SCHEMA,
        {**keywords, **KEYWORDS_OF_DRAFT[number]},
        type_checker=original.TYPE_CHECKER,
        id_of=original.ID_OF,
        applicable_validators=_keywords,
    )
    draft = Draft(
        number, specification_with(original.META_SCHEMA.get("$id") or original.META_SCHEMA["id"]), validator
    )

    def evolve(self: Any, *, schema: Any, _resolver: Any = None) -> Any:
        """Return the validator of `schema`: one of another draft if the schema belongs to another draft."""
        own = draft
        if isinstance(schema, SchemaObject):
            if not schema.draft:
                # Only a dynamic reference leads to a schema that was not compiled.
                schema.use(draft)
            own = schema.draft or draft
        return own.validator(schema, _resolver=_resolver or own.enter(schema, self._resolver))

    def descend(self: Any, instance: Any, schema: Any, path: Any = None, schema_path: Any = None) -> Any:
        """Yield the errors of `instance`. The original loses the path of what `False` forbids."""
        if schema is False:
            forbidden: Any = None
            steps = () if path is None else (path,)
            return iter([ValidationError("nothing is allowed here", validator=forbidden, path=steps)])
        return original_descend(self, instance, schema, path, schema_path)

    original_descend = validator.descend
    validator.evolve, validator.descend = evolve, descend
    return draft


LATEST = _draft(2020, jsonschema.Draft202012Validator)
_DRAFTS: Mapping[str, Draft] = {
    "json-schema.org/schema": LATEST,
    "json-schema.org/draft/2020-12/schema": LATEST,
    "json-schema.org/draft/2019-09/schema": _draft(2019, jsonschema.Draft201909Validator),
    "json-schema.org/draft-07/schema": _draft(7, jsonschema.Draft7Validator),
    "json-schema.org/draft-06/schema": _draft(6, jsonschema.Draft6Validator),
    "json-schema.org/draft-04/schema": _draft(4, jsonschema.Draft4Validator),
}


def draft_named(uri: str) -> Draft | None:
    """Return the draft of a `$schema`: with http or https, with or without an empty fragment."""
    parts = urlsplit(uri)
    if parts.scheme not in {"http", "https"} or parts.fragment or parts.query:
        return None
    return _DRAFTS.get(parts.netloc + parts.path)


def first_error(schema: Any, resolver: Any, value: Any) -> str | None:
    """Return why `value` does not fit the compiled `schema`, in one sentence; None if it fits."""
    validator = LATEST.validator(True, _resolver=resolver).evolve(schema=schema)
    error = next(validator.iter_errors(_copy(value, _ValueObject, _ValueArray)), None)
    return (
        f"at '{''.join(f'/{it}' for it in error.absolute_path) or '/'}': {error_text(error)}"
        if error
        else None
    )
