"""Check `pattern-as-text` in waza files: the texts that a task expects in the output."""

from collections.abc import Iterator

from waza_engine.model.findings import Finding
from waza_engine.model.suite import EXPECTED_TEXTS
from waza_engine.project.document import Document
from waza_engine.rules.pattern_as_text import pattern_as_text

APPLIES = frozenset(["task", "eval"])


def check(document: Document) -> Iterator[Finding]:
    for task, _ in document.tasks():
        for option in EXPECTED_TEXTS:
            for place, text in document.texts(*task, "expected", option):
                yield from pattern_as_text(text, place, "a grader with patterns")
