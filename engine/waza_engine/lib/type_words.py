"""The names of JSON types in words: one table for findings, hovers and pages."""

from collections.abc import Iterable

ONE = {
    "string": "string",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "object": "mapping",
    "array": "list",
    "null": "nothing",
}
"""One value of a type: `whole number`."""
MANY = {**{name: f"{word}s" for name, word in ONE.items() if name != "null"}, "boolean": "booleans"}
"""Several values of a type: `whole numbers`."""
_UNCOUNTED = frozenset(["boolean", "null"])


def with_article(kind: str) -> str:
    """One value of a type in a sentence: `a whole number`, `true or false`."""
    return ONE.get(kind, kind) if kind in _UNCOUNTED else f"a {ONE.get(kind, kind)}"


def any_of(kinds: Iterable[str]) -> str:
    """A value of one of several types in a sentence: `a string or a list`. That it may be null goes without saying."""
    return " or ".join(with_article(it) for it in kinds if it != "null")


def list_of(kind: object) -> str:
    """A list in a sentence, by the type of its items: `a list of strings`; `a list of values` for other schemas."""
    return f"a list of {MANY.get(kind, 'values') if isinstance(kind, str) else 'values'}"
