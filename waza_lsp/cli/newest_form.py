"""A suite in the newest form of its own dialect: the editor's fixes, applied to every file of it."""

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from waza_engine.analysis.pipeline import CheckContext
from waza_engine.checking.files import Files
from waza_engine.checking.suite_files import as_glob
from waza_engine.convert import Conversion
from waza_engine.findings import AppendItem, Fix, InsertKey, MoveKey, Pointer, RemoveKey, Severity
from waza_engine.scope import Scope
from waza_engine.suite import LoadError
from waza_lsp.cli.check_fix import fixed_file
from waza_lsp.cli.newest_form_paths import Place, edits_for, named_files
from waza_lsp.features.diagnostics import findings
from waza_lsp.schema.fixing import newest_solution
from waza_lsp.schema.mark import Mark
from waza_lsp.schema.solutions import Solution
from waza_lsp.schema.walk import Schema
from waza_lsp.snapshot import Snapshot
from waza_lsp.suite.moving import normal
from waza_lsp.syntax.edits import Draft

_TRIGGERS = "trigger_tests.yaml"


def in_newest_form(path: Path, out: Path, process_dir: Path) -> Conversion:
    """The eval at `path` and the files it names for the folder `out`, outdated shapes replaced; other text stays as it is.

    Raises:
        LoadError: a file of the suite cannot be read.

    """
    path, out = normal(path.absolute()), normal(out.absolute())
    return _Writer(Place.of(path.parent, out), process_dir).conversion(path)


class _Writer:
    """Puts one suite together."""

    def __init__(self, place: Place, process_dir: Path) -> None:
        self._place, self._process_dir = place, process_dir
        self._files = Files()
        self._result = Conversion()

    def conversion(self, path: Path) -> Conversion:
        """The files and what was lost."""
        data = self._add(path)
        triggers = self._place.source / _TRIGGERS
        beside = [triggers] if triggers.is_file() else []
        for it in dict.fromkeys([*self._tasks(path, data), *beside]):
            if it == path or (self._place.out in it.parents and not self._place.is_same):
                continue  # No glob makes a task of the eval or of what is written here.
            if self._place.is_same and self._place.source not in it.parents:
                self._result.lose("It stands outside of the eval's folder, and stays as it is", it)
            else:
                self._add(it)
        for name in self._result.files:
            # A fixture may hold files of the suite itself.
            self._result.copies.pop(name, None)
        return self._result

    def _tasks(self, path: Path, data: Any) -> Iterator[Path]:
        """The files that the globs of the eval name, whether they can be used or not."""
        for index, pattern in _patterns(data):
            found = [
                normal(it)
                for it in self._files.matching(as_glob(pattern), self._place.source)
                if it.is_file()
            ]
            if not found:
                self._result.lose(f"No file matches '{pattern}'", path, ("tasks", index))
            yield from found

    def _add(self, path: Path) -> Any:
        """Put a file into the result; answers its data."""
        try:
            text = path.read_bytes().decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise LoadError(path, f"The file cannot be read: {error}") from error
        context = CheckContext(path, Scope(process_dir=self._process_dir))
        before = Snapshot.of(path.as_uri(), text)
        dropped: dict[tuple[Pointer, str], str] = {}
        after = fixed_file(
            str(path), before, partial(findings, context=context), partial(_solution, dropped=dropped)
        )
        snapshot = Snapshot.of(path.as_uri(), after.after) if after else before
        draft = Draft(snapshot.text, snapshot.tree).edited(edits_for(snapshot, path, self._place))
        self._result.files[self._place.name(path)] = str(draft.text)
        for name, source in named_files(snapshot, path, self._place):
            first = self._result.copies.setdefault(name, source)
            if first != source:
                self._result.lose(f"{source} is left out: {first} comes to stand at {name}", path)
        for message in dropped.values():
            self._result.lose(message, path)
        for mark in findings(snapshot, context):
            if mark.finding.rule.outdated or mark.finding.severity is Severity.ERROR:
                # The line is that of the new text.
                message = f"line {mark.span.start.line + 1}: {mark.finding.message}"
                self._result.lose(message, self._place.after(path))
        return snapshot.tree.data()


def _patterns(data: Any) -> Iterator[tuple[int, str]]:
    """The globs of an eval with the index of their item; some older forms hold several, and have no newest one."""
    items = data.get("tasks") if isinstance(data, Mapping) else None
    for index, item in enumerate(items if isinstance(items, list) else ()):
        if isinstance(item, str) and item.strip():
            yield index, item.removeprefix("include:").strip()
        elif isinstance(item, Mapping):
            listed = item.get("task_files")
            globs = [*(listed if isinstance(listed, list) else ()), item.get("include")]
            yield from ((index, it) for it in globs if isinstance(it, str) and it.strip())


def _solution(
    mark: Mark, draft: Draft, root: Schema, *, dropped: dict[tuple[Pointer, str], str]
) -> Solution | None:
    """The best way to the newest form; what it takes out and says nowhere else is noted in `dropped`."""
    solution = newest_solution(mark, draft, root)
    title = solution.title if solution is not None else ""
    for fix in mark.in_document.fixes:
        if fix.title == title:
            for pointer, value in _taken_out(fix, draft):
                said = f"'{'.'.join(map(str, pointer))}: {value}' is left out"
                dropped[pointer, title] = f"{said}: {mark.finding.message}"
    return solution


def _taken_out(fix: Fix, draft: Draft) -> Iterator[tuple[Pointer, Any]]:
    """What a fix removes, but not what it also puts elsewhere."""
    put = [part for it in fix.changes if isinstance(it, AppendItem | InsertKey) for part in _parts(it.value)]
    moved = [it.pointer for it in fix.changes if isinstance(it, MoveKey)]
    for pointer in [it.pointer for it in fix.changes if isinstance(it, RemoveKey)]:
        if any(it[: len(pointer)] == pointer for it in moved):
            continue
        value = draft.tree.data()
        for part in pointer:
            value = value[part]
        if value not in put and not (isinstance(value, list) and all(it in put for it in value)):
            yield pointer, value


def _parts(value: Any) -> Iterator[Any]:
    """A value and all that is in it."""
    if value is not None:
        yield value
    for it in value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ():
        yield from _parts(it)
