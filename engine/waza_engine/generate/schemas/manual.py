"""Which page describes each key of a file, and at which anchor.

A mapping is described once: an eval that repeats the keys of a task refers to the task's page. `x-manual-key` in a schema
is the page and anchor of a key, for hovers.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from waza_engine.analysis.schema.tolerance import Schema, map_schemas
from waza_engine.recognition.recognise import Dialect

MANUAL_KEY = "x-manual-key"
_REFERENCE = "#/$defs/"
_PARTS = {"vally": {"environment": ("vally/project", "Environment")}}
"""Mappings with a page of their own: the schema and its definition, by page."""
_LEAST_INHERITED = 10
"""A mapping with all keys of a page, at least this many, refers to that page for them."""

Signature = tuple[tuple[str, str], ...]


@dataclass
class Section:
    """One mapping on a page: `places` are all paths that lead to it on this page, the first one names it."""

    page: str
    root: Schema
    schema: Schema
    places: list[str]
    base: "Section | None" = None
    keys: dict[str, Schema] = field(default_factory=dict)

    def anchor(self, key: str = "") -> str:
        """Return the anchor of a key, without the marks of lists and free names."""
        path = self.places[0].replace("[]", "").replace(".*", "")
        return ".".join(filter(None, [path, key]))


class Manual:
    """The sections of all pages about the files of a dialect."""

    def __init__(self, dialect: Dialect, schemas: Mapping[str, Schema]) -> None:
        self.pages: dict[str, list[Section]] = {}
        self._known: dict[Signature, Section] = {}
        prefix = f"formats/{dialect.schema_folder}"
        for page, (name, definition) in _PARTS.get(dialect.name, {}).items():
            whole = {**schemas[name]["$defs"][definition], "$defs": schemas[name]["$defs"]}
            self._add_page(f"{prefix}{page}", whole)
        kinds = [it for it in dialect.kinds if it.schema in schemas]
        for kind in sorted(kinds, key=lambda it: (it.runnable != "task", not it.tasks)):
            self._add_page(f"{prefix}{kind.name}", schemas[kind.schema])

    def _add_page(self, page: str, root: Schema) -> None:
        self.pages[page] = []
        waiting = [("", root)]
        while waiting:
            path, schema = waiting.pop(0)
            if schema.get("properties"):
                section = self.section_of(schema)
                if section is not None:
                    section.places += [path] if section.page == page and path not in section.places else []
                    continue
                self._add_section(page, root, path, schema)
            waiting = [*_below(root, path, schema), *waiting]

    def _add_section(self, page: str, root: Schema, path: str, schema: Schema) -> None:
        keys = schema["properties"]
        inherited = (it for it in self._known.values() if _LEAST_INHERITED <= len(it.keys) < len(keys))
        base = next((it for it in inherited if it.keys.keys() <= keys.keys()), None)
        own = {key: it for key, it in keys.items() if base is None or key not in base.keys}
        section = Section(page, root, schema, [path], base, own)
        self.pages[page].append(section)
        self._known[_signature(keys)] = section

    def section_of(self, schema: Schema) -> Section | None:
        """Return the section about a mapping; None if no page has it."""
        return self._known.get(_signature(schema.get("properties", {})))

    def marked(self, schema: Schema) -> Schema:
        """Return the schema of a file with the page and anchor of each key."""

        def mark(it: Schema) -> Schema:
            section = self.section_of(it)
            if section is None:
                return it
            marked = {key: self._mark(section, key, option) for key, option in it["properties"].items()}
            return {**it, "properties": marked}

        return map_schemas(schema, mark)

    def _mark(self, section: Section, key: str, option: Schema) -> Schema:
        owner = section.base if section.base is not None and key in section.base.keys else section
        return {**option, MANUAL_KEY: f"{owner.page}#{owner.anchor(key)}"}


def _signature(properties: Mapping[str, Schema]) -> Signature:
    return tuple((key, it.get("description", "")) for key, it in properties.items())


def resolved(root: Schema, schema: Schema) -> Schema:
    """Return the schema with the definition that it refers to."""
    if "$ref" not in schema:
        return schema
    return {**root["$defs"][schema["$ref"].removeprefix(_REFERENCE)], **schema}


def _below(root: Schema, path: str, schema: Schema) -> Iterator[tuple[str, Schema]]:
    """Yield the schemas one step below, with their paths. The options of grader types have pages of their own."""
    for key, it in schema.get("properties", {}).items():
        yield f"{path}.{key}".lstrip("."), resolved(root, it)
    for keyword, mark in (("items", "[]"), ("additionalProperties", ".*")):
        if isinstance(it := schema.get(keyword), dict):
            yield f"{path}{mark}", resolved(root, it)
    for it in schema.get("anyOf", ()):
        yield path, resolved(root, it)
