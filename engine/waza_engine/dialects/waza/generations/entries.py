"""Read an item of a `graders` list like the loader of each generation of waza.

See docs/reference/waza-graders.md, sections 2.1, 7.4 and 13.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from waza_engine.dialects.waza.generations.g1 import lowercase_keys
from waza_engine.dialects.waza.generations.meanings import newest_generation
from waza_engine.graders.entry import Entry, Level, config_error, entry_data, read_config
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.fields import Number, Text
from waza_engine.model.suite import GraderEntry

_LENIENT = frozenset(["G1", "G3"])
"""Generations that ignore unknown keys beside `type`: the first silently, the newest with a warning."""


class _Keys(BaseModel):
    """The keys of an entry that waza decodes before it knows the type."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    type: Text = ""
    name: Text = ""
    weight: Number = 0.0
    config: Annotated[dict[str, Any], BeforeValidator(read_config)] = {}


class _EvalKeys(_Keys):
    # waza reads and ignores these keys: only the Python generation used them.
    script: Text = ""
    rubric: Text = ""
    model: Text = ""


class _TaskKeys(_Keys):
    rubric: Text = ""
    assertions: Any = None


def read_entry(entry: Mapping[str, Any] | GraderEntry, meaning: str, level: Level) -> Entry:
    """Read an entry, raw or already loaded, like the loader of a generation.

    Raises:
        ConfigError: waza would refuse to load the entry.

    """
    data = entry_data(entry)
    generation = (
        newest_generation(str(plain(data.get("type")) or ""), data.get("config"))
        if meaning == "waza"
        else meaning
    )
    if generation == "PY":
        return _python_entry(data, level)
    values = _keys(data, level, ignores_unknown=generation in _LENIENT, is_newest=meaning == "waza")
    return Entry(
        values.type,
        values.name,
        _effective_weight(values.weight),
        data,
        level,
        decode=lowercase_keys if generation == "G1" else dict,
        ignores_unknown=generation == "G1",
        drops_nulls=True,
    )


def _keys(data: Mapping[str, Any], level: Level, *, ignores_unknown: bool, is_newest: bool) -> _Keys:
    """Read the keys of an entry. The newest version ignores an unknown key, unless it resembles a known one."""
    keys = _EvalKeys if level == "eval" else _TaskKeys
    try:
        return keys.model_validate(dict(data), extra="ignore" if ignores_unknown else None)
    except ValidationError as error:
        if is_newest and any(it["type"] == "extra_forbidden" for it in error.errors(include_url=False)):
            # Imported late: nearly all entries do without.
            from waza_engine.analysis.pipeline import ignored_keys

            if ignored := ignored_keys("waza", data, level):
                known = {key: it for key, it in data.items() if key not in ignored}
                return _keys(known, level, ignores_unknown=ignores_unknown, is_newest=False)
        raise config_error(error, data) from error


def _effective_weight(weight: float) -> float:
    """Return the weight; 1.0 if it is zero or negative (docs/reference/waza-graders.md, section 2.3)."""
    return weight if weight > 0 else 1.0


def _python_entry(data: Mapping[str, Any], level: Level) -> Entry:
    """Read an entry like the Python generation, which ignored unknown keys and weights (sections 7.4, 7.14)."""
    type_name = plain(data.get("type")) or ("code" if level == "task" else "")
    return Entry(str(type_name), str(plain(data.get("name")) or ""), 1.0, data, level)
