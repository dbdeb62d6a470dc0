"""A key whose text should be different in each task of a suite.

Names that nothing else in a suite has, near to one that is taken.

Fixes for a path that leads nowhere: to what is nearly called so where it was looked for.
"""

from collections.abc import Callable, Collection, Iterator
from itertools import count
from pathlib import Path
from typing import Any

from waza_engine.lib.files.vfs import Files
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.spelling import nearest
from waza_engine.model.findings import Fix, Related, SetValue
from waza_engine.project.document import Document
from waza_engine.project.suite_files import text_of


def free_name(wanted: str, taken: Collection[str]) -> str:
    """The name itself, or with the first number that makes it one of its own."""
    if wanted not in taken:
        return wanted
    return next(name for it in count(2) if (name := f"{wanted}-{it}") not in taken)


def name_from_file(path: Path | None) -> str:
    """What a file is called, as a task may be called after it; empty without a file."""
    return path.name.split(".")[0] if path is not None else ""


def duplicate_texts(document: Document, key: str) -> Iterator[tuple[Pointer, str, list[Related]]]:
    """Every task of the document whose `key` another task of the suite has as well, with those others.

    Disabled tasks count: they are loaded all the same. Between two tasks of one file only the later one is told.
    """
    suite, own = document.suite, document.path
    elsewhere = suite.paths_by_text(key) if suite is not None and not suite.eval.get("tasks_from") else {}
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


def similar_paths(
    files: Files, folder: Path, place: Pointer, text: str, *, only: Callable[[Path], bool] | None = None
) -> Iterator[Fix]:
    """Changes of the path at `place`, best first. It is `text`, from `folder`; `only` says what may stand in its place."""
    head, slash, name = text.rpartition("/")
    there, base = files.names(folder / head), folder / head
    for it in nearest(name, there if only is None else [it for it in there if only(base / it)]):
        yield Fix(f"Change to '{head}{slash}{it}'", (SetValue(place, f"{head}{slash}{it}"),))
