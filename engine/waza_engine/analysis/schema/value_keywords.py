"""Keywords that check a value itself: its type, its content, its length or size.

They accept what waza's loader accepts: an empty value is valid everywhere, a string field takes numbers and booleans, a
boolean field takes `yes` and `off` (docs/reference/waza-formats.md, section 3).
"""

import re
from collections.abc import Callable, Collection
from typing import Any

from waza_engine.analysis.schema.fixes import is_key_without_space
from waza_engine.analysis.schema.keyword import (
    Check,
    Keyword,
    KeywordFactory,
    ReversedPath,
    SchemaError,
    value_keyword,
)
from waza_engine.lib.go.text import fold, trim
from waza_engine.lib.yaml.scalars import FALSE_WORDS, TRUE_WORDS, source_text

_FLAG_WORDS = TRUE_WORDS | FALSE_WORDS
BEYOND_INTEGERS = 2**63
"""From here on, a whole number does not fit into Go's int64; a number that is too small becomes the smallest."""
_KINDS: dict[str, Callable[[Any], bool]] = {
    "string": lambda it: isinstance(it, (str, bool, int, float)),
    "boolean": lambda it: isinstance(it, bool) or (isinstance(it, str) and it in _FLAG_WORDS),
    "integer": lambda it: (
        ((isinstance(it, int) and not isinstance(it, bool)) or (isinstance(it, float) and it.is_integer()))
        and it < BEYOND_INTEGERS
    ),
    "number": lambda it: isinstance(it, (int, float)) and not isinstance(it, bool),
    "array": lambda it: isinstance(it, list),
    "object": lambda it: isinstance(it, dict),
    "null": lambda it: it is None,
}
_is_number = _KINDS["number"]


def type_test(named: Any) -> Callable[[Any], bool]:
    """Return a test for one or several types, named as in a schema; None means any type."""
    if named is None:
        return lambda _: True
    [first, *others] = [_KINDS[kind] for kind in (named if isinstance(named, list) else [named])]
    return lambda it: it is None or first(it) or any(kind(it) for kind in others)


def _type(it: Keyword) -> Check:
    is_of_type = type_test(it.value)
    keys = it.schema.get("properties", ()) if {"object", "string"} <= set(it.value) else ()

    def check(instance: Any, way: ReversedPath, out: list[SchemaError]) -> None:
        if not is_of_type(instance) or (keys and _is_mapping_without_blank(instance, keys)):
            out.append(it.error(instance, way))

    return check


def _is_mapping_without_blank(instance: Any, keys: Collection[str]) -> bool:
    """Whether a string looks like a mapping whose first colon lacks its space."""
    return isinstance(instance, str) and is_key_without_space(instance) and instance.partition(":")[0] in keys


def _is_equal(one: Any, other: Any) -> bool:
    """Whether two values are equal in JSON, where `true` is not 1."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_is_equal, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_is_equal(value, other[key]) for key, value in one.items())
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _enum(it: Keyword) -> Check:
    texts = frozenset(value for value in it.value if isinstance(value, str))
    meant: Callable[[str], str] = (lambda it: fold(trim(it))) if it.schema.get("x-any-case") else str

    def check(instance: Any, way: ReversedPath, out: list[SchemaError]) -> None:
        if isinstance(instance, str):
            is_known = instance in texts or meant(instance) in texts
        else:
            is_known = instance is None or any(_is_equal(value, instance) for value in it.value)
        if not is_known:
            out.append(it.error(instance, way))

    return check


def _text(instance: Any) -> str | None:
    """Return a string, number or boolean as the string that waza reads; None for other values."""
    if isinstance(instance, str):
        return instance
    if isinstance(instance, bool):
        return str(instance)
    return source_text(instance) if isinstance(instance, (int, float)) else None


def _length(is_wrong: Callable[[int, int], bool]) -> Callable[[Any, Any], bool]:
    return lambda instance, most: (text := _text(instance)) is not None and is_wrong(len(text), most)


def _pattern(it: Keyword) -> Check:
    # `$` must match at the end of the text only: Python's `$` allows a line break after it.
    search = re.compile(re.sub(r"(?<!\\)\$$", r"\\Z", it.value)).search

    def check(instance: Any, way: ReversedPath, out: list[SchemaError]) -> None:
        text = _text(instance)
        if text is not None and not search(text):
            out.append(it.error(instance, way))

    return check


def _too_long(instance: Any, most: int) -> str:
    return f"{_text(instance)!r} {'is expected to be empty' if most == 0 else 'is too long'}"


VALUE_KEYWORDS: dict[str, KeywordFactory] = {
    "type": _type,
    "enum": _enum,
    "const": value_keyword(
        lambda it, wanted: it is not None and not _is_equal(it, wanted),
        lambda _, wanted: f"{wanted!r} was expected",
    ),
    "pattern": _pattern,
    "minLength": value_keyword(_length(lambda length, least: length < least)),
    "maxLength": value_keyword(_length(lambda length, most: length > most), _too_long),
    # `.nan` is outside of all bounds.
    "minimum": value_keyword(lambda it, least: _is_number(it) and not it >= least),
    "maximum": value_keyword(lambda it, most: _is_number(it) and it > most),
    "exclusiveMinimum": value_keyword(lambda it, least: _is_number(it) and not it > least),
    "exclusiveMaximum": value_keyword(lambda it, most: _is_number(it) and it >= most),
    # Empty items do not count.
    "minItems": value_keyword(
        lambda it, least: isinstance(it, list) and sum(i is not None for i in it) < least
    ),
    "maxItems": value_keyword(
        lambda it, most: isinstance(it, list) and sum(i is not None for i in it) > most
    ),
    "minProperties": value_keyword(lambda it, least: isinstance(it, dict) and len(it) < least),
    "maxProperties": value_keyword(
        lambda it, most: isinstance(it, dict) and len(it) > most,
        lambda it, most: f"{it!r} {'is expected to be empty' if most == 0 else 'has too many properties'}",
    ),
}
