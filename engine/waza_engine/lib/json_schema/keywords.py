"""Keywords of JSON Schema that waza evaluates otherwise than `jsonschema`, and the words for what does not fit.

Only the first error of a schema counts, so none of them looks for a second one.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from jsonschema import ValidationError
from referencing.jsonschema import lookup_recursive_ref

from waza_engine.lib.go.regexp import regex_matches
from waza_engine.lib.json_schema.formats import is_of_format

REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_Errors = Iterator[ValidationError]
_Keyword = Callable[[Any, Any, Any, Any], _Errors]


def _assertion(check: Callable[[Any, Any], str]) -> _Keyword:
    """Return the keyword for a check that returns what does not fit, or an empty string."""

    def keyword(_validator: Any, limit: Any, value: Any, _schema: Any) -> _Errors:
        if text := check(limit, value):
            yield ValidationError(text)

    return keyword


def _multiple_of(divisor: float, value: Any) -> str:
    """By the decimal digits as written: 19.99 is a multiple of 0.01, though not as doubles."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    try:
        is_multiple = (_exact(value) / _exact(divisor)).denominator == 1
    except ValueError:  # not finite
        is_multiple = False
    return "" if is_multiple else f"is not a multiple of {divisor}"


def _exact(number: float) -> Fraction:
    return Fraction(number if isinstance(number, int) else str(number))


def _pattern(pattern: str, value: Any) -> str:
    does_fit = not isinstance(value, str) or regex_matches(pattern, value)
    return "" if does_fit else f"does not match '{pattern}'"


def _format(name: str, value: Any) -> str:
    return "" if not isinstance(value, str) or is_of_format(name, value) else f"is not a valid {name}"


def _enum(allowed: Iterable[Any], value: Any) -> str:
    return "" if _key(value) in map(_key, allowed) else "is not one of the values in 'enum'"


def _unique_items(wanted: bool, value: Any) -> str:
    has_equal = wanted and isinstance(value, list) and len(set(map(_key, value))) < len(value)
    return "has equal items" if has_equal else ""


def _key(value: Any) -> Any:
    """Return something hashable that is equal for equal JSON values, and only for those."""
    match value:
        case bool():
            return (bool, value)
        case list():
            return (list, tuple(map(_key, value)))
        case dict():
            return (dict, frozenset((name, _key(it)) for name, it in value.items()))
        case _:
            return value


def _required(names: Iterable[str], value: Any) -> str:
    missing = [it for it in names if it not in value] if isinstance(value, dict) else []
    return f"lacks {', '.join(missing)}" if missing else ""


def _dependent_required(needs: Mapping[str, Iterable[str]], value: Any) -> str:
    for name, needed in needs.items() if isinstance(value, dict) else ():
        if name in value and (lacks := _required(needed, value)):
            return f"{lacks}, which '{name}' needs"
    return ""


def _dependencies(validator: Any, needs: Mapping[str, Any], value: Any, _schema: Any) -> _Errors:
    lists = {name: it for name, it in needs.items() if isinstance(it, list)}
    if text := _dependent_required(lists, value):
        yield ValidationError(text)
    for name, below in needs.items() if isinstance(value, dict) else ():
        if name in value and name not in lists:
            yield from validator.descend(value, below)


def _pattern_properties(validator: Any, patterns: Mapping[str, Any], value: Any, _schema: Any) -> _Errors:
    for name in value if isinstance(value, dict) else ():
        for pattern, below in patterns.items():
            if regex_matches(pattern, name):
                yield from validator.descend(value[name], below, path=name)


def _additional_properties(validator: Any, below: Any, value: Any, schema: Any) -> _Errors:
    named = _named_properties(schema, value) if isinstance(value, dict) else set()
    for name in value if isinstance(value, dict) else ():
        if name not in named:
            yield from validator.descend(value[name], below, path=name)


def _named_properties(schema: Mapping[str, Any], value: Mapping[str, Any]) -> set[str]:
    """Return the properties that `properties` and `patternProperties` evaluate."""
    names, patterns = schema.get("properties", ()), schema.get("patternProperties", ())
    return {it for it in value if it in names or any(regex_matches(pattern, it) for pattern in patterns)}


def _property_names(validator: Any, below: Any, value: Any, _schema: Any) -> _Errors:
    for name in value if isinstance(value, dict) else ():
        yield from validator.descend(name, below, path=name)


def _items_after(first: str) -> _Keyword:
    """Return the keyword for items after those of `first`, which is a list of schemas."""

    def check(validator: Any, below: Any, value: Any, schema: Any) -> _Errors:
        begin = schema.get(first, [] if first == "prefixItems" else None)
        if isinstance(value, list) and isinstance(begin, list):
            for index in range(len(begin), len(value)):
                yield from validator.descend(value[index], below, path=index)

    return check


