"""An eval file checked by a program: findings that point into its data, without an editor and without a text."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from waza_engine.checking.document import Document
from waza_engine.checking.named import named_by_eval
from waza_engine.checking.project import Projects
from waza_engine.checking.registry import check_document
from waza_engine.findings import Finding, Pointer, Severity
from waza_engine.formats import recognise
from waza_engine.formats.reading import read_filled_mapping
from waza_engine.graders.checking import check_entry
from waza_engine.rules.refused_config import REFUSED_CONFIG, is_told
from waza_engine.scalars import plain_as_written
from waza_engine.schema_files import read_schema
from waza_engine.scope import Scope
from waza_engine.validation.checker import SchemaChecker


def check_file(path: Path, *, process_dir: Path | None = None) -> list[Finding]:
    """What is wrong with an eval, task, trigger or project file of any dialect; nothing for a file that is none.

    The findings are those of `waza-lsp check`: what the schema says, then the grader types, then the rules, each at the
    level that the project's settings give it. They point into the data. What only a text has is not looked at: places,
    comments that silence findings, a second document. Paths that begin where a run is started are looked for in
    `process_dir`, by default the current directory.

    Raises:
        LoadError: the file cannot be read, or is no YAML mapping.

    """
    path = path.absolute()
    written = read_filled_mapping(path)
    data = plain_as_written(written)
    recognised = recognise(data, path) or named_by_eval(path)
    settings = Projects().of(path.parent)
    if recognised is None or settings.excludes(path):
        return []
    dialect, kind, _reason = recognised
    document = Document(dialect.name, kind.name, data, path, process_dir or Path.cwd())
    found = SchemaChecker(read_schema(kind.schema)).check(data)
    condemned = [it.pointer for it in found if it.severity is Severity.ERROR]
    by_rules = [it for it in check_document(document) if it.pointer not in condemned]
    by_types = _of_grader_types(document, written, condemned)
    found += (it for it in by_types if it.rule is not REFUSED_CONFIG or not is_told(it, by_rules))
    found += by_rules
    levels = [settings.rules.get(it.code, it.severity) for it in found]
    return [replace(it, severity=level) for it, level in zip(found, levels, strict=True) if level is not None]


def _of_grader_types(document: Document, written: Any, condemned: list[Pointer]) -> Iterator[Finding]:
    """What each grader's own type says about it, unless its schema has something against it already."""
    scope = Scope(document.folder, document.process_dir)
    for pointer, _ in document.graders():
        if not any(it[: len(pointer)] == pointer for it in condemned):
            for finding in check_entry(document.dialect, _at(written, pointer), scope):
                yield finding.below(pointer)


def _at(data: Any, pointer: Pointer) -> Any:
    for part in pointer:
        data = data[part]
    return data
