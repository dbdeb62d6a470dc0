"""Project settings: `.waza-lsp.toml`, or the table `[tool.waza-lsp]` in `pyproject.toml`.

Only the nearest settings file above a file applies. Editor and command line use the same one, so their findings agree.
The settings are: `rules` (a severity or `off` for each code), `exclude`, `target` (the version of the runner, such as
`0.34`, `0.34.1` or `v0.34`; empty means the newest), `sandbox` (how runs confine programs), and a table for each dialect,
which can have a `target` of its own.
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
from waza_engine.lib.process.sandbox_choice import KINDS, Sandbox
from waza_engine.lib.spelling import nearest
from waza_engine.model.findings import Severity
from waza_engine.project.pins import Pin, Pins
from waza_engine.recognition.recognise import dialect, dialects

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


def read_names(given: Any, where: str) -> tuple[tuple[str, ...], list[str]]:
    """Return the names, and a message if they are invalid. `where` names the setting."""
    if isinstance(given, list | tuple) and all(isinstance(it, str) for it in given):
        return tuple(given), []
    return (), [f"{where} must be a list of names, such as ['my-grader']; it is ignored"]


_SHARED = "waza_engine.rules"
_MAX_BYTES = 1_000_000


@cache
def codes() -> frozenset[str]:
    """Return the codes of all findings; rule modules are named like their codes, so none is imported."""
    packages = [_SHARED, *(it.rules for it in dialects() if it.rules)]
    found = (find_spec(it) for it in packages)
    folders = (folder for it in found if it is not None for folder in it.submodule_search_locations or ())
    files = (it for folder in folders for it in Path(folder).glob("*.py"))
    return frozenset(it.stem.replace("_", "-") for it in files if not it.stem.startswith("_"))


def unknown_code(code: str) -> str | None:
    """Return the message for an unknown code; None for a known one."""
    if code in codes():
        return None
    near = nearest(code, sorted(codes()))
    return f"No finding has the code '{code}'." + (f" Did you mean {_quoted(near)}?" if near else "")


def _quoted(names: list[str]) -> str:
    return " or ".join(f"'{it}'" for it in names)


Levels = Mapping[str, Severity | None]
"""The severity for each code's findings; None is off. Other codes keep their own severity."""

OFF = "off"
LEVEL_NAMES = (*(str(it) for it in Severity), OFF)


def read_levels(given: Any, where: str) -> tuple[dict[str, Severity | None], list[str]]:
    """Return the levels in a setting, and a message for each invalid one. `where` names the setting."""
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
    return f"'{level}' is not a level. Known levels: {', '.join(LEVEL_NAMES)}.{hint}"


VERSION_PATTERN = r"^(v?\d+(\.\d+){1,2})?$"
_VERSION = re.compile(r"v?(\d+(?:\.\d+){1,2})")


def read_target(given: Any, where: str) -> tuple[str, list[str]]:
    """Return the version, and a message if it is invalid. `where` names the setting."""
    found = _VERSION.fullmatch(given.strip()) if isinstance(given, str) else None
    if found is not None or given == "":
        return found[1] if found is not None else "", []
    return "", [f"{where} must be a version in quotes, such as '0.34'; the newest is meant"]


OWN_FILE = ".waza-lsp.toml"
PYPROJECT = "pyproject.toml"
SETTINGS_FILES = (OWN_FILE, PYPROJECT)
_KEYS = ("exclude", "rules", "sandbox", "target")
_SANDBOX_KEYS = ("kind", "network", "image")
_EXTRA_TYPES = "extraGraderTypes"
"""In the table of a dialect: the grader types that plug-ins of its runner add."""
_TARGET = "target"
_JUDGES = "judges"


@dataclass(frozen=True)
class ProjectSettings:
    """The content of a settings file. `problems` are messages about invalid settings, which have their defaults."""

    path: Path | None = None
    rules: Levels = field(default_factory=dict)
    exclude: tuple[str, ...] = ()
    target: str = ""
    extra_grader_types: tuple[str, ...] = ()
    targets: Mapping[str, str] = field(default_factory=dict)
    """Versions of single runners, by dialect; they take precedence over `target`."""
    problems: tuple[str, ...] = ()
    sandbox: Sandbox | None = None
    """What runs use unless the user chooses another one; an unreadable choice has a kind that no run accepts."""
    judges: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Endpoints of judge models by dialect, then by a pattern of the model's name."""

    def judges_of(self, dialect_name: str) -> Mapping[str, Any]:
        """Return the endpoints of judge models, by a pattern of the model's name."""
        return self.judges.get(dialect_name, {})

    def target_of(self, dialect_name: str) -> str:
        """Return the version of a dialect's runner that is set; "" if there is none."""
        return self.targets.get(dialect_name) or self.target

    def excludes(self, path: Path, *, folder: bool = False) -> bool:
        """Whether `exclude` matches this file or folder; the patterns work like a `.gitignore` beside the settings."""
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
    """The settings files on disk, cached until they change."""

    _read: dict[Path, tuple[Stamp, ProjectSettings | None]] = field(default_factory=dict)
    _pins: Pins = field(default_factory=Pins)

    def of(self, folder: Path) -> ProjectSettings:
        """Return the settings for the files in a folder (an absolute path), from the nearest settings file."""
        for path in _above(folder):
            if (found := self._settings(path)) is not None:
                return found
        return _NOTHING

    def pin(self, folder: Path, dialect_name: str) -> Pin | None:
        """Return the version of a dialect's runner that the project of a folder pins."""
        found = dialect(dialect_name)
        return self._pins.of(folder, found.packages, found.project_file) if found.packages else None

    def problems(self) -> Iterator[str]:
        """Yield the problems in all settings files read so far."""
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
    """Return the possible settings files, the nearest first. Cached, because every edit needs them."""
    return tuple(it / name for it in (folder, *folder.parents) for name in SETTINGS_FILES)


