"""How much people want to hear of each finding: a severity by code, or `off`."""

from collections.abc import Mapping
from typing import Any

from waza_engine.checking.codes import unknown_code
from waza_engine.findings import Severity
from waza_engine.validation.spelling import nearest

Levels = Mapping[str, Severity | None]
"""What a code's findings are to be, None for off. A code that is not there keeps its own severity."""

OFF = "off"
LEVEL_NAMES = (*(str(it) for it in Severity), OFF)


def read_levels(given: Any, where: str) -> tuple[dict[str, Severity | None], list[str]]:
    """Levels as people write them, and a sentence for each that cannot be used. `where` names the setting."""
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
    return f"'{level}' is no level; there are {', '.join(LEVEL_NAMES)}.{hint}"
