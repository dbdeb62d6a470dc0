"""vally's check of `escaping-path`: where staged files go."""

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
    """What vally does with such a path is not known."""
    for environment in environments(document):
        for place, _ in document.mappings(*environment, "files"):
            path = document.text(*place, "dest")
            # The workspace itself is a fine place to put files into.
            if path and PurePosixPath(path) != PurePosixPath() and not has_placeholder(path):
                found = escaping_path(path, (*place, "dest"), outcome="the file may land anywhere")
                yield from (replace(it, severity=Severity.WARNING) for it in found)
