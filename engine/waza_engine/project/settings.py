"""Settings of this tool for a project: `.waza-lsp.toml`, or the table `[tool.waza-lsp]` in `pyproject.toml`.

The nearest one above a file counts, alone. Editor and command line read the same one, so both report the same.

Lists of names in settings.

The codes of all findings, for those who let people choose among them: found by looking into the folders of rules.

How much people want to hear of each finding: a severity by code, or `off`.

The version of the runner that a project uses, as people write it: `0.34`, `0.34.1`, `v0.34`; empty means the newest.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waza_engine.lib.files.read_tracking import Stamp, stamp
from waza_engine.lib.files.safe_read import regular_bytes
from waza_engine.lib.spelling import nearest
from waza_engine.model.findings import Severity
from waza_engine.recognition.recognise import dialects

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


def read_names(given: Any, where: str) -> tuple[tuple[str, ...], list[str]]:
    """The names, and a sentence when they cannot be used. `where` names the setting."""
    if isinstance(given, list | tuple) and all(isinstance(it, str) for it in given):
        return tuple(given), []
    return (), [f"{where} must be a list of names, such as ['my-grader']; it is taken as empty"]


_SHARED = "waza_engine.rules"


@cache
def codes() -> frozenset[str]:
    """All codes. A rule's module is named like its code, so no rule needs to be imported."""
    packages = [_SHARED, *(it.rules for it in dialects() if it.rules)]
    found = (find_spec(it) for it in packages)
    folders = (folder for it in found if it is not None for folder in it.submodule_search_locations or ())
    files = (it for folder in folders for it in Path(folder).glob("*.py"))
    return frozenset(it.stem.replace("_", "-") for it in files if not it.stem.startswith("_"))


def unknown_code(code: str) -> str | None:
    """What to say about a code that no finding has; None for one that exists."""
    if code in codes():
        return None
    near = nearest(code, sorted(codes()))
    return f"No finding has the code '{code}'." + (f" Did you mean {_quoted(near)}?" if near else "")


def _quoted(names: list[str]) -> str:
    return " or ".join(f"'{it}'" for it in names)


Levels = Mapping[str, Severity | None]
"""What a code's findings are to be, None for off. A code that is not there keeps its own severity."""

OFF = "off"
LEVEL_NAMES = (*(str(it) for it in Severity), OFF)


def read_levels(given: Any, where: str) -> tuple[dict[str, Severity | None], list[str]]:
    """Levels as people write them, and a sentence for each that cannot be used. `where` names the setting."""
    if not isinstance(given, Mapping):
        return {}, [f"{where} must map codes to levels, such as cannot-fail = 'off'; it is ignored"]
    levels: dict[str, Severity | None] = {}
    problems: list[str] = []
    for code, level in given.items():
        if reason := unknown_code(str(code)) or _unknown_level(level):
            problems.append(f"{where}: {reason}")
        else:
            levels[str(code)] = None if level == OFF else Severity(level)
    return levels, problems


def _unknown_level(level: Any) -> str | None:
    if level in LEVEL_NAMES:
        return None
    near = nearest(level, LEVEL_NAMES, most=1) if isinstance(level, str) else []
    hint = f" Did you mean '{near[0]}'?" if near else ""
    return f"'{level}' is no level; there are {', '.join(LEVEL_NAMES)}.{hint}"


VERSION_PATTERN = r"^(v?\d+(\.\d+){1,2})?$"
_VERSION = re.compile(r"v?(\d+(?:\.\d+){1,2})")


def read_target(given: Any, where: str) -> tuple[str, list[str]]:
    """The version, and a sentence when it is none. `where` names the setting."""
    found = _VERSION.fullmatch(given.strip()) if isinstance(given, str) else None
    if found is not None or given == "":
        return found[1] if found is not None else "", []
    return "", [f"{where} must be a version in quotes, such as '0.34'; the newest is meant"]


def is_newer(since: str, target: str) -> bool:
    """Whether something that came with `since` is not there in `target`."""
    return _numbers(since) > (*_numbers(target), *[0] * (len(_numbers(since)) - len(_numbers(target))))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(it) for it in version.split("."))


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
        from waza_engine.lib.files.gitignore import ignore_spec

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
    from waza_engine.lib.files.gitignore import is_ignore_pattern

    patterns = tuple(it for it in given if is_ignore_pattern(it))
    wrong = [it for it in given if it not in patterns]
    return patterns, [f"{path}: 'exclude': '{it}' is no pattern; it is ignored" for it in wrong]


def _unknown_keys(data: Mapping[str, Any], path: Path) -> Iterator[str]:
    known = (*_KEYS, *(it.name for it in dialects() if it.settings))
    for key in data:
        if key not in known:
            near = nearest(key, known, most=1)
            yield f"{path}: unknown key '{key}'." + (f" Did you mean '{near[0]}'?" if near else "")
