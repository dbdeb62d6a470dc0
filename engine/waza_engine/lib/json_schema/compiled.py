"""Compile a schema: find all its errors, and all documents that it refers to, before a value is validated."""

import math
import sys
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, Self

import referencing
from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # it ships no types
from referencing import Registry, Resource
from referencing.exceptions import NoSuchResource, Unresolvable

from waza_engine.lib.go.json import JsonError, read_json
from waza_engine.lib.go.regexp import regex_error
from waza_engine.lib.go.text import decode
from waza_engine.lib.json_schema.errors import SchemaError, UnknownFileError
from waza_engine.lib.json_schema.keywords import REFERENCES, lookup
from waza_engine.lib.json_schema.validators import (
    LATEST,
    Draft,
    SchemaObject,
    draft_named,
    first_error,
    schema_copy,
)
from waza_engine.lib.paths import file_bytes, path_from_uri, real_path

_WORKER = "waza_engine.lib.json_schema.worker"
_TIMEOUT_SECONDS = 60.0
_NOWHERE = "file:///nowhere/schema.json"

_Resolver = referencing._core.Resolver[Any]  # noqa: SLF001  # the class has no public name


@dataclass(frozen=True, slots=True)
class CompiledSchema:
    """A schema without errors."""

    _schema: Any
    _base_dir: Path | None
    _resolver: _Resolver

    @classmethod
    def of(cls, schema: Any, base_dir: Path | None, *, within: bool) -> Self:
        """Compile `schema` as `compile_schema` does."""
        try:
            root = schema_copy(schema)
            _require_finite_numbers(root)
            resolver = _Documents(base_dir, within=within).resolver(root)
            _compile(root, resolver, _draft_of(root, LATEST))
        except RecursionError as error:
            raise SchemaError("the schema is nested too deeply") from error
        except SchemaError:
            raise
        except ValueError as error:
            raise SchemaError(f"an address in it cannot be read: {error}") from error
        return cls(root, base_dir, resolver)

    def error(self, value: Any) -> str | None:
        """Return why `value` does not fit, in one sentence; None if it fits.

        Raises:
            SchemaError: the value is nested too deeply to be validated.

        """
        try:
            return self.first_error(value)
        except RecursionError:
            # The value is deep. Endless references are a failure, not a RecursionError.
            return _validate_in_process(self._schema, self._base_dir, value)

    def first_error(self, value: Any) -> str | None:
        """Return the same, or raise RecursionError if the value is nested too deeply for this process."""
        return first_error(self._schema, self._resolver, value)


def _validate_in_process(schema: Any, base_dir: Path | None, value: Any) -> str | None:
    """Return why `value` does not fit a schema that compiles, in one sentence; None if it fits.

    Raises:
        SchemaError: the value is nested too deeply for that process too, or the process took more than a minute.

    """
    # Imported late: few values are nested so deeply.
    from waza_engine.lib.process.framing import MOST_BYTES, frame, read_frame
    from waza_engine.lib.process.run import run
    from waza_engine.lib.process.shortage import ShortageError

    command = [sys.executable, "-P", "-m", _WORKER]
    try:
        request = frame({"schema": schema, "base_dir": base_dir and str(base_dir), "value": value})
        ended = run(command, seconds=_TIMEOUT_SECONDS, stdin=request, output_limit=MOST_BYTES)
        response: str | None = read_frame(BytesIO(ended.stdout).read)
    except (OSError, ValueError, EOFError, RecursionError, ShortageError) as error:
        raise SchemaError("the value is nested too deeply to be checked") from error
    return response


