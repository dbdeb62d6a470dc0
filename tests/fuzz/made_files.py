"""Files of every kind of every dialect, made up from their schemas: mostly right, sometimes not, in any layout.

Nothing here knows a key or a grader: what the schemas gain is made up from the same day on.
"""

import json
import random
from collections.abc import Iterator, Mapping
from typing import Any

from waza_engine.analysis.schema.files import read_schema
from waza_engine.analysis.schema.navigate import (
    Schema,
    branches,
    child,
    narrow,
    properties,
    required_keys,
    resolve,
)
from waza_engine.recognition.recognise import dialects

_WORDS = ("a", "note", "😀 one", "é", "{{.Input}}", "${HOME}", "x: y", "- z", "#no", "true", "1e3", "~", "")
_WRONG: tuple[Any, ...] = (
    *("wrong", 7, -1.5, True, None, [], ["a"], [7, None], [[]], [{}], {}, {"strange": 1}, {"a": ["b"]}),
    *("", "2020-01-01", 10**30, ".inf", [{"name": ["x"], "type": {}, "id": 3}], {"type": "text", "name": []}),
)
_DEEPEST = 5


def made_file(chance: random.Random) -> tuple[str, str]:
    """The name and the text of a file."""
    dialect = chance.choice(dialects())
    kind = chance.choice(dialect.kinds)
    root = read_schema(kind.schema)
    pattern = chance.choice(kind.file_names).pattern if kind.file_names else f"{kind.name}.yaml"
    value = _Maker(chance, root).value(root, 0)
    text = "\n".join(_Writer(chance).lines(value, 0)) + "\n"
    if chance.random() < 0.3:
        text = text.replace("\n", "\r\n")
    return pattern.replace("*", "made"), text


class _Maker:
    """Makes values that a schema asks for."""

    def __init__(self, chance: random.Random, root: Schema) -> None:
        self._chance = chance
        self._root = root
        self._wrong = chance.choice((0.0, 0.03, 0.03, 0.15))

    def value(self, schema: Schema, depth: int) -> Any:
        chance = self._chance
        if depth and chance.random() < self._wrong:
            return chance.choice(_WRONG)
        schema = self._one_of(schema)
        if "const" in schema:
            return schema["const"]
        kinds = schema.get("type", "object" if "properties" in schema else "string")
        kind = chance.choice(kinds) if isinstance(kinds, list) else kinds
        for key in ("enum", "examples"):
            if schema.get(key) and chance.random() < (0.3 if kind in {"object", "array"} else 0.9):
                return chance.choice(schema[key])
        if kind == "object":
            return self._mapping(schema, depth)
        if kind == "array":
            count = 0 if depth > _DEEPEST else chance.randrange(4)
            return [self.value(schema.get("items", {}), depth + 1) for _ in range(count)]
        return {
            "integer": chance.choice((0, 1, 3, -1, 10)),
            "number": chance.choice((0.5, 1, 0, 2.5)),
            "boolean": chance.random() < 0.5,
            "null": None,
        }.get(kind, self._text())

    def _one_of(self, schema: Schema) -> Schema:
        schema = resolve(self._root, schema)
        options = schema.get("anyOf") or schema.get("oneOf") or ()
        options = [it for it in options if set(it) != {"required"}]
        return (
            resolve(self._root, self._chance.choice(options)) if options else narrow(self._root, schema, None)
        )

    def _mapping(self, schema: Schema, depth: int) -> dict[str, Any]:
        chance = self._chance
        known = branches(schema)
        picked = chance.choice(sorted(known)) if known else None
        told = {schema["x-discriminator"]: picked} if picked is not None else {}
        names = properties(self._root, schema, told)
        needed = required_keys(self._root, schema, told)
        share = 0.5 / (1 + depth)
        wanted = [it for it in names if it in told or it in needed or chance.random() < share]
        if depth == 0:
            wanted = list(dict.fromkeys([*wanted, *(it for it in names if chance.random() < 0.4)]))
        result: dict[str, Any] = {}
        for it in wanted if depth <= _DEEPEST else needed:
            below = child(self._root, schema, it, told)
            result[it] = told.get(it) or (self.value(below, depth + 1) if below is not None else self._text())
        if not names or chance.random() < 0.05:
            result[chance.choice(("other", "tpye", "é", "a b"))] = self._text()
        return result

    def _text(self) -> str:
        chance = self._chance
        if chance.random() < 0.15:
            return "first line\nsecond: line\n\n  deeper 😀\n"
        return " ".join(chance.choice(_WORDS) for _ in range(chance.randint(1, 3)))


class _Writer:
    """Writes values as YAML, each time in another of the ways in which people do."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._step = chance.choice((2, 2, 2, 4))
        self._flush = chance.random() < 0.3
        self._flow = chance.choice((0.0, 0.1, 0.3))
        self._named: list[str] = []
        self._names = chance.choice((0.0, 0.0, 0.05))

    def lines(self, value: Any, column: int) -> Iterator[str]:
        """A block mapping or list, its first line in `column`."""
        if isinstance(value, Mapping) and value:
            for key, it in value.items():
                yield from self._entry(" " * column + self._key(key) + ":", it, column)
        elif isinstance(value, list) and value:
            for it in value:
                yield from self._item(it, column)
        else:
            yield " " * column + json.dumps(value, ensure_ascii=False)

    def _entry(self, head: str, value: Any, column: int) -> Iterator[str]:
        chance = self._chance
        if chance.random() < 0.03:
            yield chance.choice(("", " " * column + "# a remark", "# left"))
        if self._named and chance.random() < self._names:
            yield f"{head} *{chance.choice(self._named)}"
            return
        if chance.random() < self._names:
            self._named.append(f"n{len(self._named)}")
            head += f" &{self._named[-1]}"
        if not isinstance(value, (Mapping, list)) or not value or chance.random() < self._flow:
            yield from self._scalar(head, value, column)
            return
        yield head + chance.choice(("", "", "", " # why"))
        is_flush = isinstance(value, list) and self._flush
        yield from self.lines(value, column if is_flush else column + self._step)

    def _item(self, value: Any, column: int) -> Iterator[str]:
        if isinstance(value, Mapping) and value and self._chance.random() >= self._flow:
            first, *rest = self.lines(value, column + 2)
            if first.startswith(" " * (column + 2)):
                yield " " * column + "- " + first[column + 2 :]
            else:
                yield from (" " * column + "-", first)
            yield from rest
        else:
            yield from self._scalar(" " * column + "-", value, column)

    def _scalar(self, head: str, value: Any, column: int) -> Iterator[str]:
        if isinstance(value, str) and "\n" in value and self._chance.random() < 0.8:
            yield head + self._chance.choice((" |", " >-", " |+"))
            yield from (" " * (column + self._step) + it for it in value.split("\n"))
        elif isinstance(value, str) and value.isalnum() and self._chance.random() < 0.8:
            yield f"{head} {value}"
        elif isinstance(value, str) and "\n" not in value and self._chance.random() < 0.3:
            yield head + " '" + value.replace("'", "''") + "'"
        else:
            yield f"{head} {json.dumps(value, ensure_ascii=False)}"

    def _key(self, key: str) -> str:
        return (
            key
            if key.isidentifier() and self._chance.random() < 0.98
            else json.dumps(key, ensure_ascii=False)
        )
