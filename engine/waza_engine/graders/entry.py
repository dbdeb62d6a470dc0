"""A grader entry: the type, name, weight and config of one list item, as its dialect reads them."""

import builtins
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import ValidationError

from waza_engine.graders.base import ConfigError, Grader
from waza_engine.lib.yaml.scalars import Scalar, plain
from waza_engine.model.fields import is_null
from waza_engine.model.pydantic_messages import problem_pointer, problem_text
from waza_engine.model.suite import GraderEntry
from waza_engine.recognition.recognise import dialect_for, load_object

Level = Literal["eval", "task"]


def read_config(value: Any) -> dict[str, Any]:
    """Return the options under `config`: a mapping, or a written `null`; an empty value is refused.

    Raises:
        ValueError: the value is something else.

    """
    if isinstance(value, Scalar) and not value.source:
        raise ValueError("is empty; write its options, or remove the key")
    if is_null(value):
        return {}
    if not isinstance(value, Mapping):
        raise ValueError("must be a mapping of options")  # noqa: TRY004  # pydantic wants ValueError
    return dict(value)


@dataclass(frozen=True, slots=True)
class Entry:
    """A parsed entry. `data` is the raw entry, `weight` the effective weight.

    `decode` changes the config before its type reads it. With `ignores_unknown`, options that the type does not know
    are ignored; without it the type decides. `drops_nulls` is that of the dialect.
    """

    type: str
    name: str
    weight: float
    data: Mapping[str, Any]
    level: Level = "eval"
    decode: Callable[[Mapping[str, Any]], dict[str, Any]] = dict
    ignores_unknown: bool = False
    drops_nulls: bool = False

    def configure(self, kind: "builtins.type[Grader]") -> Grader:
        """Return the grader of class `kind` with the config of this entry.

        Raises:
            ConfigError: the config does not fit the options of the type.

        """
        given = kind.config_from_entry(self.data, self.level)
        try:
            config = self.decode(read_config(given))
        except ValueError as error:
            raise ConfigError(f"config {error}", ("config",), str(error)) from error
        try:
            return kind.model_validate(config, extra="ignore" if self.ignores_unknown else None)
        except ValidationError as error:
            raise config_error(error, config, "config", drops_nulls=self.drops_nulls) from error


def read_entry(entry: Mapping[str, Any] | GraderEntry, meaning: str, level: Level) -> Entry:
    """Read an entry, raw or already loaded. `meaning` is as for `graders.registry.find_grader`.

    Raises:
        ConfigError: the dialect would refuse to load the entry.

    """
    read: Entry = load_object(dialect_for(meaning).read_entry)(entry, meaning, level)
    return read


def read_leniently(entry: Mapping[str, Any] | GraderEntry, _meaning: str, level: Level) -> Entry:
    """Read an entry, ignoring unknown keys (such as the weight) and an empty config.

    Raises:
        ConfigError: the entry is not a mapping, or its type or name is not a string.

    """
    data = entry_data(entry)
    weight = entry.weight if isinstance(entry, GraderEntry) else 1.0
    type_name, name = plain(data.get("type")), plain(data.get("name"))
    for key, value in (("type", type_name), ("name", name)):
        if isinstance(value, Mapping | list):
            raise ConfigError(f"{key}: must be a string", (key,), "must be a string")
    config = {} if is_null(data.get("config")) else data["config"]
    return Entry(
        str(type_name or ""), str(name or type_name or ""), weight, {**data, "config": config}, level
    )


def entry_data(entry: Mapping[str, Any] | GraderEntry) -> Mapping[str, Any]:
    """Return the raw entry.

    Raises:
        ConfigError: the entry is not a mapping.

    """
    if isinstance(entry, GraderEntry):
        return {
            "type": entry.type,
            "name": entry.name,
            "weight": entry.weight,
            "config": entry.config,
            **entry.extras,
        }
    if not isinstance(entry, Mapping):
        raise ConfigError("A grader entry must be a mapping")
    return entry


def config_error(
    error: ValidationError, data: Mapping[str, Any], *above: str, drops_nulls: bool = True
) -> ConfigError:
    """Return the first validation error with its place; `above` is the path from the entry to `data`."""
    first = error.errors(include_url=False)[0]
    pointer = (*above, *problem_pointer(first, data, drops_nulls=drops_nulls))
    return ConfigError(problems_text(error, *above), pointer, problem_text(first))


def problems_text(error: ValidationError, *above: str) -> str:
    """Return all validation errors in one line: `config.contains: expected a list`."""
    problems = error.errors(include_url=False)
    return "; ".join(f"{'.'.join(map(str, [*above, *it['loc']]))}: {problem_text(it)}" for it in problems)
