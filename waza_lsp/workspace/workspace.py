"""The other files of a workspace as snapshots. Text that is open in the editor wins over the disk."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from waza_engine.lib.files.vfs import Files
from waza_engine.lib.queries.store import query
from waza_engine.project.suite_files import SuiteFiles, owner_of
from waza_engine.runs.recordings.preview import RecordingPreview
from waza_lsp.schema.document_kind import Recognition, may_be_eval, may_have_eval, recognise_form
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import UTF_16, Text, split_lines
from waza_lsp.syntax.tree.split import cut, schema_address
from waza_lsp.syntax.tree.tree import Tree

_MOST_CHARACTERS = 500_000
"""The size of the files that are kept after they were read, which is enough for large suites."""
_LEAST_SIZE = 200
"""What an entry takes beside the text and the tree, in characters."""


@dataclass(frozen=True, slots=True)
class WorkspaceFiles:
    """Access to the other files for one request. `process_dir` is where runs start, or None if unknown.

    `open_snapshot` returns the snapshot of an open file, `list_files` the YAML files of the workspace (this can be
    slow), `recordings` the recorded trials of an eval, `metric_values` the last values of its metrics, and `seen_trials`
    the passes and trials of each task under its present conditions.
    """

    process_dir: Path | None = None
    files: Files = field(default_factory=Files)
    open_snapshot: Callable[[Path], Snapshot | None] = lambda _: None
    list_files: Callable[[], Iterable[Path]] = tuple
    encoding: str = UTF_16
    recordings: Callable[[Path], tuple[RecordingPreview, ...]] = lambda _: ()
    metric_values: Callable[[Path], Mapping[str, float]] = lambda _: {}
    seen_trials: Callable[[Path], Sequence[tuple[int, int]]] = lambda _: ()

    def is_file(self, path: Path) -> bool:
        """Whether the path is a file."""
        return self.files.is_file(path)

    def is_directory(self, path: Path) -> bool:
        """Whether the path is a folder."""
        return self.files.is_directory(path)

    def glob(self, pattern: str, folder: Path) -> list[Path]:
        """Return the files and folders below `folder` that match a Go glob."""
        return self.files.glob(pattern, folder)

    def snapshot(self, path: Path) -> Snapshot | None:
        """Return the current snapshot of a file, or None if it cannot be read."""
        found = self.open_snapshot(path)
        if found is not None:
            return found
        read = _read_file(self.files, path)
        return self._snapshot(path, read) if read is not None else None

    def eval_snapshot(self, path: Path) -> Snapshot | None:
        """Return the current snapshot of a file; None for most files that are no evals, without parsing them.

        It is not kept for the next request: whoever reads a whole workspace needs each file once, and thousands of trees
        would keep the garbage collector busy.
        """
        found = self.open_snapshot(path)
        if found is not None:
            return found
        text = self.files.text(path)
        read = _ReadFile(text) if text is not None else None
        if read is None or not may_have_eval(read.lines, path, layout=read.layout):
            return None
        return self._snapshot(path, read)

    def _snapshot(self, path: Path, read: "_ReadFile") -> Snapshot:
        kind = recognise_form(read.tree.sketch(), path, schema=schema_address(read.lines))
        return read.snapshot(path, self.encoding, kind)

    def suite(self, snapshot: Snapshot) -> SuiteFiles | None:
        """Return the suite that a document belongs to."""
        form = snapshot.form
        if form is None or snapshot.path is None:
            return None
        return form.document(snapshot.data, snapshot.path, self.process_dir, self.files).suite

    def eval_path(self, snapshot: Snapshot) -> Path | None:
        """Return the eval that a document is or belongs to. This is cheaper than `suite`."""
        form, path = snapshot.form, snapshot.path
        if form is None or path is None or form.runnable == "experiment":
            return None
        return owner_of(form.runnable or form.kind, path, self.files)

    def members(self, snapshot: Snapshot) -> Iterator[Snapshot]:
        """Return the eval files of a document's suite, the document itself first."""
        yield snapshot
        suite = self.suite(snapshot)
        for path in suite.paths if suite is not None else ():
            if (
                path != snapshot.path
                and (found := self.snapshot(path)) is not None
                and found.form is not None
            ):
                yield found

    def mentioning(
        self, word: str, snapshot: Snapshot | None = None, *, below: Path | None = None
    ) -> Iterator[Snapshot]:
        """Return the eval files of the suite and the workspace that contain a word, the document itself first.

        Files at or below `below` are always included.
        """
        if snapshot is not None:
            yield snapshot
        suite = self.suite(snapshot) if snapshot is not None else None
        seen = {snapshot.path if snapshot is not None else None}
        for path in (*(suite.paths if suite is not None else ()), *self.list_files()):
            if path in seen:
                continue
            seen.add(path)
            text = self.files.text(path)
            if text is None or not may_be_eval(text, path):
                continue
            if word in text or (below is not None and path.is_relative_to(below)):
                found = self.snapshot(path)
                if found is not None and found.form is not None:
                    yield found


class _ReadFile:
    """The text of a file that is not open, with its tree, which is made at its first use."""

    def __init__(self, text: str) -> None:
        self.lines = split_lines(text)
        self.size = len(text)
        self.layout = cut(self.lines)
        self._snapshot: Snapshot | None = None

    @cached_property
    def tree(self) -> Tree:
        """The syntax tree."""
        return Tree.of(self.lines, layout=self.layout)

    def snapshot(self, path: Path, encoding: str, kind: Recognition | None) -> Snapshot:
        """Return the snapshot; the same one as long as the file is of the same kind, with the results that it keeps."""
        known = self._snapshot
        if known is None or (known.text.encoding, known.recognition) != (encoding, kind):
            text = Text(self.lines, encoding)
            known = self._snapshot = Snapshot(path.as_uri(), None, text, self.tree, kind)
        return known


def _size(read: _ReadFile | None) -> int:
    return _LEAST_SIZE + read.size if read is not None else _LEAST_SIZE


@query(keep=_MOST_CHARACTERS, weigh=_size)
def _read_file(files: Files, path: Path) -> _ReadFile | None:
    # Not as long as the files of the workspace are known: a tree takes fifty times the memory of its text.
    text = files.text(path)
    return _ReadFile(text) if text is not None else None
