"""vally's check of `conflicting-keys`: the two names of the settings of a run."""

from collections.abc import Iterator

from waza_engine.model.findings import Finding
from waza_engine.project.document import Document
from waza_engine.rules.conflicting_keys import both_given

APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    yield from both_given(document, (), "config", "defaults")
