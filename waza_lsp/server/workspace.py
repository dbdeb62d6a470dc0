"""The workspace folders and their projects: the context of checks and requests."""

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from lsprotocol import types

from waza_engine.analysis.pipeline import CheckContext, check_context
from waza_engine.lib.files.vfs import Files
from waza_engine.project.settings import SETTINGS_FILES, UNKNOWN_RUNNER, Projects, ProjectSettings, Runner
from waza_engine.runs.recordings.preview import recording_previews
from waza_lsp.server.coexistence import levels
from waza_lsp.server.documents import Documents
from waza_lsp.server.events import Bus, FilesChanged
from waza_lsp.server.results.ledger import ResultLedger
from waza_lsp.server.settings import Configuration
from waza_lsp.server.transport.client import Client
from waza_lsp.snapshot import Snapshot
from waza_lsp.workspace.workspace import WorkspaceFiles

_MOST_CONTEXTS = 64
_LISTING_FILES = frozenset([*SETTINGS_FILES, ".gitignore"])
"""The files that decide which others are listed."""


class Workspace:
    """Knows where a document is, which settings apply to it, and the files around it."""

    def __init__(
        self,
        client: Client,
        documents: Documents,
        configuration: Configuration,
        ledger: ResultLedger,
        bus: Bus,
    ) -> None:
        self.files = Files(documents.text_of, is_open=lambda path: documents.of_path(path) is not None)
        self.projects = Projects()
        self._client = client
        self._documents = documents
        self._configuration = configuration
        self._ledger = ledger
        self._listing: tuple[list[Path], tuple[Path, ...]] | None = None
        """Folders of the workspace, and the YAML files below them."""
        self._changes = 0
        """How often the client reported other files."""
        self._contexts: dict[Path | None, tuple[object, CheckContext]] = {}
        bus.listen(FilesChanged, self._files_changed)

    @property
    def folders(self) -> list[Path]:
        """The workspace folders."""
        return self._client.folders

    def process_dir(self, path: Path | None) -> Path | None:
        """The directory that runs of a file start in: its workspace folder."""
        for folder in self._client.folders:
            if path is not None and path.is_relative_to(folder):
                return folder
        return path.parent if path is not None else None

    def project(self, path: Path | None) -> ProjectSettings:
        """The settings of the project that a file belongs to."""
        return self.projects.of(path.parent) if path is not None else ProjectSettings()

    def context(self, snapshot: Snapshot, project: ProjectSettings | None = None) -> CheckContext:
        """The context for checking a document. Pass its `project` if it is already known."""
        path = snapshot.path
        project = project or self.project(path)
        runner = Runner(snapshot.form.dialect) if snapshot.form is not None else UNKNOWN_RUNNER
        if path is not None and runner.dialect:
            runner = self.projects.runner(path.parent, runner.dialect)
        state = project, self._configuration.settings, runner, *self._client.folder_uris
        known = self._contexts.get(path)
        if known is None or known[0] != state:
            if len(self._contexts) >= _MOST_CONTEXTS:
                self._contexts.clear()
            self._contexts[path] = known = state, self._new_context(path, project, runner)
        return known[1]

    def _new_context(self, path: Path | None, project: ProjectSettings, runner: Runner) -> CheckContext:
        settings = self._configuration.settings
        defaults = ProjectSettings(
            rules={**levels(self._configuration.beside), **settings.rules},
            target=settings.target,
            extra_grader_types=(*settings.waza_grader_types, *settings.extra_grader_types),
            targets=settings.targets,
        )
        return check_context(
            path,
            project,
            self.process_dir(path),
            files=self.files,
            defaults=defaults,
            runner=runner,
        )

    def files_for(self, snapshot: Snapshot) -> WorkspaceFiles:
        """The files around a document for a request, with the text of the editor for open files."""
        return self.files_from(self.process_dir(snapshot.path))

    def files_of_folders(self) -> WorkspaceFiles:
        """The files of the workspace, for requests that name no document."""
        folders = self._client.folders
        return self.files_from(folders[0] if folders else None)

    def files_from(self, process_dir: Path | None) -> WorkspaceFiles:
        """The files of the workspace, for requests about runs that start in this directory."""
        return WorkspaceFiles(
            process_dir,
            self.files,
            self._documents.of_path,
            self.yaml_files,
            self._client.encoding,
            partial(recording_previews, self.files),
            self._ledger.metrics_of,
            self._ledger.seen_trials_of,
        )

    def _files_changed(self, event: FilesChanged) -> None:
        if not all(map(is_only_content, event.changes)):
            self.list_again()

    def list_again(self) -> None:
        """List the files again at the next question, because others may be there."""
        self._listing = None
        self._changes += 1

    def known_yaml_files(self) -> Iterable[Path]:
        """The YAML files below the workspace folders, listed again when the client reports other files."""
        folders = self._client.folders
        known = self._listing
        if known is not None and known[0] == folders:
            return known[1]
        if not self._client.watches_files:
            return self.yaml_files()
        changes, found = self._changes, tuple(self.yaml_files())
        if changes == self._changes:
            self._listing = folders, found
        return found

    def yaml_files(self) -> Iterator[Path]:
        """The YAML files below the workspace folders."""
        # Imported late: pathspec comes with it, which the first document does not need.
        from waza_engine.project.discovery import eval_files

        folders = [it.absolute() for it in self._client.folders]
        for folder in folders:
            if not any(it != folder and folder.is_relative_to(it) for it in folders):
                yield from eval_files(folder, self.projects)


def is_only_content(change: types.FileEvent) -> bool:
    """Whether a change leaves the list of files as it is."""
    return change.type is types.FileChangeType.Changed and change.uri.rpartition("/")[2] not in _LISTING_FILES
