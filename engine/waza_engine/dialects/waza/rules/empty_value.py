"""Check `empty-value` in waza files: an eval without tasks."""

from collections.abc import Iterator

from waza_engine.model.findings import Finding
from waza_engine.project.document import Document
from waza_engine.rules.empty_value import EMPTY_VALUE, without_empty_items

APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    tasks = document.value("tasks")
    if isinstance(tasks, list) and not document.has("tasks_from") and not without_empty_items(tasks):
        yield EMPTY_VALUE.at(("tasks",), "'tasks' is empty, so the run cannot start. Add a file or a glob")
