"""Find the eval specs that match the patterns of an experiment (docs/reference/vally.md, section 9).

Paths and globs are relative to the experiment's folder and may leave it. Patterns with `*`, `?`, `[ab]`, `{a,b}`,
`!(a)` and similar are matched folder by folder, so only folders that can match are read; `**` matches any folders.
"""

from collections.abc import Iterator
from pathlib import Path

from waza_engine.dialects.vally.globs import as_pattern
from waza_engine.lib.files.vfs import Files
from waza_engine.lib.js_regex import js_matches

_MAGIC = frozenset("*?[{(!")
_SKIPPED_FOLDERS = frozenset([".git", "node_modules"])
_MAX_FOLDERS = 5000
USUAL_NAMES = ("eval.yaml", "eval.yml", "*.eval.yaml", "*.eval.yml")


def matching_specs(pattern: str, folder: Path, files: Files) -> list[Path]:
    """Return the files that match a pattern, in order."""
    parts = _parts(pattern.replace("\\", "/"))
    if not parts:
        return []
    start = Path("/") if pattern.startswith("/") else folder
    return list(dict.fromkeys(_Walk(files).below(start, parts)))


def matching_suite_specs(pattern: str, folder: Path, files: Files) -> list[Path]:
    """Return the files that match a pattern of a suite; for folders, the specs with usual names below them."""
    found = matching_specs(pattern, folder, files)
    below = (f"{pattern.rstrip('/')}/**/{it}" for it in USUAL_NAMES)
    return found or [path for it in below for path in matching_specs(it, folder, files)]


def _parts(pattern: str) -> list[str]:
    """Split the pattern at slashes outside of brackets."""
    parts, depth = [""], 0
    for character in pattern:
        depth += (character in "({") - (character in ")}" and depth > 0)
        if character == "/" and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return [it for it in parts if it not in {"", "."}]


class _Walk:
    """Walks the folders that can match a pattern, up to a limit."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._entered = 0

    def below(self, folder: Path, parts: list[str]) -> Iterator[Path]:
        """Yield the files below `folder` that match the rest of a pattern."""
        if self._entered > _MAX_FOLDERS:
            return
        part, *rest = parts
        if part == "**":
            yield from self._any_folders(folder, rest or ["*"])
        elif part == "..":
            yield from self._continue(folder.parent, rest)
        elif not _MAGIC & set(part) or self._files.exists(folder / part):
            # An existing file takes precedence over the meaning of brackets in its name.
            yield from self._continue(folder / part, rest)
        elif "/" in part:
            yield from self._match_paths(folder, "/".join(parts))
        else:
            self._entered += 1
            regex = as_pattern(part)
            for name in self._files.names(folder):
                if js_matches(regex, name):
                    yield from self._continue(folder / name, rest)

    def _continue(self, path: Path, rest: list[str]) -> Iterator[Path]:
        if rest:
            yield from self.below(path, rest)
        elif self._files.is_file(path):
            yield path

    def _any_folders(self, folder: Path, rest: list[str]) -> Iterator[Path]:
        yield from self.below(folder, rest)
        for name in self._files.names(folder):
            path = folder / name
            if (
                name not in _SKIPPED_FOLDERS
                and self._entered <= _MAX_FOLDERS
                and self._files.is_directory(path)
            ):
                self._entered += 1
                yield from self._any_folders(path, rest)

    def _match_paths(self, folder: Path, pattern: str) -> Iterator[Path]:
        """Match each file below, for brackets that contain slashes."""
        regex = as_pattern(pattern)
        for path in self._any_folders(folder, ["*"]):
            if js_matches(regex, path.relative_to(folder).as_posix()):
                yield path
