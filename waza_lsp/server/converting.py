"""`waza.convert {uri, to, directory?}`: the suite of a file in another dialect, as new files that the editor makes."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from waza_lsp.server.app import WazaServer
from waza_lsp.server.given import given, text_in
from waza_lsp.snapshot import path_of
from waza_lsp.syntax.text import Place, Span, Text

if TYPE_CHECKING:
    from waza_engine.convert import Conversion


async def convert(server: WazaServer, *arguments: Any) -> dict[str, Any] | None:
    """Ask the editor to make the files, beside the eval unless a `directory` is given; answers what was made and lost.

    What is on disk is converted. Files that are there stay: the editor refuses to make them anew.
    """
    # Imported when it is used, here and below, for a fast start.
    from waza_engine.suite import LoadError

    asked = given(arguments)
    path, target = path_of(text_in(asked, "uri")), text_in(asked, "to")
    if path is None:
        server.say("Only files on disk can be converted; save this document first.")
        return None
    folder = Path(text_in(asked, "directory") or path.parent / target)
    try:
        result = await asyncio.to_thread(
            _converted, path, target, folder, server.process_dir(path) or path.parent
        )
    except LoadError as error:
        server.say(str(error))
        return None
    if not server.edit_client.create_files:
        command = f"waza-lsp convert {path.name} --to {target}"
        server.say(f"This editor cannot make files for a server; in a terminal this does: {command}")
        return None
    files = {(folder / name).as_uri(): text for name, text in result.files.items()}
    made = await server.workspace_apply_edit_async(
        types.ApplyWorkspaceEditParams(_edit(files), label=f"Convert to {target}")
    )
    if not made.applied:
        server.say(made.failure_reason or "The editor did not make the files; perhaps they are there.")
        return None
    lost = [{"message": it.message, "kept": it.kept} for it in result.lost]
    return {"files": list(files), "lost": lost}


def _converted(path: Path, target: str, folder: Path, process_dir: Path) -> "Conversion":
    # Every grader type comes with it.
    from waza_engine.convert import converted

    return converted(path, target, folder, process_dir)


def _edit(files: dict[str, str]) -> types.WorkspaceEdit:
    start = Text.of("").range(Span(Place(0, 0), Place(0, 0)))
    changes: list[Any] = []
    for uri, text in files.items():
        document = types.OptionalVersionedTextDocumentIdentifier(uri)
        changes += [types.CreateFile(uri), types.TextDocumentEdit(document, [types.TextEdit(start, text)])]
    return types.WorkspaceEdit(document_changes=changes)
