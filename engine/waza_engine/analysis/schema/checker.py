"""Checks data, or one part of it, against the schema of a kind of file."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from waza_engine.analysis.schema.compiler import Walker
from waza_engine.analysis.schema.gather import gather_findings
from waza_engine.analysis.schema.schema_index import ASIDE, SchemaIndex
from waza_engine.model.findings import Finding, Severity

Schema = Mapping[str, Any]


class SchemaChecker:
    """The compiled schema of one kind of file. It checks single parts, so an edit costs only the part it changes."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self._walker = Walker(schema)
        self._index = SchemaIndex(schema, self._walker)
        self._shallow = _without_children(schema)
        self._lists: dict[int, tuple[Schema, Schema]] = {}
        """By the identity of a list's schema: that schema, and the schema without its items."""
        self._max_severity = Severity(schema["x-severity"]) if "x-severity" in schema else None
        """Replaces "error" in files where no mistake is an error; set at the top of the schema."""

    def check(self, data: Any) -> list[Finding]:
        """Return the findings of a whole document."""
        return self._findings(self.schema, data)

    def check_part(self, data: Any, schema: Schema) -> list[Finding]:
        """Return the findings of one value against its part of the schema; pointers start at that value."""
        return self._findings(schema, data)

    def check_root(self, data: Any) -> list[Finding]:
        """Return the findings of the root mapping only: its keys, not their values."""
        return self._findings(self._shallow, data)

    def check_list(self, data: Sequence[Any], schema: Schema) -> list[Finding]:
        """Return the findings of a list itself (its length), not of its items."""
        if id(schema) not in self._lists:
            self._lists[id(schema)] = schema, _without_children(self._index.resolve(schema))
        return self._findings(self._lists[id(schema)][1], list(data))

    def _findings(self, schema: Schema, data: Any) -> list[Finding]:
        errors = self._walker.errors(schema, data)
        found = gather_findings(self._index, errors, data) if errors else []
        limit = self._max_severity
        if limit is None:
            return found
        return [replace(it, severity=limit) if it.severity is Severity.ERROR else it for it in found]


def _without_children(schema: Schema) -> Schema:
    shallow = {k: v for k, v in schema.items() if k not in {"items", "prefixItems", "$defs", "$schema"}}
    if "properties" in shallow:
        shallow["properties"] = {name: {ASIDE: it} for name, it in schema["properties"].items()}
    return shallow
