"""Convert graders of older versions into current ones.

See docs/reference/waza-formats.md, section 19; docs/reference/waza-graders.md, section 7.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from waza_engine.dialects.waza.formats.graders import EvalGrader, TaskGrader
from waza_engine.dialects.waza.generations.meanings import newest_meaning
from waza_engine.graders.base import Grader
from waza_engine.graders.registry import graders
from waza_engine.model.findings import Change


def outdated_type(type_name: object) -> type[Grader] | None:
    """Return the class of a grader type that newer versions dropped; None for a current or unknown type."""
    kind = newest_meaning(type_name)
    return kind if kind is not None and kind.outdated else None


def conversion_changes(entry: Mapping[str, Any]) -> tuple[Change, ...]:
    """Return the changes that convert an entry of an outdated type; none if a person has to do it.

    Pointers are relative to the entry.
    """
    kind = outdated_type(entry.get("type"))
    return kind.conversion(entry, _new_names(kind)) if kind is not None else ()


def task_grader_with(option: str) -> type[Grader]:
    """Return the class of a task's grader without a type: the one that has this option.

    See docs/reference/waza-graders.md, section 7.4.
    """
    return next(it for it in graders("waza").values() if option in it.model_fields)


def misplaced_options(entry: Mapping[str, Any]) -> Mapping[str, str]:
    """Map the entry's keys that older versions had next to `type` to options under `config`, or "" if there is none."""
    present = {key: option for key, option in _old_keys().items() if entry.get(key) not in (None, "", [])}
    kind = newest_meaning(entry.get("type")) if present else None
    options = kind.model_fields if kind is not None else {}
    return {key: option if option in options else "" for key, option in present.items()}


@cache
def _old_keys() -> Mapping[str, str]:
    """Map old keys of entries to options, from the mark `instead="config.OPTION"` in their models."""
    fields = {**TaskGrader.model_fields, **EvalGrader.model_fields}
    extras = {key: info.json_schema_extra for key, info in fields.items()}
    instead = {key: it.get("x-use-instead") for key, it in extras.items() if isinstance(it, dict)}
    return {key: str(it).removeprefix("config.") for key, it in instead.items() if it}


def _new_names(kind: type[Grader]) -> Mapping[str, str]:
    """Map the options of a type to those of its successor, from the successor's `x-moved`."""
    successor = newest_meaning(kind.successor)
    extra = successor.model_config.get("json_schema_extra") if successor is not None else None
    moves = extra.get("x-moved") if isinstance(extra, dict) else None
    new_names = moves if isinstance(moves, dict) else {}
    return {name: str(new) for name, new in new_names.items() if name in kind.model_fields}
