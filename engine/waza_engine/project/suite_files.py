"""The files of one suite as rules see them: the eval and the task files that its globs name.

See docs/reference/waza-formats.md, sections 2, 3.

Everything comes from `Files`, which remembers what it has read; nothing here is ever complete or valid for sure.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from waza_engine.lib.files.read_tracking import cached_with_reads, tracked_property
from waza_engine.lib.files.vfs import Files
from waza_engine.lib.go.glob import BadPattern, match
from waza_engine.lib.go.paths import cleaned
from waza_engine.lib.yaml.scalars import source_text
from waza_engine.model.file_names import TRIGGER_TESTS
from waza_engine.recognition.recognise import Dialect, Kind, default_dialect, dialect, kind_of, recognise

_LEVELS = 6
_EVAL_NAMES = ("eval.yaml", "eval.yml")
# Behind a line's start only blanks: with line breaks each of many empty lines would be a start for all that follow.
_EVAL_KEY = re.compile(r"""(?:^[ \t]*|[{,]\s*)(["']?)tasks(?:_from)?\1\s*:""", re.MULTILINE)
_SUFFIXES = (".yaml", ".yml")
_PROJECT_LEVELS = 10


class TaskOfSuite(NamedTuple):
    """A task file, its data (empty when it has none), and the indexes of the globs that name it."""

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
    """An eval with its task files. The data of the document that is being checked comes before what `files` has."""

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

    @property
    def folder(self) -> Path:
        return self.eval_path.parent

    @property
    def config(self) -> Mapping[str, Any]:
        """The settings of the run, `config` or `defaults` as the dialect calls them."""
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
        """The graders that judge every task."""
        entries = self.eval.get("graders")
        return [it for it in entries if isinstance(it, Mapping)] if isinstance(entries, list) else []

    @tracked_property
    def tasks(self) -> tuple[TaskOfSuite, ...]:
        """The task files in waza's order; one that two globs name stands here once."""
        return tuple(TaskOfSuite(path, self._data(path), globs) for path, globs in self._named.items())

    def paths_by_text(self, key: str) -> Mapping[str, list[Path]]:
        """The task files by the text that they have at this key; those that have none, too."""

        def find() -> Mapping[str, list[Path]]:
            found: dict[str, list[Path]] = {}
            for it in self.tasks:
                found.setdefault(text_of(it.data.get(key)).strip(), []).append(it.path)
            return found

        return cached_with_reads(self.__dict__, ("having", key), find)

    @property
    def paths(self) -> tuple[Path, ...]:
        """All files of the suite: the eval first, then its tasks, then what stands beside it."""
        triggers = self.folder / TRIGGER_TESTS
        beside = [triggers] if self._files.is_file(triggers) else []
        return tuple(dict.fromkeys([self.eval_path, *self._named, *beside]))

    def setting(self, place: str) -> Any:
        """A value of the suite: `eval:` or `project:` and the keys to it, with dots between; None when it is not there.

        The project is the nearest `.waza.yaml` (of the eval's dialect) above the eval. Runs look for it from where they
        are started.
        """
        where, _, keys = place.partition(":")
        value: Any = self.eval if where == "eval" else self._project
        for key in keys.split("."):
            value = value.get(key) if isinstance(value, Mapping) else None
        return value

    @tracked_property
    def project_path(self) -> Path | None:
        """The project file that counts for the eval; None without one."""
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

    @tracked_property
    def _named(self) -> dict[Path, tuple[int, ...]]:
        """The task files with the indexes of the globs that name them."""
        named: dict[Path, tuple[int, ...]] = {}
        for index, pattern in globs_of(self.eval):
            for path in self._files.glob(as_glob(pattern), self.folder):
                named[path] = (*named.get(path, ()), index)
        return named

    def _data(self, path: Path) -> Mapping[str, Any]:
        own_path, own_data = self._own
        data = own_data if path == own_path else self._files.data(path)
        return data if isinstance(data, Mapping) else {}


def suite_of(
    kind: str, path: Path | None, data: Any, files: Files, dialect_name: str = ""
) -> SuiteFiles | None:
    """The suite that a file belongs to, None when none is found."""
    if path is None or not files.is_directory(path.parent):
        return None
    known = kind_of(dialect_name, kind)
    runnable = known.runnable if known is not None and known.runnable else kind
    found = owner_of(runnable, path, files) if runnable != "experiment" else None
    if found is None:
        return None
    if found != path and files.is_snapshot:
        # All its files share it: the file that is being checked is the one that `files` has.
        return files.once(("suite", found), lambda: SuiteFiles(found, files.data(found), files, None, None))
    if found != path:
        return SuiteFiles(found, files.data(found), files, path, data)
    # Its dialect is known: to find it out would make what is asked of the project depend on all of the data.
    return SuiteFiles(found, data, files, path, data, dialect_name)


def owner_of(kind: str, path: Path, files: Files) -> Path | None:
    """The file whose runs a file of some kind belongs to; None when there is none.

    It is the file itself for an eval or an experiment, the eval beside trigger tests, and for any other kind the nearest
    eval above that lists the file as a task.
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
    """The globs under `tasks` with their indexes."""
    entries = data.get("tasks")
    for index, it in enumerate(entries if isinstance(entries, list) else ()):
        if isinstance(it, str) and it.strip():
            yield index, it


def as_glob(pattern: str) -> str:
    """The pattern as Go joins it to the folder: cleaned, and an absolute one below it, too."""
    relative = pattern.lstrip("/")
    return cleaned(relative) if relative else "."


def text_of(value: Any) -> str:
    """A text, as it stands; numbers as they are written; anything else is empty."""
    if isinstance(value, str):
        return value
    return source_text(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else ""


def naming_eval(path: Path, files: Files) -> tuple[Path, Dialect, Kind] | None:
    """The nearest eval above a file that names it as a task, among those that are called some kind of eval.

    With it dialect and kind of the file.
    """
    found = eval_of_task(path, files, usual=True) if path.name.endswith(_SUFFIXES) else None
    known = recognise(files.mapping(found), found) if found is not None else None
    if found is None or known is None:
        return None
    of, kind, _reason = known
    task = of.kind(kind.task_kind)
    return (found, of, task) if task is not None else None


def eval_of_task(path: Path, files: Files, *, usual: bool = False) -> Path | None:
    """The nearest eval above a task file that lists it; with `usual` among those that are called some kind of eval."""
    for folder in list(path.parents)[:_LEVELS]:
        name = path.relative_to(folder).as_posix()
        for candidate in _evals_in(folder, files, usual=usual):
            if candidate != path and any(
                _matches(as_glob(it), name) for _, it in globs_of(files.mapping(candidate))
            ):
                return candidate
    return None


def _evals_in(folder: Path, files: Files, *, usual: bool = False) -> Iterable[Path]:
    """The eval files of a folder, those with the usual names first; or only those that have `eval` in their name."""
    found = _find_evals(folder, files, usual=usual)
    # Of files that are held it is worth knowing all; else who looks for the first one should wait for no other.
    return files.once(("evals", folder, usual), lambda: tuple(found)) if files.is_snapshot else found


def _find_evals(folder: Path, files: Files, *, usual: bool) -> Iterator[Path]:
    names = [it for it in files.names(folder) if it.endswith(_SUFFIXES) and (not usual or "eval" in it)]
    for name in sorted(names, key=lambda it: (it not in _EVAL_NAMES, it)):
        path = folder / name
        # Most YAML files near an eval are tasks: a look at the text spares the parsing.
        if files.read_as(path, _may_be_eval) and _is_eval(files.mapping(path), path):
            yield path


def _may_be_eval(text: str) -> bool:
    return _EVAL_KEY.search(text) is not None


def _is_eval(data: Mapping[str, Any], path: Path) -> bool:
    found = recognise(data, path)
    return found is not None and bool(found[1].task_kind)


def _matches(pattern: str, name: str) -> bool:
    try:
        return match(pattern, os.path.normpath(name))
    except BadPattern:
        return False
