"""Check `conflicting-keys` in vally files: the two names of the run settings."""

from collections.abc import Iterator
from dataclasses import replace

from waza_engine.model.findings import Change, Finding, Fix, MoveKey, RemoveKey
from waza_engine.project.document import Document
from waza_engine.rules.conflicting_keys import conflicts

APPLIES = frozenset(["eval"])
_OLD, _NEW = "config", "defaults"


def check(document: Document) -> Iterator[Finding]:
    for found in conflicts(document, (), _OLD, _NEW):
        merge = _merge(document)
        yield replace(found, fixes=(merge, *found.fixes)) if merge is not None else found


def _merge(document: Document) -> Fix | None:
    """Return the fix that moves the settings to their new name; None if both names give a setting different values."""
    old, new = document.value(_OLD), document.value(_NEW)
    if not isinstance(old, dict) or not isinstance(new, dict):
        return None
    if any(key in new and new[key] != value for key, value in old.items()):
        return None
    moves: list[Change] = [MoveKey((_OLD, key), (_NEW, key)) for key in old if key not in new]
    title = f"Move the settings under '{_OLD}' to '{_NEW}'"
    # Moving all entries leaves the key without a value.
    return Fix(title, (*moves, RemoveKey((_OLD,))), preferred=True, safe=True)
