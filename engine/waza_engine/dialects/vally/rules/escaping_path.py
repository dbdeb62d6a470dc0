"""Check `escaping-path` in vally files: the destinations of environment files."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from waza_engine.dialects.vally.checks.stimuli import environments
from waza_engine.model.findings import Finding, Severity
from waza_engine.model.placeholders import has_placeholder
from waza_engine.project.document import Document
from waza_engine.rules.escaping_path import escaping_path

APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    """Warn only: it is unknown what vally does with such a path."""
    for environment in environments(document):
        for place, _ in document.mappings(*environment, "files"):
            path = document.text(*place, "dest")
            # The workspace itself is a valid destination.
            if path and PurePosixPath(path) != PurePosixPath() and not has_placeholder(path):
                findings = escaping_path(path, (*place, "dest"), outcome="the file may end up anywhere")
                yield from (replace(it, severity=Severity.WARNING) for it in findings)
