"""Where the documents of a schema come from: the schema itself, files beside it, the metaschemas. Never the network."""

from pathlib import Path
from typing import Any

import referencing
from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # it ships no types
from referencing import Registry, Resource
from referencing.exceptions import NoSuchResource

from waza_engine.file_address import path_of_address
from waza_engine.json_schema.drafts import LATEST, Draft, draft_named
from waza_engine.json_schema.errors import SchemaError, UnknownFileError
from waza_engine.json_text import JsonError, read_json
from waza_engine.paths import content
from waza_engine.text import decode

_NOWHERE = "file:///nowhere/schema.json"


class Sources:
    """All documents that one schema reaches. The root document is called `schema.json` in `base_dir`.

    With `within` nothing is read that does not stand below `base_dir`, links resolved.
    """

    def __init__(self, root: Any, base_dir: Path | None, *, within: bool = False) -> None:
        self._base_dir = base_dir
        self._within = within
        # Each document is read once: schemas are known by their identity afterwards.
        self._documents: dict[str, Resource[Any]] = {}
        self.root_uri = (base_dir.absolute() / "schema.json").as_uri() if base_dir else _NOWHERE
        registry: Registry[Any] = Registry(retrieve=self._retrieve)  # type: ignore[call-arg]  # attrs: an alias mypy does not see
        self.registry = registry.combine(REGISTRY).with_resource(self.root_uri, self._checked(root))

    def root_resolver(self) -> "referencing._core.Resolver[Any]":
        """A resolver that stands at the root of the root document."""
        resolver: referencing._core.Resolver[Any] = self.registry.resolver(self.root_uri)
        return resolver

    def _retrieve(self, uri: str) -> Resource[Any]:
        if uri not in self._documents:
            self._documents[uri] = self._read(uri)
        return self._documents[uri]

    def _read(self, uri: str) -> Resource[Any]:
        path = path_of_address(uri)
        if path is None:
            raise NoSuchResource(uri)
        if self._base_dir is None:
            raise UnknownFileError(f"the file {uri} cannot be looked for")
        if self._within and not path.resolve().is_relative_to(self._base_dir.resolve()):
            raise UnknownFileError(f"the file {uri} is not to be read")
        data = content(path)
        if data is None:
            raise NoSuchResource(uri)
        try:
            document = read_json(decode(data))
        except JsonError as error:
            raise SchemaError(f"{uri} is no JSON: {error}") from error
        return self._checked(normal(document))

    def _checked(self, document: Any) -> Resource[Any]:
        draft = draft_of(document, LATEST)
        if problem := draft.problem(document):
            raise SchemaError(problem)
        return draft.specification.create_resource(document)


def draft_of(schema: Any, default: Draft) -> Draft:
    """The draft that a schema names, otherwise `default`.

    Raises:
        SchemaError: it names one that nobody knows.

    """
    if not isinstance(schema, dict) or "$schema" not in schema:
        return default
    name = schema["$schema"]
    draft = draft_named(name) if isinstance(name, str) else None
    if draft is None:
        raise SchemaError(f"unknown $schema '{name}'")
    return draft


def normal(value: Any) -> Any:
    """The value with whole floats as integers: in JSON Schema 1.0 is the integer 1."""
    match value:
        case float() if value.is_integer():
            return int(value)
        case list():
            return [normal(it) for it in value]
        case dict():
            return {key: normal(it) for key, it in value.items()}
        case _:
            return value
