"""The version of the runner that a project uses, as people write it: `0.34`, `0.34.1`, `v0.34`; empty means the newest."""

import re
from typing import Any

VERSION_PATTERN = r"^(v?\d+(\.\d+){1,2})?$"
_VERSION = re.compile(r"v?(\d+(?:\.\d+){1,2})")


def read_target(given: Any, where: str) -> tuple[str, list[str]]:
    """The version, and a sentence when it is none. `where` names the setting."""
    found = _VERSION.fullmatch(given.strip()) if isinstance(given, str) else None
    if found is not None or given == "":
        return found[1] if found is not None else "", []
    return "", [f"{where} must be a version in quotes, such as '0.34'; the newest is meant"]


def is_newer(since: str, target: str) -> bool:
    """Whether something that came with `since` is not there in `target`."""
    return _numbers(since) > (*_numbers(target), *[0] * (len(_numbers(since)) - len(_numbers(target))))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(it) for it in version.split("."))
