"""The command `waza.upgradeWorkspace`: apply what is mechanical about a newer version of the runner to all files."""

import asyncio
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from lsprotocol import types

from waza_engine.analysis.pipeline import CheckContext
from waza_engine.lib.plurals import counted
from waza_lsp.fixes.upgrade import Goal, UpgradeError, upgrade_file
from waza_lsp.schema.document_kind import may_be_eval
from waza_lsp.server.params import params_of, text_in
from waza_lsp.server.results.reader import on_disk
from waza_lsp.server.session import Session
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.edit.edits import difference

Answer = dict[str, Any]


@dataclass(slots=True)
class _Upgrade:
    """The edits of all files, and what they leave to the user."""

    edits: dict[str, tuple[Snapshot, list[types.TextEdit]]] = field(default_factory=dict)
    remaining: list[Answer] = field(default_factory=list)
    removed: list[Answer] = field(default_factory=list)


async def upgrade_workspace(session: Session, *arguments: Any) -> Answer | None:
    """`waza.upgradeWorkspace {to?}`: `to` is `DIALECT@VERSION`; by default, the newest version of each dialect.

    The editor applies the edits, also to files that are not open. Answers with the changed files, the places that a
    person must change, and the values that were removed.
    """
    client, wanted = session.client, text_in(params_of(arguments), "to")
    try:
        goals = [Goal.parse(wanted)] if wanted else Goal.newest()
    except UpgradeError as error:
        client.show(f"The workspace cannot be upgraded: {error}")
        return None
    folders: list[Path | None] = [*client.folders]
    for folder in folders or [None]:
        if not await session.trust.ask(folder):
            return None
    workspace = client.capabilities.workspace
    if workspace is None or not workspace.apply_edit:
        command = f"waza-lsp check --upgrade {goals[0].dialect}@{goals[0].version} --fix"
        client.show(f"This editor cannot change files for a server. Use a terminal instead: {command}")
        return None
    snapshots = await asyncio.to_thread(_snapshots, session)
    # The context of a document is kept by the event loop's thread.
    files = session.workspace.files.snapshot()
    contexts = [(it, replace(session.workspace.context(it), files=files)) for it in snapshots]
    result = await asyncio.to_thread(_upgrade, contexts, goals)
    name = " and ".join(f"{it.dialect} {it.version}" for it in goals)
    if result.edits:
        edit = _workspace_edit(result, has_versions=client.edits.document_changes)
        applied = await client.lsp.workspace_apply_edit_async(
            types.ApplyWorkspaceEditParams(edit, label=f"Upgrade to {name}")
        )
        if not applied.applied:
            client.show(applied.failure_reason or "The editor did not change the files.")
            return None
    client.show(_summary(result, name), types.MessageType.Info)
    return {
        "to": [f"{it.dialect}@{it.version}" for it in goals],
        "files": list(result.edits),
        "remaining": result.remaining,
        "removed": result.removed,
        "pin": "\n".join(it.pin for it in goals),
    }


def _snapshots(session: Session) -> list[Snapshot]:
    """Return the evals of the workspace, with the text of the editor for open files."""
    found = {it.uri: it for it in session.documents if it.recognition is not None}
    open_paths = {it.path for it in session.documents}
    for path in session.workspace.yaml_files():
        if path in open_paths:
            continue
        snapshot = on_disk(path, session.client.encoding)
        if (
            snapshot is not None
            and may_be_eval(str(snapshot.text), path)
            and snapshot.recognition is not None
        ):
            found[snapshot.uri] = snapshot
    return list(found.values())


def _upgrade(contexts: list[tuple[Snapshot, CheckContext]], goals: list[Goal]) -> _Upgrade:
    result, goal_of = _Upgrade(), {it.dialect: it for it in goals}
    for snapshot, context in contexts:
        goal = goal_of.get(snapshot.form.dialect) if snapshot.form is not None else None
        if goal is None:
            continue
        upgraded = upgrade_file(snapshot, context, goal)
        result.remaining += [
            {
                "uri": snapshot.uri,
                "line": it.highlight.start.line,
                "code": it.finding.code,
                "message": it.finding.message,
            }
            for it in upgraded.remaining
        ]
        result.removed += [{"uri": snapshot.uri, "message": it} for it in upgraded.removed]
        if upgraded.after is not None:
            edits = [snapshot.text_edit(it) for it in difference(snapshot.text, upgraded.after)]
            result.edits[snapshot.uri] = snapshot, edits
    return result


def _workspace_edit(result: _Upgrade, *, has_versions: bool) -> types.WorkspaceEdit:
    if not has_versions:
        return types.WorkspaceEdit(changes={uri: edits for uri, (_, edits) in result.edits.items()})
    return types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(
                types.OptionalVersionedTextDocumentIdentifier(uri, snapshot.version), list(edits)
            )
            for uri, (snapshot, edits) in result.edits.items()
        ]
    )


def _summary(result: _Upgrade, name: str) -> str:
    count = len(result.edits)
    if not count and not result.remaining:
        return f"Nothing in this workspace needs a change for {name}."
    parts = [f"Changed {counted(count, 'file')} for {name}."]
    if result.removed:
        # Files often have the same old forms: each is said once.
        said = list(dict.fromkeys(str(it["message"]).removesuffix(".") for it in result.removed))
        parts.append("; ".join(said[:3]) + ".")
    if result.remaining:
        first = result.remaining[0]
        parts.append(f"{len(result.remaining)} left for you, such as: {first['message']}.")
    return " ".join(parts)