class _Documents:
    """The documents that one schema refers to: itself, files and metaschemas. Nothing comes from the network."""

    def __init__(self, base_dir: Path | None, *, within: bool) -> None:
        self._base_dir = base_dir
        self._within = within
        self._read: dict[str, Resource[Any]] = {}
        """Each document is read once, because compiling marks the schemas inside."""

    def resolver(self, root: Any) -> _Resolver:
        """Return a resolver for `root`, a document with the name `schema.json` in the base directory."""
        uri = (self._base_dir.absolute() / "schema.json").as_uri() if self._base_dir else _NOWHERE
        registry: Registry[Any] = Registry(retrieve=self._retrieve)  # type: ignore[call-arg]  # attrs: an alias mypy does not see
        resolver: _Resolver = registry.with_resource(uri, _checked(root)).resolver(uri)
        return resolver

    def _retrieve(self, uri: str) -> Resource[Any]:
        if uri not in self._read:
            metaschema = REGISTRY.get(uri)
            self._read[uri] = _checked(schema_copy(metaschema.contents if metaschema else self._file(uri)))
        return self._read[uri]

    def _file(self, uri: str) -> Any:
        path = path_from_uri(uri)
        if path is None:
            raise NoSuchResource(uri)
        if self._base_dir is None:
            raise UnknownFileError(f"the file {uri} cannot be looked for")
        if self._within and not real_path(path).is_relative_to(real_path(self._base_dir)):
            raise UnknownFileError(f"the file {uri} is not to be read")
        data = file_bytes(path)
        if data is None:
            raise NoSuchResource(uri)
        try:
            return read_json(decode(data))
        except JsonError as error:
            raise SchemaError(f"{uri} is no JSON: {error}") from error


def _checked(document: Any) -> Resource[Any]:
    draft = _draft_of(document, LATEST)
    _require_valid(document, draft)
    return draft.specification.create_resource(document)


def _draft_of(schema: Any, default: Draft) -> Draft:
    """Return the draft that `$schema` names, otherwise `default`."""
    if not isinstance(schema, dict) or "$schema" not in schema:
        return default
    name = schema["$schema"]
    draft = draft_named(name) if isinstance(name, str) else None
    if draft is None:
        raise SchemaError(f"unknown $schema '{name}'")
    return draft


def _require_valid(schema: Any, draft: Draft, reference: str = "") -> None:
    if problem := draft.problem(schema):
        raise SchemaError(f"the schema at '{reference}': {problem}" if reference else problem)


def _require_finite_numbers(value: Any) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise SchemaError(f"it holds {value}, a number that JSON does not have")
    for it in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _require_finite_numbers(it)


def _compile(schema: Any, resolver: _Resolver, outer: Draft) -> None:
    """Check patterns and references of `schema` and of each schema that a validation can reach from it."""
    if not isinstance(schema, SchemaObject) or schema.draft:
        return
    draft = _draft_of(schema, outer)
    schema.use(draft)
    if draft is not outer:
        # The document was checked by the rules of another draft.
        _require_valid(schema, draft)
    resolver = draft.enter(schema, resolver)
    used = dict(schema.keywords)
    for keyword in REFERENCES:
        if keyword in used:
            _compile_target(keyword, used[keyword], resolver, draft)
    for pattern in (*used.get("patternProperties", ()), used.get("pattern", "")):
        if reason := regex_error(pattern):
            raise SchemaError(f"the pattern '{pattern}' is not valid: {reason}")
    if "if" in used:
        used |= {key: schema[key] for key in ("then", "else") if key in schema}
    for below in (*draft.specification.subresources_of(used), *used.get("dependencies", {}).values()):
        _compile(below, resolver, draft)


def _compile_target(keyword: str, reference: str, resolver: _Resolver, draft: Draft) -> None:
    document, _, fragment = reference.partition("#")
    try:
        target = lookup(resolver, keyword, reference)
        # Another document has a draft of its own.
        draft = _draft_of(resolver.lookup(document).contents, LATEST) if document else draft
    except (Unresolvable, ValueError) as error:
        # `referencing` wraps what its retrieve function raised, more than once.
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, SchemaError):
            cause = cause.__cause__
        raise cause or SchemaError(f"the reference '{reference}' leads nowhere") from error
    schema = target.contents
    if not isinstance(schema, dict | bool):
        raise SchemaError(f"the reference '{reference}' does not lead to a schema")
    steps = fragment.split("/")
    is_checked = not fragment or (len(steps) == 3 and not steps[0] and steps[1] in draft.definitions)
    if isinstance(schema, SchemaObject) and not schema.draft and not is_checked:
        # The metaschema may expect no schema at this place, so that nothing has checked it.
        _require_valid(schema, _draft_of(schema, draft), reference)
    _compile(schema, target.resolver, draft)
