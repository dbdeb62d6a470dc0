"""The server object: what it knows between two messages."""

import asyncio
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from waza_engine.checking.files import Files
from waza_engine.checking.project import Projects, ProjectSettings
from waza_engine.recalled import Recollections
from waza_engine.scope import Scope
from waza_engine.version import __version__
from waza_lsp.features.completion import Client as CompletionClient
from waza_lsp.schema.world import World
from waza_lsp.server.coexistence import levels
from waza_lsp.server.diagnostics.publish import Delivery
from waza_lsp.server.diagnostics.workspace import Survey, workspace_files
from waza_lsp.server.documents import Documents
from waza_lsp.server.live.controller import LiveGrading
from waza_lsp.server.memory import Leftovers
from waza_lsp.server.refresh import finding_refresh, hint_refresh, lens_refresh
from waza_lsp.server.results.ledger import Results
from waza_lsp.server.results.lens_cache import LensMemory
from waza_lsp.server.results.watch import StoreWatch
from waza_lsp.server.runs.process import Runs
from waza_lsp.server.settings import Settings, read_settings
from waza_lsp.server.startup.code_cache import Compiled
from waza_lsp.server.testing.tree import TestTree
from waza_lsp.server.transport.protocol import OwnDocumentsProtocol, message_converter
from waza_lsp.snapshot import Snapshot, path_of
from waza_lsp.suite.around import Around
from waza_lsp.suite.client import Client as EditClient

_MOST_WORLDS = 64


class WazaServer(LanguageServer):
    """A language server with its documents, settings and runs."""

    protocol: OwnDocumentsProtocol

    def __init__(self) -> None:
        super().__init__(
            "waza-lsp",
            __version__,
            text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
            protocol_cls=OwnDocumentsProtocol,
            converter_factory=message_converter,
        )
        self.documents = Documents()
        self.files = Files(self.documents.text_of)
        self.projects = Projects()
        self.delivery = Delivery()
        self.survey = Survey()
        self.settings = Settings()
        self.told_settings = 0
        """How often the client has told settings without being asked."""
        self.settings_known = asyncio.Event()
        """Cleared while the client is asked for settings."""
        self.settings_known.set()
        self.runs = Runs()
        self.results = Results()
        self.live = LiveGrading()
        self.recollections = Recollections()
        self.client_name = ""
        """What the editor calls itself."""
        self.tests = TestTree()
        self.lenses = LensMemory()
        self.store_watch = StoreWatch()
        self.leftovers = Leftovers()
        self.trusted = True
        self.run_events = False
        self.beside_at_start: frozenset[str] = frozenset()
        """What another server gives, as the client said at first; see `beside`."""
        self.lens_refresh = lens_refresh()
        self.hint_refresh = hint_refresh()
        self.finding_refresh = finding_refresh()
        self.formats = False
        """Whether formatting is offered to a client that can be told later."""
        self.warm = asyncio.Event()
        """Set once the grader types are imported: until then their own checks are left out."""
        self.leave: Callable[[], None] = lambda: None
        """Ends the server, if it is for one editor alone."""
        self.watches = False
        """Whether the client tells about changed files."""
        self._worlds: dict[Path | None, tuple[object, World]] = {}
        self.compiled = Compiled(None)
        """What libraries had compiled while the server was started."""

    @property
    def folders(self) -> list[Path]:
        """The workspace folders on disk."""
        found = [path_of(it) for it in self.workspace.folders] or [path_of(self.workspace.root_uri or "")]
        return [it for it in found if it is not None]

    def process_dir(self, path: Path | None) -> Path | None:
        """The directory that runs are started in: the workspace folder of the file."""
        for folder in self.folders:
            if path is not None and path.is_relative_to(folder):
                return folder
        return path.parent if path is not None else None

    def world(self, snapshot: Snapshot, project: ProjectSettings | None = None) -> World:
        """What checks of a document may know about where it stands. `project`: its settings, when they are known."""
        path = snapshot.path
        project = project or self.project(path)
        about = project, self.settings, self.warm.is_set(), *self.workspace.folders
        known = self._worlds.get(path)
        if known is None or known[0] != about:
            if len(self._worlds) >= _MOST_WORLDS:
                self._worlds.clear()
            self._worlds[path] = known = about, self._world(path, project)
        return known[1]

    def _world(self, path: Path | None, project: ProjectSettings) -> World:
        return World(
            path,
            Scope(path.parent if path else None, self.process_dir(path)),
            self.files,
            {**levels(self.beside), **self.settings.rules, **project.rules},
            excluded=path is not None and project.excludes(path),
            complete=self.warm.is_set(),
            target=project.target or self.settings.target,
            extra_types=frozenset([*project.extra_grader_types, *self.settings.extra_grader_types]),
        )

    def project(self, path: Path | None) -> ProjectSettings:
        """The settings of the project that a file belongs to."""
        return self.projects.of(path.parent) if path is not None else ProjectSettings()

    @property
    def beside(self) -> frozenset[str]:
        """What another server already gives."""
        return self.beside_at_start.union(self.settings.beside)

    @property
    def encoding(self) -> types.PositionEncodingKind:
        """How the client counts columns."""
        return types.PositionEncodingKind(self.workspace.position_encoding or "utf-16")

    def around(self, snapshot: Snapshot) -> Around:
        """What features may ask about other files: those that are open as they stand in the editor."""
        return self._around(self.process_dir(snapshot.path))

    def workspace_around(self) -> Around:
        """The same for requests about no document in particular."""
        return self._around(self.folders[0] if self.folders else None)

    def _around(self, process_dir: Path | None) -> Around:
        return Around(
            process_dir,
            self.files,
            self.documents.of_path,
            lambda: workspace_files(self),
            self.encoding,
            self.recollections.of,
            self.results.metrics_of,
        )

    @cached_property
    def completion_client(self) -> CompletionClient:
        """What the editor can take in completion items; asked for after `initialize` only."""
        return CompletionClient.of(self.client_capabilities, self.client_name)

    @cached_property
    def shows_markdown(self) -> bool:
        """Whether the editor can show a hover with marks; one that does not say is taken to."""
        document = self.client_capabilities.text_document
        hover = document.hover if document is not None else None
        formats = hover.content_format if hover is not None else None
        return not formats or types.MarkupKind.Markdown in formats

    @cached_property
    def nests_symbols(self) -> bool:
        """Whether the editor takes symbols inside of others."""
        document = self.client_capabilities.text_document
        able = document.document_symbol if document is not None else None
        return able is not None and bool(able.hierarchical_document_symbol_support)

    @cached_property
    def edit_client(self) -> EditClient:
        """What the editor can take in edits; asked for after `initialize` only."""
        return EditClient.of(self.client_capabilities)

    def configure(self, values: object) -> None:
        """Take the client's `waza` settings over; a bad value is reported and its default used."""
        self.settings, problems = read_settings(values)
        for problem in problems:
            self.warn(problem)

    def end_children(self) -> None:
        """The server ends: so do its runs and its worker."""
        self.runs.end_all()
        self.live.end()

    def log(self, message: str) -> None:
        """Write a line into the server's log."""
        self.window_log_message(types.LogMessageParams(types.MessageType.Info, message))

    def warn(self, message: str) -> None:
        """Show a warning to the user."""
        self.say(message, types.MessageType.Warning)

    def say(self, message: str, kind: types.MessageType = types.MessageType.Error) -> None:
        """Show a message to the user: mostly why what they asked for was not done."""
        self.window_show_message(types.ShowMessageParams(kind, message))
