"""What the files of a suite name, when the suite is written into another folder.

See docs/reference/waza-formats.md, section 10.

Files that have to stand beside them go along; folders that may stand anywhere are named from the new place.
"""

import itertools
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from waza_lsp.schema.paths import EVAL_NAMES, PathValue, path_values
from waza_lsp.snapshot import Snapshot
from waza_lsp.suite.moving import normal
from waza_lsp.syntax.edits import Edit
from waza_lsp.syntax.written import in_style


@dataclass(frozen=True, slots=True)
class Place:
    """Where a suite stands (`source`, the folder of its eval) and where it will stand (`out`); both are absolute.

    `above` is what a step up is called in the new folder.
    """

    source: Path
    out: Path
    above: str

    @classmethod
    def of(cls, source: Path, out: Path) -> "Place":
        """With a name for steps up that no folder has to which they lead: no two files come to the same name."""
        names = ("outside" if count == 1 else f"outside-{count}" for count in itertools.count(1))
        folders = (source, *source.parents)
        return cls(
            source,
            out,
            next(it for it in names if not any(_is_taken(folder / it, out) for folder in folders)),
        )

    @property
    def is_same(self) -> bool:
        """Whether the suite is written over itself."""
        return self.out == self.source

    def name(self, path: Path) -> PurePosixPath:
        """Where a file of the suite comes to stand, from `out`: as from the eval, what is outside in a folder of its own."""
        parts = Path(os.path.relpath(path, self.source)).parts
        return PurePosixPath(*(self.above if it == ".." else it for it in parts))

    def after(self, path: Path) -> Path:
        """The same as an absolute path."""
        return normal(self.out / self.name(path))


def _is_taken(path: Path, out: Path) -> bool:
    return path != out and path.exists()


class _Anywhere:
    """A disk on which each folder is that of an eval: here it is known which one is."""

    process_dir = None

    def is_file(self, path: Path) -> bool:
        return path.name in EVAL_NAMES

    def is_directory(self, _path: Path) -> bool:
        return False

    def matching(self, _pattern: str, _folder: Path) -> list[Path]:
        return []


def edits_for(snapshot: Snapshot, path: Path, place: Place) -> Iterator[Edit]:
    """What has to change in the text of a file so that its globs and folders are still found."""
    if place.is_same:
        return
    for value, folder in _values(snapshot, path, place):
        if value.kind not in {"glob", "directory"}:
            continue
        target = normal(folder / value.fixed)
        if value.kind == "directory" and not target.is_dir():
            continue  # Perhaps no path at all, such as `none`.
        after = place.after(target) if value.kind == "glob" else target
        there = place.after(folder)
        if normal(there / value.fixed) != after:
            text = _from(there, after)
            rest = value.text.removeprefix(value.fixed)
            yield Edit(value.span, in_style(value.style, f"{text}/{rest}" if rest else text))


def named_files(snapshot: Snapshot, path: Path, place: Place) -> Iterator[tuple[PurePosixPath, Path]]:
    """The files that go along: where each will stand, from the new folder, and where it stands now."""
    if place.is_same:
        return
    for value, folder in _values(snapshot, path, place):
        if value.kind not in {"file", "any"}:
            continue
        after = normal(place.after(folder) / value.text)
        if not after.is_relative_to(place.out):
            continue  # Runs do not take it either: these paths may not lead out.
        for it in _files_of(normal(folder / value.text)):
            if it.is_relative_to(place.out):
                continue  # It is what an earlier conversion has written.
            below = after / it.relative_to(normal(folder / value.text))
            yield PurePosixPath(below.relative_to(place.out).as_posix()), it


def _values(snapshot: Snapshot, path: Path, place: Place) -> Iterator[tuple[PathValue, Path]]:
    """The paths that start at the suite's files, each with its folder."""
    folders = {"eval": place.source, "fixtures": place.source / "fixtures", "task": path.parent}
    if snapshot.form is None:
        return
    for it in path_values(snapshot.form, snapshot.tree, path, _Anywhere()):
        if it.base in folders:
            yield it, folders[it.base]


def _files_of(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    for folder, folders, names in os.walk(path):
        folders.sort()
        yield from (file for name in sorted(names) if (file := Path(folder, name)).is_file())


def _from(folder: Path, target: Path) -> str:
    return Path(os.path.relpath(target, folder)).as_posix()
