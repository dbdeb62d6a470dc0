"""Moments as other programs read them."""

from datetime import UTC, datetime


def rfc3339(seconds: float, precision: str = "milliseconds") -> str:
    """A moment in seconds since 1970 as text in UTC; `precision` is the unit of the last digit."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec=precision).replace("+00:00", "Z")
