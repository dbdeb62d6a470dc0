"""The settings under `waza.*`: typed, all with defaults; a value that cannot be used gives a message and the default.

The settings of the VS Code extension and `docs/settings.md` are written from here (`settings_docs.py`).
"""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from waza_engine.checking.levels import LEVEL_NAMES, Levels, read_levels


class Setting(NamedTuple):
    """What people see of a setting: its name below `waza.`, its description, and its JSON Schema without the default."""

    name: str
    description: str
    schema: Mapping[str, Any]


_FLAG = {"type": "boolean"}
_TEXT = {"type": "string"}
_LEVELS = {"type": "object", "additionalProperties": {"type": "string", "enum": list(LEVEL_NAMES)}}


def _about(name: str, schema: Mapping[str, Any], description: str) -> dict[str, Setting]:
    return {"setting": Setting(name, description, schema)}


@dataclass(frozen=True, slots=True)
class Settings:
    """One field per setting."""

    rules: Levels = field(
        default_factory=dict,
        metadata=_about(
            "rules",
            _LEVELS,
            "How much to say about each finding: its code with `error`, `warning`, `information`, `hint` or `off`. "
            "What the `.waza-lsp.toml` of a project says about a code comes first.",
        ),
    )
    diagnostics_workspace: bool = field(
        default=True,
        metadata=_about(
            "diagnostics.workspace",
            _FLAG,
            "Report findings in all eval files of the workspace, not only in open ones, to editors that ask for them.",
        ),
    )
    lens_run: bool = field(
        default=True, metadata=_about("lens.run", _FLAG, "Show a lens that runs the task or the whole eval.")
    )
    run_executor: str = field(
        default="",
        metadata=_about(
            "run.executor", _TEXT, "Executor for runs from the editor; empty means the eval's own."
        ),
    )
    run_model: str = field(
        default="",
        metadata=_about("run.model", _TEXT, "Model for runs from the editor; empty means the eval's own."),
    )


def setting_of(it: dataclasses.Field[Any]) -> Setting:
    """What people see of a field of `Settings`."""
    setting: Setting = it.metadata["setting"]
    return setting


def read_settings(values: Any) -> tuple[Settings, list[str]]:
    """Settings from the client's `waza` section, and a message for every value that cannot be used."""
    found: dict[str, Any] = {}
    problems: list[str] = []
    defaults = Settings()
    for it in dataclasses.fields(Settings):
        name = setting_of(it).name
        value = _looked_up(values, name.split("."))
        if value is not None:
            found[it.name], said = _READERS[setting_of(it).schema["type"]](
                value, f"waza.{name}", getattr(defaults, it.name)
            )
            problems += said
    return Settings(**found), problems


def _flag_from(value: Any, name: str, default: Any) -> tuple[Any, list[str]]:
    fits = isinstance(value, bool)
    return (
        (value, [])
        if fits
        else (default, [f"Setting {name} must be true or false; {str(default).lower()} is used"])
    )


def _text_from(value: Any, name: str, default: Any) -> tuple[Any, list[str]]:
    fits = isinstance(value, str)
    return (value, []) if fits else (default, [f"Setting {name} must be a text; it is taken as empty"])


def _levels_from(value: Any, name: str, _default: Any) -> tuple[Any, list[str]]:
    return read_levels(value, f"Setting {name}")


_READERS: dict[str, Callable[[Any, str, Any], tuple[Any, list[str]]]] = {
    "boolean": _flag_from,
    "string": _text_from,
    "object": _levels_from,
}


def _looked_up(values: Any, parts: list[str]) -> Any:
    for part in parts:
        values = values.get(part) if isinstance(values, Mapping) else getattr(values, part, None)
    return values
