"""Build a session: make the parts of the server and register the handlers."""

import functools
import inspect
import os
from collections.abc import Callable
from typing import Any

from lsprotocol import types

from waza_engine.audit.codes import RULES as AUDIT_RULES
from waza_engine.calibration.codes import RULES as JUDGE_RULES
from waza_engine.lib.queries.disk import disk
from waza_lsp.server.commands.add_check import add_check
from waza_lsp.server.commands.explain_grader import explain_grader
from waza_lsp.server.commands.files import convert, export_schemas
from waza_lsp.server.commands.keep_counter_example import keep_counter_example
from waza_lsp.server.commands.recorded_runs import compare_runs, delete_runs, rerun, show_report
from waza_lsp.server.commands.reviews import pending_reviews, review
from waza_lsp.server.commands.run import cancel_run, clear_results, grade, run_eval, run_failed, run_task
from waza_lsp.server.commands.run_skill import run_skill
from waza_lsp.server.commands.show_audit import show_audit
from waza_lsp.server.commands.show_trace import show_trace
from waza_lsp.server.commands.upgrade import upgrade_workspace
from waza_lsp.server.coverage.controller import SkillCoverages
from waza_lsp.server.diagnostics.publish import Checker, Publisher, ShownAnnotations
from waza_lsp.server.diagnostics.pull import PullDiagnostics
from waza_lsp.server.diagnostics.workspace import WorkspaceDiagnostics
from waza_lsp.server.documents import Documents
from waza_lsp.server.events import Bus
from waza_lsp.server.handlers.notifications import NOTIFICATIONS
from waza_lsp.server.handlers.requests import REQUESTS, handler_of
from waza_lsp.server.helper.audits import LiveAudit
from waza_lsp.server.helper.client import Helper, Questions, telling_once
from waza_lsp.server.helper.judges import JudgeStandings
from waza_lsp.server.helper.verdicts import LiveGrading
from waza_lsp.server.memory import IdleCollector, collect_rarely
from waza_lsp.server.refresh import Refreshes
from waza_lsp.server.results.annotations.annotations import Annotations
from waza_lsp.server.results.annotations.findings import FindingAnnotations
from waza_lsp.server.results.ledger import ResultLedger
from waza_lsp.server.results.watch import StoreWatch
from waza_lsp.server.runs.process import RunProcesses
from waza_lsp.server.session import Session
from waza_lsp.server.settings import Configuration
from waza_lsp.server.startup.code_cache import CodeCache
from waza_lsp.server.testing.live import LiveVerdictEvents
from waza_lsp.server.testing.tree import TestTree
from waza_lsp.server.transport.client import Client
from waza_lsp.server.trust import Trust
from waza_lsp.server.workspace import Workspace
from waza_lsp.server.workspace_symbols import WorkspaceSymbols

_DISK_SECONDS = 1.0
"""How long files on disk count as unchanged while nobody reports a change and no command runs."""
COMMANDS: dict[str, Callable[..., Any]] = {
    "waza.runTask": run_task,
    "waza.runEval": run_eval,
    "waza.runFailed": run_failed,
    "waza.runSkill": run_skill,
    "waza.grade": grade,
    "waza.explainGrader": explain_grader,
    "waza.cancelRun": cancel_run,
    "waza.clearResults": clear_results,
    "waza.showReport": show_report,
    "waza.showAudit": show_audit,
    "waza.showTrace": show_trace,
    "waza.addCheck": add_check,
    "waza.compareRuns": compare_runs,
    "waza.rerun": rerun,
    "waza.deleteRuns": delete_runs,
    "waza.pendingReviews": pending_reviews,
    "waza.review": review,
    "waza.keepCounterExample": keep_counter_example,
    "waza.exportSchemas": export_schemas,
    "waza.convert": convert,
    "waza.upgradeWorkspace": upgrade_workspace,
}


def build_session() -> Session:
    """Make a session with all handlers registered."""
    disk.max_age = _DISK_SECONDS
    session = _make_parts()
    lsp = session.client.lsp
    for method, handler, options in NOTIFICATIONS:
        lsp.feature(method, options)(functools.partial(handler, session))
    for row in REQUESTS:
        lsp.feature(row.method, row.options)(handler_of(row, session))
    for name, command in COMMANDS.items():
        lsp.command(name)(_bound(command, session))
    lsp.feature(types.SHUTDOWN)(lambda *_: session.end_children())
    lsp.feature(types.EXIT)(lambda *_: os._exit(0 if lsp.protocol._shutdown else 1))  # noqa: SLF001  # no public name
    return session


def _bound(command: Callable[..., Any], session: Session) -> Callable[..., Any]:
    # Not a partial function: pygls would unwrap it and read the type of `session` as that of the first argument.
    def execute(*arguments: Any) -> Any:
        disk.look()
        return command(session, *arguments)

    async def execute_later(*arguments: Any) -> Any:
        disk.look()
        return await command(session, *arguments)

    return execute_later if inspect.iscoroutinefunction(command) else execute


def _make_parts() -> Session:
    """Make the parts of a session, each after those that it uses. What they tell each other goes over the bus."""
    client, bus, documents, configuration = Client(), Bus(), Documents(), Configuration()
    refreshes = Refreshes.of(client, bus)
    IdleCollector(client, bus)
    annotations = Annotations(documents, bus)
    ledger = ResultLedger(documents, annotations, client, bus)
    StoreWatch(client, documents, ledger, bus)
    LiveVerdictEvents(client, documents, annotations, bus)
    workspace = Workspace(client, documents, configuration, ledger, bus)
    audit_marks = FindingAnnotations(documents, bus, workspace.context, AUDIT_RULES)
    judge_marks = FindingAnnotations(documents, bus, workspace.context, JUDGE_RULES)
    coverage = SkillCoverages(documents, workspace, ledger, bus)
    checker = Checker(client, workspace, bus)
    workspace_diagnostics = WorkspaceDiagnostics(client, documents, workspace)
    shown = ShownAnnotations(configuration, (annotations, audit_marks, coverage, judge_marks))
    publisher = Publisher(documents, checker.check, client, shown.of, workspace_diagnostics, bus)

    def run_environment() -> dict[str, str]:
        return configuration.settings.run_environment

    helper = Helper(documents, run_environment, on_lost=telling_once(client))
    questions = Questions(helper, documents, ledger, workspace, configuration, client)
    return Session(
        client=client,
        bus=bus,
        documents=documents,
        configuration=configuration,
        workspace=workspace,
        publisher=publisher,
        pull=PullDiagnostics(documents, checker.check, client, workspace_diagnostics, configuration),
        annotations=annotations,
        ledger=ledger,
        processes=RunProcesses(run_environment),
        live=LiveGrading(questions, annotations, checker.has_errors, bus),
        audit=LiveAudit(questions, audit_marks, bus),
        judges=JudgeStandings(questions, judge_marks, bus),
        coverage=coverage,
        questions=questions,
        tests=TestTree(client, documents, workspace, ledger, annotations, bus),
        symbols=WorkspaceSymbols(client, workspace, bus),
        trust=Trust(client),
        refreshes=refreshes,
        code_cache=CodeCache(None),
    )


def serve_tcp(host: str, port: int) -> None:
    """Serve one editor on a TCP address, for debugging."""
    session = build_session()
    collect_rarely()
    session.client.lsp.start_tcp(host, port)
