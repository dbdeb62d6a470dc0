"""Grader entries for a run, with raw configs and their places, made of the models of a file."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from waza_engine.dialects.waza.formats.graders import EvalGrader, TaskGrader
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.queries.items import Items
from waza_engine.model.fields import is_null
from waza_engine.model.suite import GraderEntry, LoadError

_ListedGrader = EvalGrader | TaskGrader


def entries(
    graders: Sequence[_ListedGrader], path: Path, pointer: Pointer, data: Any
) -> tuple[GraderEntry, ...]:
    """Return the entries of a list of graders. `pointer` is the pointer of the list in the file's data.

    Raises:
        LoadError: an entry refers to a shared grader.

    """
    if not graders:
        return ()
    for part in pointer:
        data = data[part]
    specs = list(zip(written_indices(data), graders, strict=True))
    known = _known_entries(specs, path, pointer, data) if isinstance(data, Items) else {}
    return tuple(known.get(index) or entry(it, path, (*pointer, index)) for index, it in specs)


def _known_entries(
    specs: Sequence[tuple[int, _ListedGrader]], path: Path, pointer: Pointer, items: Items[Any]
) -> dict[int, GraderEntry]:
    """Return the entries of a list that is followed through edits, by index. Only those of changed items are made."""
    by_item = {id(items[index]): it for index, it in specs}

    def made(item: Any) -> GraderEntry | None:
        spec = by_item.get(id(item))
        # An entry with an error has none: its error needs its place.
        return entry(spec, path, ()) if spec is not None and not _is_shared(spec) else None

    return items.placed((made.__qualname__, path), made, lambda it, index: moved_entry(it, (*pointer, index)))


def written_indices(items: Sequence[Any]) -> Iterator[int]:
    """Yield the indices of items that are not null. The models drop nulls, so indices in the file differ."""
    return (index for index, it in enumerate(items) if not is_null(it))


def entry(grader: _ListedGrader, path: Path, pointer: Pointer) -> GraderEntry:
    """Return the entry of one grader.

    Raises:
        LoadError: it refers to a shared grader.

    """
    if _is_shared(grader):
        message = (
            "Shared graders ('ref') are not supported: copy the grader's 'type' and 'config' into the entry"
        )
        raise LoadError(path, message, (*pointer, "ref"))
    others = grader.model_fields_set - {"type", "name", "weight", "config", "ref"}
    extras = {key: value for key, value in grader if key in others} if others else {}
    weight = grader.weight if grader.weight > 0 else 1.0
    return GraderEntry(grader.type, grader.name, weight, grader.config, extras, path, pointer)


def moved_entry(it: GraderEntry, above: Pointer) -> GraderEntry:
    """Return an entry whose pointer begins at an item of its file with a pointer that begins at the file."""
    return replace(it, pointer=(*above, *it.pointer))


def _is_shared(grader: _ListedGrader) -> bool:
    return bool(getattr(grader, "ref", ""))
