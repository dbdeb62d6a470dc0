"""Find the version of a runner that a project pins: in `package.json`, or in the lock file of npm, yarn or pnpm.

Used if no setting names a version. Reads are bounded and cached by the files' stamps, because every check asks.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from waza_engine.lib.files.read_tracking import Stamp, stamp
from waza_engine.lib.files.safe_read import regular_bytes

MANIFEST = "package.json"
LOCK_FILES = ("package-lock.json", "pnpm-lock.yaml", "yarn.lock")
_SECTIONS = ("dependencies", "devDependencies")
_MAX_BYTES = 16_000_000
"""Lock files of large projects have some megabytes."""
_RANGE = re.compile(r"[\^~=v]?\s*(\d+\.\d+(?:\.\d+)?)(?:-[\w.]+)?(?:\.[x*])?")
"""An exact version, or a range of versions that begins with one and stays close to it."""


class Pin(NamedTuple):
    """A pinned version, and the file that pins it."""

    version: str
    path: Path


@dataclass(slots=True)
class Pins:
    """The versions that projects pin, cached until their files change."""

    _read: dict[tuple[Path, tuple[str, ...]], tuple[Stamp, str | None]] = field(default_factory=dict)

    def of(self, folder: Path, packages: tuple[str, ...]) -> Pin | None:
        """Return the version of one of these npm packages that the nearest project pins for files in a folder."""
        is_mentioned = False
        for directory in _directories(folder):
            manifest = directory / MANIFEST
            wanted = self._found(manifest, packages, _wanted)
            if wanted:
                return Pin(wanted, manifest)
            is_mentioned = is_mentioned or wanted == ""
            # Without a mention in a manifest, a package in a lock file is only what other packages need.
            if is_mentioned:
                for path in (directory / it for it in LOCK_FILES):
                    if locked := self._found(path, packages, _locked):
                        return Pin(locked, path)
        return None

    def _found(self, path: Path, packages: tuple[str, ...], read: Any) -> str | None:
        """Return the version in a file; "" if it mentions a package without a usable version, None otherwise."""
        now, key = stamp(path), (path, packages)
        if now is None:
            return None
        if key not in self._read or self._read[key][0] != now:
            self._read[key] = now, read(path, packages) if now[2] <= _MAX_BYTES else None
        return self._read[key][1]


@lru_cache(maxsize=256)
def _directories(folder: Path) -> tuple[Path, ...]:
    return (folder, *folder.parents)


def _wanted(path: Path, packages: tuple[str, ...]) -> str | None:
    # Imported late: most projects have no package.json.
    import json

    try:
        data: Any = json.loads(regular_bytes(path, _MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    tables = [data[it] for it in _SECTIONS if it in data] if isinstance(data, dict) else []
    ranges = [it[name] for it in tables if isinstance(it, Mapping) for name in packages if name in it]
    versions = (found[1] for it in ranges if isinstance(it, str) and (found := _RANGE.fullmatch(it.strip())))
    return next(versions, "" if ranges else None)


def _locked(path: Path, packages: tuple[str, ...]) -> str | None:
    try:
        text = regular_bytes(path, _MAX_BYTES).decode("utf-8")
    except (OSError, ValueError):
        return None
    return next(_versions_in_lock(text, packages), None)


def _versions_in_lock(text: str, packages: tuple[str, ...]) -> Iterator[str]:
    version = r"(\d+\.\d+(?:\.\d+)?)"
    for name in map(re.escape, packages):
        for pattern in (
            rf'"node_modules/{name}": \{{\s*"version": "{version}',  # package-lock.json
            rf"^ +'?/?{name}[@/]{version}[^:\n]*:",  # pnpm-lock.yaml
            rf'^"?{name}@[^\n]*:\n +version:? "?{version}',  # yarn.lock, both formats
        ):
            if found := re.search(pattern, text, re.MULTILINE):
                yield found[1]
