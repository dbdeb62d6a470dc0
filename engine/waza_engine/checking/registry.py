"""Which rules check whole files: found by looking into the folder, no list to keep.

A rule's module has its constant, and, when it looks at whole files, `APPLIES` (dialect -> kinds) and
`check(document) -> findings`.
"""

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from functools import cache

from waza_engine import rules as _folder
from waza_engine.checking.document import Document
from waza_engine.findings import Finding

Check = Callable[[Document], Iterator[Finding]]


@cache
def checks(dialect: str, kind: str) -> tuple[Check, ...]:
    """The checks for one kind of file."""
    modules = (
        importlib.import_module(f"{_folder.__name__}.{it.name}")
        for it in pkgutil.iter_modules(_folder.__path__)
    )
    return tuple(it.check for it in modules if kind in getattr(it, "APPLIES", {}).get(dialect, ()))


def check_document(document: Document) -> Iterator[Finding]:
    """What all rules say about a file."""
    for check in checks(document.dialect, document.kind):
        yield from check(document)
