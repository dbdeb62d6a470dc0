"""What can be renamed at a place, and the edits that do it: anchors, names of things, files.

Paths that lead to a file, and what becomes of them when the file is moved.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from lsprotocol import types

from waza_lsp.schema.paths import PathValue, path_value_at, path_values
from waza_lsp.schema.references import anchor_occurrences
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.edit.emit import scalar_content
from waza_lsp.syntax.text import Place, Span
from waza_lsp.workspace.client import ABLE, Client
from waza_lsp.workspace.references import Mentions, mentions
from waza_lsp.workspace.workspace import Around

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
            types.TextEdit(member.text.range(it.value.span), scalar_content(it.value.style, text))
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


ANCHOR_NAME = r"[^\s,\[\]{}&*!|>'\"%@`#]+"


class CannotRename(ValueError):  # noqa: N818  # what a user is told, no failure of the program
    """The new name cannot be given; the text says why."""


@dataclass(frozen=True, slots=True)
class Anchors:
    """An anchor and its aliases: the spans of the bare name."""

    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Renamable:
    """What is at a place: the stretch that holds its name, the name, and the thing itself."""

    span: Span
    name: str
    thing: Anchors | Mentions | PathValue


def renamable(snapshot: Snapshot, place: Place, around: Around, *, generic: bool = True) -> Renamable | None:
    """What can be renamed at a place. Names that nothing here defines (models, tools) cannot.

    Without `generic`, what another server knows of YAML is left out: anchors.
    """
    form = snapshot.form
    if form is None:
        return None
    located = snapshot.tree.at(place)
    path = path_value_at(form, snapshot.tree, snapshot.path, around, located)
    if path is not None:
        is_there = not path.is_pattern and around.is_file(path.folder / path.text)
        return Renamable(path.span, path.text, path) if is_there else None
    found = mentions(snapshot, place, around)
    if found is not None:
        named = found.definitions and all(it.name_is_written for it in found.definitions)
        return Renamable(found.name.inner, found.name.text, found) if named else None
    return renamable_anchor(snapshot, place) if generic else None


def renamable_anchor(snapshot: Snapshot, place: Place) -> Renamable | None:
    """The anchor at a place; None where its name stands for several values, one after the other."""
    found = anchor_occurrences(snapshot.tree, snapshot.text, place)
    if found is None or not found.definitions or _is_given_again(snapshot, found.definitions[0]):
        return None
    spans = tuple(_without_sign(it) for it in (*found.definitions, *found.uses))
    here = next((it for it in spans if Span(_before(it.start), it.end).contains(place)), spans[0])
    return Renamable(here, snapshot.text.slice(here), Anchors(spans))


def _is_given_again(snapshot: Snapshot, anchor: Span) -> bool:
    name = re.compile(re.escape(snapshot.text.slice(anchor)) + r"(?=[\s,\]}]|$)")
    return sum(len(name.findall(it)) for it in snapshot.text.lines) > 1


def _without_sign(span: Span) -> Span:
    """Without the `&` or `*` at the start."""
    return Span(Place(span.start.line, span.start.column + 1), span.end)


def _before(place: Place) -> Place:
    return Place(place.line, place.column - 1)


def renamed(
    target: Renamable, new: str, snapshot: Snapshot, around: Around, client: Client = ABLE
) -> types.WorkspaceEdit:
    """The edits that give the thing another name.

    Raises:
        CannotRename: the name cannot be used, something else has it, or the editor cannot do it.

    """
    new = new.strip()
    if not new or "\n" in new:
        raise CannotRename("The new name must be a text on one line")
    match target.thing:
        case Anchors(spans):
            return _renamed_anchor(spans, new, snapshot)
        case PathValue() as value:
            return _renamed_file(value, new, snapshot, around, client)
        case found:
            return _renamed_name(found, new)


def _renamed_anchor(spans: tuple[Span, ...], new: str, snapshot: Snapshot) -> types.WorkspaceEdit:
    if not re.fullmatch(ANCHOR_NAME, new):
        raise CannotRename("The name of an anchor has no blanks, brackets, quotes or commas")
    if any(new in it.parsed.anchors for it in snapshot.tree.pieces):
        raise CannotRename(f"There is an anchor '{new}' already")
    return types.WorkspaceEdit(
        {snapshot.uri: [types.TextEdit(snapshot.range(it), new) for it in sorted(spans)]}
    )


def _renamed_name(found: Mentions, new: str) -> types.WorkspaceEdit:
    if new in found.taken:
        raise CannotRename(f"There is a {found.name.thing} '{new}' already")
    changes: dict[str, list[types.TextEdit]] = {}
    for it in found.places:
        edit = types.TextEdit(it.text.range(it.inner), scalar_content(it.style, new))
        changes.setdefault(it.uri, []).append(edit)
    return types.WorkspaceEdit(changes)


def _renamed_file(
    value: PathValue, new: str, snapshot: Snapshot, around: Around, client: Client
) -> types.WorkspaceEdit:
    if not client.rename_files:
        raise CannotRename("This editor cannot rename files for a server")
    old, wanted = normal(value.folder / value.text), normal(value.folder / new)
    if around.files.exists(wanted):
        raise CannotRename(f"There is a file '{new}' already")
    return moved_files([(old, wanted)], around, client, snapshot, rename=True)


def moved_files(
    pairs: list[tuple[Path, Path]],
    around: Around,
    client: Client,
    snapshot: Snapshot | None = None,
    *,
    rename: bool = False,
) -> types.WorkspaceEdit:
    """The edits that keep all paths leading where they do when files move; with `rename` the moves themselves, too."""
    # One edit for each document: those of a second one would count in a text that the first has changed.
    members = {
        it.uri: it for old, _ in pairs for it in around.mentioning(old.name, snapshot, below=old)
    }.values()
    edited = list(moved(dict(pairs), members, around))
    if not client.document_changes:
        return types.WorkspaceEdit({member.uri: edits for member, edits in edited})
    changes: list[types.TextDocumentEdit | types.CreateFile | types.RenameFile | types.DeleteFile] = []
    for member, edits in edited:
        document = types.OptionalVersionedTextDocumentIdentifier(member.uri, member.version)
        changes.append(types.TextDocumentEdit(document, list(edits)))
    if rename:
        changes += [types.RenameFile(old.as_uri(), new.as_uri()) for old, new in pairs]
    return types.WorkspaceEdit(document_changes=changes)
