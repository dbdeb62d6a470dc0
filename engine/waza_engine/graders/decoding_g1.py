"""How the first Go generation decoded the config of a grader (waza-graders.md, sections 2.1 and 13.14)."""

from collections.abc import Collection, Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator

from waza_engine.values import is_null


def known_keys(config: Any, known: Collection[str]) -> Any:
    """The config with its known keys only, whose case did not matter."""
    if not isinstance(config, Mapping):
        return config
    return {key.lower(): value for key, value in config.items() if key.lower() in known}


def _text_items(value: Any) -> Any:
    """A list of texts: a null item is the empty text, a number or a boolean is refused."""
    if is_null(value):
        return []
    if not isinstance(value, list):
        raise ValueError("expected a list of texts")  # noqa: TRY004  # pydantic wants ValueError
    return ["" if is_null(it) else it for it in value]


TextItems = Annotated[list[str], BeforeValidator(_text_items)]
