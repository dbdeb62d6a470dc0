"""Grader entries for a run, with weights and unique names.

See docs/reference/vally.md, sections 5 and 6.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from waza_engine.dialects.vally.formats.eval import EvalFile
from waza_engine.dialects.vally.formats.graders import GraderConfig
from waza_engine.dialects.vally.formats.stimulus import Stimulus
from waza_engine.dialects.vally.scoring.results import unique_names
from waza_engine.graders.base import ConfigError
from waza_engine.graders.entry import Entry, Level, config_error, entry_data, read_leniently
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.pydantic_messages import value_text
from waza_engine.model.suite import GraderEntry


def read_entry(entry: Mapping[str, Any] | GraderEntry, meaning: str, level: Level) -> Entry:
    """Read an entry, ignoring unknown keys and an empty config.

    Raises:
        ConfigError: the entry is not a mapping, or a key beside `config` has a value of the wrong type.

    """
    turn = plain(entry.get("turn")) if isinstance(entry, Mapping) else None
    is_turn = isinstance(turn, int) and not isinstance(turn, bool) and turn >= 0
    if turn is not None and not is_turn:
        problem = f"must be a whole number of 0 or more, not {value_text(turn)}"
        raise ConfigError(f"turn {problem}", ("turn",), problem)
    data = entry_data(entry)
    try:
        GraderConfig.model_validate(dict(data))
    except ValidationError as error:
        raise config_error(error, data, drops_nulls=False) from error
    return read_leniently(entry, meaning, level)


def grader_entries(
    spec: EvalFile, stimulus: Stimulus, path: Path, pointer: Pointer
) -> tuple[GraderEntry, ...]:
    """Return the graders of a stimulus: first those of the spec, then its own."""
    located = [
        *((it, ("graders", index)) for index, it in enumerate(spec.graders)),
        *((it, (*pointer, "graders", index)) for index, it in enumerate(stimulus.graders)),
    ]
    return tuple(_entries(located, path, spec.scoring.weights))


def _entries(
    located: list[tuple[GraderConfig, Pointer]], path: Path, weights: Mapping[str, float]
) -> Iterator[GraderEntry]:
    # Results are stored by name.
    names = unique_names([it.name or it.type for it, _ in located])
    for (it, pointer), name in zip(located, names, strict=True):
        yield GraderEntry(
            type=it.type,
            name=name,
            # With weights, an unlisted type has weight 0; without weights, all graders count equally.
            weight=weights.get(it.type, 0.0) if weights else 1.0,
            config=it.config,
            path=path,
            pointer=pointer,
            dialect="vally",
            turn=it.turn,
            name_in_file=it.name,
        )
