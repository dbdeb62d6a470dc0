"""Files that a task puts into the agent's workspace, as declared in its file.

See docs/reference/waza-formats.md, section 5.1.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from waza_engine.dialects.waza.formats.paths import input_refusal
from waza_engine.lib.pointer import Pointer
from waza_engine.project.document import Document


class PathValue(NamedTuple):
    """The path of an input file, its pointer, and whether the entry has inline content."""

    pointer: Pointer
    text: str
    has_content: bool


def input_files(document: Document, task: Pointer) -> Iterator[PathValue]:
    """Yield the entries of `inputs.files` that have a path. Plain strings are the old short form.

    An entry without the space after its colon (`path:notes.txt`) counts as the mapping that was meant.
    """
    for pointer, entry in document.items(*task, "inputs", "files"):
        if isinstance(entry, str) and entry:
            yield PathValue(pointer, entry.removeprefix("path:"), has_content=False)
        path = entry.get("path") if isinstance(entry, Mapping) else None
        if isinstance(path, str) and path:
            yield PathValue((*pointer, "path"), path, bool(entry.get("content")))


def is_refused(path: str) -> bool:
    """Whether waza refuses the path of an input file."""
    return bool(input_refusal(path))


def fixtures_folder(document: Document, task: Mapping[str, Any]) -> Path | None:
    """Return the folder of a task's input files; None if it cannot be known."""
    context_dir = task.get("context_dir")
    if isinstance(context_dir, str) and context_dir:
        start = document.process_dir
        return (
            start / context_dir
            if start is not None and document.files.is_directory(start / context_dir)
            else None
        )
    return document.suite.folder / "fixtures" if document.suite is not None else None


def has_workspace_files(document: Document, task: Pointer) -> bool:
    """Whether the task's file or its eval puts anything into the task's workspace."""
    inputs = document.mapping(*task, "inputs")
    context = inputs.get("context")
    suite = document.suite
    return bool(
        inputs.get("files")
        or inputs.get("repos")
        or (isinstance(context, Mapping) and context.get("fixture"))
        or document.value(*task, "instruction_files")
        or (suite is not None and suite.config.get("instruction_files"))
    )
