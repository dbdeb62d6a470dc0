"""Read the parameters of our own commands and requests: one object, if the client keeps to the protocol.

Anything else counts as an empty object.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from waza_engine.lib.pointer import Pointer

Params = Mapping[str, Any]


def params_of(arguments: Sequence[Any]) -> Params:
    """The first argument of a command as a mapping. There may be none, or too many."""
    return members_of(arguments[0] if arguments else {})


def members_of(value: Any) -> Params:
    """A JSON object as a mapping; anything else as an empty one."""
    if isinstance(value, Mapping):
        return value
    # pygls turns JSON objects into Python objects.
    as_dict = getattr(value, "_asdict", None)
    return dict(as_dict()) if callable(as_dict) else dict(getattr(value, "__dict__", {}))


def text_in(params: Params, name: str) -> str:
    """A string member; "" if it is missing or has another type."""
    value = params.get(name)
    return value if isinstance(value, str) else ""


def tasks_in(params: Params) -> list[str]:
    """The tasks of a command; none means all."""
    several = params.get("tasks")
    values = several if isinstance(several, list | tuple) and several else [params.get("task")]
    return [str(it) for it in values if isinstance(it, str | int | float) and it != ""]


def pointer_in(params: Params) -> Pointer | None:
    """The pointer of a grader in its file."""
    value = params.get("pointer")
    if not isinstance(value, list | tuple) or not all(isinstance(it, str | int) for it in value):
        return None
    return tuple(value)
