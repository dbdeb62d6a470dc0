"""The codes of all findings, and the severities that settings give them."""

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from waza_engine.lib.spelling import nearest
from waza_engine.model.findings import Severity
from waza_engine.recognition.recognise import dialects

_SHARED = "waza_engine.rules"
_ELSEWHERE = tuple(f"waza_engine.{it}.rules" for it in ("audit", "calibration", "coverage"))
"""Findings that need more than the text: `check` does not report them."""


@cache
def codes() -> frozenset[str]:
    """Return the codes of all findings; rule modules are named like their codes, so none is imported."""
    return _codes_in([_SHARED, *(it.rules for it in dialects() if it.rules)]) | codes_elsewhere()


@cache
def codes_elsewhere() -> frozenset[str]:
    """Return the codes of findings that a check of a file never reports."""
    return _codes_in(_ELSEWHERE)


def _codes_in(packages: Iterable[str]) -> frozenset[str]:
    found = (find_spec(it) for it in packages)
    folders = (folder for it in found if it is not None for folder in it.submodule_search_locations or ())
    files = (it for folder in folders for it in Path(folder).glob("*.py"))
    return frozenset(it.stem.replace("_", "-") for it in files if not it.stem.startswith("_"))


def unknown_code(code: str) -> str | None:
    """Return the message for an unknown code; None for a known one."""
    if code in codes():
        return None
    near = nearest(code, sorted(codes()))
    return f"No finding has the code '{code}'." + (f" Did you mean {_quoted(near)}?" if near else "")


def _quoted(names: list[str]) -> str:
    return " or ".join(f"'{it}'" for it in names)


Levels = Mapping[str, Severity | None]
"""The severity for each code's findings; None is off. Other codes keep their own severity."""

OFF = "off"
LEVEL_NAMES = (*(str(it) for it in Severity), OFF)


def read_levels(given: Any, where: str) -> tuple[dict[str, Severity | None], list[str]]:
    """Return the levels in a setting, and a message for each invalid one. `where` names the setting."""
    if not isinstance(given, Mapping):
        return {}, [f"{where} must map codes to levels, such as cannot-fail = 'off'; it is ignored"]
    levels: dict[str, Severity | None] = {}
    problems: list[str] = []
    for code, level in given.items():
        if reason := unknown_code(str(code)) or _unknown_level(level):
            problems.append(f"{where}: {reason}")
        else:
            levels[str(code)] = None if level == OFF else Severity(level)
    return levels, problems


def _unknown_level(level: Any) -> str | None:
    if level in LEVEL_NAMES:
        return None
    near = nearest(level, LEVEL_NAMES, most=1) if isinstance(level, str) else []
    hint = f" Did you mean '{near[0]}'?" if near else ""
    return f"'{level}' is not a level. Known levels: {', '.join(LEVEL_NAMES)}.{hint}"
