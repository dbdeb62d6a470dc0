"""`textDocument/codeAction`: quick fixes for the findings in a range, and one action for all safe fixes."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from lsprotocol import types

from waza_engine.rules.empty_file import EMPTY_FILE
from waza_lsp.diagnostics.ranges import RangedFinding
from waza_lsp.diagnostics.suppressions import suppression_edit
from waza_lsp.fixes.fixes import (
    Solution,
    accepts_kind,
    apply_fixes,
    is_manual_request,
    solutions,
    upgrade_solution,
)
from waza_lsp.fixes.upgrade import UPGRADE
from waza_lsp.schema.document_kind import Form
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.edit.edits import Draft, Edit, difference
from waza_lsp.syntax.text import Place, Span
from waza_lsp.syntax.tree.tree import Tree
from waza_lsp.workspace.client import FULL_SUPPORT, Client

FIX_ALL = "source.fixAll.waza"
_QUICK = types.CodeActionKind.QuickFix.value
KINDS = [types.CodeActionKind.QuickFix, FIX_ALL, UPGRADE]

_MIN_FINDINGS, _MAX_FINDINGS, _MAX_LINES = 5, 50, 20_000
"""Limits, because users select whole files: fixes are tried for at least 5 and at most 50 findings, and after the
first 5 only until 20,000 lines have been parsed again."""

Find = Callable[[Snapshot], Sequence[RangedFinding]]
"""Returns the findings of a document. Called again for each tried fix."""


def code_action(
    snapshot: Snapshot,
    at: types.Range,
    context: types.CodeActionContext,
    find: Find,
    client: Client = FULL_SUPPORT,
) -> list[types.CodeAction]:
    """Return the quick fixes for the findings in a range, and the action that applies all safe fixes."""
    form = snapshot.form
    if form is None:
        return []
    found: list[types.CodeAction] = []
    if accepts_kind(_QUICK, context):
        found += _quick_fixes(snapshot, form, at, context, find, client)
    if accepts_kind(FIX_ALL, context) and (is_manual_request(context) or context.only):
        found += _fix_all(snapshot, form, find, client)
    return found


def _quick_fixes(
    snapshot: Snapshot,
    form: Form,
    at: types.Range,
    context: types.CodeActionContext,
    find: Find,
    client: Client,
) -> Iterator[types.CodeAction]:
    draft = Draft(snapshot.text, snapshot.tree)
    span = Span(snapshot.place(at.start), snapshot.place(at.end))
    marks = [it for it in find(snapshot) if _touches(it, span)][:_MAX_FINDINGS]
    reported = _reported_diagnostics(snapshot, context)
    for mark in _affordable(marks, snapshot.tree):
        for it in solutions(mark, draft, form.schema):
            if client.create_files or not it.files:
                yield _quick_fix(snapshot, it, reported(mark), client)
    if is_manual_request(context):
        for code in dict.fromkeys(it.finding.code for it in marks if it.finding.rule.outdated):
            yield from _fix_kind(snapshot, form, code, find, client)
    for mark in marks:
        code, line = mark.finding.code, mark.span.start.line
        if (edit := suppression_edit(code, line, draft)) is not None:
            yield _ignore(snapshot, code, edit, reported(mark), client)


def ignore_actions(
    snapshot: Snapshot,
    context: types.CodeActionContext,
    found: Iterable[tuple[str, Span]],
    client: Client = FULL_SUPPORT,
) -> Iterator[types.CodeAction]:
    """Yield the actions that suppress findings of an audit, each with its code and place."""
    if snapshot.form is None or not accepts_kind(_QUICK, context):
        return
    draft = Draft(snapshot.text, snapshot.tree)
    for code, line in dict.fromkeys((code, span.start.line) for code, span in found):
        if (edit := suppression_edit(code, line, draft)) is not None:
            its = [
                it
                for it in context.diagnostics
                if it.code == code and snapshot.place(it.range.start).line == line
            ]
            yield _ignore(snapshot, code, edit, its or None, client)


def _ignore(
    snapshot: Snapshot, code: str, edit: Edit, reported: list[types.Diagnostic] | None, client: Client
) -> types.CodeAction:
    title = f"Ignore '{code}' on this line"
    return _quick_fix(snapshot, Solution(title, (edit,)), reported, client)


def _fix_kind(
    snapshot: Snapshot, form: Form, code: str, find: Find, client: Client
) -> Iterator[types.CodeAction]:
    """Yield the action that fixes all findings of a kind, if the document has several."""
    start = Draft(snapshot.text, snapshot.tree)

    def same(draft: Draft) -> list[RangedFinding]:
        text = snapshot if draft is start else snapshot.with_text(draft.text, draft.tree)
        return [it for it in find(text) if it.finding.code == code]

    end, applied = apply_fixes(start, form.schema, same, upgrade_solution)
    if len(applied) > 1:
        title = f"Fix all {len(applied)} '{code}' in this file"
        edits = tuple(difference(start.text, end))
        yield _quick_fix(snapshot, Solution(title, edits), None, client)


def _touches(mark: RangedFinding, span: Span) -> bool:
    """Whether a finding touches a range. The finding about an empty file touches every range."""
    return mark.finding.rule is EMPTY_FILE or (mark.span.start <= span.end and span.start <= mark.span.end)


def _affordable(marks: Sequence[RangedFinding], tree: Tree) -> Iterator[RangedFinding]:
    """Return the findings whose fixes are worth trying. Each try parses its piece of the text again."""
    lines = 0
    for number, mark in enumerate(marks):
        if number >= _MIN_FINDINGS and lines > _MAX_LINES:
            return
        yield mark
        piece = tree.piece_at(mark.span.start.line)
        lines += piece.end - piece.start if piece is not None else 0


def _reported_diagnostics(
    snapshot: Snapshot, context: types.CodeActionContext
) -> Callable[[RangedFinding], list[types.Diagnostic] | None]:
    """Return a function that finds the client's diagnostics for a finding."""
    known: dict[tuple[Any, Span], list[types.Diagnostic]] = {}
    for it in context.diagnostics:
        span = Span(snapshot.place(it.range.start), snapshot.place(it.range.end))
        known.setdefault((it.code, span), []).append(it)
    return lambda mark: known.get((mark.finding.code, mark.highlight))


