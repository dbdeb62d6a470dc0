"""Convert between grader entries of a file and typed graders."""

from typing import Any

from waza_engine.convert.conversion import NotConvertibleError
from waza_engine.graders.base import ConfigError, Grader
from waza_engine.graders.entry import read_entry
from waza_engine.graders.registry import find_grader
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.suite import GraderEntry


def load_grader(entry: GraderEntry) -> Grader:
    """Return the grader of an entry.

    Raises:
        NotConvertibleError: its type is unknown or its options are invalid.

    """
    kind = find_grader(entry.type, entry.dialect)
    if kind is None:
        raise NotConvertibleError(f"the type '{entry.type}' is unknown")
    try:
        return read_entry(entry, entry.dialect, "task").configure(kind)
    except ConfigError as error:
        raise NotConvertibleError(f"its options are invalid: {error}") from error


def grader_entry(grader: Grader, name: str) -> dict[str, Any]:
    """Return an entry with this grader, its keys in the usual order."""
    config = grader.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return {
        "type": grader.type_name,
        **({"name": name} if name else {}),
        **({"config": config} if config else {}),
    }


def original_entry(entry: GraderEntry, *, weight: bool) -> dict[str, Any]:
    """Return the entry as written in its file."""
    data: dict[str, Any] = {"type": entry.type}
    if entry.original_name:
        data["name"] = entry.original_name
    if entry.turn is not None:
        data["turn"] = entry.turn
    if weight and entry.weight != 1.0:
        data["weight"] = entry.weight
    if entry.config is not None:
        data["config"] = plain(entry.config)
    return data | {key: plain(it) for key, it in entry.extras.items()}
