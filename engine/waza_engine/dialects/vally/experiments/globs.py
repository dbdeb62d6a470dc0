"""Which eval specs the patterns of an experiment name (docs/reference/vally.md, section 9).

Paths and globs start at the experiment's folder and may lead out of it. `*`, `?`, `[ab]`, `{a,b}`, `!(a)` and their
relatives are looked at folder by folder, so that a pattern costs what its folders cost; `**` is any folders.
"""

from collections.abc import Iterator
from pathlib import Path

from waza_engine.dialects.vally.globs import as_pattern
from waza_engine.lib.files.vfs import Files
from waza_engine.lib.js_regex import js_matches

_MAGIC = frozenset("*?[{(!")
_NEVER_ENTERED = frozenset([".git", "node_modules"])
_MOST_FOLDERS = 5000


def matching_specs(pattern: str, folder: Path, files: Files) -> list[Path]:
    """The files that a pattern names, in order."""
    parts = _parts(pattern.replace("\\", "/"))
    if not parts:
        return []
    start = Path("/") if pattern.startswith("/") else folder
    return list(dict.fromkeys(_Walk(files).below(start, parts)))


def _parts(pattern: str) -> list[str]:
    """The pattern cut at the slashes that stand in no brackets."""
    parts, depth = [""], 0
    for character in pattern:
        depth += (character in "({") - (character in ")}" and depth > 0)
        if character == "/" and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return [it for it in parts if it not in {"", "."}]


class _Walk:
    """Goes into the folders that a pattern leads to, but not into all of a disk."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._entered = 0

    def below(self, folder: Path, parts: list[str]) -> Iterator[Path]:
        """The files below `folder` that fit the rest of a pattern."""
        if self._entered > _MOST_FOLDERS:
            return
        part, *rest = parts
        if part == "**":
            yield from self._any_folders(folder, rest or ["*"])
        elif part == "..":
            yield from self._on(folder.parent, rest)
        elif not _MAGIC & set(part) or self._files.exists(folder / part):
            # A name that is there is meant, whatever its brackets could mean.
            yield from self._on(folder / part, rest)
        elif "/" in part:
            yield from self._across(folder, "/".join(parts))
        else:
            self._entered += 1
            wanted = as_pattern(part)
            for name in self._files.names(folder):
                if js_matches(wanted, name):
                    yield from self._on(folder / name, rest)

    def _on(self, path: Path, rest: list[str]) -> Iterator[Path]:
        if rest:
            yield from self.below(path, rest)
        elif self._files.is_file(path):
            yield path

    def _any_folders(self, folder: Path, rest: list[str]) -> Iterator[Path]:
        yield from self.below(folder, rest)
        for name in self._files.names(folder):
            path = folder / name
            if (
                name not in _NEVER_ENTERED
                and self._entered <= _MOST_FOLDERS
                and self._files.is_directory(path)
            ):
                self._entered += 1
                yield from self._any_folders(path, rest)

    def _across(self, folder: Path, pattern: str) -> Iterator[Path]:
        """Brackets that choose between paths of several parts: each file below is looked at."""
        wanted = as_pattern(pattern)
        for path in self._any_folders(folder, ["*"]):
            if js_matches(wanted, path.relative_to(folder).as_posix()):
                yield path
