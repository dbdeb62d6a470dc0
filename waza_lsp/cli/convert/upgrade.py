"""Upgrade a suite to the newest form of its dialect: apply the editor's fixes to each of its files."""

import itertools
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from waza_engine.analysis.pipeline import CheckContext
from waza_engine.analysis.schema.navigate import Schema
from waza_engine.convert.conversion import Conversion
from waza_engine.lib.files.safe_read import MAX_SOURCE_BYTES, regular_bytes
from waza_engine.lib.files.vfs import Files
from waza_engine.lib.paths import normal_path
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Scope, Severity
from waza_engine.model.suite import LoadError
from waza_engine.project.suite_files import as_glob
from waza_engine.rules.unknown_key import UNKNOWN_KEY
from waza_lsp.cli.check.fix import fix_file
from waza_lsp.diagnostics.ranges import RangedFinding
from waza_lsp.features.diagnostics import findings
from waza_lsp.fixes.fixes import Solution, upgrade_solution
from waza_lsp.fixes.upgrade import removed_values
from waza_lsp.schema.paths import EVAL_NAMES, PathValue, path_values
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.edit.edits import Draft, Edit
from waza_lsp.syntax.edit.emit import scalar_content

_TRIGGERS = "trigger_tests.yaml"


@dataclass(frozen=True, slots=True)
class _Relocation:
    """Moves a suite from `source`, the folder of its eval, to `out`. Both paths are absolute.

    In the new folder, `parent_name` replaces each `..`.
    """

    source: Path
    out: Path
    parent_name: str

    @classmethod
    def of(cls, source: Path, out: Path) -> "_Relocation":
        """Choose a `parent_name` that no parent folder contains, so that no two files get the same name."""
        names = ("outside" if count == 1 else f"outside-{count}" for count in itertools.count(1))
        folders = [source, *source.parents]
        free = (
            name
            for name in names
            if not any(folder / name != out and (folder / name).exists() for folder in folders)
        )
        return cls(source, out, next(free))

    @property
    def is_in_place(self) -> bool:
        """Whether the suite is written over itself."""
        return self.out == self.source

    def name(self, path: Path) -> PurePosixPath:
        """Return where a file of the suite is written, relative to `out`."""
        parts = Path(os.path.relpath(path, self.source)).parts
        return PurePosixPath(*(self.parent_name if it == ".." else it for it in parts))

    def after(self, path: Path) -> Path:
        """Return where a file of the suite is written, as an absolute path."""
        return normal_path(self.out / self.name(path))


def upgrade(path: Path, out: Path, process_dir: Path) -> Conversion:
    """Replace outdated shapes in the eval at `path` and the files it names, for the folder `out`. Keep all other text.

    Raises:
        LoadError: a file of the suite cannot be read.

    """
    path, out = normal_path(path.absolute()), normal_path(out.absolute())
    return _Upgrade(_Relocation.of(path.parent, out), process_dir).convert(path)


class _Upgrade:
    """Collects the upgraded files of one suite."""

    def __init__(self, relocation: _Relocation, process_dir: Path) -> None:
        self._relocation, self._process_dir = relocation, process_dir
        self._files = Files()
        self._result = Conversion()

    def convert(self, path: Path) -> Conversion:
        """Return the files, and what was lost."""
        relocation = self._relocation
        data = self._add(path)
        triggers = relocation.source / _TRIGGERS
        others = [*self._task_files(path, data), *([triggers] if triggers.is_file() else [])]
        for file in dict.fromkeys(others):
            if file == path or (relocation.out in file.parents and not relocation.is_in_place):
                continue  # The eval and the files written by this command are not tasks, even if a glob matches.
            if relocation.is_in_place and relocation.source not in file.parents:
                self._result.lose("This file is outside the eval's folder and was not changed", file)
            else:
                self._add(file)
        for name in self._result.files:
            # A fixture may contain files of the suite.
            self._result.copies.pop(name, None)
        return self._result

    def _task_files(self, path: Path, data: Any) -> Iterator[Path]:
        """Yield the files that the globs of the eval match, valid or not."""
        for index, pattern in _task_globs(data):
            found = [
                normal_path(file)
                for file in self._files.glob(as_glob(pattern), self._relocation.source)
                if file.is_file()
            ]
            if not found:
                self._result.lose(f"No file matches '{pattern}'", path, ("tasks", index))
            yield from found

    def _add(self, path: Path) -> Any:
        """Add an upgraded file to the result and return its data."""
        try:
            text = regular_bytes(path, MAX_SOURCE_BYTES).decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise LoadError(path, f"The file cannot be read: {error}") from error
        context = CheckContext(path, Scope(process_dir=self._process_dir))
        before = Snapshot.of(path.as_uri(), text)
        dropped: dict[tuple[Pointer, str], str] = {}
        choose = partial(_choose_solution, dropped=dropped)
        after = fix_file(str(path), before, partial(findings, context=context), choose)
        snapshot = Snapshot.of(path.as_uri(), after.after) if after else before
        draft = Draft(snapshot.text, snapshot.tree).apply(_path_edits(snapshot, path, self._relocation))
        self._result.files[self._relocation.name(path)] = str(draft.text)
        for name, source in _referenced_files(snapshot, path, self._relocation):
            first = self._result.copies.setdefault(name, source)
            if first != source:
                self._result.lose(f"{source} was not copied: {first} is already copied to {name}", path)
        for message in dropped.values():
            self._result.lose(message, path)
        for mark in findings(snapshot, context):
            is_unknown = mark.finding.rule is UNKNOWN_KEY
            if mark.finding.rule.outdated or is_unknown or mark.finding.severity is Severity.ERROR:
                # The line number is that of the new text.
                message = f"line {mark.span.start.line + 1}: {mark.finding.message}"
                self._result.lose(message, self._relocation.after(path))
        return snapshot.tree.data()


