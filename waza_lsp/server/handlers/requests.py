"""Requests: one row per request, with the feature and what it gets. The table is at the end.

`handler_of` makes the handler of a row. It finds the snapshot and answers for documents that are not open.
"""

import asyncio
import functools
import importlib.util
import inspect
import re
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from waza_lsp.diagnostics.json_writer import completion_json
from waza_lsp.features.code_action import KINDS
from waza_lsp.features.code_lens import code_lens_json, lens_json
from waza_lsp.features.completion import completion
from waza_lsp.features.completion_resolve import completion_resolve
from waza_lsp.features.definition import definition
from waza_lsp.features.document_highlight import document_highlight
from waza_lsp.features.document_link import document_link
from waza_lsp.features.document_symbol import document_symbol_json
from waza_lsp.features.folding_range import folding_range
from waza_lsp.features.hover import HoverNotes, hover
from waza_lsp.features.inlay_hint import EnabledHints, inlay_hint
from waza_lsp.features.linked_editing_range import linked_editing_range
from waza_lsp.features.prepare_rename import prepare_rename
from waza_lsp.features.references import references
from waza_lsp.features.rename import rename
from waza_lsp.features.selection_range import selection_range
from waza_lsp.features.semantic_tokens import LEGEND, semantic_tokens
from waza_lsp.features.will_rename_files import will_rename_files
from waza_lsp.runnables.commands import ActionKind
from waza_lsp.server.coexistence import own_items
from waza_lsp.server.handlers.code_actions import code_actions
from waza_lsp.server.handlers.recorded_runs import METHOD as RUNS
from waza_lsp.server.handlers.recorded_runs import recorded_runs
from waza_lsp.server.handlers.request import Request
from waza_lsp.server.params import members_of, text_in
from waza_lsp.server.results.notes import run_notes
from waza_lsp.server.session import Session
from waza_lsp.server.testing.tree import METHOD as TESTS
from waza_lsp.server.testing.wire import changes_json, items_json
from waza_lsp.server.transport.protocol import Json
from waza_lsp.workspace.hover_facts import CheckFailure
from waza_lsp.workspace.references import known_names
from waza_lsp.workspace.rename import RenameError
from waza_lsp.workspace.skill_text import is_skill_document


class Row(NamedTuple):
    """A request about a document: `answer(request)` for open documents, `absent` for all others."""

    method: str
    answer: Callable[[Request], Any]
    absent: Any = None
    options: Any = None
    in_skills: bool = False
    """Whether it is answered in Markdown, too: of that, only SKILL.md has anything to show."""


class SessionRow(NamedTuple):
    """A request about no document in particular: `answer(session, params)`."""

    method: str
    answer: Callable[[Session, Any], Any]
    options: Any = None


def handler_of(row: Row | SessionRow, session: Session) -> Callable[[Any], Any]:
    """Make the handler of a row. It is a coroutine function if the answer is one."""
    if isinstance(row, SessionRow):
        return functools.partial(row.answer, session)

    def request_for(params: Any) -> Request | None:
        snapshot = session.documents.get(params.text_document.uri)
        is_meant = snapshot is not None and (row.in_skills or not snapshot.is_markdown)
        return Request(session, snapshot, params) if snapshot is not None and is_meant else None

    def handle(params: Any) -> Any:
        request = request_for(params)
        return row.answer(request) if request is not None else row.absent

    async def handle_later(params: Any) -> Any:
        request = request_for(params)
        return await row.answer(request) if request is not None else row.absent

    return handle_later if inspect.iscoroutinefunction(row.answer) else handle


def _hover(request: Request) -> types.Hover | None:
    session, snapshot, position = request.session, request.snapshot, request.params.position
    place = snapshot.place(position)
    failed = (
        session.annotations.failed_at(snapshot, place)
        if session.configuration.settings.results_inline
        else ()
    )
    notes = HoverNotes(
        [CheckFailure(one.span, one.task, one.message, one.excerpt, one.names_task) for one in failed],
        session.audit.notes_at(snapshot, place),
        run_notes(session.ledger, snapshot, place),
    )
    return hover(
        snapshot,
        position,
        request.workspace_files,
        notes,
        generic=request.is_ours("hover"),
        markdown=session.client.shows_markdown,
    )


def _completion(request: Request) -> Json:
    files, client = request.workspace_files, request.session.client.completion
    known = functools.partial(known_names, snapshot=request.snapshot, workspace=files)
    target = request.session.workspace.context(request.snapshot).target
    found = completion(request.snapshot, request.params.position, client, files, known, target)
    return Json(completion_json(own_items(found, request.session.configuration.beside)))


