"""What the graders of older versions are today.

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
    """The class of a grader type that newer versions do not have; None for a current or unknown one."""
    kind = newest_meaning(type_name)
    return kind if kind is not None and kind.outdated else None


def converted(entry: Mapping[str, Any]) -> tuple[Change, ...]:
    """The changes that make an entry of an outdated type a current one; none when a person has to do it.

    Pointers start at the entry.
    """
    kind = outdated_type(entry.get("type"))
    return kind.conversion(entry, _new_names(kind)) if kind is not None else ()


def untyped(option: str) -> type[Grader]:
    """What a task's grader was that gave no type: the one that has this option, beside it.

    See docs/reference/waza-graders.md, section 7.4.
    """
    return next(it for it in graders("waza").values() if option in it.model_fields)


def beside_type(entry: Mapping[str, Any]) -> Mapping[str, str]:
    """The keys of an entry that used to stand beside its type, and what each is under `config`, "" when it is nothing."""
    given = {key: option for key, option in _old_keys().items() if entry.get(key) not in (None, "", [])}
    kind = newest_meaning(entry.get("type")) if given else None
    options = kind.model_fields if kind is not None else {}
    return {key: option if option in options else "" for key, option in given.items()}


@cache
def _old_keys() -> Mapping[str, str]:
    """The old keys of entries as their models mark them: `instead="config.OPTION"`."""
    fields = {**TaskGrader.model_fields, **EvalGrader.model_fields}
    extras = {key: info.json_schema_extra for key, info in fields.items()}
    instead = {key: it.get("x-use-instead") for key, it in extras.items() if isinstance(it, dict)}
    return {key: str(it).removeprefix("config.") for key, it in instead.items() if it}


def _new_names(kind: type[Grader]) -> Mapping[str, str]:
    """What the successor of a type calls its options, as the successor itself says under `x-moved`."""
    successor = newest_meaning(kind.successor)
    extra = successor.model_config.get("json_schema_extra") if successor is not None else None
    moved = extra.get("x-moved") if isinstance(extra, dict) else None
    known = moved if isinstance(moved, dict) else {}
    return {name: str(new) for name, new in known.items() if name in kind.model_fields}
