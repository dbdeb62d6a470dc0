"""What failed checks wanted, where graders do not say it in words: the option and its value, as in the file."""

import json
from dataclasses import replace
from typing import Any

from waza_engine.graders.result import GraderResult
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.scalars import plain

_LONGEST = 300
"""Longer values, such as schemas, say nothing at a glance."""


def with_wanted(result: GraderResult, config: Any) -> GraderResult:
    """Return a result whose failed checks say what they wanted: `contains: moon cheese`."""
    if all(it.wanted for it in result.parts):
        return result
    parts = (it if it.wanted else replace(it, wanted=_wanted(config, it.pointer)) for it in result.parts)
    return replace(result, parts=tuple(parts))


def _wanted(config: Any, pointer: Pointer) -> str:
    option = next((it for it in reversed(pointer) if isinstance(it, str)), "")
    value = config
    for key in pointer:
        try:
            value = value[key]
        except (LookupError, TypeError):
            return ""
    value = plain(value)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return f"{option}: {text}" if option and text and len(text) <= _LONGEST else ""
