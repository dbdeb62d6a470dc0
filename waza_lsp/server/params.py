"""What a client gives with a command or a request of ours: one object, if it keeps to the protocol.

Anything else counts as an empty one.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from waza_engine.findings import Pointer

Given = Mapping[str, Any]


def given(arguments: Sequence[Any]) -> Given:
    """The first argument as a mapping; there may be none, or more of them than a command takes."""
    return members_of(arguments[0] if arguments else {})


def members_of(value: Any) -> Given:
    """A JSON object as a mapping; anything else as an empty one."""
    if isinstance(value, Mapping):
        return value
    # pygls makes objects of JSON objects.
    found = getattr(value, "_asdict", None)
    return dict(found()) if callable(found) else dict(getattr(value, "__dict__", {}))


def text_in(it: Given, name: str) -> str:
    """A text that is asked for; empty when it is missing or something else."""
    found = it.get(name)
    return found if isinstance(found, str) else ""


def tasks_in(it: Given) -> list[str]:
    """The tasks that a command is about; none stands for all."""
    several = it.get("tasks")
    found = several if isinstance(several, list | tuple) and several else [it.get("task")]
    return [str(task) for task in found if isinstance(task, str | int | float) and task != ""]


def pointer_in(it: Given) -> Pointer | None:
    """The place of a grader in its file."""
    found = it.get("pointer")
    if not isinstance(found, list | tuple) or not all(isinstance(part, str | int) for part in found):
        return None
    return tuple(found)
