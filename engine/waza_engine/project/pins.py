"""Find the version of a runner that a project pins: in its own project file, in `package.json`, or in a lock file.

Used if no setting names a version. Reads are bounded, and kept until a file changes, because every check asks.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from waza_engine.lib.files.safe_read import regular_bytes
from waza_engine.lib.queries.disk import note_read, stamp
from waza_engine.lib.queries.store import Database, query

MANIFEST = "package.json"
LOCK_FILES = ("package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock")
_SECTIONS = ("dependencies", "devDependencies", "optionalDependencies")
_MAX_BYTES = 16_000_000
"""Lock files of large projects have some megabytes."""
_RANGE = re.compile(r"[\^~=v]?\s*(\d+\.\d+(?:\.\d+)?)(?:-[\w.]+)?(?:\.[x*])?")
"""An exact version, or a range of versions that begins with one and stays close to it."""
_EXACT = re.compile(r"[=v]?\s*\d+\.\d+\.\d+(?:-[\w.]+)?")
_TARGET = re.compile(r"^target: *['\"]?v?(\d+\.\d+(?:\.\d+)?)['\"]? *(?:#.*)?$", re.MULTILINE)
"""The line of a runner's own project file that says for which version its files are."""


class Pin(NamedTuple):
    """A pinned version, and the file that pins it."""

    version: str
    path: Path


class _Wanted(NamedTuple):
    """What a manifest says about a package: the version ("" if it is open), and whether no other version fits."""

    version: str
    is_exact: bool


@query(keep=1_000)
def pinned(db: Database, folder: Path, packages: tuple[str, ...], project_file: str) -> Pin | None:
    """Return the version that the nearest project pins for files in a folder.

    The runner is one of these npm packages. Its `project_file`, if that has a `target`, comes first. Exact versions in
    a manifest need no lock file; what a range stands for is in the lock file.
    """
    directories = (folder, *folder.parents)
    for path in (it / project_file for it in directories if project_file):
        if target := _found(db, path, (), _target):
            return Pin(target, path)
    nearest: Pin | None = None
    is_mentioned = False
    for directory in directories:
        manifest = directory / MANIFEST
        wanted: _Wanted | None = _found(db, manifest, packages, _wanted)
        if wanted is not None:
            is_mentioned = True
            nearest = nearest or (Pin(wanted.version, manifest) if wanted.version else None)
        if wanted is not None and wanted.is_exact:
            break
        # Without a mention in a manifest, a package in a lock file is only what other packages need.
        if is_mentioned:
            for path in (directory / it for it in LOCK_FILES):
                if locked := _found(db, path, packages, _locked):
                    return Pin(locked, path)
    return nearest


@query(keep=5_000)
def _found(_: Database, path: Path, packages: tuple[str, ...], read: Callable[..., Any]) -> Any:
    """Return what `read` finds in a file; None if there is no such file, or nothing in it."""
    note_read(path)
    now = stamp(path)
    return read(path, packages) if now is not None and now[2] <= _MAX_BYTES else None


def _target(path: Path, _packages: tuple[str, ...]) -> str | None:
    found = _TARGET.search(_text(path))
    return found[1] if found is not None else None


def _wanted(path: Path, packages: tuple[str, ...]) -> _Wanted | None:
    # Imported late: most projects have no package.json.
    import json

    try:
        data: Any = json.loads(regular_bytes(path, _MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(data, dict):
        return None
    tables = [it for name in _SECTIONS if isinstance(it := data.get(name), Mapping)]
    ranges = [it for table in tables for it in _ranges(table, packages)]
    for it in ranges:
        if found := _RANGE.fullmatch(it):
            return _Wanted(found[1], _EXACT.fullmatch(it) is not None)
    scripts = data.get("scripts")
    for it in scripts.values() if isinstance(scripts, Mapping) else ():
        # As in `npx @scope/package@1.2.3 lint`.
        for name in map(re.escape, packages):
            if isinstance(it, str) and (started := re.search(rf"{name}@v?(\d+\.\d+(?:\.\d+)?)", it)):
                return _Wanted(started[1], is_exact=True)
    return _Wanted("", is_exact=False) if ranges else None


def _ranges(table: Mapping[str, Any], packages: tuple[str, ...]) -> Iterator[str]:
    """Yield the versions of the packages in a table of dependencies, also under another name."""
    for name, version in table.items():
        if isinstance(version, str):
            alias = next((f"npm:{it}@" for it in packages if version.startswith(f"npm:{it}@")), "")
            if name in packages or alias:
                yield version.removeprefix(alias).strip()


def _locked(path: Path, packages: tuple[str, ...]) -> str | None:
    return next(_versions_in_lock(_text(path), packages), None)


def _text(path: Path) -> str:
    try:
        return regular_bytes(path, _MAX_BYTES).decode("utf-8")
    except (OSError, ValueError):
        return ""


def _versions_in_lock(text: str, packages: tuple[str, ...]) -> Iterator[str]:
    version = r"(\d+\.\d+(?:\.\d+)?)"
    for name in map(re.escape, packages):
        for pattern in (
            rf'"(?:node_modules/)?{name}": \{{[^{{}}]*?"version": "{version}',  # package-lock.json, all versions
            rf"^ +'?/?{name}[@/]{version}[^:\n]*:",  # pnpm-lock.yaml
            rf"^ +'?{name}'?:\n +specifier:[^\n]*\n +version: '?{version}",  # pnpm-lock.yaml, its importers
            rf'^"?{name}@[^\n]*:\n +version:? "?{version}',  # yarn.lock, both formats
            rf'"{name}":\s*\["{name}@{version}',  # bun.lock
        ):
            if found := re.search(pattern, text, re.MULTILINE):
                yield found[1]
