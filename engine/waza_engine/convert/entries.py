"""Grader entries as they are written in a file, and the typed graders behind them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from waza_engine.convert.conversion import CannotSayError
from waza_engine.graders.base import ConfigError, Grader
from waza_engine.graders.entry import read_entry
from waza_engine.graders.registry import find_grader
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.suite import GraderEntry


def typed(entry: GraderEntry) -> Grader:
    """The grader of an entry.

    Raises:
        CannotSayError: its type or its options are not known.

    """
    kind = find_grader(entry.type, entry.dialect)
    if kind is None:
        raise CannotSayError(f"the type '{entry.type}' is not known")
    try:
        return read_entry(entry, entry.dialect, "task").configure(kind)
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
    if entry.original_name:
        made["name"] = entry.original_name
    if entry.turn is not None:
        made["turn"] = entry.turn
    if weight and entry.weight != 1.0:
        made["weight"] = entry.weight
    if entry.config is not None:
        made["config"] = plain(entry.config)
    return made | {key: plain(it) for key, it in entry.extras.items()}


def name_apart(name: str, number: int, count: int) -> str:
    """The name of one of the graders that one became: its own, with a number (from 0 here) when they are several."""
    return f"{name} {number + 1}" if name and count > 1 else name


def names_apart(
    graders: Iterable[Mapping[str, Any]], others: Iterable[Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    """The graders, each with a name that neither one before it nor one of the others has: waza takes the last of a name."""
    taken = {str(it.get("name") or "") for it in others}
    for it in graders:
        name = base = str(it.get("name") or "")
        number = 2
        while name in taken:
            name, number = f"{base} ({number})", number + 1
        taken.add(name)
        yield {**it, "name": name} if name else {**it}


def last_of_names(entries: Iterable[GraderEntry]) -> dict[str, GraderEntry]:
    """The entries that count, by name: of several with one name, or without any, waza takes the last."""
    return {it.name: it for it in entries}
