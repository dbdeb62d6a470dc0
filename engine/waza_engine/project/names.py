"""Names in a suite, for rules: duplicate names and free names."""

from collections.abc import Collection, Iterator
from functools import cache
from itertools import count
from pathlib import Path

from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Related
from waza_engine.project.document import Document, Make
from waza_engine.project.suite_files import text_of


def free_name(wanted: str, taken: Collection[str]) -> str:
    """Return the name itself, or the name with the first number that makes it unique."""
    if wanted not in taken:
        return wanted
    return next(name for it in count(2) if (name := f"{wanted}-{it}") not in taken)


def name_from_file(path: Path | None) -> str:
    """Return a task name derived from a file name; empty without a file."""
    return path.name.split(".")[0] if path is not None else ""


def duplicate_texts(
    document: Document, key: str, *, only_later: bool = False
) -> Iterator[tuple[Pointer, str, list[Related]]]:
    """Yield each task of the document that shares its `key` with other tasks of the suite, and those tasks.

    Disabled tasks count, because they are loaded, too. Of two tasks in one file, only the later one is reported; with
    `only_later` also of two files, in the order of the suite.
    """
    suite, own = document.suite, document.path
    elsewhere = suite.paths_by_text(key) if suite is not None and not suite.eval.get("tasks_from") else {}
    here: dict[str, Pointer] = {}
    texts = document.task_values(_text_of(key))
    distinct = {*texts}
    if len(distinct) == len(texts) and distinct.isdisjoint(elsewhere):
        return
    for pointer, _, text in document.task_results(_text_of(key)):
        paths = list(elsewhere.get(text, ()))
        if only_later and own in paths:
            paths = paths[: paths.index(own)]
        others = [Related((key,), "here, too", path) for path in paths if path != own]
        if text in here:
            others.append(Related(here[text], "here, too"))
        here.setdefault(text, (*pointer, key))
        if others:
            yield (*pointer, key), text, others


@cache
def _text_of(key: str) -> Make[str]:
    """Return a function that returns the text of a task's key."""
    return lambda _, task: text_of(task.get(key)).strip()
