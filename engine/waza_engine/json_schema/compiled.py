"""Compiling a schema: everything that can be wrong with it is found before any value is looked at."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from referencing.exceptions import Unresolvable

from waza_engine.json_schema.apart import error_apart
from waza_engine.json_schema.drafts import LATEST, Draft
from waza_engine.json_schema.errors import SchemaError
from waza_engine.json_schema.evaluation import Evaluator, Location, Place
from waza_engine.json_schema.sources import Sources, draft_of, normal
from waza_engine.regex import regex_error

_SINGLE = frozenset(["not", "additionalProperties", "additionalItems", "contains", "propertyNames", "if"]) | {
    "unevaluatedProperties",
    "unevaluatedItems",
}
_LISTS = frozenset(["allOf", "anyOf", "oneOf", "prefixItems"])
_MAPS = frozenset(["properties", "patternProperties", "dependentSchemas", "dependencies"])
_REFERENCES = frozenset(["$ref", "$dynamicRef", "$recursiveRef"])


@dataclass(frozen=True, slots=True)
class CompiledSchema:
    """A schema that is in order."""

    _schema: Any
    _base_dir: Path | None
    _place: Place
    _drafts: Mapping[int, Draft]

    @classmethod
    def of(cls, schema: Any, base_dir: Path | None, *, within: bool) -> Self:
        """As `compile_schema`."""
        try:
            root = normal(schema)
            _demand_json(root)
            sources = Sources(root, base_dir, within=within)
            place = Place(Location(), sources.root_resolver(), draft_of(root, LATEST))
            walk = _Walk()
            walk.visit(root, place)
        except RecursionError as error:
            raise SchemaError("the schema is nested too deeply") from error
        except SchemaError:
            raise
        except ValueError as error:
            raise SchemaError(f"an address in it cannot be read: {error}") from error
        return cls(root, base_dir, place, walk.drafts)

    def error(self, value: Any) -> str | None:
        """Why `value` does not fit, in one sentence; None when it does.

        Raises:
            SchemaError: the value is nested too deeply for the schema to be put to it.

        """
        try:
            return self.first_error(value)
        except RecursionError:
            # A deep value, not an endless schema: those are found by the evaluator.
            return error_apart(self._schema, self._base_dir, value)

    def first_error(self, value: Any) -> str | None:
        """The same; raises RecursionError for a value that this process cannot go into."""
        failure = Evaluator(self._drafts).evaluate(self._schema, normal(value), self._place).error
        return str(failure) if failure else None


class _Walk:
    """Visits each schema that can take part in a validation once: its patterns and its references."""

    def __init__(self) -> None:
        self.drafts: dict[int, Draft] = {}
        """The draft of each schema, by identity."""

    def visit(self, schema: Any, place: Place) -> None:
        if not isinstance(schema, dict) or id(schema) in self.drafts:
            return
        draft = draft_of(schema, place.draft)
        if draft is not place.draft:
            # The document was checked by the rules of another draft.
            _demand_valid(schema, draft, "")
        place = place.inside(schema, draft)
        self.drafts[id(schema)] = place.draft
        for keyword in _REFERENCES & place.draft.keywords & schema.keys():
            self._follow(keyword, schema[keyword], place)
        if "$ref" in schema and place.draft.reference_stands_alone:
            return
        self._check_patterns(schema)
        for child in children(schema, place.draft):
            self.visit(child, place)

    def _follow(self, keyword: str, reference: str, place: Place) -> None:
        try:
            target = place.target(keyword, reference)
            draft = self._draft_at(place, reference)
        except (Unresolvable, ValueError) as error:
            # `referencing` wraps what its retrieve function raised, more than once.
            cause: BaseException | None = error
            while cause is not None and not isinstance(cause, SchemaError):
                cause = cause.__cause__
            raise cause or SchemaError(f"the reference '{reference}' leads nowhere") from error
        if not isinstance(target.contents, dict | bool):
            raise SchemaError(f"the reference '{reference}' leads to something that is no schema")
        if id(target.contents) not in self.drafts and not _is_definition(reference, draft):
            # It may stand where the rules of the document's draft expect no schema, and then nobody has checked it.
            _demand_valid(target.contents, draft_of(target.contents, draft), reference)
        self.visit(target.contents, Place(Location(), target.resolver, draft))

    def _draft_at(self, place: Place, reference: str) -> Draft:
        """The draft of a schema found by reference: its document's, which is another one for another document."""
        document, _, _ = reference.partition("#")
        if not document:
            return place.draft
        root = place.resolver.lookup(document).contents
        return draft_of(root, LATEST)

    def _check_patterns(self, schema: dict[str, Any]) -> None:
        for pattern in [
            *schema.get("patternProperties", ()),
            *([schema["pattern"]] if "pattern" in schema else ()),
        ]:
            if reason := regex_error(pattern):
                raise SchemaError(f"the pattern '{pattern}' is not valid: {reason}")


def _demand_valid(schema: Any, draft: Draft, reference: str) -> None:
    if problem := draft.problem(schema):
        raise SchemaError(f"the schema at '{reference}': {problem}" if reference else problem)


def _is_definition(reference: str, draft: Draft) -> bool:
    """Whether a reference leads to a document, or to a definition of one: these are checked with the document."""
    steps = reference.partition("#")[2].split("/")
    places = {"definitions", "$defs"} if draft.number >= 2019 else {"definitions"}
    return steps == [""] or (len(steps) == 3 and not steps[0] and steps[1] in places)


def _demand_json(value: Any) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise SchemaError(f"it holds {value}, a number that JSON does not have")
    for it in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _demand_json(it)


def children(schema: dict[str, Any], draft: Draft) -> Iterator[Any]:
    """The schemas directly inside a schema that can take part in a validation; `$defs` alone cannot."""
    for keyword in draft.keywords & schema.keys():
        value = schema[keyword]
        if keyword in _SINGLE:
            yield value
        elif keyword in _LISTS:
            yield from value
        elif keyword in _MAPS:
            yield from value.values()
        elif keyword == "items":
            yield from value if isinstance(value, list) else [value]
        if keyword == "if":
            yield from (schema[it] for it in ("then", "else") if it in schema)
