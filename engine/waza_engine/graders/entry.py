"""One item of a `graders` list, as waza's loader takes it.

See docs/reference/waza-graders.md, sections 2.1, 7.4 and 13.
"""

import builtins
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from waza_engine.graders.base import ConfigError, Grader
from waza_engine.graders.decoding_g1 import in_lower_case
from waza_engine.misfits import place, words
from waza_engine.scalars import Scalar, plain
from waza_engine.suite import GraderEntry
from waza_engine.values import Number, Text, is_null

Level = Literal["eval", "task"]
_STRICT = frozenset(["G2+G3", "G3", "G1"])
"""The generations that refuse entries, or configs, of the wrong shape."""
_LENIENT = frozenset(["G1", "G3"])
"""Those that pass over keys they do not know: the first without a word, the newest with a warning."""


def _config(value: Any) -> Any:
    """What waza accepts under `config`: a mapping, or a written `null`; an empty value is refused."""
    if isinstance(value, Scalar) and not value.source:
        raise ValueError("is empty; write its options, or remove the key")
    if is_null(value):
        return {}
    if not isinstance(value, Mapping):
        raise ValueError("must be a mapping of options")  # noqa: TRY004  # pydantic wants ValueError
    return dict(value)


class _Keys(BaseModel):
    """The keys of an entry that waza decodes before it looks at the type."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    type: Text = ""
    name: Text = ""
    weight: Number = 0.0
    config: Annotated[dict[str, Any], BeforeValidator(_config)] = {}


class _EvalKeys(_Keys):
    # Read and then ignored: only the Python generation used them.
    script: Text = ""
    rubric: Text = ""
    model: Text = ""


class _TaskKeys(_Keys):
    rubric: Text = ""
    assertions: Any = None


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry that was read. `data` is the raw entry, `weight` the effective weight."""

    type: str
    name: str
    weight: float
    data: Mapping[str, Any]
    level: Level = "eval"
    generation: str = ""

    def configured(self, kind: "builtins.type[Grader]") -> Grader:
        """The grader of class `kind` with the config of this entry.

        Raises:
            ConfigError: the config does not fit the options of the type.

        """
        given = kind.config_from_entry(self.data, self.level)
        try:
            config = _config(given)
            if self.generation == "G1":
                config = in_lower_case(config)
        except ValueError as error:
            raise ConfigError(f"config {error}", ("config",), str(error)) from error
        try:
            return kind.model_validate(config, extra=_unknown_keys(self.generation))
        except ValidationError as error:
            raise _config_error(error, config, "config", drops_nulls=bool(self.generation)) from error


def read_entry(entry: Mapping[str, Any] | GraderEntry, generation: str, level: Level) -> Entry:
    """Read an entry, raw or already loaded, in the way of `generation`.

    Raises:
        ConfigError: waza would refuse to load the entry.

    """
    data = _as_data(entry) if isinstance(entry, GraderEntry) else entry
    if not isinstance(data, Mapping):
        raise ConfigError("A grader entry must be a mapping")
    if generation == "PY":
        return _python_entry(data, level)
    if generation not in _STRICT:
        return _tolerant_entry(data, level, entry.weight if isinstance(entry, GraderEntry) else 1.0)
    keys = _EvalKeys if level == "eval" else _TaskKeys
    try:
        read = keys.model_validate(dict(data), extra=_unknown_keys(generation))
    except ValidationError as error:
        raise _config_error(error, data) from error
    return Entry(read.type, read.name, effective_weight(read.weight), data, level, generation)


def _unknown_keys(generation: str) -> Literal["ignore"] | None:
    """What becomes of keys that a model does not know; None leaves it to the model."""
    return "ignore" if generation in _LENIENT else None


def effective_weight(weight: float) -> float:
    """The weight that counts: a missing, zero or negative one is 1.0 (docs/reference/waza-graders.md, section 2.3)."""
    return weight if weight > 0 else 1.0


def _config_error(
    error: ValidationError, data: Mapping[str, Any], *above: str, drops_nulls: bool = True
) -> ConfigError:
    first = error.errors(include_url=False)[0]
    pointer = (*above, *place(first, data, drops_nulls=drops_nulls))
    return ConfigError(problems_text(error, *above), pointer, words(first))


def problems_text(error: ValidationError, *above: str) -> str:
    """What pydantic found, in one line: `config.contains: expected a list`."""
    problems = error.errors(include_url=False)
    return "; ".join(f"{'.'.join(map(str, [*above, *it['loc']]))}: {words(it)}" for it in problems)


def _as_data(entry: GraderEntry) -> dict[str, Any]:
    return {
        "type": entry.type,
        "name": entry.name,
        "weight": entry.weight,
        "config": entry.config,
        **entry.extras,
    }


def _tolerant_entry(data: Mapping[str, Any], level: Level, weight: float) -> Entry:
    """Other dialects pass over keys that they do not know, the weight among them, and a config without anything in it."""
    type_name, name = plain(data.get("type")), plain(data.get("name"))
    config = {} if is_null(data.get("config")) else data["config"]
    return Entry(
        str(type_name or ""), str(name or type_name or ""), weight, {**data, "config": config}, level
    )


def _python_entry(data: Mapping[str, Any], level: Level) -> Entry:
    """The Python generation: keys it did not know were ignored, weights never used.

    See docs/reference/waza-graders.md, sections 7.4 and 7.14.
    """
    type_name = plain(data.get("type")) or ("code" if level == "task" else "")
    return Entry(str(type_name), str(plain(data.get("name")) or ""), 1.0, data, level)