def _task_globs(data: Any) -> Iterator[tuple[int, str]]:
    """Yield the task globs of an eval with the index of their item. Some old items hold several globs."""
    items = data.get("tasks") if isinstance(data, Mapping) else None
    for index, item in enumerate(items if isinstance(items, list) else ()):
        if isinstance(item, str) and item.strip():
            yield index, item.removeprefix("include:").strip()
        elif isinstance(item, Mapping):
            listed = item.get("task_files")
            globs = [*(listed if isinstance(listed, list) else ()), item.get("include")]
            yield from ((index, it) for it in globs if isinstance(it, str) and it.strip())


def _choose_solution(
    mark: RangedFinding, draft: Draft, root: Schema, *, dropped: dict[tuple[Pointer, str], str]
) -> Solution | None:
    """Choose the fix that leads to the newest form; note in `dropped` what it removes for good."""
    solution = upgrade_solution(mark, draft, root)
    if solution is not None:
        dropped.update(removed_values(mark, solution.title, draft))
    return solution


def _path_edits(snapshot: Snapshot, path: Path, relocation: _Relocation) -> Iterator[Edit]:
    """Yield the edits after which the globs and folders in a moved file still match."""
    if relocation.is_in_place:
        return
    for value, folder in _suite_paths(snapshot, path, relocation):
        if value.kind not in {"glob", "directory"}:
            continue
        target = normal_path(folder / value.fixed)
        if value.kind == "directory" and not target.is_dir():
            continue  # The value may not be a path at all, such as `none`.
        # Matched files move with the suite; folders stay where they are.
        after = relocation.after(target) if value.kind == "glob" else target
        start = relocation.after(folder)
        if normal_path(start / value.fixed) != after:
            text = Path(os.path.relpath(after, start)).as_posix()
            rest = value.text.removeprefix(value.fixed)
            yield Edit(value.span, scalar_content(value.style, f"{text}/{rest}" if rest else text))


def _referenced_files(
    snapshot: Snapshot, path: Path, relocation: _Relocation
) -> Iterator[tuple[PurePosixPath, Path]]:
    """Yield the files to copy: their path relative to the new folder, and where they are now."""
    if relocation.is_in_place:
        return
    for value, folder in _suite_paths(snapshot, path, relocation):
        if value.kind not in {"file", "any"}:
            continue
        source = normal_path(folder / value.text)
        after = normal_path(relocation.after(folder) / value.text)
        if not after.is_relative_to(relocation.out):
            continue  # Runs refuse such a path, too: these paths must not lead out of the folder.
        for file in _files_at(source):
            if file.is_relative_to(relocation.out):
                continue  # An earlier conversion wrote it.
            copied = after / file.relative_to(source)
            yield PurePosixPath(copied.relative_to(relocation.out).as_posix()), file


def _suite_paths(snapshot: Snapshot, path: Path, relocation: _Relocation) -> Iterator[tuple[PathValue, Path]]:
    """Yield the paths in a file that are relative to the suite's files, each with its base folder."""
    folders = {"eval": relocation.source, "fixtures": relocation.source / "fixtures", "task": path.parent}
    if snapshot.form is None:
        return
    for value in path_values(snapshot.form, snapshot.tree, path, _EvalEverywhere()):
        if value.base in folders:
            yield value, folders[value.base]


class _EvalEverywhere:
    """A file system in which each folder has an eval: `_Relocation` knows which one is meant."""

    process_dir = None

    def is_file(self, path: Path) -> bool:
        return path.name in EVAL_NAMES

    def is_directory(self, _path: Path) -> bool:
        return False

    def glob(self, _pattern: str, _folder: Path) -> list[Path]:
        return []


def _files_at(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    for folder, folders, names in os.walk(path):
        folders.sort()
        yield from (file for name in sorted(names) if (file := Path(folder, name)).is_file())
