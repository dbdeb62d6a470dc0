"""`waza.convert {uri, to, directory?}`: the suite of a file in another dialect, as new files that the editor makes."""

import asyncio
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from waza_lsp.server.params import given, text_in
from waza_lsp.server.session import WazaServer
from waza_lsp.snapshot import path_of
from waza_lsp.syntax.text import Place, Span, Text

if TYPE_CHECKING:
    from waza_engine.convert import Conversion


async def export_schemas(server: WazaServer, *arguments: Any) -> dict[str, Any] | None:
    """Write the schemas; answers where they are. A relative directory is one of the workspace."""
    root = server.folders[0] if server.folders else Path.cwd()
    target = _cleaned(root / (text_in(given(arguments), "directory") or "schemas"))
    # A path that leads elsewhere by its own words is the user's choice.
    bounds = root if target.is_relative_to(root) else target
    try:
        count = await asyncio.to_thread(_write, target, bounds)
    except (OSError, ValueError) as error:
        server.say(f"The schemas cannot be written to {target}: {error}")
        return None
    return {"directory": str(target), "count": count}


def _cleaned(path: Path) -> Path:
    return Path(os.path.normpath(path))


def _write(target: Path, bounds: Path) -> int:
    from waza_engine.schema_files import published_schema, schema_names
    from waza_engine.written_places import refuse_elsewhere

    paths = {name: target / f"{name}.schema.json" for name in schema_names()}
    for path in paths.values():
        refuse_elsewhere(path, bounds)
    for name, path in paths.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(published_schema(name), indent=2, ensure_ascii=False) + "\n"
        path.write_text(text, encoding="utf-8")
    return len(paths)


class ReportError(Exception):
    """There is no report; the text says why."""


def write_report(run_id: str, files: Iterable[Path], folders: Iterable[Path]) -> Path:
    """Write the report of a run into its store, below `reports/`.

    The stores that are looked into are those of the evals that the `files` belong to, and of the `folders`.

    Raises:
        ReportError: no store has the run, or the file cannot be written.

    """
    # Imported here: they bring pydantic and SQLite, and this runs in a thread.
    from waza_engine.formats.owner import eval_of
    from waza_engine.reports.experiment_html import arms_report
    from waza_engine.reports.html import html_report
    from waza_engine.runs.store import FILE_NAME, RunStore, StoreError, default_store_dir
    from waza_engine.runs.stored_record import stored_record
    from waza_engine.whole_files import write_whole

    if not run_id:
        raise ReportError("There is no stored run to report on: this was graded against recordings in files.")
    evals = [it / "x" if it.is_dir() else eval_of(it) or it for it in (*files, *folders)]
    for directory in dict.fromkeys(map(default_store_dir, evals)):
        if not (directory / FILE_NAME).is_file():
            continue
        try:
            with RunStore(directory, for_reading=True) as store:
                near = store.find_runs(run_id)
                found = [it for it in near if it.run_id == run_id]
                arms = [it for it in near if it.frame.arm is not None and it.frame.arm.run_id == run_id]
                if not (found or arms):
                    continue
                pieces = (
                    [html_report(stored_record(store, found[0]), store.history(run_id))]
                    if found
                    else arms_report([stored_record(store, it) for it in arms])
                )
            target = directory / "reports" / f"{run_id}.html"
            write_whole(target, pieces)
        except (StoreError, OSError) as error:
            raise ReportError(f"The report cannot be written: {error}") from error
        return target
    raise ReportError(f"Run {run_id} is not in the run store any more.")


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
