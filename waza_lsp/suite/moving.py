"""Paths that lead to a file, and what becomes of them when the file is moved."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from lsprotocol import types

from waza_lsp.schema.paths import PathValue, path_values
from waza_lsp.snapshot import Snapshot
from waza_lsp.suite.around import Around
from waza_lsp.syntax.text import Span
from waza_lsp.syntax.written import in_style

_WILD = frozenset("*?[\\")


class Led(NamedTuple):
    """A path of a document, and where it leads: for a pattern, the folder before its first wildcard."""

    snapshot: Snapshot
    value: PathValue
    target: Path

    @property
    def location(self) -> types.Location:
        """Where it stands, for the client."""
        return types.Location(self.snapshot.uri, self.snapshot.text.range(self.value.span))


def leading_to(target: Path, snapshot: Snapshot, around: Around) -> Iterator[Led]:
    """Every path in the suite and the workspace that leads to a file or folder; no patterns."""
    for member in around.mentioning(target.name, snapshot):
        yield from (it for it in _led(member, around) if it.target == target and not it.value.is_pattern)


def moved(
    old: Path, new: Path, snapshots: Iterable[Snapshot], around: Around
) -> Iterator[tuple[Snapshot, list[types.TextEdit]]]:
    """The edits that keep all paths leading where they do when `old` becomes `new`."""
    for member in snapshots:
        folders = _folders_after(member, old, new, around)
        edits = [
            types.TextEdit(member.text.range(it.value.span), in_style(it.value.style, text))
            for it in _led(member, around)
            if (text := _moved_text(it, folders[it.value.span], old, new)) != it.value.text
        ]
        if edits:
            yield member, edits


def _folders_after(snapshot: Snapshot, old: Path, new: Path, around: Around) -> dict[Span, Path]:
    """The folder that each path of a document starts from once the move is made."""
    form, path = snapshot.form, snapshot.path
    if form is None or path is None:
        return {}
    after = {
        it.span: it.folder for it in path_values(form, snapshot.tree, _moved_path(path, old, new), around)
    }
    return {
        it.span: _moved_path(normal(it.folder), old, new)
        if normal(it.folder).is_relative_to(old)
        else normal(after.get(it.span, it.folder))
        for it in path_values(form, snapshot.tree, path, around)
    }


def _led(snapshot: Snapshot, around: Around) -> Iterator[Led]:
    if snapshot.form is None:
        return
    for value in path_values(snapshot.form, snapshot.tree, snapshot.path, around):
        text = value.text[: _fixed(value)] if value.is_pattern else value.text
        yield Led(snapshot, value, normal(value.folder / text))


def _fixed(value: PathValue) -> int:
    """How much of a pattern is the folder before its first wildcard."""
    first = next(i for i, it in enumerate(value.text) if it in _WILD)
    return value.text.rfind("/", 0, first) + 1


def _moved_text(led: Led, folder: Path, old: Path, new: Path) -> str:
    """The path as it has to be written, from `folder`, once the move is made."""
    value, target = led.value, _moved_path(led.target, old, new)
    if value.text.startswith("/"):
        return value.text if target == led.target else target.as_posix()
    before = os.path.relpath(led.target, normal(value.folder))
    after = os.path.relpath(target, folder)
    if before == after:
        return value.text
    text = Path(after).as_posix()
    if value.text.startswith("./") and not text.startswith("."):
        text = f"./{text}"
    if value.is_pattern:
        rest = value.text[_fixed(value) :]
        return rest if text == "." else f"{text}/{rest}"
    return text + ("/" if value.text.endswith("/") else "")


def _moved_path(path: Path, old: Path, new: Path) -> Path:
    return new / path.relative_to(old) if path.is_relative_to(old) else path


def normal(path: Path) -> Path:
    """The path without `.` and `..`; links are not looked at."""
    return Path(os.path.normpath(path))
