"""Checks data, or one part of it, against a file kind's schema."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from waza_engine.findings import Finding, Pointer, Severity
from waza_engine.validation.gathering import findings_of
from waza_engine.validation.part_keywords import DISCRIMINATOR
from waza_engine.validation.walker import Walker

Schema = Mapping[str, Any]

_ASIDE = "x-aside"
"""Holds a member's schema where only the mapping itself is checked: the names stay known."""


class SchemaChecker:
    """One file kind's schema, compiled once. Parts are checked alone, so that an edit costs the part it touches."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self._walker = Walker(schema)
        self._shallow = _without_children(schema)
        self._lists: dict[int, tuple[Schema, Schema]] = {}
        """By the identity of a list's schema: that schema, and what it says of the list alone."""
        self._most = Severity(schema["x-severity"]) if "x-severity" in schema else None
        """In some files no mistake is an error: what the schema says at its top."""
        self.is_null_nothing = not schema.get("x-null-refused")
        """Whether a key without a value is as good as none."""
        self.discriminating = {
            id(it["properties"][it[DISCRIMINATOR]])
            for it in schema.get("$defs", {}).values()
            if DISCRIMINATOR in it
        }
        """The schemas (by identity) of the keys that choose a branch."""
        self.discriminators = {
            str(it[DISCRIMINATOR]) for it in schema.get("$defs", {}).values() if DISCRIMINATOR in it
        }
        """The names of these keys."""

    def check(self, data: Any) -> list[Finding]:
        """All findings of a whole document."""
        return self._findings(self.schema, data)

    def check_part(self, data: Any, schema: Schema) -> list[Finding]:
        """Findings of one value against its own part of the schema; pointers start at that value."""
        return self._findings(schema, data)

    def check_root(self, data: Any) -> list[Finding]:
        """Findings of the root alone: its keys, not what stands under them."""
        return self._findings(self._shallow, data)

    def check_list(self, data: Sequence[Any], schema: Schema) -> list[Finding]:
        """Findings of a list as such (its length), not of its items."""
        if id(schema) not in self._lists:
            self._lists[id(schema)] = schema, _without_children(self.resolve(schema))
        return self._findings(self._lists[id(schema)][1], list(data))

    def resolve(self, schema: Schema) -> Schema:
        """Follow local `$ref`s, and look at what `check_root` sets aside."""
        schema = schema.get(_ASIDE, schema)
        while "$ref" in schema:
            target = self._walker.target(schema["$ref"])
            schema = {**target, **{k: v for k, v in schema.items() if k != "$ref"}}
        return schema

    @cached_property
    def options_by_type(self) -> dict[str, list[str]]:
        """Each grader type's options, read from the discriminated item schema."""
        result: dict[str, list[str]] = {}
        for definition in self.schema.get("$defs", {}).values():
            key = definition.get(DISCRIMINATOR)
            for branch in definition.get("allOf", ()) if key else ():
                config = branch.get("then", {}).get("properties", {}).get("config")
                if config is not None:
                    kind = branch["if"]["properties"][key]["const"]
                    result.setdefault(kind, list(self.resolve(config).get("properties", {})))
        return result

    def _findings(self, schema: Schema, data: Any) -> list[Finding]:
        errors = self._walker.errors(schema, data)
        found = findings_of(self, errors) if errors else []
        if self._most is None:
            return found
        return [replace(it, severity=self._most) if it.severity is Severity.ERROR else it for it in found]


def _without_children(schema: Schema) -> Schema:
    # A schema that names its draft is checked by that alone, without our own keywords.
    shallow = {k: v for k, v in schema.items() if k not in {"items", "prefixItems", "$defs", "$schema"}}
    if "properties" in shallow:
        shallow["properties"] = {name: {_ASIDE: it} for name, it in schema["properties"].items()}
    return shallow


def joined(prefix: Pointer, findings: Sequence[Finding]) -> list[Finding]:
    """Findings of a part, seen from the document."""
    return [it.below(prefix) for it in findings]
