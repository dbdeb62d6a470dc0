"""Unknown keys that stand in for missing ones: `{substring: x}` where `value` is required.

An author who writes a sibling's option, or another word for the right one, makes one mistake. A rename mends it and
keeps the value; a removal and a placeholder would lose what the author wrote.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from waza_engine.analysis.schema.keyword import Schema
from waza_engine.analysis.schema.schema_index import SchemaIndex
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Change, Finding, Fix, MakeList, RemoveKey, RenameKey, SetValue
from waza_engine.rules.unknown_key import UNKNOWN_KEY

_PATTERN_SIGNS = re.compile(r"[\\^$.|?*+()\[\]{}]")
_MAX_RENAMES = 3


class Lack(NamedTuple):
    """What a mapping lacks: all of `names`, or with `one_of` at least one of them."""

    pointer: Pointer
    mapping: Mapping[str, Any]
    schema: Schema
    names: Sequence[str]
    one_of: bool = False


def with_renames(index: SchemaIndex, findings: list[Finding], lacks: Sequence[Lack]) -> list[Finding]:
    """Return the findings; an unknown key that can only be a missing one is renamed instead of removed."""
    for lack in lacks:
        explained = lack.schema.get("x-explained", ())
        places = [
            at
            for at, it in enumerate(findings)
            if _is_unadvised(it, lack.pointer) and it.pointer[-1] not in explained
        ]
        keys = {str(findings[at].pointer[-1]): at for at in places}
        for key, names in _likely_names(index, lack, list(keys)).items():
            at = keys[key]
            findings[at] = _renamed(index, findings[at], lack, key, names)
    return findings


def _is_unadvised(finding: Finding, pointer: Pointer) -> bool:
    """Whether it is an unknown key of the mapping at `pointer` that nobody knows what to do with but to remove."""
    return (
        finding.rule is UNKNOWN_KEY
        and finding.pointer[:-1] == pointer
        and all(isinstance(change, RemoveKey) for it in finding.fixes for change in it.changes)
    )


def _likely_names(index: SchemaIndex, lack: Lack, keys: Sequence[str]) -> dict[str, list[str]]:
    """Map each unknown key to the missing names that it may stand for; only where no other pairing is possible."""
    wanted = [it for it in lack.names if not index.is_alias(lack.schema, it)]
    possible = {key: [it for it in wanted if _changes(index, lack, key, it) is not None] for key in keys}
    possible = {key: names for key, names in possible.items() if names}
    if lack.one_of:
        return possible if len(possible) == 1 else {}
    rivals = {it: [key for key, names in possible.items() if it in names] for it in lack.names}
    return {key: names for key, names in possible.items() if len(names) == 1 and rivals[names[0]] == [key]}


def _changes(index: SchemaIndex, lack: Lack, key: str, name: str) -> tuple[Change, ...] | None:
    """Return the changes that turn an unknown key into a missing one; None if its value does not fit."""
    wanted, value, place = (
        lack.schema.get("properties", {}).get(name),
        lack.mapping[key],
        (*lack.pointer, key),
    )
    if wanted is None or value is None:
        return None
    rename = RenameKey(place, name)
    if index.accepts(wanted, value):
        return (rename,)
    if isinstance(value, str) and index.accepts(wanted, [value]):
        return (MakeList(place), rename)
    if isinstance(value, list) and len(value) == 1 and index.accepts(wanted, value[0]):
        return (SetValue(place, value[0]), rename)
    return None


def _renamed(index: SchemaIndex, finding: Finding, lack: Lack, key: str, names: list[str]) -> Finding:
    is_sure = len(names) == 1
    is_known = any(key in options for options in index.options_by_type.values())
    fixes = []
    for name in names[:_MAX_RENAMES]:
        is_first = name == names[0]
        changes = _changes(index, lack, key, name) or ()
        is_safe = is_first and is_sure and is_known and not _may_be_pattern(index, lack, key, name)
        fixes.append(Fix(f"Change to '{name}'", changes, preferred=is_first and is_sure, safe=is_safe))
    meant = f"Did you mean '{names[0]}'?" if is_sure else f"Give at least one of {_listed(lack.names)}"
    return replace(finding, message=f"Unknown key '{key}'. {meant}", fixes=(*fixes, *finding.fixes))


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"'{it}'" for it in names)


def _may_be_pattern(index: SchemaIndex, lack: Lack, key: str, name: str) -> bool:
    """Whether the value means something else under the new key: a text becomes a pattern, or a pattern a text."""
    value = lack.mapping[key]
    texts = value if isinstance(value, list) else [value]
    if not any(isinstance(it, str) and _PATTERN_SIGNS.search(it) for it in texts):
        return False
    wanted = index.is_pattern(lack.schema.get("properties", {}).get(name, {}))
    return wanted is not index.is_pattern_option(key)