def _contains(validator: Any, below: Any, value: Any, schema: Any) -> _Errors:
    limits = schema if schema.draft.number >= 2019 else {}
    if isinstance(value, list):
        count = len(_contained(validator, below, value))
        if not limits.get("minContains", 1) <= count <= limits.get("maxContains", count):
            yield ValidationError(f"{count} items fit 'contains'")


def _contained(validator: Any, below: Any, value: list[Any]) -> set[int]:
    fitting = validator.evolve(schema=below)
    return {index for index, it in enumerate(value) if fitting.is_valid(it)}


def _any_of(validator: Any, schemas: Iterable[Any], value: Any, _schema: Any) -> _Errors:
    if not any(validator.evolve(schema=it).is_valid(value) for it in schemas):
        yield ValidationError("does not match any schema in 'anyOf'")


def _one_of(validator: Any, schemas: Iterable[Any], value: Any, _schema: Any) -> _Errors:
    count = sum(validator.evolve(schema=it).is_valid(value) for it in schemas)
    if count != 1:
        yield ValidationError(f"{count or 'none'} of 'oneOf' fit, one must")


def _not(validator: Any, excluded: Any, value: Any, _schema: Any) -> _Errors:
    if validator.evolve(schema=excluded).is_valid(value):
        yield ValidationError("fits what is excluded by 'not'")


class _Followed(threading.local):
    """The references that a thread follows at the moment: keyword, schema and value."""

    def __init__(self) -> None:
        self.steps: set[tuple[str, int, int]] = set()


_FOLLOWED = _Followed()


@contextmanager
def _following(keyword: str, schema: Any, value: Any) -> Iterator[bool]:
    """Follow the reference in `schema`; False if the thread follows it already, on the same value."""
    step = (keyword, id(schema), id(value))
    if step in _FOLLOWED.steps:
        yield False
        return
    _FOLLOWED.steps.add(step)
    try:
        yield True
    finally:
        _FOLLOWED.steps.discard(step)


def _reference(keyword: str) -> _Keyword:
    """Return the keyword, which fails if it leads back to itself on the same value."""

    def check(validator: Any, reference: str, value: Any, schema: Any) -> _Errors:
        error: ValidationError | None = ValidationError("the schema refers to itself without end")
        with _following(keyword, schema, value) as is_first:
            if is_first:
                error = next(_target(validator, keyword, reference).iter_errors(value), None)
        if error:
            yield error

    return check


def _target(validator: Any, keyword: str, reference: str) -> Any:
    """Return the validator of the schema that `reference` leads to."""
    target = lookup(validator._resolver, keyword, reference)  # noqa: SLF001  # as the keywords of `jsonschema` do
    # The second step enters the schema, which may have an address of its own.
    return validator.evolve(schema=True, _resolver=target.resolver).evolve(schema=target.contents)


def lookup(resolver: Any, keyword: str, reference: str) -> Any:
    """Return the schema that a reference leads to, with the resolver for its own references."""
    is_recursive = keyword == "$recursiveRef" and reference == "#"
    return lookup_recursive_ref(resolver) if is_recursive else resolver.lookup(reference)


def _unevaluated_properties(validator: Any, below: Any, value: Any, _schema: Any) -> _Errors:
    if isinstance(value, dict):
        evaluated = _evaluated(validator, value, besides={"unevaluatedProperties"})
        for name in value:
            if name not in evaluated:
                yield from validator.descend(value[name], below, path=name)


def _unevaluated_items(validator: Any, below: Any, value: Any, _schema: Any) -> _Errors:
    if isinstance(value, list):
        for index in set(range(len(value))) - _evaluated(validator, value, besides={"unevaluatedItems"}):
            yield from validator.descend(value[index], below, path=index)


def _evaluated(validator: Any, value: Any, besides: Set[str] = frozenset()) -> set[Any]:
    """Return the properties or items of a fitting value that keywords of the schema have evaluated."""
    if isinstance(validator.schema, bool):
        return set()
    used = {key: it for key, it in validator.schema.keywords if key not in besides}
    found = (
        _evaluated_properties(used, value)
        if isinstance(value, dict)
        else _evaluated_items(validator, used, value)
    )
    return found.union(*(_evaluated(it, value) for it in _in_place(validator, used, value)))


def _evaluated_properties(used: Mapping[str, Any], value: Mapping[str, Any]) -> set[Any]:
    is_all = "additionalProperties" in used or "unevaluatedProperties" in used
    return set(value) if is_all else _named_properties(used, value)


