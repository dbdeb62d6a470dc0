"""Code actions that write a grader from a recorded run: used tools, created files, key phrases.

The grader types of the engine create the drafts. This module puts them into the document.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lsprotocol import types

from waza_engine.analysis.schema.navigate import DISCRIMINATOR, Schema, resolve, schema_at
from waza_engine.audit.codes import RULES
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import AppendItem, Fix
from waza_lsp.fixes.edits import fix_edits
from waza_lsp.fixes.fixes import accepts_kind, is_manual_request
from waza_lsp.runnables.runnables import Runnable, graders_in, runnables_at_line
from waza_lsp.schema.document_kind import Form
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.edit.edits import Draft

_KIND = types.CodeActionKind.Empty.value
_MAX_TITLE = 60
_AUDITED = frozenset(it.code for it in RULES)
"""The codes of findings that a drafted check can resolve."""


def task_to_draft_for(
    snapshot: Snapshot, at: types.Range, context: types.CodeActionContext
) -> Runnable | None:
    """Return the task at the cursor if the user explicitly asked for code actions, or at a finding of the audit."""
    is_audited = any(it.code in _AUDITED for it in context.diagnostics)
    is_wanted = is_audited or is_manual_request(context)
    if snapshot.form is None or not is_wanted or not accepts_kind(_KIND, context):
        return None
    line = snapshot.place(at.start).line
    return next((it for it in runnables_at_line(snapshot, line) if it.kind == "task"), None)


def draft_actions(
    snapshot: Snapshot, task: Runnable, drafts: Sequence[Mapping[str, Any]], *, document_changes: bool = True
) -> list[types.CodeAction]:
    """Return one action per draft (`{type, about, entry}`) that fits into the task.

    A draft with `passes` and `notices` was graded on so many recorded runs, and fails on so many broken ones.
    """
    form = snapshot.form
    found = _grader_list(form, snapshot, task.pointer) if form is not None else None
    if form is None or found is None:
        return []
    key, items = found
    return list(_actions(snapshot, form, (*task.pointer, key), items, drafts, document_changes))


def _actions(
    snapshot: Snapshot,
    form: Form,
    place: Pointer,
    items: Schema,
    drafts: Sequence[Mapping[str, Any]],
    document_changes: bool,
) -> Iterator[types.CodeAction]:
    taken = {it.name for it in graders_in(snapshot)}
    for it in drafts:
        entry = _with_free_name(it["entry"], items, taken)
        title = _title(it)
        outcome = fix_edits(
            Fix(title, (AppendItem(place, entry),)), Draft(snapshot.text, snapshot.tree), form.schema
        )
        if outcome is None:
            continue
        edits = [snapshot.text_edit(edit) for edit in outcome.edits]
        yield types.CodeAction(
            title, types.CodeActionKind.Empty, edit=_edit(snapshot, edits, document_changes=document_changes)
        )


def _title(draft: Mapping[str, Any]) -> str:
    about = draft["about"] if len(draft["about"]) <= _MAX_TITLE else draft["about"][: _MAX_TITLE - 1] + "…"
    if "notices" not in draft:
        return f"Write a '{draft['type']}' grader from the recorded run: {about}"
    passes = "1 recorded run" if draft["passes"] == 1 else f"{draft['passes']} recorded runs"
    return (
        f"Add a check that tells them apart: '{draft['type']}', {about} (passes on {passes}, fails on "
        f"{draft['notices']} broken)"
    )


def _edit(snapshot: Snapshot, edits: list[types.TextEdit], *, document_changes: bool) -> types.WorkspaceEdit:
    if not document_changes:
        return types.WorkspaceEdit(changes={snapshot.uri: edits})
    document = types.OptionalVersionedTextDocumentIdentifier(snapshot.uri, snapshot.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(document, list(edits))])


def _grader_list(form: Form, snapshot: Snapshot, pointer: Pointer) -> tuple[str, Schema] | None:
    """Return the key of a task's grader list and the schema of its items."""
    task = schema_at(form.schema, pointer, snapshot.data) or {}
    for key, option in task.get("properties", {}).items():
        for shape in _shapes(form.schema, option):
            items = resolve(form.schema, shape.get("items", {}))
            if DISCRIMINATOR in items:
                return key, items
    return None


def _shapes(root: Schema, schema: Schema) -> Iterator[Schema]:
    found = resolve(root, schema)
    yield found
    for it in (*found.get("anyOf", ()), *found.get("oneOf", ())):
        yield resolve(root, it)


def _with_free_name(entry: Mapping[str, Any], items: Schema, taken: set[str]) -> dict[str, Any]:
    """Return the entry with a name that is unique in the file."""
    key = next(iter(items.get("x-title-from", ())), "")
    name = entry.get(key)
    if not name or name not in taken:
        return dict(entry)
    number = next(it for it in range(2, len(taken) + 3) if f"{name}-{it}" not in taken)
    return {**entry, key: f"{name}-{number}"}
