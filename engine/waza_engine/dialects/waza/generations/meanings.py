"""What the type of a grader means in each generation of waza (docs/reference/waza-graders.md, section 7)."""

from functools import cache

from waza_engine.dialects.waza.generations.base import OlderGrader
from waza_engine.graders.base import Grader
from waza_engine.graders.registry import graders, graders_in

CURRENT = "G2+G3"
"""The generation that is graded when nothing else is asked for."""
_DIALECT = "waza"
_OLDER = "waza_engine.dialects.waza.legacy_graders"


@cache
def older_graders() -> dict[str, type[OlderGrader]]:
    """The classes of older generations, by `GENERATION:TYPE`: there one type has several meanings."""
    found = (it for it in graders_in(_OLDER) if issubclass(it, OlderGrader))
    return {f"{min(it.generations)}:{it.type_name}": it for it in found}


def find_grader(type_name: str, meaning: str = "", config: object = None) -> type[Grader] | None:
    """The class that gives a type its meaning, None when the type is unknown there.

    `meaning` is a generation; "" is the current one, `waza` the newest that knows the type.
    The Python generation had its own eight types only; the first Go generation had those of today and two more, and for
    a few days another meaning of a third, which `config` tells (docs/reference/waza-graders.md, 7.3).
    """
    if meaning == _DIALECT:
        return find_grader(type_name, newest_generation(type_name), config)
    if meaning in {"PY", "G1"}:
        older = older_graders().get(f"{meaning}:{type_name}")
        if older is not None and older.is_meant_by(config):
            return older
    return None if meaning == "PY" else graders(_DIALECT).get(type_name)


def newest_generation(type_name: str) -> str:
    """The newest generation that knows the type; for an unknown type the current one."""
    known = (it for it in (CURRENT, "G1", "PY") if find_grader(type_name, it))
    return next(known, CURRENT)


def newest_meaning(type_name: object) -> type[Grader] | None:
    """The class that gives a type its newest meaning, an outdated type included; None when there is no such type."""
    if not isinstance(type_name, str):
        return None
    older = older_graders()
    return graders(_DIALECT).get(type_name) or older.get(f"G1:{type_name}") or older.get(f"PY:{type_name}")
