"""Which rules check whole files: found by looking into folders, no list to keep.

Rules of all dialects are in `rules/`, those of one dialect in the package that its record names (`Dialect.rules`). A
rule's module has its constant, and, when it looks at files, `APPLIES` (the kinds of files) and `check(document)` or, for
what is to be said of one grader entry, `check_grader(entry, document)`, or both. Where dialects check the same rule in
their own ways, its constant is in `rules/` and each dialect has a module of the same name with its check. What only one
grader type has is in the type's own file, `check` and `check_raw`.
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
"""Takes the entry as a document of its own, and the document that it stands in."""


SHARED = "waza_engine.rules"
"""The package of the rules of all dialects."""


@cache
def checks(dialect: str, kind: str) -> tuple[Check, ...]:
    """The checks for one kind of file."""
    return (*(it.check for it in _modules(dialect, kind) if hasattr(it, "check")), _read_graders)


@cache
def grader_checks(dialect: str, kind: str) -> tuple[GraderCheck, ...]:
    """The checks for each grader entry of one kind of file."""
    return tuple(it.check_grader for it in _modules(dialect, kind) if hasattr(it, "check_grader"))


def check_document(document: Document) -> Iterator[Finding]:
    """What all rules say about a file."""
    document = tracked_document(document)
    for said in check_whole(document):
        yield from said
    for pointer, _, found in check_graders(document):
        yield from (it.below(pointer) for it in found)


def check_whole(document: Document) -> Iterator[tuple[Finding, ...]]:
    """What each rule says about the file as a whole."""
    return findings(document, checks(document.dialect, document.kind))


def check_graders(
    document: Document,
) -> list[tuple[Pointer, Mapping[str, Any], tuple[Finding, ...]]]:
    """The grader entries of a file that there is something to say of: what the rules say of each, pointing into it."""
    return document.grader_results(_check_grader)


def _check_grader(document: Document, grader: Mapping[str, Any]) -> tuple[Finding, ...]:
    dialect, kind = document.dialect, document.kind
    entry = Document(dialect, kind, grader)
    found = [it for check in grader_checks(dialect, kind) for it in check(entry, document)]
    return (*found, *check_raw(dialect, grader))


def _read_graders(document: Document) -> Iterator[Finding]:
    """Says nothing, but has the files watched that `check_graders` looks at."""
    check_graders(document)
    yield from ()


def _modules(dialect: str, kind: str) -> list[ModuleType]:
    # Shared rules apply to what can be run of a file, whatever its dialect calls this kind.
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
    """The packages of rules: that of all dialects first."""
    return [SHARED, *(it.rules for it in dialects() if it.rules)]


@cache
def rule_modules(package_name: str) -> list[ModuleType]:
    """The modules of a package of rules, by name."""
    package = importlib.import_module(package_name)
    names = sorted(it.name for it in pkgutil.iter_modules(package.__path__) if not it.name.startswith("_"))
    return [importlib.import_module(f"{package_name}.{it}") for it in names]
