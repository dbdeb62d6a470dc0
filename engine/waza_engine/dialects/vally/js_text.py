"""String functions with JavaScript's semantics. Used by graders, scoring and trajectories."""

import json
from typing import Any

from waza_engine.lib.js_regex.syntax import SPACE

_SPACES = "".join(chr(unit) for low, high in SPACE for unit in range(low, high + 1))


def trim(text: str) -> str:
    """Remove white space at both ends, like `String.prototype.trim`."""
    return text.strip(_SPACES)


def as_text(value: Any) -> str:
    """Return a string unchanged, and any other value as JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
