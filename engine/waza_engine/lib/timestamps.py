"""Points in time as RFC 3339 text, and durations as Go writes them: `5m`, `1h30m`, `250ms`."""

import re
from datetime import UTC, datetime

_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_PART = r"(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)"
_DURATION = re.compile(rf"([-+]?)((?:{_PART})+)")


def rfc3339(seconds: float, precision: str = "milliseconds") -> str:
    """Return seconds since 1970 as text in UTC. `precision` is the unit of the last digit."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec=precision).replace("+00:00", "Z")


def unix_seconds(timestamp: str) -> float:
    """Return the seconds since 1970 of an RFC 3339 text; 0.0 if it is invalid."""
    try:
        return datetime.fromisoformat(timestamp).timestamp()
    except ValueError:
        return 0.0


def duration_seconds(text: str) -> float | None:
    """Return the seconds of a Go duration; None if it is invalid. Only 0 needs no unit."""
    if text in {"0", "+0", "-0"}:
        return 0.0
    found = _DURATION.fullmatch(text)
    if not found:
        return None
    sign, parts = found[1], found[2]
    seconds = sum(float(number) * _UNITS[unit] for number, unit in re.findall(_PART, parts))
    return -seconds if sign == "-" else seconds
