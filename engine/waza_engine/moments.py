"""Moments as other programs read them."""

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
