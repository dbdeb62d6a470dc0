"""Texts of a document that name files: where each starts from, and what is there.

See docs/reference/waza-formats.md, section 10.

The schema says what a path is relative to (`x-path`), and which key moves that start for its neighbours
(`x-base-for`). Whether there are such files is asked through `Disk` only.
"""

import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, Protocol

from waza_engine.analysis.schema.navigate import schema_at
from waza_engine.lib.go.glob import fixed_part, has_wildcard
from waza_engine.lib.pointer import Pointer
from waza_lsp.schema.describe import data_along
from waza_lsp.schema.document_kind import Form
from waza_lsp.schema.visitor import SchemaPaths, schema_paths, visit
from waza_lsp.syntax.text import Span
from waza_lsp.syntax.tree.located import Located
from waza_lsp.syntax.tree.node import Kind
from waza_lsp.syntax.tree.tree import Tree

EVAL_NAMES = ("eval.yaml", "eval.yml")
_MOST_LEVELS = 10


class Disk(Protocol):
    """What a request may ask about the disk. `process_dir` is where runs are started; None when unknown."""

    @property
    def process_dir(self) -> Path | None:
        """Where runs are started; None when unknown."""
        ...

    def is_file(self, path: Path) -> bool:
        """Whether there is such a file."""
        ...

    def is_directory(self, path: Path) -> bool:
        """Whether there is such a folder."""
        ...

    def glob(self, pattern: str, folder: Path) -> list[Path]:
        """The files and directories below `folder` that a Go glob names; none for a pattern that Go refuses."""
        ...


class PathValue(NamedTuple):
    """A text that names files: where it stands (without quotes), and the folder that it starts from.

    `base` is what the schema calls that folder; where another key moves the start, the base of that key.
    """

    span: Span
    text: str
    kind: str
    folder: Path
    style: str = ""
    base: str = ""

    @property
    def is_pattern(self) -> bool:
        """Whether it may stand for several files."""
        return self.kind == "glob" and has_wildcard(self.text)

    @property
    def fixed(self) -> str:
        """What of it names one place: for a pattern the folders before its first wildcard, else all of it."""
        return fixed_part(self.text) if self.is_pattern else self.text

    def targets(self, files: Disk) -> list[Path]:
        """What is there: one file or directory, for a pattern all that it matches."""
        if self.is_pattern:
            return files.glob(self.text, self.folder)
        # As Go joins paths: links are not looked at.
        path = Path(os.path.normpath(self.folder / self.text))
        return [path] if files.is_file(path) or files.is_directory(path) else []


def path_values(
    form: Form, tree: Tree, path: Path | None, files: Disk, lines: tuple[int, int] | None = None
) -> Iterator[PathValue]:
    """Every text of a document that names files, as far as it is known where it starts from.

    With `lines` (first, last) only those in pieces of the text that reach into them.
    """
    if path is None:
        return
    starts = _BaseFolders(form, tree, path, files)
    for site in visit(tree, _path_values_paths(form), lines):
        text = site.node.source
        if site.node.kind is not Kind.SCALAR or not text or site.node.style in {"|", ">"}:
            continue
        mark = site.schema["x-path"]
        base, folder = starts.start(mark["base"], site.pointer)
        if folder is not None and (mark["base"] == "process" or not text.startswith("/")):
            span = site.node.inner.shift(site.start)
            yield PathValue(span, text, mark["kind"], folder, site.node.style, base)


def path_value_at(
    form: Form, tree: Tree, path: Path | None, files: Disk, located: Located | None
) -> PathValue | None:
    """The path that a value of the document is; None when it is none, or starts from where nobody knows."""
    if located is None:
        return None
    node = located.node
    if (
        path is None
        or located.on_key
        or node.kind is not Kind.SCALAR
        or not node.source
        or node.style in {"|", ">"}
    ):
        return None
    schema = schema_at(form.schema, located.pointer, data_along(tree, located.pointer))
    mark = schema.get("x-path") if schema is not None else None
    if not mark:
        return None
    base, folder = _BaseFolders(form, tree, path, files).start(mark["base"], located.pointer)
    if folder is None or (mark["base"] != "process" and node.source.startswith("/")):
        return None
    lines = located.value.start.line - node.start.line
    return PathValue(node.inner.shift(lines), node.source, mark["kind"], folder, node.style, base)


def start_folder(
    form: Form, tree: Tree, path: Path | None, files: Disk, base: str, pointer: Pointer
) -> Path | None:
    """The folder that a path at `pointer` starts from when the schema says that its base is `base`."""
    return _BaseFolders(form, tree, path, files).folder(base, pointer) if path is not None else None


@lru_cache(maxsize=64)
def _path_values_paths(form: Form) -> SchemaPaths:
    return schema_paths(form.schema, lambda schema, _: "x-path" in schema)


@lru_cache(maxsize=64)
def _base_key_paths(form: Form) -> SchemaPaths:
    return schema_paths(form.schema, lambda schema, _: "x-base-for" in schema)


class _BaseFolders:
    """The folders that paths of one document start from."""

    def __init__(self, form: Form, tree: Tree, path: Path, files: Disk) -> None:
        self._path = path
        self._files = files
        self._is_task = form.runnable == "task"
        self._moved = [
            (it.pointer, it.schema["x-base-for"], it.node.source, it.schema["x-path"]["base"])
            for it in visit(tree, _base_key_paths(form))
            if it.node.kind is Kind.SCALAR and it.node.source
        ]
        self._known: dict[str, Path | None] = {}

    def folder(self, base: str, pointer: Pointer) -> Path | None:
        """The folder for a value at `pointer`."""
        return self.start(base, pointer)[1]

    def start(self, base: str, pointer: Pointer) -> tuple[str, Path | None]:
        """What a value at `pointer` starts from: what the nearest key says that moves it, else the usual folder."""
        for mover, moves, text, its_base in reversed(self._moved):
            is_below = pointer[: len(mover) - 1] == mover[:-1]
            if moves == base and is_below and pointer != mover:
                start = self._usual(its_base)
                return its_base, start / text if start is not None else None
        return base, self._usual(base)

    def _usual(self, base: str) -> Path | None:
        if base not in self._known:
            self._known[base] = self._found(base)
        return self._known[base]

    def _found(self, base: str) -> Path | None:
        match base:
            case "eval":
                return _eval_folder(self._path, self._files) if self._is_task else self._path.parent
            case "fixtures":
                folder = self._usual("eval")
                return folder / "fixtures" if folder is not None else None
            case "task" | "project":
                return self._path.parent
            case "process":
                return self._files.process_dir
            case _:
                return None  # The agent's workspace does not exist yet.


def _eval_folder(path: Path, files: Disk) -> Path | None:
    """The folder of a task's eval: the nearest one above it that holds an eval file."""
    for folder in list(path.parents)[:_MOST_LEVELS]:
        if any(files.is_file(folder / it) for it in EVAL_NAMES):
            return folder
    return None
