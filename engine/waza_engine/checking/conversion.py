"""What the graders of older versions are today (waza-formats.md, section 19; waza-graders.md, section 7)."""

from collections.abc import Mapping
from typing import Any

from waza_engine.findings import Change
from waza_engine.graders.base import Grader
from waza_engine.graders.registry import newest_meaning


def outdated_type(type_name: object) -> type[Grader] | None:
    """The class of a grader type that newer versions do not have; None for a current or unknown one."""
    kind = newest_meaning(type_name)
    return kind if kind is not None and kind.outdated else None


def converted(entry: Mapping[str, Any]) -> tuple[Change, ...]:
    """The changes that make an entry of an outdated type a current one; none when a person has to do it.

    Pointers start at the entry.
    """
    kind = outdated_type(entry.get("type"))
    return kind.converted(entry, _new_names(kind)) if kind is not None else ()


def _new_names(kind: type[Grader]) -> Mapping[str, str]:
    """What the successor of a type calls its options, as the successor itself says under `x-moved`."""
    successor = newest_meaning(kind.successor)
    extra = successor.model_config.get("json_schema_extra") if successor is not None else None
    moved = extra.get("x-moved") if isinstance(extra, dict) else None
    known = moved if isinstance(moved, dict) else {}
    return {name: str(new) for name, new in known.items() if name in kind.model_fields}
