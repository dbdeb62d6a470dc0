"""Find the paths in a document, their base folders and the files that they name.

The schema says what a path is relative to (`x-path`), and which key changes that base for its neighbours (`x-base-for`);
see docs/reference/waza-formats.md, section 10. Files are only looked up through `Disk`.
"""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, Protocol

from waza_engine.analysis.schema.navigate import schema_at
from waza_engine.lib.go.glob import fixed_part, has_wildcard
from waza_engine.lib.paths import normal_path
from waza_engine.lib.pointer import Pointer
from waza_engine.model.file_names import SKILL_FILE
from waza_engine.project.store_location import in_repository
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
    """Access of a request to the disk."""

    @property
    def process_dir(self) -> Path | None:
        """The folder that runs start in; None if unknown."""
        ...

    def is_file(self, path: Path) -> bool:
        """Whether the file exists."""
        ...

    def is_directory(self, path: Path) -> bool:
        """Whether the folder exists."""
        ...

    def glob(self, pattern: str, folder: Path) -> list[Path]:
        """Return the files and folders below `folder` that match a Go glob; none for an invalid pattern."""
        ...


class PathValue(NamedTuple):
    """A string that names files: its span (without quotes) and the folder that it is relative to.

    `base` is the schema's name of that folder. If another key changes the folder, it is the base of that key.
    """

    span: Span
    text: str
    kind: str
    folder: Path
    style: str = ""
    base: str = ""

    @property
    def is_pattern(self) -> bool:
        """Whether it may match several files."""
        return self.kind == "glob" and has_wildcard(self.text)

    @property
    def fixed(self) -> str:
        """The part without wildcards: the folders before the first wildcard of a pattern, else the whole text."""
        return fixed_part(self.text) if self.is_pattern else self.text

    def targets(self, files: Disk) -> list[Path]:
        """Return the existing file or folder, or all matches of a pattern."""
        if self.is_pattern:
            return in_repository(files.glob(self.text, self.folder), self.folder)
        # Go joins paths without resolving links.
        path = normal_path(self.folder / self.text)
        return [path] if files.is_file(path) or files.is_directory(path) else []

    def opened(self, files: Disk) -> list[Path]:
        """Return the targets as an editor opens them: of a skill's folder, its SKILL.md."""
        found = [(it, it / SKILL_FILE) for it in self.targets(files)]
        return [skill if files.is_file(skill) else it for it, skill in found]


def path_values(
    form: Form, tree: Tree, path: Path | None, files: Disk, lines: tuple[int, int] | None = None
) -> Iterator[PathValue]:
    """Yield every path of a document whose base folder is known.

    With `lines` (first, last), only those in pieces that reach into these lines.
    """
    if path is None:
        return
    starts = _BaseFolders(form, tree, path, files)
    for site in visit(tree, _schema_paths(form), lines):
        text = site.node.source
        if site.node.kind is not Kind.SCALAR or not text or site.node.style in {"|", ">"}:
            continue
        path_keyword = site.schema["x-path"]
        base, folder = starts.start(path_keyword["base"], site.pointer)
        if folder is not None and (path_keyword["base"] == "process" or not text.startswith("/")):
            span = site.node.inner.shift(site.start)
            yield PathValue(span, text, path_keyword["kind"], folder, site.node.style, base)


def path_value_at(
    form: Form, tree: Tree, path: Path | None, files: Disk, located: Located | None
) -> PathValue | None:
    """Return a value of the document as a path; None if it is not one, or its base folder is unknown."""
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
    path_keyword = schema.get("x-path") if schema is not None else None
    if not path_keyword:
        return None
    base, folder = _BaseFolders(form, tree, path, files).start(path_keyword["base"], located.pointer)
    if folder is None or (path_keyword["base"] != "process" and node.source.startswith("/")):
        return None
    lines = located.value.start.line - node.start.line
    return PathValue(node.inner.shift(lines), node.source, path_keyword["kind"], folder, node.style, base)


def start_folder(
    form: Form, tree: Tree, path: Path | None, files: Disk, base: str, pointer: Pointer
) -> Path | None:
    """Return the folder for a path at `pointer` whose base in the schema is `base`."""
    return _BaseFolders(form, tree, path, files).folder(base, pointer) if path is not None else None


@lru_cache(maxsize=64)
def _schema_paths(form: Form) -> SchemaPaths:
    return schema_paths(form.schema, lambda schema, _: "x-path" in schema)


@lru_cache(maxsize=64)
def _base_key_paths(form: Form) -> SchemaPaths:
    return schema_paths(form.schema, lambda schema, _: "x-base-for" in schema)


class _BaseFolders:
    """The base folders of the paths in one document."""

    def __init__(self, form: Form, tree: Tree, path: Path, files: Disk) -> None:
        self._path = path
        self._files = files
        self._is_task = form.runnable == "task"
        self._base_keys = [
            (it.pointer, it.schema["x-base-for"], it.node.source, it.schema["x-path"]["base"])
            for it in visit(tree, _base_key_paths(form))
            if it.node.kind is Kind.SCALAR and it.node.source
        ]
        self._known: dict[str, Path | None] = {}

    def folder(self, base: str, pointer: Pointer) -> Path | None:
        """Return the folder for a value at `pointer`."""
        return self.start(base, pointer)[1]

    def start(self, base: str, pointer: Pointer) -> tuple[str, Path | None]:
        """Return the base of a value at `pointer` and its folder: from the nearest key that changes it, else the usual one."""
        for key, changed_base, text, its_base in reversed(self._base_keys):
            is_below = pointer[: len(key) - 1] == key[:-1]
            if changed_base == base and is_below and pointer != key:
                start = self._usual(its_base)
                return its_base, start / text if start is not None else None
        return base, self._usual(base)

    def _usual(self, base: str) -> Path | None:
        if base not in self._known:
            self._known[base] = self._usual_folder(base)
        return self._known[base]

    def _usual_folder(self, base: str) -> Path | None:
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
                return None  # The workspace of the agent does not exist before the run.


def _eval_folder(path: Path, files: Disk) -> Path | None:
    """Return the folder of a task's eval: the nearest one above the task with an eval file."""
    for folder in list(path.parents)[:_MOST_LEVELS]:
        if any(files.is_file(folder / it) for it in EVAL_NAMES):
            return folder
    return None
