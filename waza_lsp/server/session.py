"""The state of a session with an editor: the parts of the server that handlers and commands use."""

from dataclasses import dataclass

from waza_lsp.server.coverage.controller import SkillCoverages
from waza_lsp.server.diagnostics.publish import Publisher
from waza_lsp.server.diagnostics.pull import PullDiagnostics
from waza_lsp.server.documents import Documents
from waza_lsp.server.events import Bus
from waza_lsp.server.helper.audits import LiveAudit
from waza_lsp.server.helper.client import Questions
from waza_lsp.server.helper.judges import JudgeStandings
from waza_lsp.server.helper.verdicts import LiveGrading
from waza_lsp.server.refresh import Refreshes
from waza_lsp.server.results.annotations.annotations import Annotations
from waza_lsp.server.results.ledger import ResultLedger
from waza_lsp.server.runs.process import RunProcesses
from waza_lsp.server.settings import Configuration
from waza_lsp.server.startup.code_cache import CodeCache
from waza_lsp.server.testing.tree import TestTree
from waza_lsp.server.transport.client import Client
from waza_lsp.server.trust import Trust
from waza_lsp.server.workspace import Workspace
from waza_lsp.server.workspace_symbols import WorkspaceSymbols


@dataclass(slots=True)
class Session:
    """One editor, its documents and settings, and the parts that work on them. `build` makes the parts."""

    client: Client
    bus: Bus
    documents: Documents
    configuration: Configuration
    workspace: Workspace
    publisher: Publisher
    pull: PullDiagnostics
    annotations: Annotations
    ledger: ResultLedger
    processes: RunProcesses
    live: LiveGrading
    audit: LiveAudit
    coverage: SkillCoverages
    judges: JudgeStandings
    questions: Questions
    tests: TestTree
    symbols: WorkspaceSymbols
    trust: Trust
    refreshes: Refreshes
    code_cache: CodeCache
    """Stores what the libraries compile during the start."""

    def end_children(self) -> None:
        """End the runs and the helper, because the server ends."""
        self.processes.end_all()
        self.questions.helper.end()
