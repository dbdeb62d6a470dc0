"""A schema as checks that walk along a value: each part of it is made into checks once, when something is there for it."""

from collections.abc import Mapping
from typing import Any

from waza_engine.validation.error import SchemaError
from waza_engine.validation.keyword import Check, Keyword, Schema, Way
from waza_engine.validation.keywords import keywords_for


class Walker:
    """The checks of one schema and of all its parts."""

    def __init__(self, schema: Schema) -> None:
        self._root = schema
        self._keywords = keywords_for(schema)
        self._made: dict[int, tuple[Any, Check]] = {}
        """By identity; the schema is kept, so that no other can get its place."""

    def errors(self, schema: Schema, value: Any) -> list[SchemaError]:
        """All that is wrong with a value by one part of the schema."""
        out: list[SchemaError] = []
        self.compiled(schema)(value, None, out)
        return out

    def compiled(self, schema: Any) -> Check:
        """The check of a part."""
        found = self._made.get(id(schema))
        if found is None:
            found = self._made[id(schema)] = (schema, self._make(schema))
        return found[1]

    def target(self, reference: str) -> Schema:
        """What a local reference means."""
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

        def check(value: Any, way: Way, out: list[SchemaError]) -> None:
            for it in checks:
                it(value, way, out)

        return check if checks else _anything


def _anything(_value: Any, _way: Way, _out: list[SchemaError]) -> None:
    pass


def _nothing(value: Any, _way: Way, out: list[SchemaError]) -> None:
    out.append(SchemaError("", None, value, {}, (), f"{value!r} is not expected here"))
