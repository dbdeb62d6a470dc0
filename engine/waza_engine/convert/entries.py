"""Grader entries as they are written in a file, and the typed graders behind them."""

from typing import Any

from waza_engine.convert.conversion import CannotSayError
from waza_engine.graders.base import ConfigError, Grader
from waza_engine.graders.entry import read_entry
from waza_engine.graders.registry import find_grader, generation_of
from waza_engine.scalars import plain
from waza_engine.suite import GraderEntry


def typed(entry: GraderEntry) -> Grader:
    """The grader of an entry.

    Raises:
        CannotSayError: its type or its options are not known.

    """
    generation = generation_of(entry)
    kind = find_grader(entry.type, generation)
    if kind is None:
        raise CannotSayError(f"the type '{entry.type}' is not known")
    try:
        return read_entry(entry, generation, "task").configured(kind)
    except ConfigError as error:
        raise CannotSayError(f"its options do not fit: {error}") from error


def written(grader: Grader, name: str) -> dict[str, Any]:
    """An entry with this grader, in the order in which people write one."""
    config = grader.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return {
        "type": grader.type_name,
        **({"name": name} if name else {}),
        **({"config": config} if config else {}),
    }


def as_given(entry: GraderEntry, *, weight: bool) -> dict[str, Any]:
    """The entry as it stands in its file."""
    made: dict[str, Any] = {"type": entry.type}
    if entry.name and "unnamed" not in entry.extras:
        made["name"] = entry.name
    if entry.turn is not None:
        made["turn"] = entry.turn
    if weight and entry.weight != 1.0:
        made["weight"] = entry.weight
    if entry.config is not None:
        made["config"] = plain(entry.config)
    return made | {key: plain(it) for key, it in entry.extras.items() if key != "unnamed"}


def name_apart(name: str, number: int, count: int) -> str:
    """The name of one of the graders that one became: its own, with a number (from 0 here) when they are several."""
    return f"{name} {number + 1}" if name and count > 1 else name
