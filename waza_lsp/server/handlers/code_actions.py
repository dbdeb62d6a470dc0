"""Code actions: fixes and runs at once, drafts of graders after a question to a worker."""

import asyncio
import time
from dataclasses import replace
from typing import Any

from lsprotocol import types

from waza_lsp.features.code_action import code_action, ignore_actions
from waza_lsp.features.diagnostics import findings
from waza_lsp.features.draft_actions import draft_actions, task_to_draft_for
from waza_lsp.features.keep_actions import keep_actions
from waza_lsp.features.run_actions import run_actions
from waza_lsp.features.upgrade_actions import upgrade_actions
from waza_lsp.server.handlers.request import Request
from waza_lsp.workspace.skill_text import is_skill_document


async def code_actions(request: Request) -> list[types.CodeAction]:
    """Answer with fixes and drafts, or in a SKILL.md with the missing prompts."""
    session, snapshot, at, context = (
        request.session,
        request.snapshot,
        request.params.range,
        request.params.context,
    )
    if is_skill_document(snapshot):
        return await _skill_actions(request)
    checking, edits = session.workspace.context(snapshot), session.client.edits
    standings = session.audit.standings(snapshot, session.ledger.standings(snapshot))
    notes = session.audit.notes_on(snapshot, at.start.line)
    found = [
        *code_action(snapshot, at, context, lambda one: findings(one, checking), edits),
        *upgrade_actions(snapshot, context, checking),
        *run_actions(snapshot, at, context, standings, time.time()),
        *keep_actions(snapshot, context, notes),
        *ignore_actions(snapshot, context, ((it.code, it.span) for it in notes), edits),
    ]
    task = task_to_draft_for(snapshot, at, context)
    drafts: list[dict[str, Any]] = []
    if task is not None:
        proven, other = await asyncio.gather(
            session.audit.drafts_for(snapshot, task), session.live.drafts_for(snapshot, task)
        )
        entries = [it["entry"] for it in proven]
        drafts = [*proven, *(it for it in other if it["entry"] not in entries)]
    if task is not None and drafts and session.documents.get(snapshot.uri) is snapshot:
        found += draft_actions(snapshot, task, drafts, document_changes=edits.document_changes)
    return found


async def _skill_actions(request: Request) -> list[types.CodeAction]:
    """The actions at the clauses of a skill that no prompt exercises."""
    session, snapshot, context = request.session, request.snapshot, request.params.context
    found = session.coverage.of(snapshot)
    if found is None:
        return []
    # Imported late: they load evals.
    from waza_lsp.features.skill_actions import clauses_at, skill_action

    skill, coverage = found
    texts = session.documents.texts()
    actions = [
        await asyncio.to_thread(
            skill_action,
            it,
            replace(coverage, skill=skill.skill),
            request.workspace_files,
            texts,
            context.diagnostics,
            session.client.edits,
        )
        for it in clauses_at(snapshot, skill, coverage, request.params.range, context)
    ]
    return [it for it in actions if it is not None]
