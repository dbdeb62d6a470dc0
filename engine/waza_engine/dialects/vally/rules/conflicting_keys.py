"""Check `conflicting-keys` in vally files: the two names of the run settings, and the two forms of a prompt.

See docs/reference/vally.md, section 3.
"""

from collections.abc import Iterator
from dataclasses import replace

from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import AppendItem, Change, Finding, Fix, MoveKey, RemoveKey, Severity
from waza_engine.project.document import Document
from waza_engine.rules.conflicting_keys import CONFLICTING_KEYS, conflicts

APPLIES = frozenset(["eval"])
_OLD, _NEW = "config", "defaults"


def check(document: Document) -> Iterator[Finding]:
    for found in conflicts(document, (), _OLD, _NEW):
        merge = _merge(document)
        yield replace(found, fixes=(merge, *found.fixes)) if merge is not None else found
    for pointer, stimulus in document.tasks():
        if stimulus.get("prompt") and stimulus.get("turns"):
            yield _prompt_beside_turns(pointer, stimulus["prompt"])


def _merge(document: Document) -> Fix | None:
    """Return the fix that moves the settings to their new name; None if both names give a setting different values."""
    old, new = document.value(_OLD) or {}, document.value(_NEW)
    if not isinstance(old, dict) or not isinstance(new, dict):
        return None
    if any(key in new and new[key] != value for key, value in old.items()):
        return None
    moves: list[Change] = [MoveKey((_OLD, key), (_NEW, key)) for key in old if key not in new]
    title = f"Move the settings under '{_OLD}' to '{_NEW}'"
    # Moving all entries leaves the key without a value.
    return Fix(title, (*moves, RemoveKey((_OLD,), comments_to=(_NEW,))), preferred=True, safe=True)


def _prompt_beside_turns(pointer: Pointer, prompt: object) -> Finding:
    """Return the finding about a prompt that no run sends, because the stimulus has `turns`."""
    place = (*pointer, "prompt")
    changes = (AppendItem((*pointer, "turns"), prompt, first=True), RemoveKey(place))
    fixes = [
        Fix("Make the prompt the first of the 'turns'", changes, preferred=True),
        Fix("Remove 'prompt'", (RemoveKey(place),)),
    ]
    return CONFLICTING_KEYS.at(
        place,
        "The run sends only the 'turns' and drops this prompt. Make it the first turn",
        on="key",
        fixes=fixes,
        related=[((*pointer, "turns"), "the other key")],
        severity=Severity.WARNING,
    )
