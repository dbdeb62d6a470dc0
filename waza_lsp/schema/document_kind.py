"""Recognise the dialect and kind of a document, with its schema.

Most YAML files of a repository are not evals, so `may_be_eval` decides that quickly, without parsing.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from waza_engine.analysis.incremental import tracked_document
from waza_engine.analysis.schema.files import read_schema
from waza_engine.lib.files.vfs import Files
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.roundtrip import STRICT_LIST
from waza_engine.model.findings import Finding
from waza_engine.project.document import Document
from waza_engine.project.suite_files import kind_named_by_eval
from waza_engine.recognition.recognise import Dialect, Kind, kind_of, may_be_ours, recognise, recognise_text
from waza_lsp.syntax.text import split_lines
from waza_lsp.syntax.tree.split import PieceKind, PieceLayout, cut, schema_address

if TYPE_CHECKING:
    from waza_engine.analysis.schema.checker import SchemaChecker

_PLAIN_KEY = re.compile(r"([A-Za-z_$/][\w$./ -]*?)\s*:(?:\s+(.*))?$")
_PAIRS = {'"': '"', "'": "'", "{": "}", "[": "]"}


def may_be_eval(text: str, path: PurePath | None, dialect_name: str = "") -> bool:
    """Return False only if parsing the text would show that it is not an eval file (of the named dialect)."""
    return may_have_eval(split_lines(text), path, dialect_name)


def may_have_eval(
    lines: list[str], path: PurePath | None, dialect_name: str = "", layout: PieceLayout | None = None
) -> bool:
    """Like `may_be_eval`, for the lines of a text, which may be cut already."""
    keys = _top_level_keys(lines, layout)
    if keys is None or dialect_name:
        return keys is None or recognise(keys, path, dialect_name=dialect_name) is not None
    return may_be_ours(keys, path, schema=schema_address(lines)) or (
        path is not None and kind_named_by_eval(Path(path)) is not None
    )


def looks_like_eval(text: str, path: PurePath | None, dialect_name: str = "") -> bool:
    """Whether a text that cannot be parsed is an eval file, judged by its path and the keys that can be read."""
    return recognise(_top_level_keys(split_lines(text)) or (), path, dialect_name=dialect_name) is not None


def _top_level_keys(lines: list[str], layout: PieceLayout | None = None) -> list[str] | None:
    """Return the top-level keys as they look; None if only parsing can tell."""
    keys: list[str] = []
    for piece in (layout or cut(lines)).cuts:
        if piece.kind in {PieceKind.ITEM, PieceKind.SKIPPED}:
            continue
        found = _PLAIN_KEY.match(lines[piece.start].rstrip()) if piece.kind is not PieceKind.WHOLE else None
        if found is None or _may_continue(found[2] or "", lines[piece.start + 1 : piece.end]):
            return None
        keys.append(found[1])
    return keys


def _may_continue(value: str, below: list[str]) -> bool:
    """Whether the value may continue on lines that look like keys, or the lines below it may break the key."""
    if value[:1] in _PAIRS:
        return not value.endswith(_PAIRS[value[0]])
    return value[:1] not in {"", "|", ">", "#"} and any(it.strip() for it in below)


class Form:
    """A kind of file of a dialect: its schema as data, and its checker, compiled on first use."""

    def __init__(self, dialect: str, kind: str, schema_name: str) -> None:
        self.dialect = dialect
        self.kind = kind
        self.schema_name = schema_name

    @cached_property
    def schema(self) -> Mapping[str, Any]:
        """The schema as data."""
        return read_schema(self.schema_name)

    @cached_property
    def checker(self) -> "SchemaChecker":
        """The checker of the schema."""
        # Imported late: jsonschema must not slow down the start of the server.
        from waza_engine.analysis.schema.checker import SchemaChecker

        return SchemaChecker(self.schema)

    def has_separate_config(self, key: str | None, place: Pointer) -> bool:
        """Whether waza reads the config of an entry on its own; `place` is a pointer from the list at `key`, or the root."""
        whole = place if key is None else (key, *place)
        kind = kind_of(self.dialect, self.kind)
        return kind is not None and kind.strict_graders and len(whole) == 2 and whole[0] == STRICT_LIST

    def document(self, data: Any, path: Path | None, process_dir: Path | None, files: Files) -> Document:
        """Return a file of this form for the rules."""
        return tracked_document(Document(self.dialect, self.kind, data, path, process_dir, files))

    def whole_findings(self, document: Document) -> Iterator[tuple[Finding, ...]]:
        """Yield the findings about the file as a whole, one tuple per rule."""
        # Imported late: there are many rules.
        from waza_engine.analysis.rules import check_whole

        return check_whole(document)

    def grader_findings(
        self, document: Document
    ) -> list[tuple[Pointer, Mapping[str, Any], tuple[Finding, ...]]]:
        """Return the grader entries with findings: pointer, entry, and findings that point into the entry."""
        # Imported late: there are many rules.
        from waza_engine.analysis.rules import check_graders

        return check_graders(document)

    @property
    def runnable(self) -> str:
        """What such a file is to `run`: `eval`, `task`, `experiment`, or an empty string."""
        return str(self.schema.get("x-runnable", ""))


@dataclass(frozen=True, slots=True)
class Recognition:
    """The form of a file, and the reason for it."""

    form: Form
    reason: str
    text: tuple[Any, str] | None = field(default=None, compare=False)
    """The top-level keys with their values and the address of the schema, if these alone decided."""


@cache
def form_of(dialect: str, kind: str, schema_name: str) -> Form:
    """Return the only `Form` of a kind of file."""
    return Form(dialect, kind, schema_name)


def recognise_form(
    keys: Collection[str] | None,
    path: PurePath | None,
    dialect_name: str = "",
    schema: str = "",
    before: Recognition | None = None,
) -> Recognition | None:
    """Recognise a file by its top-level keys and its path; None if it is not an eval file (of the named dialect).

    `schema` is the address of the schema that the file names, `before` the result for the previous version of the text.
    """
    text = (keys, schema)
    if before is not None and before.text == text and not dialect_name:
        return before
    decided = recognise_text(keys, dialect_name=dialect_name, schema=schema)
    if decided is not None:
        return _recognition(decided, text)
    found = recognise(keys, path, dialect_name=dialect_name, schema=schema)
    if found is None and (finished := _without_unfinished(keys)) is not None:
        found = recognise(finished, path, dialect_name=dialect_name, schema=schema)
    if found is None and path is not None and not dialect_name:
        found = kind_named_by_eval(Path(path))
    return _recognition(found) if found is not None else None


def _recognition(found: tuple[Dialect, Kind, str], text: tuple[Any, str] | None = None) -> Recognition:
    of, kind, reason = found
    return Recognition(form_of(of.name, kind.name, kind.schema), reason, text)


def _without_unfinished(keys: Collection[str] | None) -> Mapping[str, Any] | None:
    """Return the keys without the one that has no value yet, because it is being typed; None unless it is exactly one."""
    if not isinstance(keys, Mapping):
        return None
    unfinished = [key for key, value in keys.items() if value is None]
    return {key: it for key, it in keys.items() if key not in unfinished} if len(unfinished) == 1 else None