def _completion_resolve(session: Session, item: types.CompletionItem) -> types.CompletionItem:
    return completion_resolve(item, markdown=session.client.completion.markdown)


async def _references(request: Request) -> list[types.Location]:
    is_declared = request.params.context.include_declaration
    find = functools.partial(
        references, request.snapshot, request.params.position, include_declaration=is_declared
    )
    return await asyncio.to_thread(find, request.workspace_files)


async def _rename(request: Request) -> types.WorkspaceEdit | None:
    position, name, edits = request.params.position, request.params.new_name, request.session.client.edits
    try:
        return await asyncio.to_thread(
            rename, request.snapshot, position, name, request.workspace_files, edits
        )
    except RenameError as reason:
        raise JsonRpcException(str(reason), types.LSPErrorCodes.RequestFailed) from reason


async def _will_rename_files(session: Session, params: types.RenameFilesParams) -> types.WorkspaceEdit | None:
    files = session.workspace.files_of_folders()
    return await asyncio.to_thread(will_rename_files, params.files, files, session.client.edits)


async def _workspace_symbols(session: Session, params: types.WorkspaceSymbolParams) -> Json:
    return await session.symbols.find(params.query)


def _inlay_hints(request: Request) -> list[types.InlayHint]:
    on = request.session.configuration.settings
    hints = EnabledHints(
        on.inlay_matches,
        on.inlay_weights,
        on.inlay_inherited,
        on.inlay_flags,
        on.inlay_defaults,
        on.inlay_power,
    )
    overrides = {"executor": on.run_executor, "model": on.run_model}
    found = inlay_hint(request.snapshot, request.params.range, request.workspace_files, hints, overrides)
    return [*found, *(_live_hints(request) if on.inlay_live and on.results_inline else ())]


def _live_hints(request: Request) -> Iterator[types.InlayHint]:
    text, lines = request.snapshot.text, request.params.range
    for it in request.session.annotations.passing_live(request.snapshot):
        if lines.start.line <= it.span.end.line <= lines.end.line:
            yield types.InlayHint(text.position(it.span.end), "✓ live", tooltip=it.message, padding_left=True)


def _document_symbols(request: Request) -> Any:
    if not request.is_ours("symbols"):
        return []
    return Json(document_symbol_json(request.snapshot, nested=request.session.client.nests_symbols))


def _code_lenses(request: Request) -> list[types.CodeLens] | Json:
    on, snapshot = request.session.configuration.settings, request.snapshot
    if is_skill_document(snapshot):
        return request.session.coverage.lenses(snapshot, time.time()) if on.lens_skill else []
    is_shown = {
        ActionKind.RUN: on.lens_run,
        ActionKind.RUN_FAILED: on.lens_run_failed,
        ActionKind.GRADE: on.lens_grade,
        ActionKind.RESULT: on.lens_result,
        ActionKind.AUDIT: on.lens_audit,
    }
    sorts = {sort for sort, shown in is_shown.items() if shown}
    standings = request.session.audit.standings(snapshot, request.session.ledger.standings(snapshot))
    if on.run_executor and _is_free(on.run_executor):
        standings = {
            key: it if it.forecast is None else replace(it, forecast=None) for key, it in standings.items()
        }
    judges = request.session.judges.lenses(snapshot) if on.lens_judge else []
    found = code_lens_json(snapshot, standings, sorts, time.time())
    return Json(f"[{','.join([*found, *map(lens_json, judges)])}]")


def _is_free(executor: str) -> bool:
    # Imported late: most users have not set an executor.
    from waza_engine.executors.base import MOCK, REPLAY

    return executor in {MOCK, REPLAY}


async def _tests(session: Session, params: Any) -> Json:
    members = members_of(params)
    since = members.get("since")
    if isinstance(since, int):
        most = members.get("most")
        is_part = isinstance(most, int) and most > 0
        return Json(changes_json(await session.tests.changes(since, most if is_part else None)))
    return Json(items_json(await session.tests.items(str(members.get("uri") or ""))))


def _document(session: Session, params: Any) -> dict[str, str] | None:
    """`waza/document {uri}`: what an open document was recognised as, and why, for an editor's status line."""
    snapshot = session.documents.get(text_in(members_of(params), "uri"))
    found = snapshot.recognition if snapshot is not None else None
    if found is None:
        return None
    return {"dialect": found.form.dialect, "kind": found.form.kind, "reason": found.reason}


