"""Code actions in a SKILL.md: write the trigger prompt or the task that a clause of the description has not."""

from collections.abc import Mapping
from pathlib import Path

from lsprotocol import types

from waza_engine.coverage.additions import Addition, addition_for, exercises
from waza_engine.coverage.matching import State, clause_states
from waza_engine.coverage.rules.untested_clause import UNTESTED_CLAUSE
from waza_engine.coverage.suites import SkillCoverage
from waza_engine.lib.files.safe_read import regular_bytes
from waza_engine.model.findings import Fix
from waza_engine.project.skill_prompts import Clause
from waza_lsp.fixes.edits import fix_edits
from waza_lsp.fixes.fixes import accepts_kind, is_manual_request
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.edit.edits import Draft
from waza_lsp.syntax.text import Place, Span
from waza_lsp.workspace.client import Client
from waza_lsp.workspace.skill_text import SkillText
from waza_lsp.workspace.workspace import WorkspaceFiles

_KIND = types.CodeActionKind.QuickFix.value


def clauses_at(
    snapshot: Snapshot,
    skill: SkillText,
    coverage: SkillCoverage,
    at: types.Range,
    context: types.CodeActionContext,
) -> list[Clause]:
    """Return the clauses in a range that need a prompt. Unclear ones only if the user asks for actions."""
    if not accepts_kind(_KIND, context):
        return []
    span = Span(snapshot.place(at.start), snapshot.place(at.end))
    wanted = {State.UNTESTED, State.UNCLEAR} if is_manual_request(context) else {State.UNTESTED}
    prompts = [prompt for it in coverage.evals for prompt in it.prompts]
    found = clause_states(skill.skill.description, prompts)
    return [it.clause for it in found if it.state in wanted and _touches(skill, it.clause, span)]


def _touches(skill: SkillText, clause: Clause, span: Span) -> bool:
    own = skill.span(clause.start, clause.end)
    return own.start <= span.end and span.start <= own.end


def skill_action(
    clause: Clause,
    coverage: SkillCoverage,
    workspace: WorkspaceFiles,
    texts: Mapping[Path, str],
    diagnostics: list[types.Diagnostic],
    client: Client,
) -> types.CodeAction | None:
    """Return the action for a clause; None if no eval can take a prompt. The edited files were loaded before it is offered.

    `texts` are those of the open files.
    """
    addition = addition_for(clause, coverage, workspace.files)
    if addition is None or (addition.new_path is not None and not client.create_files):
        return None
    changed = _changed(addition, workspace)
    if changed is None:
        return None
    snapshot, edits, text = changed
    if not exercises(addition, clause, coverage, {**texts, addition.path: text}):
        return None
    return types.CodeAction(
        title=addition.title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[it for it in diagnostics if it.code == UNTESTED_CLAUSE.code] or None,
        edit=_workspace_edit(snapshot, edits, addition, client),
    )


def _changed(
    addition: Addition, workspace: WorkspaceFiles
) -> tuple[Snapshot, list[types.TextEdit], str] | None:
    """Return the changed file with its edits and its new text; None if it cannot be changed."""
    snapshot = workspace.snapshot(addition.path)
    if snapshot is None or snapshot.form is None:
        return None
    if addition.change is None:
        return snapshot, [], str(snapshot.text)
    draft = Draft(snapshot.text, snapshot.tree)
    found = fix_edits(Fix(addition.title, (addition.change,)), draft, snapshot.form.schema)
    if found is None:
        return None
    edits = [snapshot.text_edit(it) for it in found.edits]
    if snapshot.version is None and _has_crlf(addition.path):
        edits = [types.TextEdit(it.range, it.new_text.replace("\n", "\r\n")) for it in edits]
    return snapshot, edits, str(draft.apply(found.edits).text)


def _has_crlf(path: Path) -> bool:
    """Whether the lines of a file on disk end with CR and LF. Its snapshot does not tell."""
    try:
        return b"\r\n" in regular_bytes(path)
    except (OSError, ValueError):
        return False


def _workspace_edit(
    snapshot: Snapshot, edits: list[types.TextEdit], addition: Addition, client: Client
) -> types.WorkspaceEdit:
    if not client.document_changes:
        return types.WorkspaceEdit(changes={snapshot.uri: edits})
    changes: list[types.TextDocumentEdit | types.CreateFile | types.RenameFile | types.DeleteFile] = []
    if addition.new_path is not None:
        uri = addition.new_path.as_uri()
        top = snapshot.range(Span(Place(0, 0), Place(0, 0)))
        new = types.OptionalVersionedTextDocumentIdentifier(uri)
        changes += [
            types.CreateFile(uri),
            types.TextDocumentEdit(new, [types.TextEdit(top, addition.new_text)]),
        ]
    if edits:
        document = types.OptionalVersionedTextDocumentIdentifier(snapshot.uri, snapshot.version)
        changes.append(types.TextDocumentEdit(document, list(edits)))
    return types.WorkspaceEdit(document_changes=changes)
