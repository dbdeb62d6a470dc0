"""A keyword of a JSON Schema where it stands, and the check that is made of it.

One violated keyword of a schema: what the messages are made of.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Severity


@dataclass(frozen=True, slots=True)
class SchemaError:
    """`validator` is the keyword, with its `validator_value` in `schema`; `instance` at `absolute_path` violates it."""

    validator: str
    validator_value: Any
    instance: Any
    schema: Mapping[str, Any]
    absolute_path: Pointer
    message: str = ""
    """In the words of the `jsonschema` library, for keywords that we have no words for."""
    context: Sequence["SchemaError"] = ()
    """For alternatives: why each of them does not fit."""
    relative_schema_path: tuple[int, ...] = ()
    """In a `context`: which alternative this is about."""

    @property
    def severity(self) -> Severity | None:
        """What the schema of the value says about mistakes in it; None leaves it to the rule."""
        said = self.schema.get("x-severity")
        return Severity(said) if said else None


Schema = Mapping[str, Any]
ReversedPath = tuple[Any, str | int] | None
"""A path, last part first: the way to the parent, and the part."""
Check = Callable[[Any, ReversedPath, list[SchemaError]], None]
"""Appends what is wrong with a value that stands at the end of a way."""


class Compiler(Protocol):
    """Makes checks of schemas."""

    def compiled(self, schema: Any) -> Check:
        """The check of a schema, made once."""

    def target(self, reference: str) -> Schema:
        """What a local reference means."""


class Keyword(NamedTuple):
    """A keyword where it stands: its name, its value, and the schema around it."""

    name: str
    value: Any
    schema: Schema
    compiler: Compiler

    def error(
        self, instance: Any, way: ReversedPath, message: str = "", context: Sequence[SchemaError] = ()
    ) -> SchemaError:
        """The keyword is violated."""
        return SchemaError(self.name, self.value, instance, self.schema, _path(way), message, context)


KeywordFactory = Callable[[Keyword], Check]


def value_keyword(
    is_wrong: Callable[[Any, Any], bool], words: Callable[[Any, Any], str] = lambda *_: ""
) -> KeywordFactory:
    """A keyword that only looks at the value: `is_wrong(instance, value of the keyword)`."""

    def make(it: Keyword) -> Check:
        wanted = it.value

        def check(instance: Any, way: ReversedPath, out: list[SchemaError]) -> None:
            if is_wrong(instance, wanted):
                out.append(it.error(instance, way, words(instance, wanted)))

        return check

    return make


def _path(way: ReversedPath) -> tuple[str | int, ...]:
    parts: list[str | int] = []
    while way is not None:
        way, part = way
        parts.append(part)
    return tuple(reversed(parts))
