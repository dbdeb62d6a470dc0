"""A key whose text should be different in each task of a suite."""

from collections.abc import Iterator
from typing import Any

from waza_engine.checking.document import Document
from waza_engine.checking.suite_files import text_of
from waza_engine.findings import Pointer, Related


def same_texts(document: Document, key: str) -> Iterator[tuple[Pointer, str, list[Related]]]:
    """Every task of the document whose `key` another task of the suite has as well, with those others.

    Disabled tasks count: they are loaded all the same. Between two tasks of one file only the later one is told.
    """
    suite, own = document.suite, document.path
    elsewhere = suite.having(key) if suite is not None and not suite.eval.get("tasks_from") else {}
    here: dict[str, Pointer] = {}
    for pointer, task_data in document.tasks():
        text = _text(task_data.get(key))
        if not text:
            continue
        others = [Related((key,), "here, too", path) for path in elsewhere.get(text, ()) if path != own]
        if text in here:
            others.append(Related(here[text], "here, too"))
        here.setdefault(text, (*pointer, key))
        if others:
            yield (*pointer, key), text, others


def _text(value: Any) -> str:
    return text_of(value).strip()