def read_project(path: Path) -> ProjectSettings | None:
    """Return the settings in a file; None for a `pyproject.toml` without a table for this tool."""
    # Imported late: many projects have no such file, and the server must start fast.
    import tomllib

    try:
        data: Any = tomllib.loads(regular_bytes(path, _MAX_BYTES).decode("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        # A broken pyproject.toml is reported by other tools; it may not contain settings of ours.
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
    types, targets, wrong = _dialect_tables(data, path)
    sandbox, bad = _sandbox(data.get("sandbox"), path)
    judges, unusable = _judges(data, path)
    all_problems = (*problems, *more, *odd, *wrong, *bad, *unusable, *_unknown_keys(data, path))
    return ProjectSettings(path, levels, exclude, target, types, targets, all_problems, sandbox, judges)


def _sandbox(given: Any, path: Path) -> tuple[Sandbox | None, list[str]]:
    """Return the sandbox in the table `[sandbox]`. Whatever is wrong there must not let a run start without one."""
    if given is None:
        return None, []
    problems = []
    table = given if isinstance(given, Mapping) else {"kind": given}
    kind, network, image = table.get("kind", ""), table.get("network", True), table.get("image", "")
    if kind not in KINDS:
        problems.append(f"{path}: 'sandbox.kind' must be one of {', '.join(KINDS)}; runs refuse to start")
    if not isinstance(network, bool):
        problems.append(f"{path}: 'sandbox.network' must be true or false; programs get no network")
    if not isinstance(image, str):
        problems.append(f"{path}: 'sandbox.image' must be a name; it is ignored")
    problems += [f"{path}: unknown key 'sandbox.{it}'" for it in table if it not in _SANDBOX_KEYS]
    return Sandbox(str(kind), network is True, image if isinstance(image, str) else ""), problems


def _judges(data: Mapping[str, Any], path: Path) -> tuple[dict[str, Mapping[str, Any]], list[str]]:
    """Return the endpoints of judges in the tables of all dialects, and messages for invalid ones."""
    found: dict[str, Mapping[str, Any]] = {}
    problems: list[str] = []
    for it in dialects():
        table = data.get(it.name)
        judges = table.get(_JUDGES) if isinstance(table, Mapping) and _JUDGES in it.settings else None
        if judges is None:
            continue
        if isinstance(judges, Mapping) and all(isinstance(judge, Mapping) for judge in judges.values()):
            found[it.name] = judges
        else:
            problems.append(
                f"{path}: '{it.name}.{_JUDGES}' must have a table for each model, such as "
                f"[{it.name}.{_JUDGES}.'gpt-*']; it is ignored"
            )
    return found, problems


def _dialect_tables(data: Mapping[str, Any], path: Path) -> tuple[tuple[str, ...], dict[str, str], list[str]]:
    """Return the grader types in the tables of all dialects, their targets, and messages for invalid settings."""
    types: list[str] = []
    targets: dict[str, str] = {}
    problems: list[str] = []
    for it in dialects():
        table = data.get(it.name, {}) if it.settings else {}
        if not isinstance(table, Mapping):
            problems.append(f"{path}: '{it.name}' must be a table; it is ignored")
            continue
        names, wrong = read_names(table.get(_EXTRA_TYPES, []), f"{path}: '{it.name}.{_EXTRA_TYPES}'")
        version, odd = read_target(table.get(_TARGET, ""), f"{path}: '{it.name}.{_TARGET}'")
        types += names
        targets |= {it.name: version} if version else {}
        problems += [*wrong, *odd]
        problems += (f"{path}: unknown key '{it.name}.{key}'" for key in table if key not in it.settings)
    return tuple(types), targets, problems


def _patterns(given: Any, path: Path) -> tuple[tuple[str, ...], list[str]]:
    if not isinstance(given, list) or not all(isinstance(it, str) for it in given):
        return (), [f"{path}: 'exclude' must be a list of patterns, such as ['drafts/']; it is ignored"]
    if not given:
        return (), []
    # Imported late, as above.
    from waza_engine.lib.files.gitignore import is_ignore_pattern

    patterns = tuple(it for it in given if is_ignore_pattern(it))
    wrong = [it for it in given if it not in patterns]
    return patterns, [f"{path}: 'exclude': '{it}' is not a valid pattern; it is ignored" for it in wrong]


def _unknown_keys(data: Mapping[str, Any], path: Path) -> Iterator[str]:
    known = (*_KEYS, *(it.name for it in dialects() if it.settings))
    for key in data:
        if key not in known:
            near = nearest(key, known, most=1)
            yield f"{path}: unknown key '{key}'." + (f" Did you mean '{near[0]}'?" if near else "")
