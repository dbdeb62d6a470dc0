"""Settings of this tool for a project: `.waza-lsp.toml`, or the table `[tool.waza-lsp]` in `pyproject.toml`.

The nearest one above a file counts, alone. Editor and command line read the same one, so both report the same.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waza_engine.checking.levels import Levels, read_levels
from waza_engine.checking.names import read_names
from waza_engine.checking.target import read_target
from waza_engine.formats import dialects
from waza_engine.noted_reads import Stamp, stamp
from waza_engine.regular_files import regular_bytes
from waza_engine.validation.spelling import nearest

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

OWN_FILE = ".waza-lsp.toml"
PYPROJECT = "pyproject.toml"
SETTINGS_FILES = (OWN_FILE, PYPROJECT)
_KEYS = ("exclude", "rules", "target")
_EXTRA_TYPES = "extraGraderTypes"
"""The one setting of dialects so far: the grader types that plug-ins of its program add."""


@dataclass(frozen=True)
class ProjectSettings:
    """What a settings file says. `problems` are sentences about what in it cannot be used; the defaults stand there."""

    path: Path | None = None
    rules: Levels = field(default_factory=dict)
    exclude: tuple[str, ...] = ()
    target: str = ""
    extra_grader_types: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    def excludes(self, path: Path, *, folder: bool = False) -> bool:
        """Whether `exclude` names this file or folder; the patterns are those of a `.gitignore` beside the settings."""
        if self.path is None or not self.exclude or not path.is_relative_to(self.path.parent):
            return False
        relative = path.relative_to(self.path.parent).as_posix()
        return self._patterns.match_file(f"{relative}/" if folder else relative)

    @cached_property
    def _patterns(self) -> "GitIgnoreSpec":
        # Imported late: most projects exclude nothing, and the server must start fast.
        from waza_engine.ignore_patterns import ignore_spec

        return ignore_spec(self.exclude)


_NOTHING = ProjectSettings()


@dataclass(slots=True)
class Projects:
    """The settings files of the disk. What was read is remembered until the file changes."""

    _read: dict[Path, tuple[Stamp, ProjectSettings | None]] = field(default_factory=dict)

    def of(self, folder: Path) -> ProjectSettings:
        """The settings for the files in a folder (an absolute path): those of the nearest settings file."""
        for path in _above(folder):
            if (found := self._settings(path)) is not None:
                return found
        return _NOTHING

    def problems(self) -> Iterator[str]:
        """What cannot be used in the settings files that were read so far."""
        for _, settings in self._read.values():
            if settings is not None:
                yield from settings.problems

    def _settings(self, path: Path) -> ProjectSettings | None:
        now = stamp(path)
        if now is None:
            return None
        if path not in self._read or self._read[path][0] != now:
            self._read[path] = now, read_project(path)
        return self._read[path][1]


@lru_cache(maxsize=256)
def _above(folder: Path) -> tuple[Path, ...]:
    """Where settings may stand, the nearest first: asked for at every edit."""
    return tuple(it / name for it in (folder, *folder.parents) for name in SETTINGS_FILES)


def read_project(path: Path) -> ProjectSettings | None:
    """The settings in a file; None when it is a `pyproject.toml` without a table for this tool."""
    # Imported late: many projects have no such file, and the server must start fast.
    import tomllib

    try:
        data: Any = tomllib.loads(regular_bytes(path).decode("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        # A broken pyproject.toml is other tools' concern until it is known to be ours.
        problem = f"{path} cannot be read: {error}; the defaults are used"
        return ProjectSettings(path, problems=(problem,)) if path.name == OWN_FILE else None
    if path.name == PYPROJECT:
        data = data["tool"].get("waza-lsp") if isinstance(data.get("tool"), Mapping) else None
        if data is None:
            return None
    if not isinstance(data, Mapping):
        return ProjectSettings(path, problems=(f"{path}: 'tool.waza-lsp' must be a table; it is ignored",))
    levels, problems = read_levels(data.get("rules", {}), f"{path}: 'rules'")
    exclude, more = _patterns(data.get("exclude", []), path)
    target, odd = read_target(data.get("target", ""), f"{path}: 'target'")
    types, wrong = _extra_types(data, path)
    said = (*problems, *more, *odd, *wrong, *_unknown_keys(data, path))
    return ProjectSettings(path, levels, exclude, target, types, said)


def _extra_types(data: Mapping[str, Any], path: Path) -> tuple[tuple[str, ...], list[str]]:
    """The grader types that plug-ins of other programs add: `extraGraderTypes` in the table of a dialect."""
    types: list[str] = []
    problems: list[str] = []
    for it in dialects():
        table = data.get(it.name, {}) if it.settings else {}
        if not isinstance(table, Mapping):
            problems.append(f"{path}: '{it.name}' must be a table; it is ignored")
            continue
        names, wrong = read_names(table.get(_EXTRA_TYPES, []), f"{path}: '{it.name}.{_EXTRA_TYPES}'")
        types += names
        problems += wrong
        problems += (f"{path}: unknown key '{it.name}.{key}'" for key in table if key not in it.settings)
    return tuple(types), problems


def _patterns(given: Any, path: Path) -> tuple[tuple[str, ...], list[str]]:
    if not isinstance(given, list) or not all(isinstance(it, str) for it in given):
        return (), [f"{path}: 'exclude' must be a list of patterns, such as ['drafts/']; it is ignored"]
    if not given:
        return (), []
    # Imported late, as above.
    from waza_engine.ignore_patterns import is_ignore_pattern

    patterns = tuple(it for it in given if is_ignore_pattern(it))
    wrong = [it for it in given if it not in patterns]
    return patterns, [f"{path}: 'exclude': '{it}' is no pattern; it is ignored" for it in wrong]


def _unknown_keys(data: Mapping[str, Any], path: Path) -> Iterator[str]:
    known = (*_KEYS, *(it.name for it in dialects() if it.settings))
    for key in data:
        if key not in known:
            near = nearest(key, known, most=1)
            yield f"{path}: unknown key '{key}'." + (f" Did you mean '{near[0]}'?" if near else "")