def _evaluated_items(validator: Any, used: Mapping[str, Any], value: list[Any]) -> set[Any]:
    items = used.get("items")
    if used.keys() & {"unevaluatedItems", "additionalItems" if isinstance(items, list) else "items"}:
        return set(range(len(value)))
    first = items if isinstance(items, list) else used.get("prefixItems", ())
    found = set(range(min(len(first), len(value))))
    if "contains" in used and validator.schema.draft.number >= 2020:
        found |= _contained(validator, used["contains"], value)
    return found


def _in_place(validator: Any, used: Mapping[str, Any], value: Any) -> Iterator[Any]:
    """Yield the validators of the schemas that apply to the same value and fit it."""
    schemas = list(used.get("allOf", ()))
    for keyword in ("anyOf", "oneOf"):
        schemas += [it for it in used.get(keyword, ()) if validator.evolve(schema=it).is_valid(value)]
    for keyword in ("dependentSchemas", "dependencies"):
        needs = used.get(keyword, {}).items() if isinstance(value, dict) else ()
        schemas += [it for name, it in needs if name in value and not isinstance(it, list)]
    if "if" in used:
        fits = validator.evolve(schema=used["if"]).is_valid(value)
        schemas += (
            [used["if"], validator.schema.get("then", True)] if fits else [validator.schema.get("else", True)]
        )
    for it in schemas:
        yield validator.evolve(schema=it)
    for keyword in REFERENCES:
        if keyword in used:
            with _following(keyword, validator.schema, value) as is_first:
                if is_first:
                    yield _target(validator, keyword, used[keyword])


KEYWORDS: Mapping[str, _Keyword] = {
    **{keyword: _reference(keyword) for keyword in REFERENCES},
    "multipleOf": _assertion(_multiple_of),
    "pattern": _assertion(_pattern),
    "enum": _assertion(_enum),
    "uniqueItems": _assertion(_unique_items),
    "required": _assertion(_required),
    "dependentRequired": _assertion(_dependent_required),
    "dependencies": _dependencies,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "propertyNames": _property_names,
    "additionalItems": _items_after("items"),
    "contains": _contains,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "not": _not,
    "unevaluatedProperties": _unevaluated_properties,
    "unevaluatedItems": _unevaluated_items,
}
"""What replaces keywords of `jsonschema`, in the drafts that have them."""

KEYWORDS_OF_DRAFT: Mapping[int, Mapping[str, _Keyword]] = {
    4: {"format": _assertion(_format)},
    6: {"format": _assertion(_format)},
    7: {"format": _assertion(_format)},
    2019: {"dependencies": _dependencies},
    2020: {"dependencies": _dependencies, "items": _items_after("prefixItems")},
}
"""What single drafts have in addition."""

_UNITS = {
    **dict.fromkeys(("maxLength", "minLength"), "characters"),
    **dict.fromkeys(("maxItems", "minItems"), "items"),
    **dict.fromkeys(("maxProperties", "minProperties"), "properties"),
}
_LAST = (
    *("allOf", "anyOf", "oneOf", "not", "if", "dependentSchemas", "dependencies"),
    *("properties", "patternProperties", "additionalProperties", "propertyNames"),
    *("prefixItems", "items", "additionalItems", "contains", "unevaluatedProperties", "unevaluatedItems"),
)
_RANKS = {key: rank for rank, key in enumerate([*REFERENCES, "", *_LAST])}


def in_order(keywords: Iterable[str]) -> list[str]:
    """Return the keywords in the order in which they are evaluated: those about the whole value first."""
    return sorted(keywords, key=lambda it: _RANKS.get(it, _RANKS[""]))


def error_text(error: Any) -> str:
    """Return what a value does not fit, in a few words; messages of `jsonschema` repeat the whole value."""
    keyword, limit = error.validator, error.validator_value
    match keyword:
        case None:
            return "nothing is allowed here"
        case "type":
            return f"is not of type {limit if isinstance(limit, str) else ' or '.join(limit)}"
        case "const":
            return "is not the value of 'const'"
        case "maximum" | "exclusiveMaximum":
            # In draft-04 `exclusiveMaximum` is a flag beside `maximum`.
            is_below = keyword != "maximum" or error.schema.get("exclusiveMaximum") is True
            return f"is not {'below' if is_below else 'at most'} {limit}"
        case "minimum" | "exclusiveMinimum":
            is_above = keyword != "minimum" or error.schema.get("exclusiveMinimum") is True
            return f"is not {'above' if is_above else 'at least'} {limit}"
        case _ if keyword in _UNITS:
            bound = "at most" if keyword.startswith("max") else "at least"
            return f"has {len(error.instance)} {_UNITS[keyword]} instead of {bound} {limit}"
        case _:
            return str(error.message)
