"""What the editor's side remembers of a file, and what an edit makes it compute again: how one finds a slow query."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types

from waza_engine.analysis.pipeline import CheckContext, check_context
from waza_engine.lib.files.safe_read import MAX_SOURCE_BYTES, regular_bytes
from waza_engine.lib.files.vfs import Files
from waza_engine.lib.queries.disk import disk
from waza_engine.lib.queries.store import Database, Statistics
from waza_engine.project.settings import UNKNOWN_RUNNER, Projects
from waza_lsp.features.diagnostics import DiagnosticJsonCache, diagnostics_json
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Place, Span

EDITS = 10
_DISK_SECONDS = 1.0
"""How long the server takes it that files are as they were, while no client tells it of changes."""


@dataclass(frozen=True, slots=True)
class QueryRow:
    """How often a query was asked and computed: to open the file, and for all edits together. `kept` are its results."""

    name: str
    opening: Statistics
    edits: Statistics
    kept: int


class NoEvalError(Exception):
    """The file is none that the language server checks."""


def query_rows(path: Path) -> list[QueryRow]:
    """Open a file like the language server, edit it a few times, and return what its queries did, the busiest first.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is not UTF-8.
        NoEvalError: it is no file of evals.

    """
    path = path.absolute()
    text = regular_bytes(path, MAX_SOURCE_BYTES).decode("utf-8-sig")
    opened = _Opened(Snapshot.of(path.as_uri(), text, 0))
    if opened.snapshot.form is None:
        raise NoEvalError("it is no file of evals")
    before_age, disk.max_age = disk.max_age, _DISK_SECONDS
    try:
        opened.check()
        opening = opened.statistics()
        opened.edit(EDITS)
        after = opened.statistics()
    finally:
        disk.max_age = before_age
    rows = [
        QueryRow(
            name,
            opening.get(name, Statistics()),
            _difference(found, opening.get(name, Statistics())),
            found.entries,
        )
        for name, found in after.items()
    ]
    return sorted(rows, key=lambda it: (-it.edits.computed, -it.opening.computed, it.name))


class _Opened:
    """A file as the server has it."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        path = snapshot.path or Path()
        self._files = Files(
            lambda it: str(self.snapshot.text) if it == path else None, is_open=lambda it: it == path
        )
        self._projects = Projects()
        self._last: DiagnosticJsonCache = {}

    def check(self) -> None:
        diagnostics_json(self.snapshot, self._context(), self._last)

    def edit(self, count: int) -> None:
        """Add a space to the line in the middle and remove it, and check after each edit."""
        line = len(self.snapshot.text.lines) // 2
        end = len(self.snapshot.text.line(line))
        for number in range(count):
            is_added = number % 2 == 0
            place = Span(Place(line, end), Place(line, end if is_added else end + 1))
            change = types.TextDocumentContentChangePartial(
                self.snapshot.range(place), " " if is_added else ""
            )
            self.snapshot = self.snapshot.with_changes([change], number + 1)
            self.check()

    def statistics(self) -> dict[str, Statistics]:
        databases: Sequence[Database] = (self._files, self._projects)
        return {name: it for database in databases for name, it in database.statistics().items()}

    def _context(self) -> CheckContext:
        path, form = self.snapshot.path, self.snapshot.form
        folder = path.parent if path is not None else Path.cwd()
        name = form.dialect if form is not None else ""
        return check_context(
            path,
            self._projects.of(folder),
            Path.cwd(),
            files=self._files,
            runner=self._projects.runner(folder, name) if name else UNKNOWN_RUNNER,
        )


def _difference(after: Statistics, before: Statistics) -> Statistics:
    return Statistics(after.calls - before.calls, after.computed - before.computed)


def query_table(rows: Sequence[QueryRow]) -> Iterator[str]:
    """Yield the lines of a table."""
    width = max([len("Query"), *(len(_short(it.name)) for it in rows)])
    yield f"{'Query':{width}}  {'opening':>15}  {f'{EDITS} edits':>15}  {'kept':>6}"
    yield f"{'':{width}}  {'asked':>7} {'made':>7}  {'asked':>7} {'made':>7}"
    for it in rows:
        counts = (it.opening.calls, it.opening.computed)
        edits = (it.edits.calls, it.edits.computed)
        yield (
            f"{_short(it.name):{width}}  {counts[0]:>7} {counts[1]:>7}  {edits[0]:>7} {edits[1]:>7}  {it.kept:>6}"
        )


def _short(name: str) -> str:
    """Return the module without its packages, and the function."""
    return ".".join(name.split(".")[-2:])
