"""Find the class of a grader type in a generation of waza (docs/reference/waza-graders.md, section 7)."""

from functools import cache

from waza_engine.dialects.waza.generations.base import OlderGrader
from waza_engine.graders.base import Grader
from waza_engine.graders.registry import current_grader, graders_in

CURRENT = "G2+G3"
"""The default generation for grading."""
_DIALECT = "waza"
_OLDER = "waza_engine.dialects.waza.legacy_graders"


def older_graders(named_after: str = "") -> dict[str, type[OlderGrader]]:
    """Return the grader classes of older generations by `GENERATION:TYPE`, as a type may have several meanings.

    With `named_after`, only the files with that name or part are imported.
    """
    classes = (it for it in graders_in(_OLDER, named_after) if issubclass(it, OlderGrader))
    return {f"{min(it.generations)}:{it.type_name}": it for it in classes}


@cache
def _older(generation: str, type_name: str) -> type[OlderGrader] | None:
    # The name of a type's file contains the name of the type.
    return older_graders(type_name).get(f"{generation}:{type_name}") if type_name else None


def find_grader(type_name: str, meaning: str = "", config: object = None) -> type[Grader] | None:
    """Return the class of a grader type in a generation; None if the generation does not have the type.

    `meaning` is a generation; "" is the current one, `waza` the newest that has the type and reads such a config.
    The Python generation had only its own eight types. The first Go generation had today's types and two more. For a
    few days, a third type had another meaning, which shows in `config` (docs/reference/waza-graders.md, 7.3).
    """
    if meaning == _DIALECT:
        return find_grader(type_name, newest_generation(type_name, config), config)
    if meaning in {"PY", "G1"}:
        older = _older(meaning, type_name)
        if older is not None and older.matches_config(config):
            return older
    return None if meaning == "PY" else current_grader(_DIALECT, type_name)


def newest_generation(type_name: str, config: object = None) -> str:
    """Return the newest generation that has the type; the current one for an unknown type.

    A `config` in the form that the first Go generation had for a type of today belongs to that generation.
    """
    older = _older("G1", type_name)
    if older is not None and config is not None and older.has_own_form and older.matches_config(config):
        return "G1"
    known = (it for it in (CURRENT, "G1", "PY") if find_grader(type_name, it))
    return next(known, CURRENT)


def newest_meaning(type_name: object) -> type[Grader] | None:
    """Return the newest class of a type, including outdated types; None if no generation has the type."""
    if not isinstance(type_name, str):
        return None
    return current_grader(_DIALECT, type_name) or _older("G1", type_name) or _older("PY", type_name)
