"""Compiles a JSON Schema into checks; each part is compiled once, when a value first needs it.

The keywords are those of JSON Schema 2020-12, adapted to waza's loader, and our own (`x-...`). Apart from the
adaptations the results equal those of `jsonschema`, as a test proves; that library takes ten times as long.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from waza_engine.analysis.schema.keyword import (
    Check,
    Keyword,
    KeywordFactory,
    ReversedPath,
    Schema,
    SchemaError,
    value_keyword,
)
from waza_engine.analysis.schema.part_keywords import PART_KEYWORDS, required_value, strict_properties
from waza_engine.analysis.schema.value_keywords import VALUE_KEYWORDS
from waza_engine.model.placeholders import has_placeholder


def keywords_for(schema: Schema) -> dict[str, KeywordFactory]:
    """Return the keywords for a schema; `x-placeholders` and `x-null-refused` at its top change some of them."""
    known = PLACEHOLDER_KEYWORDS if schema.get("x-placeholders") else KEYWORDS
    is_strict = schema.get("x-null-refused")
    return {**known, "required": required_value, "properties": strict_properties} if is_strict else known


def unmet_needs(instance: Mapping[str, Any], needs: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lists with items that lack the option they need; empty items do not count."""
    for name, need in needs.items():
        listed = instance.get(name)
        has_items = isinstance(listed, list) and any(it is not None for it in listed)
        if has_items and instance.get(need["option"]) in (None, ""):
            yield name


def _library_keyword(it: Keyword) -> Check:
    """Check a keyword that only schemas of plug-ins use."""

    def check(instance: Any, way: ReversedPath, out: list[SchemaError]) -> None:
        # Imported late: the library takes longer to import than anything else at server start.
        from jsonschema import Draft202012Validator

        for found in Draft202012Validator({it.name: it.value}).iter_errors(instance):
            below = way
            for part in found.absolute_path:
                below = (below, part)
            out.append(it.error(found.instance, below, found.message))

    return check


def _is_marked(instance: Any, value: Any) -> bool:
    """Whether a marked key is present and not empty."""
    return value is not False and instance not in (None, [], {})


def _has_unknown(it: Keyword) -> Check:
    """Report unknown keys that the loader ignores; the message function decides which of them matter."""
    known = it.schema.get("properties", {})

    def check(instance: Any, way: ReversedPath, out: list[SchemaError]) -> None:
        if isinstance(instance, dict) and not instance.keys() <= known.keys():
            out.append(it.error(instance, way))

    return check


def _unless_placeholder(make: KeywordFactory) -> KeywordFactory:
    def guarded(it: Keyword) -> Check:
        check = make(it)
        return lambda instance, way, out: None if has_placeholder(instance) else check(instance, way, out)

    return guarded


_OWN_KEYWORDS: dict[str, KeywordFactory] = {
    "x-recommended": value_keyword(
        lambda it, names: isinstance(it, dict) and any(it.get(name) is None for name in names)
    ),
    "x-no-effect": value_keyword(_is_marked),
    "x-move-to": value_keyword(_is_marked),
    "x-unknown-keys": _has_unknown,
    "x-needs": value_keyword(
        lambda it, needs: isinstance(it, dict) and any(unmet_needs(it, needs)),
    ),
}
_LIBRARY_KEYWORDS = (
    "contains",
    "dependentRequired",
    "dependentSchemas",
    "multipleOf",
    "patternProperties",
    "prefixItems",
    "propertyNames",
    "uniqueItems",
)
KEYWORDS: dict[str, KeywordFactory] = {
    **VALUE_KEYWORDS,
    **PART_KEYWORDS,
    **_OWN_KEYWORDS,
    **dict.fromkeys(_LIBRARY_KEYWORDS, _library_keyword),
}
PLACEHOLDER_KEYWORDS: dict[str, KeywordFactory] = {
    **KEYWORDS,
    **{
        name: _unless_placeholder(KEYWORDS[name])
        for name in ("type", "enum", "const", "pattern", "minLength", "maxLength", "anyOf", "oneOf")
    },
}
"""For files that allow `${NAME}` anywhere: its value is not known yet, so it passes every check."""


class Walker:
    """The checks of one schema and of all its parts."""

    def __init__(self, schema: Schema) -> None:
        self._root = schema
        self._keywords = keywords_for(schema)
        self._made: dict[int, tuple[Any, Check]] = {}
        """By identity; the schema is kept alive, so that its id is not reused."""

    def errors(self, schema: Schema, value: Any) -> list[SchemaError]:
        """Return the errors of a value against one part of the schema."""
        out: list[SchemaError] = []
        self.compiled(schema)(value, None, out)
        return out

    def compiled(self, schema: Any) -> Check:
        """Return the check of a part."""
        found = self._made.get(id(schema))
        if found is None:
            found = self._made[id(schema)] = (schema, self._make(schema))
        return found[1]

    def target(self, reference: str) -> Schema:
        """Return the schema that a local reference points to."""
        node: Any = self._root
        for part in reference.removeprefix("#/").split("/"):
            node = node[part]
        target: Schema = node
        return target

    def _make(self, schema: Any) -> Check:
        if not isinstance(schema, Mapping):
            return _anything if schema else _nothing
        keywords = self._keywords
        checks = [
            keywords[name](Keyword(name, value, schema, self))
            for name, value in schema.items()
            if name in keywords
        ]
        if len(checks) == 1:
            return checks[0]

        def check(value: Any, way: ReversedPath, out: list[SchemaError]) -> None:
            for it in checks:
                it(value, way, out)

        return check if checks else _anything


def _anything(_value: Any, _way: ReversedPath, _out: list[SchemaError]) -> None:
    pass


def _nothing(value: Any, _way: ReversedPath, out: list[SchemaError]) -> None:
    out.append(SchemaError("", None, value, {}, (), f"{value!r} is not expected here"))