def _starters(_: Session, params: Any) -> list[dict[str, Any]]:
    """`waza/starters {name}`: the files of a new eval, in each dialect. Names that are no folders get none."""
    from waza_engine.recognition.starters import NAME_PATTERN, dialects_with_new_evals, new_eval, starters

    name = text_in(members_of(params), "name")
    if not re.fullmatch(NAME_PATTERN, name):
        return []
    return [
        {
            "dialect": it,
            "description": starters(it)[0].description,
            "files": [{"path": path, "text": text} for path, text in new_eval(it, name).items()],
        }
        for it in dialects_with_new_evals()
    ]


def _mcp(_session: Session, _params: Any) -> dict[str, Any]:
    """`waza/mcp {}`: the command that serves the tools for agents, and whether the package for its protocol is there."""
    is_installed = importlib.util.find_spec("mcp") is not None
    return {"command": sys.executable, "args": ["-P", "-m", "waza_lsp", "mcp"], "isInstalled": is_installed}


_MOVED = types.FileOperationRegistrationOptions(
    [types.FileOperationFilter(types.FileOperationPattern("**/*"), scheme="file")]
)
_TRIGGERS = [" ", "-", '"', "'", "/", "[", "{", ",", "\\", "*", "."]
_COMPLETION = types.CompletionOptions(trigger_characters=_TRIGGERS, resolve_provider=True)

REQUESTS: list[Row | SessionRow] = [
    Row(types.TEXT_DOCUMENT_HOVER, _hover),
    Row(types.TEXT_DOCUMENT_COMPLETION, _completion, None, _COMPLETION),
    SessionRow(types.COMPLETION_ITEM_RESOLVE, _completion_resolve),
    Row(
        types.TEXT_DOCUMENT_DEFINITION,
        lambda request: definition(
            request.snapshot,
            request.params.position,
            request.workspace_files,
            generic=request.is_ours("definition"),
        ),
        absent=[],
    ),
    Row(types.TEXT_DOCUMENT_REFERENCES, _references, absent=[]),
    Row(
        types.TEXT_DOCUMENT_PREPARE_RENAME,
        lambda request: prepare_rename(
            request.snapshot,
            request.params.position,
            request.workspace_files,
            generic=request.is_ours("rename"),
        ),
    ),
    Row(types.TEXT_DOCUMENT_RENAME, _rename, None, types.RenameOptions(prepare_provider=True)),
    SessionRow(types.WORKSPACE_WILL_RENAME_FILES, _will_rename_files, _MOVED),
    SessionRow(types.WORKSPACE_SYMBOL, _workspace_symbols),
    Row(
        types.TEXT_DOCUMENT_LINKED_EDITING_RANGE,
        lambda request: linked_editing_range(
            request.snapshot, request.params.position, request.workspace_files
        ),
    ),
    Row(types.TEXT_DOCUMENT_INLAY_HINT, _inlay_hints, absent=[]),
    Row(
        types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL,
        lambda request: semantic_tokens(request.snapshot),
        None,
        LEGEND,
    ),
    Row(
        types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE,
        lambda request: semantic_tokens(request.snapshot, request.params.range),
        None,
        LEGEND,
    ),
    Row(
        types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT,
        lambda request: document_highlight(request.snapshot, request.params.position),
        absent=[],
    ),
    Row(
        types.TEXT_DOCUMENT_DOCUMENT_LINK,
        lambda request: document_link(request.snapshot, request.workspace_files),
        absent=[],
    ),
    Row(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, _document_symbols, absent=[]),
    Row(
        types.TEXT_DOCUMENT_FOLDING_RANGE,
        lambda request: folding_range(request.snapshot) if request.is_ours("folding") else [],
        absent=[],
    ),
    Row(
        types.TEXT_DOCUMENT_SELECTION_RANGE,
        lambda request: (
            selection_range(request.snapshot, request.params.positions)
            if request.is_ours("selection")
            else []
        ),
        absent=[],
    ),
    Row(types.TEXT_DOCUMENT_CODE_LENS, _code_lenses, absent=[], in_skills=True),
    SessionRow(TESTS, _tests),
    SessionRow(RUNS, recorded_runs),
    SessionRow("waza/document", _document),
    SessionRow("waza/starters", _starters),
    SessionRow("waza/mcp", _mcp),
    Row(types.TEXT_DOCUMENT_CODE_ACTION, code_actions, [], types.CodeActionOptions(KINDS), in_skills=True),
]
