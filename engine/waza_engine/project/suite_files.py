"""The files of one suite: the eval, and the task files that its globs match; and the eval that a file belongs to.

See docs/reference/waza-formats.md, sections 2, 3. Everything is read through `Files`, which caches it; the data may be
incomplete or invalid.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from waza_engine.lib.files.vfs import Files
from waza_engine.lib.go.glob import BadPattern, match
from waza_engine.lib.go.paths import cleaned
from waza_engine.lib.queries.items import Items
from waza_engine.lib.queries.store import derived_property, kept
from waza_engine.lib.yaml.reader import YamlError
from waza_engine.lib.yaml.scalars import source_text
from waza_engine.model.file_names import TRIGGER_TESTS
from waza_engine.model.placeholders import read_with_placeholders
from waza_engine.project.store_location import in_repository
from waza_engine.recognition.recognise import (
    Dialect,
    Kind,
    default_dialect,
    dialect,
    dialects,
    kind_of,
    recognise,
)

_LEVELS = 6
_EVAL_NAMES = ("eval.yaml", "eval.yml")
# Only blanks may follow a line's start: with line breaks, a match would be tried from each of many empty lines.
_EVAL_KEY = re.compile(r"""(?:^[ \t]*|[{,]\s*)(["']?)tasks(?:_from)?\1\s*:""", re.MULTILINE)
_SUFFIXES = (".yaml", ".yml")
_PROJECT_LEVELS = 10


class TaskOfSuite(NamedTuple):
    """A task file, its data (empty if it has none), and the indexes of the globs that match it."""

    path: Path
    data: Mapping[str, Any]
    globs: tuple[int, ...]

    @property
    def id(self) -> str:
        return text_of(self.data.get("id"))

    @property
    def name(self) -> str:
        return text_of(self.data.get("name"))


class SuiteFiles:
    """An eval with its task files. The data of the checked document overrides what `files` has."""

    def __init__(
        self,
        eval_path: Path,
        data: Any,
        files: Files,
        own_path: Path | None,
        own_data: Any,
        dialect_name: str = "",
    ) -> None:
        self.eval_path = eval_path
        self._dialect = dialect_name
        self.eval: Mapping[str, Any] = data if isinstance(data, Mapping) else {}
        self._files = files
        self._own = (own_path, own_data)
        self.memory: dict[Any, Any] = {}

    @property
    def folder(self) -> Path:
        return self.eval_path.parent

    @property
    def config(self) -> Mapping[str, Any]:
        """The settings of the run, under `config` or `defaults`."""
        config = self.eval.get("config") or self.eval.get("defaults")
        return config if isinstance(config, Mapping) else {}

    @property
    def executor(self) -> str:
        return text_of(self.config.get("executor"))

    @property
    def skill(self) -> str:
        return text_of(self.eval.get("skill"))

    @property
    def graders(self) -> list[Mapping[str, Any]]:
        """The graders for all tasks."""
        entries = self.eval.get("graders")
        return [it for it in entries if isinstance(it, Mapping)] if isinstance(entries, list) else []

    @derived_property
    def tasks(self) -> tuple[TaskOfSuite, ...]:
        """The task files in waza's order, without duplicates."""
        return tuple(TaskOfSuite(path, self._data(path), globs) for path, globs in self._named.items())

    def paths_by_text(self, key: str) -> Mapping[str, list[Path]]:
        """Return the task files by their text at this key; files without one are under ""."""

        def find() -> Mapping[str, list[Path]]:
            found: dict[str, list[Path]] = {}
            for it in self.tasks:
                found.setdefault(text_of(it.data.get(key)).strip(), []).append(it.path)
            return found

        return kept(self.memory, ("having", key), find)

    @property
    def paths(self) -> tuple[Path, ...]:
        """All files of the suite: the eval, its tasks, then the trigger tests beside it."""
        triggers = self.folder / TRIGGER_TESTS
        beside = [triggers] if self._files.is_file(triggers) else []
        return tuple(dict.fromkeys([self.eval_path, *self._named, *beside]))

    def setting(self, place: str) -> Any:
        """Return a setting, such as `project:paths.skills` or `eval:config.model`; None if it is not set.

        The project file is the nearest one of the eval's dialect (`.waza.yaml`) above the eval. Runs search for it from
        the directory they start in.
        """
        where, _, keys = place.partition(":")
        value: Any = self.eval if where == "eval" else self._project
        for key in keys.split("."):
            value = value.get(key) if isinstance(value, Mapping) else None
        return value

    @derived_property
    def project_path(self) -> Path | None:
        """The project file that applies to the eval; None without one."""
        above = [it / self._project_name for it in (self.folder, *self.folder.parents)][:_PROJECT_LEVELS]
        return next((it for it in above if self._files.is_file(it)), None)

    @property
    def _project_name(self) -> str:
        if self._dialect:
            return dialect(self._dialect).project_file
        found = recognise(self.eval, self.eval_path)
        return (found[0] if found is not None else default_dialect()).project_file

    @property
    def _project(self) -> Mapping[str, Any]:
        return self._files.mapping(self.project_path) if self.project_path is not None else {}

    @derived_property
    def _named(self) -> dict[Path, tuple[int, ...]]:
        """The task files with the indexes of the globs that match them."""
        folder = self.folder
        named: dict[Path, tuple[int, ...]] = {}
        for index, pattern in globs_of(self.eval):
            for path in self._files.glob(as_glob(pattern), folder):
                named[path] = (*named.get(path, ()), index)
        return {it: named[it] for it in in_repository(named, folder)} if named else {}

    def _data(self, path: Path) -> Mapping[str, Any]:
        own_path, own_data = self._own
        data = own_data if path == own_path else self._files.data(path)
        return data if isinstance(data, Mapping) else {}


def suite_of(
    kind: str, path: Path | None, data: Any, files: Files, dialect_name: str = ""
) -> SuiteFiles | None:
    """Return the suite that a file belongs to; None if there is none."""
    if path is None or not files.is_directory(path.parent):
        return None
    known = kind_of(dialect_name, kind)
    runnable = known.runnable if known is not None and known.runnable else kind
    found = owner_of(runnable, path, files) if runnable != "experiment" else None
    if found is None:
        return None
    if found != path and files.is_snapshot:
        # In a snapshot, `files` already has the checked document, so all files of the suite share one object.
        return files.once(("suite", found), lambda: SuiteFiles(found, files.data(found), files, None, None))
    if found != path:
        return SuiteFiles(found, files.data(found), files, path, data)
    # Pass the known dialect: detecting it would make project settings depend on all of the data.
    return SuiteFiles(found, data, files, path, data, dialect_name)


def owner_of(kind: str, path: Path, files: Files) -> Path | None:
    """Return the eval or experiment that a file of some kind belongs to; None if there is none.

    For an eval or an experiment it is the file itself, for trigger tests the eval beside them, and for any other kind
    the nearest eval above that lists the file as a task.
    """
    match kind:
        case "eval" | "experiment":
            return path
        case "triggers":
            return next(iter(_evals_in(path.parent, files)), None)
        case "project":
            return None
        case _:
            return eval_of_task(path, files)


def globs_of(data: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    """Yield the globs under `tasks` with their indexes."""
    entries = data.get("tasks")
    if isinstance(entries, Items):
        yield from entries.results(_glob, _glob)
    else:
        found = enumerate(entries if isinstance(entries, list) else ())
        yield from ((index, glob) for index, it in found if (glob := _glob(it)))


def _glob(item: Any) -> str:
    return item if isinstance(item, str) and item.strip() else ""


def as_glob(pattern: str) -> str:
    """Return the pattern as Go joins it to the folder: cleaned, and relative even if it is absolute."""
    relative = pattern.lstrip("/")
    return cleaned(relative) if relative else "."


def text_of(value: Any) -> str:
    """Return a string as it is and a number as it is written; "" for anything else."""
    if isinstance(value, str):
        return value
    return source_text(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else ""


def naming_eval(path: Path, files: Files) -> tuple[Path, Dialect, Kind] | None:
    """Return the nearest eval above a file that names it as a task, with the file's dialect and kind.

    Only evals with "eval" in their file name are searched.
    """
    found = eval_of_task(path, files, usual=True) if path.name.endswith(_SUFFIXES) else None
    known = recognise(files.mapping(found), found) if found is not None else None
    if found is None or known is None:
        return None
    of, kind, _reason = known
    task = of.kind(kind.task_kind)
    return (found, of, task) if task is not None else None


def eval_of_task(path: Path, files: Files, *, usual: bool = False) -> Path | None:
    """Return the nearest eval above a task file that lists it; `usual` searches only files named like evals."""
    folder = path
    for _ in range(_LEVELS):
        if folder == (folder := folder.parent):
            break
        for candidate in _evals_in(folder, files, usual=usual, own=path):
            if candidate != path and _lists(candidate, path.relative_to(folder).as_posix(), files):
                return candidate
    return None


def _lists(candidate: Path, name: str, files: Files) -> bool:
    """Whether an eval lists the file of this name, relative to its folder."""
    globs = files.once(
        ("globs", candidate), lambda: [as_glob(it) for _, it in globs_of(files.mapping(candidate))]
    )
    return any(_matches(it, name) for it in globs)


def eval_of(path: Path) -> Path | None:
    """Return the eval or experiment to run for a file on disk: the file itself, or the eval it belongs to."""
    files = Files()
    return owner_of(_kind_on_disk(path, files), path, files)


def _kind_on_disk(path: Path, files: Files) -> str:
    """Return the kind of a file; "" if its text does not tell."""
    try:
        data = read_with_placeholders(files.text(path) or "")
    except YamlError:
        return ""
    found = recognise(data, path) if isinstance(data, dict) else None
    return (found[1].runnable or found[1].name) if found is not None else ""


_DISK = Files()
"""Evals are cached until they change on disk."""


def kind_named_by_eval(path: Path) -> tuple[Dialect, Kind, str] | None:
    """Return dialect, kind and the reason for a file that matches a glob of an eval above it; None without one.

    This is waza's own rule for task files (docs/reference/waza-formats.md, section 2). Only evals with usual names are
    searched, because this runs for every YAML file that is not recognised otherwise.
    """
    found = naming_eval(path, _DISK) if path.is_absolute() else None
    if found is None:
        return _kind_beside_eval(path)
    eval_path, dialect, kind = found
    return dialect, kind, f"named by {eval_path.name}"


def _kind_beside_eval(path: Path) -> tuple[Dialect, Kind, str] | None:
    """Return the kind of a file that runs of the eval beside it load by its name."""
    kinds = [(it, kind) for it in dialects() for kind in it.kinds if path.name in kind.beside_evals]
    if not kinds or not path.is_absolute():
        return None
    for eval_path in _evals_in(path.parent, _DISK, usual=True):
        found = recognise(_DISK.mapping(eval_path), eval_path)
        for dialect_, kind in kinds:
            if found is not None and found[0] is dialect_:
                return dialect_, kind, f"{path.name} beside {eval_path.name}"
    return None


def _evals_in(folder: Path, files: Files, *, usual: bool = False, own: Path | None = None) -> Iterable[Path]:
    """Return the eval files of a folder, usual names first; with `usual`, only files named like evals.

    The file `own` may be left out.
    """
    if files.is_snapshot:
        # The whole list is cached, for all files.
        return files.once(("evals", folder, usual), lambda: tuple(_find_evals(folder, files, usual=usual)))
    # Lazy, as most callers need only the first. If a file's text were read to find its own eval, each edit of it would
    # run all rules again that look at the suite.
    return _find_evals(folder, files, usual=usual, own=own)


def _find_evals(folder: Path, files: Files, *, usual: bool, own: Path | None = None) -> Iterator[Path]:
    names = [it for it in files.names(folder) if it.endswith(_SUFFIXES) and (not usual or "eval" in it)]
    for name in sorted(names, key=lambda it: (it not in _EVAL_NAMES, it)):
        path = folder / name
        if path == own:
            continue
        # Most YAML files near an eval are tasks: a search in the text avoids parsing them.
        if files.read_as(path, _may_be_eval) and _is_eval(files.mapping(path), path):
            yield path


def _may_be_eval(text: str) -> bool:
    return _EVAL_KEY.search(text) is not None


def _is_eval(data: Mapping[str, Any], path: Path) -> bool:
    found = recognise(data, path)
    return found is not None and bool(found[1].task_kind)


def _matches(pattern: str, name: str) -> bool:
    try:
        return match(pattern, cleaned(name))
    except BadPattern:
        return False
