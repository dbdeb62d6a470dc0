"""Check `pattern-as-text` in waza files: the texts that a task expects in the output."""

from collections.abc import Iterator, Mapping
from typing import Any

from waza_engine.model.findings import Finding
from waza_engine.model.suite import EXPECTED_TEXTS
from waza_engine.project.document import Document
from waza_engine.rules.pattern_as_text import pattern_as_text

APPLIES = frozenset(["task", "eval"])


def check(document: Document) -> Iterator[Finding]:
    for task, _, found in document.task_results(_in_task):
        yield from (it.below(task) for it in found)


def _in_task(document: Document, task: Mapping[str, Any]) -> list[Finding]:
    entry = document.entry(task)
    texts = (it for option in EXPECTED_TEXTS for it in entry.texts("expected", option))
    return [it for place, text in texts for it in pattern_as_text(text, place, "a grader with patterns")]
