"""Renaming of anchors, names and files, and edits that keep paths correct when files move."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from lsprotocol import types

from waza_engine.lib.paths import normal_path
from waza_lsp.schema.paths import PathValue, path_value_at, path_values
from waza_lsp.schema.references import anchor_occurrences
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.edit.emit import scalar_content
from waza_lsp.syntax.text import Place, Span
from waza_lsp.workspace.client import FULL_SUPPORT, Client
from waza_lsp.workspace.references import Mentions, mentions
from waza_lsp.workspace.workspace import WorkspaceFiles

Moves = Mapping[Path, Path]
"""Files and folders that move together: old path to new path."""


class PathUse(NamedTuple):
    """A path in a document and its target. The target of a pattern is the folder before its first wildcard."""

    snapshot: Snapshot
    value: PathValue
    target: Path

    @property
    def location(self) -> "types.Location":
        """The LSP location of the path."""
        return types.Location(self.snapshot.uri, self.snapshot.text.range(self.value.span))


def paths_to(target: Path, snapshot: Snapshot, workspace: WorkspaceFiles) -> Iterator[PathUse]:
    """Return every path in the suite and the workspace whose target is a file or folder. Patterns do not count."""
    for member in workspace.mentioning(target.name, snapshot):
        yield from (
            it for it in _path_uses(member, workspace) if it.target == target and not it.value.is_pattern
        )


def _move_edits(
    moves: Moves, snapshots: Iterable[Snapshot], workspace: WorkspaceFiles
) -> "Iterator[tuple[Snapshot, list[types.TextEdit]]]":
    """Return the edits that keep all paths correct after the moves."""
    for member in snapshots:
        edits = [
            types.TextEdit(member.text.range(it.value.span), scalar_content(it.value.style, text))
            for it in _path_uses(member, workspace)
            if (text := _text_after(it, moves)) != it.value.text
        ]
        if edits:
            yield member, edits


def _path_uses(snapshot: Snapshot, workspace: WorkspaceFiles) -> Iterator[PathUse]:
    if snapshot.form is None:
        return
    for value in path_values(snapshot.form, snapshot.tree, snapshot.path, workspace):
        yield PathUse(snapshot, value, normal_path(value.folder / value.fixed))


def _text_after(use: PathUse, moves: Moves) -> str:
    """Return the text of a path after the moves."""
    value, target = use.value, _path_after(use.target, moves)
    if value.text.startswith("/"):
        return value.text if target == use.target else target.as_posix()
    before = os.path.relpath(use.target, normal_path(value.folder))
    after = os.path.relpath(target, _folder_after(use, moves))
    # waza refuses `..` here, so no correct path exists: keep the text of the user.
    if before == after or (_is_confined(value) and after.startswith("..") and not before.startswith("..")):
        return value.text
    text = Path(after).as_posix()
    if value.text.startswith("./") and not text.startswith("."):
        text = f"./{text}"
    if value.is_pattern:
        rest = value.text.removeprefix(value.fixed)
        return rest if text == "." else f"{text}/{rest}"
    return text + ("/" if value.text.endswith("/") else "")


def _folder_after(use: PathUse, moves: Moves) -> Path:
    """Return the base folder of a path after the moves."""
    folder, path, form = normal_path(use.value.folder), use.snapshot.path, use.snapshot.form
    after = _path_after(folder, moves)
    if after != folder or path is None or form is None:
        return after
    # A moved task still belongs to its eval, whose folder does not move.
    free = {"process"} if form.runnable != "task" else {"process", "eval", "fixtures"}
    return folder if use.value.base in free else _relocate(folder, path, _path_after(path, moves))


def _relocate(folder: Path, old: Path, new: Path) -> Path:
    """Return the folder with the same position relative to `new` as `folder` has to `old`."""
    return normal_path(new.parent / os.path.relpath(folder, old.parent))


def _is_confined(value: PathValue) -> bool:
    """Whether the path must stay below its base folder (docs/reference/waza-formats.md, section 5.1)."""
    return value.base == "fixtures" or (value.base == "task" and value.kind == "file")


def _path_after(path: Path, moves: Moves) -> Path:
    """Return the path of a file or folder after the moves."""
    old = next((it for it in (path, *path.parents) if it in moves), None)
    return moves[old] / path.relative_to(old) if old is not None else path


ANCHOR_NAME = r"[^\s,\[\]{}&*!|>'\"%@`#]+"


class RenameError(ValueError):  # shown to the user; not a failure of the program
    """The rename is refused. The message tells the user why."""


@dataclass(frozen=True, slots=True)
class Anchors:
    """An anchor and its aliases: the spans of the bare name."""

    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class RenameTarget:
    """What is at a place: the stretch that holds its name, the name, and the thing itself."""

    span: Span
    name: str
    thing: Anchors | Mentions | PathValue


def rename_target(
    snapshot: Snapshot, place: Place, workspace: WorkspaceFiles, *, generic: bool = True
) -> RenameTarget | None:
    """Return what can be renamed at a place. Names without a definition (models, tools) cannot.

    Without `generic`, anchors are left out: another YAML server handles them.
    """
    form = snapshot.form
    if form is None:
        return None
    located = snapshot.tree.at(place)
    path = path_value_at(form, snapshot.tree, snapshot.path, workspace, located)
    if path is not None:
        is_there = not path.is_pattern and workspace.is_file(path.folder / path.text)
        return RenameTarget(path.span, path.text, path) if is_there else None
    found = mentions(snapshot, place, workspace)
    if found is not None:
        named = found.definitions and all(it.has_name for it in found.definitions)
        return RenameTarget(found.name.inner, found.name.text, found) if named else None
    return anchor_target(snapshot, place) if generic else None


def anchor_target(snapshot: Snapshot, place: Place) -> RenameTarget | None:
    """Return the anchor at a place, or None if several values share its name."""
    found = anchor_occurrences(snapshot.tree, snapshot.text, place)
    if found is None or not found.definitions or _is_defined_again(snapshot, found.definitions[0]):
        return None
    spans = tuple(_without_sign(it) for it in (*found.definitions, *found.uses))
    here = next((it for it in spans if Span(_before(it.start), it.end).contains(place)), spans[0])
    return RenameTarget(here, snapshot.text.slice(here), Anchors(spans))


def _is_defined_again(snapshot: Snapshot, anchor: Span) -> bool:
    name = re.compile(re.escape(snapshot.text.slice(anchor)) + r"(?=[\s,\]}]|$)")
    return sum(len(name.findall(it)) for it in snapshot.text.lines) > 1


def _without_sign(span: Span) -> Span:
    """Return the span without the leading `&` or `*`."""
    return Span(Place(span.start.line, span.start.column + 1), span.end)


def _before(place: Place) -> Place:
    return Place(place.line, place.column - 1)


def rename_edit(
    target: RenameTarget,
    new: str,
    snapshot: Snapshot,
    workspace: WorkspaceFiles,
    client: Client = FULL_SUPPORT,
) -> types.WorkspaceEdit:
    """Return the edits that rename the target.

    Raises:
        RenameError: the name is invalid or taken, or the editor cannot rename files.

    """
    new = new.strip()
    if not new or "\n" in new:
        raise RenameError("The new name must be a single non-empty line")
    match target.thing:
        case Anchors(spans):
            return _anchor_edit(spans, new, snapshot)
        case PathValue() as value:
            return _file_edit(value, new, snapshot, workspace, client)
        case found:
            return _name_edit(found, new)


def _anchor_edit(spans: tuple[Span, ...], new: str, snapshot: Snapshot) -> types.WorkspaceEdit:
    if not re.fullmatch(ANCHOR_NAME, new):
        raise RenameError("An anchor name cannot contain spaces, brackets, quotes or commas")
    if any(new in it.parsed.anchors for it in snapshot.tree.pieces):
        raise RenameError(f"An anchor named '{new}' already exists")
    return types.WorkspaceEdit(
        {snapshot.uri: [types.TextEdit(snapshot.range(it), new) for it in sorted(spans)]}
    )


def _name_edit(found: Mentions, new: str) -> types.WorkspaceEdit:
    if new in found.taken:
        raise RenameError(f"A {found.name.thing} named '{new}' already exists")
    changes: dict[str, list[types.TextEdit]] = {}
    for it in found.places:
        edit = types.TextEdit(it.text.range(it.inner), scalar_content(it.style, new))
        changes.setdefault(it.uri, []).append(edit)
    return types.WorkspaceEdit(changes)


def _file_edit(
    value: PathValue, new: str, snapshot: Snapshot, workspace: WorkspaceFiles, client: Client
) -> types.WorkspaceEdit:
    if not client.rename_files:
        raise RenameError("This editor does not let the server rename files")
    old, wanted = normal_path(value.folder / value.text), normal_path(value.folder / new)
    if workspace.files.exists(wanted):
        raise RenameError(f"A file named '{new}' already exists")
    return move_files_edit([(old, wanted)], workspace, client, snapshot, rename=True)


def move_files_edit(
    pairs: list[tuple[Path, Path]],
    workspace: WorkspaceFiles,
    client: Client,
    snapshot: Snapshot | None = None,
    *,
    rename: bool = False,
) -> types.WorkspaceEdit:
    """Return the edits that keep all paths correct when files move; with `rename`, also the moves themselves."""
    # One edit per document: positions in a second edit would refer to the text before the first.
    members = {
        it.uri: it for old, _ in pairs for it in workspace.mentioning(old.name, snapshot, below=old)
    }.values()
    edited = list(_move_edits(dict(pairs), members, workspace))
    if not client.document_changes:
        return types.WorkspaceEdit({member.uri: edits for member, edits in edited})
    changes: list[types.TextDocumentEdit | types.CreateFile | types.RenameFile | types.DeleteFile] = []
    for member, edits in edited:
        document = types.OptionalVersionedTextDocumentIdentifier(member.uri, member.version)
        changes.append(types.TextDocumentEdit(document, list(edits)))
    if rename:
        changes += [types.RenameFile(old.as_uri(), new.as_uri()) for old, new in pairs]
    return types.WorkspaceEdit(document_changes=changes)
