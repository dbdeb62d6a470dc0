"""Finds the rules by scanning their folders, and runs them on documents.

Rules for all dialects are in `rules/`, those of one dialect in the package that its record names (`Dialect.rules`). A
rule's module holds its constant. If it checks files, it also has `APPLIES` (the kinds of files) and `check(document)`,
`check_grader(entry, document)` for single grader entries, or both. Where dialects check the same rule in different ways,
its constant is in `rules/`, and each dialect has a module of the same name with its check. Checks of one grader type are
in that type's file (`check` and `check_raw`).
"""

import importlib
import pkgutil
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from types import ModuleType
from typing import Any

from waza_engine.analysis.grader_entries import check_raw
from waza_engine.analysis.incremental import findings, tracked_document
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Finding
from waza_engine.project.document import Document
from waza_engine.recognition.recognise import dialect as _dialect
from waza_engine.recognition.recognise import dialects, kind_of

Check = Callable[[Document], Iterator[Finding]]
GraderCheck = Callable[[Document, Document], Iterator[Finding]]
"""Takes the entry as a document of its own, and the document that contains it."""


SHARED = "waza_engine.rules"
"""The package of the rules for all dialects."""


@cache
def checks(dialect: str, kind: str) -> tuple[Check, ...]:
    """Return the checks for one kind of file."""
    return (*(it.check for it in _modules(dialect, kind) if hasattr(it, "check")), _read_graders)


@cache
def grader_checks(dialect: str, kind: str) -> tuple[GraderCheck, ...]:
    """Return the checks for each grader entry of one kind of file."""
    return tuple(it.check_grader for it in _modules(dialect, kind) if hasattr(it, "check_grader"))


def check_document(document: Document) -> Iterator[Finding]:
    """Yield the findings of all rules for a file."""
    document = tracked_document(document)
    for group in check_whole(document):
        yield from group
    for pointer, _, found in check_graders(document):
        yield from (it.below(pointer) for it in found)


def check_whole(document: Document) -> Iterator[tuple[Finding, ...]]:
    """Yield the findings of each rule for the file as a whole."""
    return findings(document, checks(document.dialect, document.kind))


def check_graders(
    document: Document,
) -> list[tuple[Pointer, Mapping[str, Any], tuple[Finding, ...]]]:
    """Return the grader entries with findings, and these findings; they point into their entry."""
    return document.grader_results(_check_grader)


def _check_grader(document: Document, grader: Mapping[str, Any]) -> tuple[Finding, ...]:
    dialect, kind = document.dialect, document.kind
    entry = Document(dialect, kind, grader)
    found = [it for check in grader_checks(dialect, kind) for it in check(entry, document)]
    return (*found, *check_raw(dialect, grader))


def _read_graders(document: Document) -> Iterator[Finding]:
    """Yield nothing, but record the files that `check_graders` reads."""
    check_graders(document)
    yield from ()


def _modules(dialect: str, kind: str) -> list[ModuleType]:
    # Shared rules apply to what is runnable in a file, whatever its dialect calls this kind.
    known = kind_of(dialect, kind)
    kinds = {kind, known.runnable} if known is not None else {kind}
    found = [it for it in rule_modules(SHARED) if not kinds.isdisjoint(_kinds(it))]
    own = _dialect(dialect).rules
    return [*found, *(it for it in rule_modules(own) if kind in _kinds(it))] if own else found


def _kinds(module: ModuleType) -> Collection[str]:
    """Return the kinds of files that a rule applies to."""
    applies: Collection[str] = getattr(module, "APPLIES", ())
    return applies


def rule_packages() -> list[str]:
    """Return the packages of rules, the shared one first."""
    return [SHARED, *(it.rules for it in dialects() if it.rules)]


@cache
def rule_modules(package_name: str) -> list[ModuleType]:
    """Return the modules of a package of rules, by name."""
    package = importlib.import_module(package_name)
    names = sorted(it.name for it in pkgutil.iter_modules(package.__path__) if not it.name.startswith("_"))
    return [importlib.import_module(f"{package_name}.{it}") for it in names]
