"""Which rules check whole files: found by looking into the folder, no list to keep.

A rule's module has its constant, and, when it looks at files, `APPLIES` (dialect -> kinds) and `check(document)` or, for
what one grader entry says of itself, `check_grader(entry, executor)`, or both. What only one grader type has is in the type's own file, `check` and `check_written`.
"""

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from types import ModuleType
from typing import Any

from waza_engine import rules as _folder
from waza_engine.checking.document import Document
from waza_engine.checking.memory import findings
from waza_engine.findings import Finding
from waza_engine.graders.checking import check_written

Check = Callable[[Document], Iterator[Finding]]
GraderCheck = Callable[[Document, str], Iterator[Finding]]
"""Takes the entry as a document of its own, and the suite's executor."""


@cache
def checks(dialect: str, kind: str) -> tuple[Check, ...]:
    """The checks for one kind of file."""
    return tuple(it.check for it in _modules(dialect, kind) if hasattr(it, "check"))


@cache
def grader_checks(dialect: str, kind: str) -> tuple[GraderCheck, ...]:
    """The checks for each grader entry of one kind of file."""
    return tuple(it.check_grader for it in _modules(dialect, kind) if hasattr(it, "check_grader"))


def check_document(document: Document) -> Iterator[Finding]:
    """What all rules say about a file."""
    for said in check_whole(document):
        yield from said
    for pointer, grader in document.graders():
        for finding in check_grader(document, grader):
            yield finding.below(pointer)


def check_whole(document: Document) -> Iterator[tuple[Finding, ...]]:
    """What each rule says about the file as a whole."""
    return findings(document, checks(document.dialect, document.kind))


def check_grader(document: Document, grader: Mapping[str, Any]) -> tuple[Finding, ...]:
    """What the rules say about one grader entry of a file, pointing into the entry."""
    dialect, kind, executor = document.dialect, document.kind, document.executor
    entry = Document(dialect, kind, grader)
    found = [it for check in grader_checks(dialect, kind) for it in check(entry, executor)]
    return (*found, *check_written(dialect, grader))


def _modules(dialect: str, kind: str) -> list[ModuleType]:
    names = [f"{_folder.__name__}.{it.name}" for it in pkgutil.iter_modules(_folder.__path__)]
    modules = [importlib.import_module(it) for it in names]
    return [it for it in modules if kind in getattr(it, "APPLIES", {}).get(dialect, ())]
