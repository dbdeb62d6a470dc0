"""What can be renamed at a place, and the edits that do it: anchors, names of things, files."""

import re
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types

from waza_lsp.schema.names import anchor_occurrences
from waza_lsp.schema.paths import PathValue, path_value_at
from waza_lsp.snapshot import Snapshot
from waza_lsp.suite.around import Around
from waza_lsp.suite.client import ABLE, Client
from waza_lsp.suite.mentions import Mentions, mentions
from waza_lsp.suite.moving import moved, normal
from waza_lsp.syntax.text import Place, Span
from waza_lsp.syntax.written import in_style

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
        edit = types.TextEdit(it.text.range(it.inner), in_style(it.style, new))
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
