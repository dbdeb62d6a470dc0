"""Lengths of time as Go writes them: `5m`, `1h30m`, `250ms`.

Moments as other programs read them.
"""

import re
from datetime import UTC, datetime


def rfc3339(seconds: float, precision: str = "milliseconds") -> str:
    """A moment in seconds since 1970 as text in UTC; `precision` is the unit of the last digit."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec=precision).replace("+00:00", "Z")


def seconds_of(moment: str) -> float:
    """The seconds since 1970 of a moment that is written so; 0.0 for a text that is none."""
    try:
        return datetime.fromisoformat(moment).timestamp()
    except ValueError:
        return 0.0


_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_PART = r"(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)"
_SHAPE = re.compile(rf"([-+]?)((?:{_PART})+)")


def duration_seconds(text: str) -> float | None:
    """The seconds that a Go duration stands for; None when it is none (a number without unit, except 0)."""
    if text in {"0", "+0", "-0"}:
        return 0.0
    found = _SHAPE.fullmatch(text)
    if not found:
        return None
    sign, parts = found[1], found[2]
    seconds = sum(float(number) * _UNITS[unit] for number, unit in re.findall(_PART, parts))
    return -seconds if sign == "-" else seconds
