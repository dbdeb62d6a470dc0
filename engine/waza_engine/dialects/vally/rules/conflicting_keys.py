"""Check `conflicting-keys` in vally files: the two names of the run settings."""

from collections.abc import Iterator

from waza_engine.model.findings import Finding
from waza_engine.project.document import Document
from waza_engine.rules.conflicting_keys import conflicts

APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    yield from conflicts(document, (), "config", "defaults")
