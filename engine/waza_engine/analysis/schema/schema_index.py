"""Looks up parts of a schema, its grader types, and the keys that choose a branch.

A file of its own, because the checker and its message functions both need it.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from waza_engine.analysis.schema.compiler import Walker
from waza_engine.analysis.schema.keyword import Schema
from waza_engine.analysis.schema.part_keywords import DISCRIMINATOR

_FORMATS = frozenset(["pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"])
ASIDE = "x-aside"
"""Wraps a member's schema where only the mapping itself is checked, so that its keys stay known."""


class SchemaIndex:
    """The parts of one schema, for messages and fixes."""

    def __init__(self, schema: Schema, walker: Walker) -> None:
        self._schema, self._walker = schema, walker
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

    def accepts(self, schema: Schema, value: Any) -> bool:
        """Whether a part of the schema takes values of this type. Formats are not checked."""
        return all(it.validator in _FORMATS for it in self._walker.errors(schema, value))

    def is_item(self, schema: Schema) -> bool:
        """Whether all values of a mapping's schema are items of lists."""
        return id(schema.get("properties")) in self._items

    @cached_property
    def _items(self) -> set[int]:
        """The mappings that are only items of lists, by the identity of their `properties`."""
        items: set[int] = set()
        others: set[int] = set()
        waiting: list[tuple[str, Any]] = [("", self._schema)]
        while waiting:
            key, part = waiting.pop()
            if isinstance(part, list):
                waiting += [("", it) for it in part]
            elif isinstance(part, Mapping):
                waiting += part.items()
                # A definition is what its users make of it.
                if key not in self._schema.get("$defs", {}) and "properties" in (used := self.resolve(part)):
                    (items if key == "items" else others).add(id(used["properties"]))
        return items - others

    def mappings_with(self, section: Schema) -> list[Schema]:
        """Return the mappings that have a section directly under one of their keys."""
        return self._holders.get(id(section.get("properties")), [])

    @cached_property
    def _holders(self) -> dict[int, list[Schema]]:
        """The mappings with sections, by the identity of a section's `properties`, which resolving a `$ref` keeps."""
        result: dict[int, list[Schema]] = {}
        for it in (self._schema, *self._schema.get("$defs", {}).values()):
            for member in it.get("properties", {}).values():
                inner = self.resolve(member)
                if "properties" in inner:
                    result.setdefault(id(inner["properties"]), []).append(it)
        for definition in self._branching:
            for config in self.config_by_type.values():
                if "properties" in config:
                    result.setdefault(id(config["properties"]), []).append(definition)
        return result

    @cached_property
    def config_by_type(self) -> dict[str, Schema]:
        """The schema of each grader type's options, read from the discriminated item schema."""
        result: dict[str, Schema] = {}
        for definition in self._branching:
            key = definition[DISCRIMINATOR]
            for branch in definition.get("allOf", ()):
                config = branch.get("then", {}).get("properties", {}).get("config")
                if config is not None:
                    result.setdefault(branch["if"]["properties"][key]["const"], self.resolve(config))
        return result

    @cached_property
    def options_by_type(self) -> dict[str, list[str]]:
        """The options of each grader type."""
        return {kind: list(it.get("properties", {})) for kind, it in self.config_by_type.items()}

    def is_pattern(self, schema: Schema) -> bool:
        """Whether the values are regular expressions."""
        it = self.resolve(schema)
        languages = (it.get("x-language"), self.resolve(it.get("items", {})).get("x-language"))
        return any(str(it).startswith("regex") for it in languages)

    def is_pattern_option(self, name: str) -> bool:
        """Whether a word is the name of a grader option that holds regular expressions."""
        owners = (it.get("properties", {}).get(name) for it in self.config_by_type.values())
        return any(it is not None and self.is_pattern(it) for it in owners)

    def is_list_of_mappings(self, schema: Schema) -> bool:
        """Whether the value is a list whose items may be mappings."""
        items = self.resolve(self.resolve(schema).get("items", {}))
        return "properties" in items or any("$ref" in it for it in items.get("anyOf", ()))

    def is_alias(self, schema: Schema, name: str) -> bool:
        """Whether a key of a mapping is a second name of another one."""
        return "x-alias-of" in self.resolve(schema.get("properties", {}).get(name, {}))

    @property
    def old_types(self) -> set[str]:
        """The grader types that new files should not use."""
        return {kind for it in self._choices for kind in it.get("x-enum-deprecated", ())}

    @property
    def successors(self) -> dict[str, str]:
        """The grader types that replace old ones."""
        return {
            kind: it for choice in self._choices for kind, it in choice.get("x-enum-successors", {}).items()
        }

    @property
    def has_open_types(self) -> bool:
        """Whether plug-ins may add grader types."""
        return any("x-open" in it for it in self._choices)

    def needs_options(self, kind: str) -> bool:
        """Whether a grader type is refused without options."""
        config = self.config_by_type.get(kind, {})
        return bool(config.get("required") or config.get("anyOf"))

    @cached_property
    def sibling_types(self) -> Mapping[str, Mapping[str, str]]:
        """Types of other formats: to each of their options, `TYPE.OPTION` of ours."""
        return {kind: it for choice in self._choices for kind, it in choice.get("x-siblings", {}).items()}
