"""Commands that write files: export schemas, convert a suite."""

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from waza_engine.lib.paths import normal_path
from waza_lsp.server.params import params_of, text_in
from waza_lsp.server.session import Session
from waza_lsp.snapshot import path_of
from waza_lsp.syntax.text import Place, Span, Text

if TYPE_CHECKING:
    from waza_engine.convert.conversion import Conversion

Answer = dict[str, Any]


async def export_schemas(session: Session, *arguments: Any) -> Answer | None:
    """`waza.exportSchemas {directory?}`: write the JSON Schemas for editors and CI without this server.

    A relative directory starts at the workspace folder. The content does not depend on the workspace, so the command
    also works in workspaces that are not trusted. The target may still contain links that somebody else has placed.
    """
    folders = session.client.folders
    root = folders[0] if folders else Path.cwd()
    target = normal_path(root / (text_in(params_of(arguments), "directory") or "schemas"))
    # A path that leaves the workspace by its own words is the user's choice. A link in the workspace is not.
    bounds = root if target.is_relative_to(root) else target
    try:
        count = await asyncio.to_thread(_write_schemas, target, bounds)
    except (OSError, ValueError) as error:
        session.client.show(f"The schemas cannot be written to {target}: {error}")
        return None
    return {"directory": str(target), "count": count}


def _write_schemas(target: Path, bounds: Path) -> int:
    from waza_engine.analysis.schema.files import published_schema, schema_names
    from waza_engine.lib.files.safe_write import require_inside

    paths = {name: target / f"{name}.schema.json" for name in schema_names()}
    for path in paths.values():
        require_inside(path, bounds)
    for name, path in paths.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(published_schema(name), indent=2, ensure_ascii=False) + "\n"
        path.write_text(text, encoding="utf-8")
    return len(paths)


async def convert(session: Session, *arguments: Any) -> Answer | None:
    """`waza.convert {uri, to?, directory?, plan?}`: convert the suite of a file to another dialect, as new files.

    The files on disk are converted. The editor creates the new files, beside the eval unless `directory` is given, and
    never replaces a file. Answers with the new files and with what was lost; with `plan` it creates none. Without `to`,
    it is the first dialect that the suite does not have.
    """
    # Imported late, here and below, for a fast start.
    from waza_engine.model.suite import LoadError

    client, params = session.client, params_of(arguments)
    file = path_of(text_in(params, "uri"))
    if file is None:
        client.show("Only files on disk can be converted; save this document first.")
        return None
    path, other = await asyncio.to_thread(_eval_and_other_dialect, file)
    dialect = text_in(params, "to") or other
    folder = Path(text_in(params, "directory") or path.parent / dialect)
    if params.get("plan") is not True and not await session.trust.ask(path):
        return None
    process_dir = session.workspace.process_dir(path) or path.parent
    try:
        result = await asyncio.to_thread(_conversion, path, dialect, folder, process_dir)
    except LoadError as error:
        client.show(str(error))
        return None
    lost = [
        {"message": it.message, "kept": it.kept, "pointer": list(it.pointer)}
        | ({"uri": it.path.absolute().as_uri()} if it.path else {})
        for it in result.lost
    ]
    lost += [
        {"message": f"{name} is not a text file. Copy it from {source}", "kept": False, "pointer": []}
        for name, source in result.copies.items()
    ]
    if params.get("plan") is True:
        return {
            "uri": path.as_uri(),
            "to": dialect,
            "files": [(folder / it).as_uri() for it in result.files],
            "lost": lost,
        }
    if not client.edits.create_files:
        command = f"waza-lsp convert {path.name} --to {dialect}"
        client.show(f"This editor cannot create files for a server. Use a terminal instead: {command}")
        return None
    files = {(folder / name).as_uri(): text for name, text in result.files.items()}
    applied = await client.lsp.workspace_apply_edit_async(
        types.ApplyWorkspaceEditParams(_edit(files), label=f"Convert to {dialect}")
    )
    if not applied.applied:
        client.show(applied.failure_reason or "The editor did not create the files. They may already exist.")
        return None
    return {"uri": path.as_uri(), "to": dialect, "files": list(files), "lost": lost}


def _eval_and_other_dialect(path: Path) -> tuple[Path, str]:
    """Return the eval of a file, and the first dialect to convert to that is not its own."""
    from waza_engine.convert.convert import TARGETS
    from waza_engine.project.load_suite import dialect_of_file
    from waza_engine.project.suite_files import eval_of

    path = eval_of(path) or path
    own = dialect_of_file(path).name
    return path, next(it for it in TARGETS if it != own)


def _conversion(path: Path, dialect: str, folder: Path, process_dir: Path) -> "Conversion":
    # Imported late: it brings every grader type.
    from waza_engine.convert.convert import convert_suite

    return convert_suite(path, dialect, folder, process_dir)


def _edit(files: dict[str, str]) -> types.WorkspaceEdit:
    start = Text.of("").range(Span(Place(0, 0), Place(0, 0)))
    changes: list[Any] = []
    for uri, text in files.items():
        document = types.OptionalVersionedTextDocumentIdentifier(uri)
        changes += [types.CreateFile(uri), types.TextDocumentEdit(document, [types.TextEdit(start, text)])]
    return types.WorkspaceEdit(document_changes=changes)
