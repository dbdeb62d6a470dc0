"""Decode grader configs like the first Go generation. Apart because graders and `entries` import it.

See docs/reference/waza-graders.md, sections 2.1 and 13.14.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator

from waza_engine.model.fields import is_null


def lowercase_keys(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the config with lower-case keys, also in mappings in its lists.

    Keys were case-insensitive. If two keys differ only in case, the one in lower case counts.
    """
    exact_last = sorted(config, key=lambda key: key == key.lower())
    return {it.lower(): _lowercase_item_keys(config[it]) for it in exact_last}


def _lowercase_item_keys(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    return [lowercase_keys(it) if isinstance(it, Mapping) else it for it in value]


def _text_items(value: Any) -> Any:
    """Return a list of strings: null becomes the empty string, numbers and booleans are refused."""
    if is_null(value):
        return []
    if not isinstance(value, list):
        raise ValueError("expected a list of strings")  # noqa: TRY004  # pydantic expects ValueError
    return ["" if is_null(it) else it for it in value]


TextItems = Annotated[list[str], BeforeValidator(_text_items)]
