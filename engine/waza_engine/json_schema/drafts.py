"""The drafts of JSON Schema that waza knows, and what differs between them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import jsonschema
from jsonschema import FormatChecker
from referencing import Specification
from referencing.jsonschema import DRAFT4, DRAFT6, DRAFT7, DRAFT201909, DRAFT202012

from waza_engine.regex import regex_error

_DRAFT4 = frozenset(
    [
        "type",
        "enum",
        "format",
        "multipleOf",
        "maximum",
        "minimum",
        "maxLength",
        "minLength",
        "pattern",
        "maxItems",
        "minItems",
        "uniqueItems",
        "maxProperties",
        "minProperties",
        "required",
        "$ref",
        "allOf",
        "anyOf",
        "oneOf",
        "not",
        "dependencies",
        "properties",
        "patternProperties",
        "additionalProperties",
        "items",
        "additionalItems",
    ]
)
_DRAFT6 = _DRAFT4 | {"const", "contains", "propertyNames", "exclusiveMaximum", "exclusiveMinimum"}
_DRAFT7 = _DRAFT6 | {"if"}
_COMMON = _DRAFT7 | {"dependentRequired", "dependentSchemas", "unevaluatedProperties", "unevaluatedItems"}


@dataclass(frozen=True, slots=True)
class Draft:
    """One draft. `number` orders them (4, 6, 7, 2019, 2020)."""

    number: int
    keywords: frozenset[str]
    specification: Specification[Any]
    metaschema: Any
    """The validator class of `jsonschema` that checks a schema against the draft's own rules."""

    @property
    def asserts_formats(self) -> bool:
        """Whether `format` can fail."""
        return self.number <= 7

    @property
    def reference_stands_alone(self) -> bool:
        """Whether `$ref` makes all keywords beside it mean nothing."""
        return self.number <= 7

    def problem(self, schema: Any) -> str | None:
        """Why `schema` breaks the rules of the draft itself, None when it does not."""
        try:
            self.metaschema.check_schema(
                schema, format_checker=_REGEX_ONLY if self.asserts_formats else _NOTHING
            )
        except jsonschema.SchemaError as error:
            where = "/".join(str(it) for it in error.absolute_path)
            return f"{error.message}{f' (at {where})' if where else ''}"
        return None


# Python's `re` must not judge patterns, so the checkers that come with `jsonschema` are not used.
_NOTHING = FormatChecker(formats=())
_REGEX_ONLY = FormatChecker(formats=())
_REGEX_ONLY.checks("regex")(lambda it: not isinstance(it, str) or regex_error(it) is None)

LATEST = Draft(
    2020,
    _COMMON - {"additionalItems"} | {"prefixItems", "$dynamicRef"},
    DRAFT202012,
    jsonschema.Draft202012Validator,
)
_DRAFTS: Mapping[str, Draft] = {
    "json-schema.org/schema": LATEST,
    "json-schema.org/draft/2020-12/schema": LATEST,
    "json-schema.org/draft/2019-09/schema": Draft(
        2019, _COMMON | {"$recursiveRef"}, DRAFT201909, jsonschema.Draft201909Validator
    ),
    "json-schema.org/draft-07/schema": Draft(7, _DRAFT7, DRAFT7, jsonschema.Draft7Validator),
    "json-schema.org/draft-06/schema": Draft(6, _DRAFT6, DRAFT6, jsonschema.Draft6Validator),
    "json-schema.org/draft-04/schema": Draft(4, _DRAFT4, DRAFT4, jsonschema.Draft4Validator),
}


def draft_named(uri: str) -> Draft | None:
    """The draft of a `$schema`: with http or https, with or without an empty fragment."""
    parts = urlsplit(uri)
    if parts.scheme not in {"http", "https"} or parts.fragment or parts.query:
        return None
    return _DRAFTS.get(parts.netloc + parts.path)
