"""The command `waza.addCheck`: add a grader that somebody drafted elsewhere, such as in a trace, to a task."""

import asyncio
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from lsprotocol import types

from waza_lsp.features.draft_actions import draft_actions
from waza_lsp.features.tests import Item
from waza_lsp.runnables.runnables import runnables_in
from waza_lsp.server.params import params_of, text_in
from waza_lsp.server.results.reader import on_disk
from waza_lsp.server.session import Session
from waza_lsp.snapshot import Snapshot, path_of

Answer = dict[str, Any]
_LONGEST = 100_000


async def add_check(session: Session, *arguments: Any) -> Answer | None:
    """`waza.addCheck {uri, task, yaml}`: add a grader to a task of the eval `uri`. `yaml` is a list with this one entry.

    The editor applies the edit, also to a file that is not open. Answers with the file and the line of the change, or
    with `null` after a message.
    """
    client, params = session.client, params_of(arguments)
    uri, task = text_in(params, "uri"), text_in(params, "task")
    path, entry = path_of(uri), _entry(text_in(params, "yaml"))
    if path is None or entry is None:
        client.warn("There is no check to add: the draft is not a list with one grader.")
        return None
    if not await session.trust.ask(path):
        return None
    if not client.edits.document_changes:
        client.show("This editor cannot change files for a server. Copy the check instead.")
        return None
    found = await _task_file(session, uri, task)
    edits = _edits(found, task, entry) if found is not None else []
    if found is None or not edits:
        client.warn(f"The check cannot be added: {path.name} has no task '{task}' with a list of graders.")
        return None
    document = types.OptionalVersionedTextDocumentIdentifier(found.uri, found.version)
    edit = types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(document, list(edits))])
    applied = await client.lsp.workspace_apply_edit_async(
        types.ApplyWorkspaceEditParams(edit, label="Add a check")
    )
    if not applied.applied:
        client.show(applied.failure_reason or "The editor did not change the file.")
        return None
    return {"uri": found.uri, "line": edits[0].range.start.line}


def _entry(text: str) -> dict[str, Any] | None:
    # Imported late: no other command reads YAML of its client.
    from waza_engine.lib.yaml.nodes import YamlError
    from waza_engine.lib.yaml.reader import read_grader_list

    if len(text) > _LONGEST:
        return None
    try:
        items = read_grader_list(text)
    except (YamlError, ValueError):
        return None
    is_one = len(items) == 1 and isinstance(items[0], dict) and isinstance(items[0].get("type"), str)
    return items[0] if is_one else None


async def _task_file(session: Session, uri: str, task: str) -> Snapshot | None:
    """Return the file of a task: the open text, or else the file on disk."""
    place = next(_tasks(await session.tests.items(uri), task), None)
    if place is None:
        return None
    path: Path | None = path_of(place)
    opened = session.documents.get(place)
    if opened is not None or path is None:
        return opened
    return await asyncio.to_thread(on_disk, path, session.client.encoding)


def _tasks(items: Iterable[Item], task: str) -> Iterator[str]:
    for it in items:
        if it.kind == "task" and it.id == task:
            yield json.loads(it.uri)
        yield from _tasks(it.children, task)


def _edits(snapshot: Snapshot, task: str, entry: dict[str, Any]) -> list[types.TextEdit]:
    runnable = next((it for it in runnables_in(snapshot) if it.kind == "task" and it.id == task), None)
    if runnable is None:
        return []
    draft = {"type": entry["type"], "about": "", "entry": entry}
    for action in draft_actions(snapshot, runnable, [draft], document_changes=False):
        if action.edit is not None and action.edit.changes:
            return list(action.edit.changes[snapshot.uri])
    return []
