"""The codes of all findings, for those who let people choose among them: found by looking into the folders of rules."""

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from waza_engine.formats import dialects
from waza_engine.validation.spelling import nearest

_SHARED = "waza_engine.rules"


@cache
def codes() -> frozenset[str]:
    """All codes. A rule's module is named like its code, so no rule needs to be imported."""
    packages = [_SHARED, *(it.rules for it in dialects() if it.rules)]
    found = (find_spec(it) for it in packages)
    folders = (folder for it in found if it is not None for folder in it.submodule_search_locations or ())
    files = (it for folder in folders for it in Path(folder).glob("*.py"))
    return frozenset(it.stem.replace("_", "-") for it in files if not it.stem.startswith("_"))


def unknown_code(code: str) -> str | None:
    """What to say about a code that no finding has; None for one that exists."""
    if code in codes():
        return None
    near = nearest(code, sorted(codes()))
    return f"No finding has the code '{code}'." + (f" Did you mean {_listed(near)}?" if near else "")


def _listed(names: list[str]) -> str:
    return " or ".join(f"'{it}'" for it in names)
