"""The codes of all findings, for settings and options that name them. They are the names of the files in the rules' folders."""

from functools import cache
from pathlib import Path

from waza_engine.validation.spelling import nearest

_ENGINE = Path(__file__).parents[1]


@cache
def codes() -> frozenset[str]:
    """All codes. A rule's module is named like its code, so no rule needs to be imported."""
    folders = (_ENGINE / "rules", *_ENGINE.glob("dialects/*/rules"))
    files = (it for folder in folders for it in folder.glob("*.py"))
    return frozenset(it.stem.replace("_", "-") for it in files if not it.stem.startswith("_"))


def unknown_code(code: str) -> str | None:
    """What to say about a code that no finding has; None for one that exists."""
    if code in codes():
        return None
    near = nearest(code, sorted(codes()))
    return f"No finding has the code '{code}'." + (f" Did you mean {_listed(near)}?" if near else "")


def _listed(names: list[str]) -> str:
    return " or ".join(f"'{it}'" for it in names)
