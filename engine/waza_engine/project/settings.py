"""Project settings: `.waza-lsp.toml`, or the table `[tool.waza-lsp]` in `pyproject.toml`.

Only the nearest settings file above a file applies. Editor and command line use the same one, so their findings agree.
The settings are: `rules` (a severity or `off` for each code), `exclude`, `target` (the version of the runner, such as
`0.34`, `0.34.1` or `v0.34`; empty means the newest), `sandbox` (how runs confine programs), and a table for each dialect,
which can have a `target` of its own.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waza_engine.lib.files.safe_read import regular_bytes
from waza_engine.lib.process.sandbox_choice import KINDS, Sandbox
from waza_engine.lib.queries.disk import note_read, stamp
from waza_engine.lib.queries.store import Database, query
from waza_engine.lib.spelling import nearest
from waza_engine.model.findings import Severity
from waza_engine.project.levels import Levels, read_levels
from waza_engine.project.pins import Pin, pinned
from waza_engine.recognition.recognise import dialect, dialects

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

    from waza_engine.lib.toml_places import TomlSpan


def read_names(given: Any, where: str) -> tuple[tuple[str, ...], list[str]]:
    """Return the names, and a message if they are invalid. `where` names the setting."""
    if isinstance(given, list | tuple) and all(isinstance(it, str) for it in given):
        return tuple(given), []
    return (), [f"{where} must be a list of names, such as ['my-grader']; it is ignored"]


_MAX_BYTES = 1_000_000


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
_SANDBOX = "sandbox"
_KEYS = ("exclude", "rules", _SANDBOX, "target")
_SANDBOX_KEYS = ("kind", "network", "image")
_EXTRA_TYPES = "extraGraderTypes"
"""In the table of a dialect: the grader types that plug-ins of its runner add."""
_TARGET = "target"
_JUDGES = "judges"


@dataclass(frozen=True, slots=True)
class SettingsProblem:
    """What is wrong in a settings file, and where: below `keys`, or at `error` of a text that is not valid TOML.

    With `is_refused`, runs do not start.
    """

    message: str
    keys: tuple[str, ...] = ()
    error: str = ""
    is_refused: bool = False

    def span(self, text: str) -> "TomlSpan":
        """Return the place in the text of the file."""
        # Imported late: it brings tomllib.
        from waza_engine.lib.toml_places import error_span, key_span

        return error_span(text, self.error) if self.error else key_span(text, self.keys)


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
    problems: tuple[SettingsProblem, ...] = ()
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


@dataclass(frozen=True, slots=True)
class Runner:
    """The runner that a document is for: that of its dialect, in the version that the project pins ("" if it pins none)."""

    dialect: str = ""
    pinned: str = ""


UNKNOWN_RUNNER = Runner()
_NOTHING = ProjectSettings()


class Projects(Database):
    """The settings files on disk."""

    def of(self, folder: Path) -> ProjectSettings:
        """Return the settings for the files in a folder (an absolute path), from the nearest settings file."""
        return _nearest(self, folder)

    def pin(self, folder: Path, dialect_name: str) -> Pin | None:
        """Return the version of a dialect's runner that the project of a folder pins."""
        found = dialect(dialect_name)
        return pinned(self, folder, found.packages, found.project_file) if found.packages else None

    def runner(self, folder: Path, dialect_name: str) -> Runner:
        """Return the runner of a dialect in the project of a folder."""
        pin = self.pin(folder, dialect_name)
        return Runner(dialect_name, pin.version if pin is not None else "")

    def with_problems(self) -> Iterator[ProjectSettings]:
        """Yield the settings files read so far that have problems."""
        yield from (it for it in self.values_of(_settings) if it is not None and it.problems)


@query(keep=5_000)
def _nearest(projects: Projects, folder: Path) -> ProjectSettings:
    for name in SETTINGS_FILES:
        path = folder / name
        note_read(path)
        # Nearly all folders have none: a query for each would take longer than the look.
        if stamp(path) is not None and (found := _settings(projects, path)) is not None:
            return found
    return _NOTHING if folder == folder.parent else _nearest(projects, folder.parent)


@query(keep=10_000)
def _settings(_: Projects, path: Path) -> ProjectSettings | None:
    note_read(path)
    return read_project(path) if stamp(path) is not None else None


