"""Paths that lead to a file, and what becomes of them when the file is moved."""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from lsprotocol import types

from waza_lsp.schema.paths import PathValue, path_values
from waza_lsp.snapshot import Snapshot
from waza_lsp.suite.around import Around
from waza_lsp.syntax.written import in_style

Moves = Mapping[Path, Path]
"""Files and folders that are moved at once: the old place of each, and the new one."""


class Led(NamedTuple):
    """A path of a document, and where it leads: for a pattern, the folder before its first wildcard."""

    snapshot: Snapshot
    value: PathValue
    target: Path

    @property
    def location(self) -> "types.Location":
        """Where it stands, for the client."""
        return types.Location(self.snapshot.uri, self.snapshot.text.range(self.value.span))


def leading_to(target: Path, snapshot: Snapshot, around: Around) -> Iterator[Led]:
    """Every path in the suite and the workspace that leads to a file or folder; no patterns."""
    for member in around.mentioning(target.name, snapshot):
        yield from (it for it in _led(member, around) if it.target == target and not it.value.is_pattern)


def moved(
    moves: Moves, snapshots: Iterable[Snapshot], around: Around
) -> "Iterator[tuple[Snapshot, list[types.TextEdit]]]":
    """The edits that keep all paths leading where they do once all moves are made."""
    for member in snapshots:
        edits = [
            types.TextEdit(member.text.range(it.value.span), in_style(it.value.style, text))
            for it in _led(member, around)
            if (text := _moved_text(it, moves)) != it.value.text
        ]
        if edits:
            yield member, edits


def _led(snapshot: Snapshot, around: Around) -> Iterator[Led]:
    if snapshot.form is None:
        return
    for value in path_values(snapshot.form, snapshot.tree, snapshot.path, around):
        yield Led(snapshot, value, normal(value.folder / value.fixed))


def _moved_text(led: Led, moves: Moves) -> str:
    """The path as it has to be written once the moves are made."""
    value, target = led.value, _moved_path(led.target, moves)
    if value.text.startswith("/"):
        return value.text if target == led.target else target.as_posix()
    before = os.path.relpath(led.target, normal(value.folder))
    after = os.path.relpath(target, _folder_after(led, moves))
    # Where waza takes no `..` the path would be wrong either way: it stays what somebody wrote.
    if before == after or (_is_confined(value) and after.startswith("..") and not before.startswith("..")):
        return value.text
    text = Path(after).as_posix()
    if value.text.startswith("./") and not text.startswith("."):
        text = f"./{text}"
    if value.is_pattern:
        rest = value.text.removeprefix(value.fixed)
        return rest if text == "." else f"{text}/{rest}"
    return text + ("/" if value.text.endswith("/") else "")


def _folder_after(led: Led, moves: Moves) -> Path:
    """The folder that a path starts from once the moves are made."""
    folder, path, form = normal(led.value.folder), led.snapshot.path, led.snapshot.form
    after = _moved_path(folder, moves)
    if after != folder or path is None or form is None:
        return after
    # A task that moves stays one of its eval, whose folder stays where it is.
    free = {"process"} if form.runnable != "task" else {"process", "eval", "fixtures"}
    return folder if led.value.base in free else _beside(folder, path, _moved_path(path, moves))


def _beside(folder: Path, old: Path, new: Path) -> Path:
    """The folder that is to a file's new place what `folder` was to its old one."""
    return normal(new.parent / os.path.relpath(folder, old.parent))


def _is_confined(value: PathValue) -> bool:
    """Whether the path may not lead out of where it starts (docs/reference/waza-formats.md, section 5.1)."""
    return value.base == "fixtures" or (value.base == "task" and value.kind == "file")


def _moved_path(path: Path, moves: Moves) -> Path:
    """Where something comes to be that is moved, or is in a folder that is."""
    old = next((it for it in (path, *path.parents) if it in moves), None)
    return moves[old] / path.relative_to(old) if old is not None else path


def normal(path: Path) -> Path:
    """The path without `.` and `..`; links are not looked at."""
    return Path(os.path.normpath(path))
