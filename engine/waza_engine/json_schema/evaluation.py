"""Evaluating a compiled schema on a value: the first error, or what of the value has been evaluated."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import referencing
from referencing.jsonschema import lookup_recursive_ref

from waza_engine.json_schema.assertions import ASSERTIONS, draft4_bound_error
from waza_engine.json_schema.drafts import Draft
from waza_engine.json_schema.formats import format_error
from waza_engine.regex import regex_found


@dataclass(frozen=True, slots=True, eq=False)
class Location:
    """Where in the value: a step below another location. A path would make deep values cost their square."""

    above: "Location | None" = None
    step: str | int = ""

    def __str__(self) -> str:
        steps: list[str] = []
        it = self
        while it.above is not None:
            steps.append(f"/{it.step}")
            it = it.above
        return "".join(reversed(steps)) or "/"


@dataclass(frozen=True, slots=True)
class Place:
    """Where an evaluation stands: in the value, and in the schema (`resolver`, `draft`)."""

    location: Location
    resolver: "referencing._core.Resolver[Any]"
    draft: Draft

    def inside(self, schema: Mapping[str, Any], draft: Draft) -> "Place":
        """The same place in `schema`, which may give itself a new name."""
        if draft is self.draft and not schema.keys() & {"$id", "id"}:
            return self
        resource = draft.specification.create_resource(schema)
        return replace(self, resolver=self.resolver.in_subresource(resource), draft=draft)

    def at(self, step: str | int) -> "Place":
        """One step down in the value."""
        return replace(self, location=Location(self.location, step))

    def target(self, keyword: str, reference: str) -> "referencing._core.Resolved[Any]":
        """What a reference leads to from here."""
        if keyword == "$recursiveRef" and reference == "#":
            return lookup_recursive_ref(self.resolver)
        return self.resolver.lookup(reference)


@dataclass(frozen=True, slots=True)
class Failure:
    """What does not fit, and where. It becomes a text only when it is shown: most failures are of mere attempts."""

    location: Location
    text: str

    def __str__(self) -> str:
        return f"at '{self.location}': {self.text}"


@dataclass(slots=True)
class Outcome:
    """The first error, or None; and the properties and items that some keyword has evaluated."""

    error: Failure | None = None
    properties: set[str] = field(default_factory=set)
    items: set[int] = field(default_factory=set)

    def add(self, other: "Outcome") -> None:
        """Take over what `other`, evaluated on the same value, has seen."""
        self.properties |= other.properties
        self.items |= other.items


class Evaluator:
    """Evaluates the schemas that one compilation has visited. `drafts` are those of the schemas, by identity."""

    def __init__(self, drafts: Mapping[int, Draft]) -> None:
        self._drafts = drafts
        self._following: set[tuple[int, Location]] = set()

    def evaluate(self, schema: Any, value: Any, place: Place) -> Outcome:
        """Whether `value` fits `schema`."""
        if isinstance(schema, bool):
            return Outcome(None if schema else _failure(place, "nothing is allowed here"))
        place = place.inside(schema, self._drafts.get(id(schema), place.draft))
        outcome = Outcome()
        alone = "$ref" in schema and place.draft.reference_stands_alone
        steps = (
            [self._references] if alone else [self._references, self._assertions, *self._applicators(value)]
        )
        for step in steps:
            outcome.error = step(schema, value, place, outcome)
            if outcome.error:
                break
        return outcome

    def _applicators(self, value: Any) -> list["_Step"]:
        steps: list[_Step] = [self._in_place, self._conditional]
        if isinstance(value, dict):
            steps += [self._dependencies, self._object, self._unevaluated_properties]
        elif isinstance(value, list):
            steps += [self._array, self._contains, self._unevaluated_items]
        return steps

    def _references(
        self, schema: Mapping[str, Any], value: Any, place: Place, outcome: Outcome
    ) -> Failure | None:
        for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
            if keyword not in schema or keyword not in place.draft.keywords:
                continue
            target = place.target(keyword, schema[keyword])
            step = (id(target.contents), place.location)
            if step in self._following:
                return _failure(place, "the schema refers to itself without end")
            self._following.add(step)
            try:
                below = self.evaluate(target.contents, value, replace(place, resolver=target.resolver))
            finally:
                self._following.discard(step)
            if below.error:
                return below.error
            outcome.add(below)
        return None

    def _assertions(
        self, schema: Mapping[str, Any], value: Any, place: Place, outcome: Outcome
    ) -> Failure | None:
        for keyword in place.draft.keywords & schema.keys():
            if (check := ASSERTIONS.get(keyword)) and (text := check(schema[keyword], value)):
                return _failure(place, text)
        extra = draft4_bound_error(schema, value) if place.draft.number == 4 else None
        if place.draft.asserts_formats and isinstance(value, str) and "format" in schema:
            extra = format_error(schema["format"], value)
        return _failure(place, extra) if extra else None

    def _in_place(
        self, schema: Mapping[str, Any], value: Any, place: Place, outcome: Outcome
    ) -> Failure | None:
        for it in schema.get("allOf", ()):
            below = self.evaluate(it, value, place)
            if below.error:
                return below.error
            outcome.add(below)
        if "anyOf" in schema and not self._fitting(schema["anyOf"], value, place, outcome):
            return _failure(place, "none of 'anyOf' fits")
        if "oneOf" in schema and (count := self._fitting(schema["oneOf"], value, place, outcome)) != 1:
            return _failure(place, f"{count or 'none'} of 'oneOf' fit, one must")
        if "not" in schema and not self.evaluate(schema["not"], value, place).error:
            return _failure(place, "fits what is excluded by 'not'")
        return None

    def _fitting(self, schemas: Iterable[Any], value: Any, place: Place, outcome: Outcome) -> int:
        """How many of the schemas fit; what they saw counts as seen."""
        count = 0
        for it in schemas:
            below = self.evaluate(it, value, place)
            if not below.error:
                count += 1
                outcome.add(below)
        return count

    def _conditional(
        self, schema: Mapping[str, Any], value: Any, place: Place, outcome: Outcome
    ) -> Failure | None:
        if "if" not in schema or "if" not in place.draft.keywords:
            return None
        condition = self.evaluate(schema["if"], value, place)
        if not condition.error:
            outcome.add(condition)
        branch = "else" if condition.error else "then"
        return self._apply(schema[branch], value, place, outcome) if branch in schema else None

    def _apply(self, schema: Any, value: Any, place: Place, outcome: Outcome) -> Failure | None:
        below = self.evaluate(schema, value, place)
        if not below.error:
            outcome.add(below)
        return below.error

    def _dependencies(
        self, schema: Mapping[str, Any], value: dict[str, Any], place: Place, outcome: Outcome
    ) -> Failure | None:
        for keyword in ("dependentSchemas", "dependencies"):
            if keyword not in place.draft.keywords:
                continue
            for name, needed in schema.get(keyword, {}).items():
                # The list form of `dependencies` is an assertion.
                applies = name in value and not isinstance(needed, list)
                if applies and (error := self._apply(needed, value, place, outcome)):
                    return error
        return None

    def _object(
        self, schema: Mapping[str, Any], value: dict[str, Any], place: Place, outcome: Outcome
    ) -> Failure | None:
        properties, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
        seen: set[str] = set()
        for name, it in value.items():
            fitting = [properties[name]] if name in properties else []
            fitting += [below for pattern, below in patterns.items() if regex_found(pattern, name)]
            if not fitting and "additionalProperties" in schema:
                fitting = [schema["additionalProperties"]]
            if fitting:
                seen.add(name)
            for below in fitting:
                if error := self.evaluate(below, it, place.at(name)).error:
                    return error
        outcome.properties |= seen
        return self._names(schema, value, place)

    def _names(self, schema: Mapping[str, Any], value: dict[str, Any], place: Place) -> Failure | None:
        if "propertyNames" not in schema or "propertyNames" not in place.draft.keywords:
            return None
        errors = (self.evaluate(schema["propertyNames"], it, place.at(it)).error for it in value)
        return next((it for it in errors if it), None)

    def _array(
        self, schema: Mapping[str, Any], value: list[Any], place: Place, outcome: Outcome
    ) -> Failure | None:
        first, rest = _item_schemas(schema, place.draft)
        for index, it in enumerate(value):
            below = first[index] if index < len(first) else rest
            if below is None:
                break
            if error := self.evaluate(below, it, place.at(index)).error:
                return error
            outcome.items.add(index)
        return None

    def _contains(
        self, schema: Mapping[str, Any], value: list[Any], place: Place, outcome: Outcome
    ) -> Failure | None:
        if "contains" not in schema or "contains" not in place.draft.keywords:
            return None
        hits = {
            index
            for index, it in enumerate(value)
            if not self.evaluate(schema["contains"], it, place.at(index)).error
        }
        counted = place.draft.number >= 2019
        least = schema.get("minContains", 1) if counted else 1
        most = schema.get("maxContains", len(value)) if counted else len(value)
        if not least <= len(hits) <= most:
            return _failure(place, f"{len(hits)} items fit 'contains'")
        if place.draft.number >= 2020:
            outcome.items |= hits
        return None

    def _unevaluated_properties(
        self, schema: Mapping[str, Any], value: dict[str, Any], place: Place, outcome: Outcome
    ) -> Failure | None:
        if "unevaluatedProperties" not in schema or "unevaluatedProperties" not in place.draft.keywords:
            return None
        for name in value.keys() - outcome.properties:
            if error := self.evaluate(schema["unevaluatedProperties"], value[name], place.at(name)).error:
                return error
        outcome.properties |= value.keys()
        return None

    def _unevaluated_items(
        self, schema: Mapping[str, Any], value: list[Any], place: Place, outcome: Outcome
    ) -> Failure | None:
        if "unevaluatedItems" not in schema or "unevaluatedItems" not in place.draft.keywords:
            return None
        for index in set(range(len(value))) - outcome.items:
            if error := self.evaluate(schema["unevaluatedItems"], value[index], place.at(index)).error:
                return error
        outcome.items |= set(range(len(value)))
        return None


_Step = Callable[[Mapping[str, Any], Any, Place, Outcome], Failure | None]


def _item_schemas(schema: Mapping[str, Any], draft: Draft) -> tuple[list[Any], Any]:
    """The schemas of the first items, and that of all others (None = not looked at)."""
    if draft.number >= 2020:
        return schema.get("prefixItems", []), schema.get("items")
    items = schema.get("items")
    return (items, schema.get("additionalItems")) if isinstance(items, list) else ([], items)


def _failure(place: Place, text: str) -> Failure:
    return Failure(place.location, text)