def _quick_fix(
    snapshot: Snapshot, solution: Solution, reported: list[types.Diagnostic] | None, client: Client
) -> types.CodeAction:
    return types.CodeAction(
        title=solution.title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=reported,
        is_preferred=True if solution.preferred else None,
        edit=_workspace_edit(snapshot, solution, client),
    )


def _fix_all(snapshot: Snapshot, form: Form, find: Find, client: Client) -> Iterator[types.CodeAction]:
    start = Draft(snapshot.text, snapshot.tree)
    end, applied = apply_fixes(
        start, form.schema, lambda it: find(snapshot if it is start else snapshot.with_text(it.text, it.tree))
    )
    if applied:
        title = f"Apply all safe fixes ({len(applied)})"
        edits = tuple(difference(start.text, end))
        yield types.CodeAction(title, FIX_ALL, edit=_workspace_edit(snapshot, Solution(title, edits), client))


def _workspace_edit(snapshot: Snapshot, solution: Solution, client: Client) -> types.WorkspaceEdit:
    edits = [snapshot.text_edit(it) for it in solution.edits]
    if not client.document_changes:
        return types.WorkspaceEdit(changes={snapshot.uri: edits})
    changes: list[types.TextDocumentEdit | types.CreateFile | types.RenameFile | types.DeleteFile] = []
    for path, text in solution.files:
        uri = path.as_uri()
        new = types.OptionalVersionedTextDocumentIdentifier(uri)
        top = snapshot.range(Span(Place(0, 0), Place(0, 0)))
        changes += [types.CreateFile(uri), types.TextDocumentEdit(new, [types.TextEdit(top, text)])]
    if edits:
        document = types.OptionalVersionedTextDocumentIdentifier(snapshot.uri, snapshot.version)
        changes.append(types.TextDocumentEdit(document, list(edits)))
    return types.WorkspaceEdit(document_changes=changes)
