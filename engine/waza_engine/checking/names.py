"""Lists of names in settings."""

from typing import Any


def read_names(given: Any, where: str) -> tuple[tuple[str, ...], list[str]]:
    """The names, and a sentence when they cannot be used. `where` names the setting."""
    if isinstance(given, list | tuple) and all(isinstance(it, str) for it in given):
        return tuple(given), []
    return (), [f"{where} must be a list of names, such as ['my-grader']; it is taken as empty"]
