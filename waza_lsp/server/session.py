"""The state of a session with an editor: the parts of the server that handlers and commands use."""

import asyncio
from dataclasses import dataclass

from waza_lsp.server.coverage.controller import SkillCoverages
from waza_lsp.server.diagnostics.publish import Checker, Publisher
from waza_lsp.server.diagnostics.pull import PullDiagnostics
from waza_lsp.server.documents import Documents
from waza_lsp.server.helper.audits import LiveAudit
from waza_lsp.server.helper.client import Helper, Questions
from waza_lsp.server.helper.judges import JudgeStandings
from waza_lsp.server.helper.verdicts import LiveGrading
from waza_lsp.server.refresh import Refreshes
from waza_lsp.server.results.annotations import Annotations
from waza_lsp.server.results.ledger import ResultLedger
from waza_lsp.server.results.watch import StoreWatch
from waza_lsp.server.runs.process import RunProcesses
from waza_lsp.server.settings import Configuration
from waza_lsp.server.startup.code_cache import CodeCache
from waza_lsp.server.testing.tree import TestTree
from waza_lsp.server.transport.client import Client
from waza_lsp.server.trust import Trust
from waza_lsp.server.workspace import Workspace


@dataclass(slots=True)
class Session:
    """One editor, its documents and settings, and the parts that work on them. `build` joins the parts."""

    client: Client
    documents: Documents
    configuration: Configuration
    workspace: Workspace
    checker: Checker
    publisher: Publisher
    pull: PullDiagnostics
    annotations: Annotations
    ledger: ResultLedger
    store_watch: StoreWatch
    processes: RunProcesses
    live: LiveGrading
    audit: LiveAudit
    coverage: SkillCoverages
    judges: JudgeStandings
    questions: Questions
    helper: Helper
    tests: TestTree
    trust: Trust
    refreshes: Refreshes
    started: asyncio.Event
    """Set in the first pause after the start. Work that nobody waits for begins then."""
    code_cache: CodeCache
    """Stores what the libraries compile during the start."""

    def end_children(self) -> None:
        """End the runs and the helper, because the server ends."""
        self.processes.end_all()
        self.helper.end()
