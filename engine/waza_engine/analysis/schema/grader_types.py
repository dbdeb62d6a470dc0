"""Fixes for unknown grader types: the type that takes the options which stand under it.

The name says what the author may have meant, the options say what the author wrote. A type that does not know them would
drop them, and types of older versions ignore unknown options: such a fix turns an error into a check that cannot fail.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from waza_engine.analysis.schema.keyword import Schema
from waza_engine.analysis.schema.navigate import value_at
from waza_engine.analysis.schema.schema_index import SchemaIndex
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.spelling import is_likely_typo, is_opposite, is_same_name, is_typo, likely_names
from waza_engine.model.findings import (
    AppendItem,
    Change,
    Finding,
    Fix,
    InsertKey,
    MakeList,
    RemoveKey,
    RenameKey,
    SetValue,
    Severity,
)
from waza_engine.rules.unknown_grader_type import UNKNOWN_GRADER_TYPE

_MAX_FIXES = 3


def with_type_fixes(index: SchemaIndex, finding: Finding, data: Any) -> Finding:
    """Return the finding; for an unknown grader type, with fixes that suit the entry in `data`."""
    entry = value_at(data, finding.pointer[:-1]) if finding.pointer else None
    if finding.rule is not UNKNOWN_GRADER_TYPE or not isinstance(entry, Mapping):
        return finding
    kind = str(entry[finding.pointer[-1]])
    sibling = next((it for it in index.sibling_types if is_same_name(kind, it)), None)
    if sibling is not None:
        return _with_sibling(index, finding, entry, sibling)
    found = _ranked(index, entry, kind, _suggested(index, finding))
    if not found:
        return finding
    fixes = [
        Fix(
            f"Change to '{it}'",
            (SetValue(finding.pointer, it),),
            preferred=it == found[0],
            safe=it == found[0] and _is_sure(index, finding, entry, kind, found),
        )
        for it in found[:_MAX_FIXES]
    ]
    hint = f"Unknown grader type '{kind}'. Did you mean '{found[0]}'?"
    return replace(finding, message=hint, fixes=tuple(fixes))


def _suggested(index: SchemaIndex, finding: Finding) -> list[str]:
    """Return the types that the name alone suggests, best first; what replaces an old type comes before it."""
    changes = [change for fix in finding.fixes for change in fix.changes]
    named = [str(it.value) for it in changes if isinstance(it, SetValue)]
    newer = index.successors
    return list(dict.fromkeys([newer[it] for it in named[:1] if it in newer] + named))


def _ranked(index: SchemaIndex, entry: Mapping[str, Any], kind: str, named: Sequence[str]) -> list[str]:
    """Return the likely types: those that take the options first, current ones before old ones."""
    options, old = _telling_options(index, entry), index.old_types
    fitting = [it for it in index.config_by_type if options and it not in old and _takes(index, it, options)]
    # Options that many types have do not tell which one is meant, and a plug-in may have a type of any name.
    only = fitting if len(fitting) <= _MAX_FIXES and (named or not index.has_open_types) else []
    found = dict.fromkeys(
        [
            *(it for it in named if it in fitting),
            *likely_names(kind, fitting),
            *only,
            *(it for it in named if it not in old),
            *named,
        ]
    )
    same = [it for it in found if it not in old and is_same_name(kind, it)]
    return same or [it for it in found if not is_opposite(kind, it)]


def _options(entry: Mapping[str, Any]) -> list[str]:
    config = entry.get("config")
    return list(config) if isinstance(config, Mapping) else []


def _telling_options(index: SchemaIndex, entry: Mapping[str, Any]) -> list[str]:
    """Return the options of the entry that some type has. Any other stays an error, whatever the type is."""
    return [it for it in _options(entry) if any(_takes(index, kind, [it]) for kind in index.config_by_type)]


def _takes(index: SchemaIndex, kind: str, options: Sequence[str]) -> bool:
    """Whether a type has all of the options, perhaps under another name or misspelt."""
    config = index.config_by_type.get(kind, {})
    known = {*config.get("properties", ()), *config.get("x-moved", ())}
    return all(it in known or is_likely_typo(it, known) for it in options)


def _is_sure(
    index: SchemaIndex, finding: Finding, entry: Mapping[str, Any], kind: str, found: Sequence[str]
) -> bool:
    """Whether only one type can be meant, by its name and by the options, and the result checks what was written."""
    best, options = found[0], _telling_options(index, entry)
    if best in index.old_types:
        return False
    if not _takes(index, best, options):
        # Current types refuse options that they do not know: what was written stays an error.
        is_strict = index.config_by_type.get(best, {}).get("additionalProperties") is False
        return is_strict and is_typo(kind, best) and not any(is_typo(kind, it) for it in found[1:])
    if not options and index.needs_options(best):
        return is_typo(kind, best)  # The missing options stay an error.
    rivals = [it for it in found[1:] if it not in index.old_types and _takes(index, it, options)]
    if is_typo(kind, best):
        return not any(is_typo(kind, it) for it in rivals)
    if is_likely_typo(kind, [best]):
        return bool(options) and not any(is_likely_typo(kind, [it]) for it in rivals)
    is_named = bool(finding.fixes)
    return bool(options) and is_named and not index.has_open_types and not rivals


class _Target(NamedTuple):
    """The option of ours for an option of another format, and a flag that it needs to mean the same."""

    kind: str
    option: str
    flag: str

    @classmethod
    def of(cls, written: str) -> "_Target":
        way, _, flag = written.partition("+")
        kind, _, option = way.partition(".")
        return cls(kind, option, flag)


def _with_sibling(index: SchemaIndex, finding: Finding, entry: Mapping[str, Any], kind: str) -> Finding:
    """Return the finding with the fix that writes an entry of another format in this one.

    What one entry there says may need several here: further ones are appended to the list.
    """
    names, config = index.sibling_types[kind], entry.get("config")
    targets = {it: _Target.of(names[it]) for it in _options(entry) if it in names}
    own = next((it.kind for it in targets.values()), "")
    if not own or not isinstance(config, Mapping):
        return finding
    place = finding.pointer[:-1]
    changes: list[Change] = [SetValue(finding.pointer, own)]
    more: list[Change] = []
    for option, target in targets.items():
        value, at = config[option], (*place, "config", option)
        wanted = index.config_by_type[target.kind].get("properties", {}).get(target.option, {})
        values = _values(index, wanted, value)
        if not values:
            return finding
        if target.kind == own:
            changes += _own_changes(index, wanted, at, target, value)
            values = values[1:]
        else:
            changes.append(RemoveKey(at))
        more += [AppendItem(place[:-1] if place else ("..",), _new_entry(entry, target, it)) for it in values]
    fix = Fix(f"Change to '{own}'", (*changes, *more), preferred=True)
    written = entry[str(finding.pointer[-1])]
    message = f"Unknown grader type '{written}'. Here it is called '{own}'"
    return replace(finding, message=message, fixes=(fix,), severity=Severity.ERROR)


def _values(index: SchemaIndex, wanted: Schema, value: Any) -> list[Any]:
    """Return what the option becomes: one value, or one for each item of a list; empty if nothing fits."""
    if index.accepts(wanted, value) or (isinstance(value, list) and index.is_list_of_mappings(wanted)):
        return [value]
    if isinstance(value, list):
        return value if all(index.accepts(wanted, it) for it in value) else []
    return [value] if index.accepts(wanted, [value]) else []


def _own_changes(
    index: SchemaIndex, wanted: Schema, at: Pointer, target: _Target, value: Any
) -> Iterator[Change]:
    if isinstance(value, list):
        if _values(index, wanted, value) != [value]:
            yield SetValue(at, value[0])
    elif not index.accepts(wanted, value):
        yield MakeList(at)
    if target.option != at[-1]:
        yield RenameKey(at, target.option)
    if target.flag:
        yield InsertKey(at[:-1], target.flag, True)


def _new_entry(entry: Mapping[str, Any], target: _Target, value: Any) -> dict[str, Any]:
    label = entry.get("name")
    named = {"name": f"{label}-{value}"} if isinstance(label, str) and label else {}
    flags = {target.flag: True} if target.flag else {}
    return {"type": target.kind, **named, "config": {target.option: value, **flags}}
