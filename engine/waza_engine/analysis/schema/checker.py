"""Checks data, or one part of it, against a file kind's schema."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from waza_engine.analysis.schema.compiler import Walker
from waza_engine.analysis.schema.gather import gather_findings
from waza_engine.analysis.schema.schema_index import ASIDE, SchemaIndex
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Finding, Severity

Schema = Mapping[str, Any]


class SchemaChecker:
    """One file kind's schema, compiled once. Parts are checked alone, so that an edit costs the part it touches."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self._walker = Walker(schema)
        self._index = SchemaIndex(schema, self._walker)
        self._shallow = _without_children(schema)
        self._lists: dict[int, tuple[Schema, Schema]] = {}
        """By the identity of a list's schema: that schema, and what it says of the list alone."""
        self._most = Severity(schema["x-severity"]) if "x-severity" in schema else None
        """In some files no mistake is an error: what the schema says at its top."""

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
            self._lists[id(schema)] = schema, _without_children(self._index.resolve(schema))
        return self._findings(self._lists[id(schema)][1], list(data))

    def _findings(self, schema: Schema, data: Any) -> list[Finding]:
        errors = self._walker.errors(schema, data)
        found = gather_findings(self._index, errors) if errors else []
        if self._most is None:
            return found
        return [replace(it, severity=self._most) if it.severity is Severity.ERROR else it for it in found]


def _without_children(schema: Schema) -> Schema:
    # A schema that names its draft is checked by that alone, without our own keywords.
    shallow = {k: v for k, v in schema.items() if k not in {"items", "prefixItems", "$defs", "$schema"}}
    if "properties" in shallow:
        shallow["properties"] = {name: {ASIDE: it} for name, it in schema["properties"].items()}
    return shallow


def joined(prefix: Pointer, findings: Sequence[Finding]) -> list[Finding]:
    """Findings of a part, seen from the document."""
    return [it.below(prefix) for it in findings]
