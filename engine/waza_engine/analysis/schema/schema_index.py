"""Looks up parts of a schema, its grader types, and the keys that choose a branch.

A file of its own, because the checker and its message functions both need it.
"""

from functools import cached_property

from waza_engine.analysis.schema.compiler import Walker
from waza_engine.analysis.schema.keyword import Schema
from waza_engine.analysis.schema.part_keywords import DISCRIMINATOR

ASIDE = "x-aside"
"""Wraps a member's schema where only the mapping itself is checked, so that its keys stay known."""


class SchemaIndex:
    """The parts of one schema, for messages and fixes."""

    def __init__(self, schema: Schema, walker: Walker) -> None:
        self._walker = walker
        self.is_null_nothing = not schema.get("x-null-refused")
        """Whether a key without a value counts as missing."""
        self._branching = [it for it in schema.get("$defs", {}).values() if DISCRIMINATOR in it]
        self._choices = [it["properties"][it[DISCRIMINATOR]] for it in self._branching]
        self.discriminators = {str(it[DISCRIMINATOR]) for it in self._branching}
        """The keys that choose a branch."""

    def is_discriminator(self, schema: Schema) -> bool:
        """Whether a schema is that of a key that chooses a branch."""
        return any(it is schema for it in self._choices)

    def resolve(self, schema: Schema) -> Schema:
        """Follow local `$ref`s, and unwrap members that `SchemaChecker.check_root` has set aside."""
        schema = schema.get(ASIDE, schema)
        while "$ref" in schema:
            target = self._walker.target(schema["$ref"])
            schema = {**target, **{k: v for k, v in schema.items() if k != "$ref"}}
        return schema

    @cached_property
    def options_by_type(self) -> dict[str, list[str]]:
        """The options of each grader type, read from the discriminated item schema."""
        result: dict[str, list[str]] = {}
        for definition in self._branching:
            key = definition[DISCRIMINATOR]
            for branch in definition.get("allOf", ()):
                config = branch.get("then", {}).get("properties", {}).get("config")
                if config is not None:
                    kind = branch["if"]["properties"][key]["const"]
                    result.setdefault(kind, list(self.resolve(config).get("properties", {})))
        return result

    @property
    def old_types(self) -> set[str]:
        """The grader types that new files should not use."""
        return {kind for it in self._choices for kind in it.get("x-enum-deprecated", ())}
