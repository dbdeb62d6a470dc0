"""Messages of the test view as JSON, without the converter of pygls: a thousand tasks take a megabyte."""

import json
from typing import Any

import attrs


def to_json(value: Any) -> str:
    """Return plain data with values of the protocol as JSON."""
    return json.dumps(value, default=attrs.asdict, separators=(",", ":"))
