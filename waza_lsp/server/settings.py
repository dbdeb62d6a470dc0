"""The settings under `waza.*`: typed, all with defaults; a value of the wrong kind gives a message and the default."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


def _setting(default: Any, description: str) -> Any:
    return field(default=default, metadata={"description": description})


@dataclass(frozen=True, slots=True)
class Settings:
    """One field per setting; `run_executor` is `waza.run.executor` on the wire."""

    lens_run: bool = _setting(default=True, description="Show a lens that runs the task or the whole eval.")
    run_executor: str = _setting(
        default="", description="Executor for runs from the editor; empty means the eval's own."
    )
    run_model: str = _setting(
        default="", description="Model for runs from the editor; empty means the eval's own."
    )


def read_settings(values: Any) -> tuple[Settings, list[str]]:
    """Settings from the client's `waza` section, and a message for every value that does not fit."""
    found: dict[str, Any] = {}
    problems: list[str] = []
    for it in dataclasses.fields(Settings):
        name = it.name.replace("_", ".", 1)
        value = _looked_up(values, name.split("."))
        if value is None:
            continue
        if isinstance(value, type(it.default)):
            found[it.name] = value
        else:
            problems.append(
                f"Setting waza.{name} must be a {type(it.default).__name__}; {it.default!r} is used"
            )
    return Settings(**found), problems


def _looked_up(values: Any, parts: list[str]) -> Any:
    for part in parts:
        values = values.get(part) if isinstance(values, Mapping) else getattr(values, part, None)
    return values
