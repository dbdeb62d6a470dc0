"""How the first Go generation decoded the config of a grader.

See docs/reference/waza-graders.md, sections 2.1 and 13.14.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator

from waza_engine.model.fields import is_null


def in_lower_case(config: Mapping[str, Any]) -> dict[str, Any]:
    """The config with its keys, and those of the mappings in its lists, in the case that options have.

    Their case did not matter; of two that differ in nothing else the exact one counts.
    """
    exact_last = sorted(config, key=lambda it: it == it.lower())
    return {it.lower(): _items_in_lower_case(config[it]) for it in exact_last}


def _items_in_lower_case(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    return [in_lower_case(it) if isinstance(it, Mapping) else it for it in value]


def _text_items(value: Any) -> Any:
    """A list of texts: a null item is the empty text, a number or a boolean is refused."""
    if is_null(value):
        return []
    if not isinstance(value, list):
        raise ValueError("expected a list of strings")  # noqa: TRY004  # pydantic wants ValueError
    return ["" if is_null(it) else it for it in value]


TextItems = Annotated[list[str], BeforeValidator(_text_items)]
