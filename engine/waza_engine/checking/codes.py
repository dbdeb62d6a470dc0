"""The codes of all findings, for those who let people choose among them: found by looking into the folder of the rules."""

from functools import cache
from pathlib import Path

from waza_engine import rules as _folder
from waza_engine.validation.spelling import nearest


@cache
def codes() -> frozenset[str]:
    """All codes. A rule's module is named like its code, so no rule needs to be imported."""
    files = (it for folder in _folder.__path__ for it in Path(folder).rglob("*.py"))
    return frozenset(it.stem.replace("_", "-") for it in files if it.stem != "__init__")


def unknown_code(code: str) -> str | None:
    """What to say about a code that no finding has; None for one that exists."""
    if code in codes():
        return None
    near = nearest(code, sorted(codes()))
    return f"No finding has the code '{code}'." + (f" Did you mean {_listed(near)}?" if near else "")


def _listed(names: list[str]) -> str:
    return " or ".join(f"'{it}'" for it in names)