def read_project(path: Path) -> ProjectSettings | None:
    """Return the settings in a file; None for a `pyproject.toml` without a table for this tool."""
    # Imported late: many projects have no such file, and the server must start fast.
    import tomllib

    text = b""
    try:
        text = regular_bytes(path, _MAX_BYTES)
        data: Any = tomllib.loads(text.decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        # A broken pyproject.toml is reported by other tools; it may not contain settings of ours.
        return _unreadable(path, error) if path.name == OWN_FILE or _TABLE in text else None
    if path.name == PYPROJECT:
        data = data["tool"].get("waza-lsp") if isinstance(data.get("tool"), Mapping) else None
        if data is None:
            return None
    if not isinstance(data, Mapping):
        problem = SettingsProblem("'tool.waza-lsp' must be a table; it is ignored", _PREFIX)
        return ProjectSettings(path, problems=(problem,))
    levels, problems = _levels(data.get("rules", {}))
    exclude, more = _patterns(data.get("exclude", []))
    target, odd = read_target(data.get("target", ""), "'target'")
    types, targets, wrong = _dialect_tables(data)
    sandbox, bad = _sandbox(data, path)
    judges, unusable = _judges(data)
    found = [*problems, *more, *_at(("target",), odd), *wrong, *bad, *unusable, *_unknown_keys(data)]
    prefix = _PREFIX if path.name == PYPROJECT else ()
    placed = tuple(replace(it, keys=(*prefix, *it.keys)) for it in found)
    return ProjectSettings(path, levels, exclude, target, types, targets, placed, sandbox, judges)


_TABLE = b"tool.waza-lsp"
_PREFIX = ("tool", "waza-lsp")


def _unreadable(path: Path, error: Exception) -> ProjectSettings:
    """Return the settings of a file that cannot be read: it may choose a sandbox, so no run starts without one."""
    reason = getattr(error, "strerror", None) or error
    message = f"This file cannot be read: {reason}. Runs refuse to start, because it may choose a sandbox"
    problem = SettingsProblem(message, error=str(error), is_refused=True)
    refusal = (
        f"{path} cannot be read, so its sandbox is not known: {reason}. Repair it, or choose with --sandbox"
    )
    return ProjectSettings(path, problems=(problem,), sandbox=Sandbox("", unreadable=refusal))


def _at(keys: tuple[str, ...], messages: Iterable[str]) -> list[SettingsProblem]:
    return [SettingsProblem(it, keys) for it in messages]


def _levels(given: Any) -> tuple[dict[str, Severity | None], list[SettingsProblem]]:
    if not isinstance(given, Mapping):
        return {}, _at(("rules",), read_levels(given, "'rules'")[1])
    levels: dict[str, Severity | None] = {}
    problems: list[SettingsProblem] = []
    for code, level in given.items():
        found, messages = read_levels({code: level}, "'rules'")
        levels |= found
        problems += _at(("rules", code), messages)
    return levels, problems


def _sandbox(data: Mapping[str, Any], path: Path) -> tuple[Sandbox | None, list[SettingsProblem]]:
    """Return the sandbox in the table `[sandbox]`. Whatever is wrong there must not let a run start without one."""
    if _SANDBOX not in data:
        near = next((it for it in data if nearest(it, [_SANDBOX], most=1) and it not in _known_keys()), None)
        # It is reported with the other unknown keys.
        return (_refusing(path, f"unknown key '{near}'") if near is not None else None), []
    given = data[_SANDBOX]
    table = given if isinstance(given, Mapping) else {"kind": given}
    kind, network, image = table.get("kind", ""), table.get("network", True), table.get("image", "")
    problems = []
    if kind not in KINDS:
        message = f"'sandbox.kind' must be one of {', '.join(KINDS)}; runs refuse to start"
        problems.append(SettingsProblem(message, (_SANDBOX, "kind"), is_refused=True))
    if not isinstance(network, bool):
        message = "'sandbox.network' must be true or false; programs get no network"
        problems.append(SettingsProblem(message, (_SANDBOX, "network")))
    if not isinstance(image, str):
        message = "'sandbox.image' must be a name; it is ignored"
        problems.append(SettingsProblem(message, (_SANDBOX, "image")))
    unknown = [it for it in table if it not in _SANDBOX_KEYS]
    for key in unknown:
        message = f"{_unknown(f'sandbox.{key}', key, _SANDBOX_KEYS)} Runs refuse to start"
        problems.append(SettingsProblem(message, (_SANDBOX, key), is_refused=True))
    if unknown:
        return _refusing(path, f"unknown key 'sandbox.{unknown[0]}'"), problems
    return Sandbox(str(kind), network is True, image if isinstance(image, str) else ""), problems


def _refusing(path: Path, reason: str) -> Sandbox:
    return Sandbox(
        "", unreadable=f"The sandbox in {path} is not known: {reason}. Repair it, or choose with --sandbox"
    )


def _judges(data: Mapping[str, Any]) -> tuple[dict[str, Mapping[str, Any]], list[SettingsProblem]]:
    """Return the endpoints of judges in the tables of all dialects, and messages for invalid ones."""
    found: dict[str, Mapping[str, Any]] = {}
    problems: list[SettingsProblem] = []
    for it in dialects():
        table = data.get(it.name)
        judges = table.get(_JUDGES) if isinstance(table, Mapping) and _JUDGES in it.settings else None
        if judges is None:
            continue
        if isinstance(judges, Mapping) and all(isinstance(judge, Mapping) for judge in judges.values()):
            found[it.name] = judges
        else:
            message = (
                f"'{it.name}.{_JUDGES}' must have a table for each model, such as "
                f"[{it.name}.{_JUDGES}.'gpt-*']; it is ignored"
            )
            problems.append(SettingsProblem(message, (it.name, _JUDGES)))
    return found, problems


def _dialect_tables(data: Mapping[str, Any]) -> tuple[tuple[str, ...], dict[str, str], list[SettingsProblem]]:
    """Return the grader types in the tables of all dialects, their targets, and messages for invalid settings."""
    types: list[str] = []
    targets: dict[str, str] = {}
    problems: list[SettingsProblem] = []
    for it in dialects():
        table = data.get(it.name, {}) if it.settings else {}
        if not isinstance(table, Mapping):
            problems.append(SettingsProblem(f"'{it.name}' must be a table; it is ignored", (it.name,)))
            continue
        names, wrong = read_names(table.get(_EXTRA_TYPES, []), f"'{it.name}.{_EXTRA_TYPES}'")
        version, odd = read_target(table.get(_TARGET, ""), f"'{it.name}.{_TARGET}'")
        types += names
        targets |= {it.name: version} if version else {}
        problems += [*_at((it.name, _EXTRA_TYPES), wrong), *_at((it.name, _TARGET), odd)]
        problems += [
            SettingsProblem(_unknown(f"{it.name}.{key}", key, it.settings), (it.name, key))
            for key in table
            if key not in it.settings
        ]
    return tuple(types), targets, problems


def _patterns(given: Any) -> tuple[tuple[str, ...], list[SettingsProblem]]:
    place = ("exclude",)
    if not isinstance(given, list) or not all(isinstance(it, str) for it in given):
        return (), _at(place, ["'exclude' must be a list of patterns, such as ['drafts/']; it is ignored"])
    if not given:
        return (), []
    # Imported late, as above.
    from waza_engine.lib.files.gitignore import is_ignore_pattern

    patterns = tuple(it for it in given if is_ignore_pattern(it))
    wrong = [it for it in given if it not in patterns]
    return patterns, _at(place, (f"'exclude': '{it}' is not a valid pattern; it is ignored" for it in wrong))


def _known_keys() -> tuple[str, ...]:
    return (*_KEYS, *(it.name for it in dialects() if it.settings))


def _unknown_keys(data: Mapping[str, Any]) -> Iterator[SettingsProblem]:
    known = _known_keys()
    for key in data:
        if key not in known:
            is_refused = _SANDBOX not in data and bool(nearest(key, [_SANDBOX], most=1))
            message = _unknown(key, key, known) + (" Runs refuse to start" if is_refused else "")
            yield SettingsProblem(message, (key,), is_refused=is_refused)


def _unknown(name: str, key: str, known: Iterable[str]) -> str:
    near = nearest(key, list(known), most=1)
    return f"Unknown key '{name}'." + (f" Did you mean '{near[0]}'?" if near else "")
