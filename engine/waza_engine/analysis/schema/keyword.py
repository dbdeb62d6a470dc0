"""The types of compiled schemas: a keyword in its schema, its check, and the error that a check reports."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Severity


@dataclass(frozen=True, slots=True)
class SchemaError:
    """A violated keyword: `validator` with its `validator_value` in `schema`, and `instance` at `absolute_path`."""

    validator: str
    validator_value: Any
    instance: Any
    schema: Mapping[str, Any]
    absolute_path: Pointer
    message: str = ""
    """The message of the `jsonschema` library, for keywords without a message of ours."""
    context: Sequence["SchemaError"] = ()
    """For `anyOf` and `oneOf`: the errors of each alternative."""
    relative_schema_path: tuple[int, ...] = ()
    """In a `context`: the index of the alternative."""

    @property
    def severity(self) -> Severity | None:
        """The severity that the schema sets for errors in the value; None leaves it to the rule."""
        severity = self.schema.get("x-severity")
        return Severity(severity) if severity else None


Schema = Mapping[str, Any]
ReversedPath = tuple[Any, str | int] | None
"""A path as a linked list, last part first: the path of the parent, and the part."""
Check = Callable[[Any, ReversedPath, list[SchemaError]], None]
"""Takes a value, its path and a list; appends the errors of the value to the list."""


class Compiler(Protocol):
    """Compiles schemas to checks."""

    def compiled(self, schema: Any) -> Check:
        """Return the check of a schema; it is compiled once."""

    def target(self, reference: str) -> Schema:
        """Return the schema that a local reference points to."""


class Keyword(NamedTuple):
    """A keyword in its schema: its name, its value, and the schema around it."""

    name: str
    value: Any
    schema: Schema
    compiler: Compiler

    def error(
        self, instance: Any, way: ReversedPath, message: str = "", context: Sequence[SchemaError] = ()
    ) -> SchemaError:
        """Return the error that this keyword is violated."""
        return SchemaError(self.name, self.value, instance, self.schema, _path(way), message, context)


KeywordFactory = Callable[[Keyword], Check]


def value_keyword(
    is_wrong: Callable[[Any, Any], bool], words: Callable[[Any, Any], str] = lambda *_: ""
) -> KeywordFactory:
    """Make a keyword that depends on the value only: `is_wrong(instance, value of the keyword)`."""

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
