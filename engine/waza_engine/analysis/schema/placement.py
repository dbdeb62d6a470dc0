"""Advice on unknown keys: the key they misspell, or the place they belong to."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from waza_engine.analysis.schema.fixes import add_space, is_key_without_space, rename_fixes
from waza_engine.analysis.schema.keyword import SchemaError
from waza_engine.analysis.schema.part_keywords import DISCRIMINATOR
from waza_engine.analysis.schema.schema_index import SchemaIndex
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.spelling import is_likely_typo, is_typo, likely_names
from waza_engine.model.findings import (
    Finding,
    Fix,
    MakeList,
    MoveKey,
    RemoveKey,
    RenameKey,
    SetValue,
    Severity,
    removal,
)
from waza_engine.rules.unknown_key import UNKNOWN_KEY

_MAX_ADVISED = 100
"""Only so many unknown keys of one mapping get advice; more of them are hardly typos."""
_MAX_LISTED = 8
"""Without better advice, up to so many known keys are listed."""
_PATTERN_SIGN = re.compile(r"[\\^$.|?*+()\[\]{}]")


def unknown_keys(index: SchemaIndex, error: SchemaError) -> Iterator[Finding]:
    """Yield a finding for each key of the mapping that its schema does not know."""
    own_keys_to = error.schema.get("x-own-keys-to")
    findings = _without_rivals(list(_findings_by_key(index, error)), error)
    groups: dict[Pointer, list[Finding]] = defaultdict(list)
    taken: set[Pointer] = set()
    for it in findings:
        # The author's own keys mean nothing to each other.
        if (move := _move_of(it)) is not None and move.to[-2:-1] != (own_keys_to,) and move.to not in taken:
            taken.add(move.to)
            groups[move.to[:-1]].append(it)
    order = list(error.instance)
    for it in findings:
        move = _move_of(it)
        group = groups[move.to[:-1]] if move is not None else []
        group = group if it in group else []
        beside = _outdated_moves(index, error, move) if move is not None and group else []
        if not group or (len(group) == 1 and not beside):
            yield it
        elif it is group[0]:
            moves = [*beside, *(own for own in map(_move_of, group) if own is not None)]
            yield _merged(group, sorted(moves, key=lambda its: order.index(its.pointer[-1])))


def _without_rivals(findings: Sequence[Finding], error: SchemaError) -> list[Finding]:
    """Merge the findings on two keys that belong to the same place: `timeout` and `timeout_seconds`. Only one can move."""
    found: dict[Pointer, Finding] = {}
    own_keys_to = error.schema.get("x-own-keys-to")
    for it in findings:
        move = _move_of(it)
        place = move.to if move is not None and move.to[-2:-1] != (own_keys_to,) else it.pointer
        found[place] = _one_of(found[place], it, error) if place in found else it
    return list(found.values())


def _one_of(first: Finding, second: Finding, error: SchemaError) -> Finding:
    move, other = _move_of(first), _move_of(second)
    if move is None or other is None:
        return first  # The first finding is about more than two keys already.
    key, rival = move.pointer[-1], other.pointer[-1]
    where = first.fixes[0].title.removeprefix("Move it ")
    is_same = error.instance[key] == error.instance[rival]
    fixes = [
        Fix(
            f"Move '{a.pointer[-1]}' {where}, remove '{b.pointer[-1]}'",
            (a, RemoveKey(b.pointer)),
            safe=is_same,
        )
        for a, b in ((move, other), (other, move))
    ]
    message = f"'{key}' and '{rival}' both mean '{move.to[-1]}' {where}. Keep one"
    return replace(first, message=message, fixes=tuple(fixes))


def keys_of(finding: Finding) -> list[Pointer]:
    """Return the keys that a finding about unknown keys is about: all that its best fix moves, or its own."""
    moved = [it.pointer for fix in finding.fixes[:1] for it in fix.changes if isinstance(it, MoveKey)]
    return moved if finding.pointer in moved else [finding.pointer]


def _outdated_moves(index: SchemaIndex, error: SchemaError, move: MoveKey) -> list[MoveKey]:
    """Return the moves of known keys that belong to the same place as an unknown one, which is their new place."""
    section, to, parent = move.to[-2:-1], move.to[:-1], error.absolute_path
    if to[:-1] != parent or not section:
        return []
    inside = error.instance.get(section[0])
    taken = {move.to[-1], *(inside if isinstance(inside, Mapping) else ())}
    found = []
    for key, schema in error.schema.get("properties", {}).items():
        above, _, name = str(index.resolve(schema).get("x-use-instead", "")).rpartition(".")
        is_outdated = key in error.instance and above == section[0] and name not in taken
        if is_outdated and name in _chosen_options(index, error):
            found.append(MoveKey((*parent, key), (*to, name)))
    return found


def _merged(group: Sequence[Finding], moves: Sequence[MoveKey]) -> Finding:
    """Return one finding for keys that belong to the same place, where only all of them together make sense."""
    first = group[0]
    fix = first.fixes[0]
    place = fix.title.removeprefix("Move it ")
    names = ", ".join(f"'{it.pointer[-1]}'" for it in moves)
    renamed = [f", '{it.pointer[-1]}' as '{it.to[-1]}'" for it in moves if it.pointer[-1] != it.to[-1]]
    severity = min((it.severity for it in group), key=list(Severity).index)
    return replace(
        first,
        pointer=moves[0].pointer,
        message=f"{names} belong {place}{''.join(renamed)}",
        severity=severity,
        older=next((it.older for it in group if it.older), None),
        fixes=(replace(fix, title=f"Move {names} {place}", changes=tuple(moves)),),
    )


def tolerated_keys(index: SchemaIndex, error: SchemaError) -> Iterator[Finding]:
    """Yield warnings for unknown keys that the loader ignores; with `near`, only for likely typos.

    If newer versions refuse unknown keys, the findings are errors that older versions lower.
    """
    only_near = error.validator_value == "near"
    placed = {
        **error.schema.get("x-moved", {}),
        **error.schema.get("x-explained", {}),
        **error.schema.get("x-alternatives", {}),
    }
    free = [it for it in error.schema.get("properties", {}) if it not in error.instance]
    is_other_form = _has_other_form(error)
    refused_since, note = error.schema.get("x-unknown-refused-since"), error.schema.get("x-unknown-note")
    for it in unknown_keys(index, error):
        keys = [str(key[-1]) for key in keys_of(it)]
        is_meant = not only_near or any(
            key in placed or is_key_without_space(key) or is_likely_typo(key, free) for key in keys
        )
        if refused_since and is_other_form:
            continue  # This form of the mapping has keys of its own, which are unknown.
        if refused_since:
            older = Severity.WARNING if is_meant else Severity.HINT
            end = "" if it.message.endswith("?") else "."
            yield replace(it, message=f"{it.message}{end} {note}", older=(refused_since, older))
        elif is_meant:
            yield replace(it, severity=Severity.WARNING)


def _has_other_form(error: SchemaError) -> bool:
    """Whether a value of the mapping is not in its open list, such as an unknown `type`."""
    return any(
        "x-open" in it
        and isinstance(error.instance.get(name), str)
        and error.instance[name] not in it.get("enum", ())
        for name, it in error.schema.get("properties", {}).items()
    )


def _move_of(finding: Finding) -> MoveKey | None:
    match finding.fixes:
        case [Fix(changes=(MoveKey() as move,)), *_]:
            return move
        case _:
            return None


def _findings_by_key(index: SchemaIndex, error: SchemaError) -> Iterator[Finding]:
    known = list(error.schema.get("properties", {}))
    pointer: Pointer = error.absolute_path
    free = [it for it in known if it not in error.instance]
    strange = 0
    for key in error.instance:
        if key not in known:
            strange += 1
            if strange <= _MAX_ADVISED:
                hint, fixes = _advice(index, error, pointer, key, free)
            else:
                hint, fixes = "", [removal((*pointer, key))]
            # The generations with the old types ignored unknown keys.
            severity = Severity.WARNING if error.schema.get("deprecated") else None
            message = f"Unknown key '{key}'{hint}"
            found = UNKNOWN_KEY.at((*pointer, key), message, on="key", fixes=fixes, severity=severity)
            tolerated = error.schema.get("x-unknown-tolerated-since")
            is_strict = any(it in error.instance for it in error.schema.get("x-strict-with", ()))
            if (
                tolerated
                and not is_strict
                and (
                    error.schema.get("x-idle")
                    or all(isinstance(it, RemoveKey) for fix in fixes for it in fix.changes)
                )
            ):
                # Spelt right, it would do nothing either, or it resembles no known key and may be newer than this program.
                found = replace(found, severity=Severity.WARNING, older=(tolerated, Severity.ERROR))
            yield found


def _advice(
    index: SchemaIndex, error: SchemaError, pointer: Pointer, key: str, free: list[str]
) -> tuple[str, list[Fix]]:
    """Return the advice about the key, and the fixes, best first."""
    place = (*pointer, key)
    if (ways := error.schema.get("x-moved", {}).get(key)) is not None:
        hint, fixes = _move_advice(place, _way_for(index, error, key, ways.split()), error.instance)
        return hint, _with_lists(index, error.schema, fixes, error.instance[key])
    if (option := error.schema.get("x-alternatives", {}).get(key)) is not None:
        return _alternatives_advice(error, place, option)
    if (said := error.schema.get("x-explained", {}).get(key)) is not None:
        return f". {said}", _inner_moves(error, place) or _own_key_fixes(error, place)
    if is_key_without_space(key) and key.partition(":")[0] in free:
        return "; missing space after ':'", [add_space(pointer)]
    if close := [it for it in likely_names(key, free) if is_typo(key, it) or _takes(index, error, it, key)]:
        fixes = _with_lists(index, error.schema, rename_fixes(place, key, close), error.instance[key])
        return f". Did you mean '{close[0]}'?", [*fixes, *_own_key_fixes(error, place)[:-1]]
    if (way := _way_to_section(index, error, key)) is not None:
        return _move_advice(place, way, error.instance)
    return _owners_hint(index, error, key), _own_key_fixes(error, place)


def _alternatives_advice(error: SchemaError, place: Pointer, option: str) -> tuple[str, list[Fix]]:
    """Return the advice to write alternatives as one pattern, which `option` takes."""
    texts = error.instance[place[-1]]
    hint = f". Every string under '{option}' is required. Write alternatives as one pattern: '(?i)a|b'"
    if option in error.instance or not isinstance(texts, list) or not texts:
        return hint, [removal(place)]
    if not all(isinstance(it, str) and it for it in texts):
        return hint, [removal(place)]
    quoted = texts if "match" in str(place[-1]) else [_PATTERN_SIGN.sub(r"\\\g<0>", it) for it in texts]
    pattern = "(?i)" + "|".join(quoted)
    fix = Fix(
        f"Change to one pattern of '{option}'",
        (SetValue(place, [pattern]), RenameKey(place, option)),
        preferred=True,
    )
    return hint, [fix, removal(place)]


def _takes(index: SchemaIndex, error: SchemaError, name: str, key: str) -> bool:
    """Whether a known key takes the value of an unknown one, perhaps in a list."""
    wanted, value = error.schema["properties"][name], error.instance[key]
    return value is None or index.accepts(wanted, value) or index.accepts(wanted, [value])


def _own_key_fixes(error: SchemaError, place: Pointer) -> list[Fix]:
    """Return the fixes for a key that the format does not know: move it to the section for the author's keys, or remove it.

    Removing comes last. Where no section can hold the value, it is what an upgrade does.
    """
    key, section = place[-1], error.schema.get("x-own-keys-to")
    if not section:
        return [removal(place)]
    value = error.instance[key]
    if not _is_short(value):
        return [replace(removal(place), preferred=True)]
    present = error.instance.get(section)
    if isinstance(present, Mapping) and key in present:
        return [replace(removal(place), preferred=True, safe=present[key] == value)]
    if present is not None and not isinstance(present, Mapping):
        return [removal(place)]
    move = MoveKey(place, (*place[:-1], section, key))
    return [Fix(f"Move '{key}' to '{section}'", (move,), preferred=True, safe=True), removal(place)]


def _is_short(value: Any) -> bool:
    """Whether a value is a scalar or a list of scalars, as a tag needs it."""
    items = value if isinstance(value, list) and value else [value]
    return all(isinstance(it, str | int | float) for it in items)


def _way_for(index: SchemaIndex, error: SchemaError, key: str, ways: Sequence[str]) -> str:
    """Return the first way whose new key takes the value; the way that leaves the mapping, if no key does."""
    for way in ways[:-1]:
        wanted = error.schema.get("properties", {}).get(way)
        if wanted is None or index.accepts(wanted, error.instance[key]):
            return way
    return ways[-1]


def _move_advice(place: Pointer, way: str, mapping: Mapping[str, Any]) -> tuple[str, list[Fix]]:
    """Return the advice to move the entry at `place` to `way`, which is relative to its mapping."""
    key = place[-1]
    if way.startswith("../"):
        up = way.count("../")
        to = (*_above(place[:-1], up), way.removeprefix("../" * up))
        stands = (
            "one level up" if up == 1 else f"beside '{place[-1 - up]}'" if len(place) > up else "further up"
        )
    else:
        to = (*place[:-1], *way.split("."))
        stands = f"under '{way.partition('.')[0]}'" if "." in way else ""
    name = to[-1]
    called = "" if name == key else f"its name is '{name}'"
    if not stands:
        if name in mapping:
            return f". '{name}' already exists", [removal(place)]
        fix = Fix(f"Change to '{name}'", (RenameKey(place, str(name)),), preferred=True, safe=True)
        return f"; {called}", [fix]
    hint = f"; it belongs {stands}" + (f", where {called}" if called else "")
    section = mapping.get(way.partition(".")[0]) if "." in way else None
    if section is not None and (not isinstance(section, Mapping) or name in section):
        return hint, [removal(place)]
    return hint, [Fix(f"Move it {stands}", (MoveKey(place, to),), preferred=True, safe=True)]


def _with_lists(index: SchemaIndex, schema: Mapping[str, Any], fixes: Sequence[Fix], value: Any) -> list[Fix]:
    """Return the fixes, turning the value into a list if the key's new name requires one."""
    return [
        replace(it, changes=(MakeList(change.pointer), change))
        if isinstance(value, (str, int, float))
        and not isinstance(value, bool)
        and isinstance(change, RenameKey)
        and index.resolve(schema.get("properties", {}).get(change.name, {})).get("type") == "array"
        else it
        for it in fixes
        for change in it.changes[:1]
    ]


def _above(pointer: Pointer, levels: int) -> Pointer:
    """Return the pointer so many levels up; a part of a file that is checked alone does not know all of them."""
    return (*[".."] * (levels - len(pointer)), *pointer[: max(0, len(pointer) - levels)])


def _inner_moves(error: SchemaError, place: Pointer) -> list[Fix]:
    """Return the fix that moves the keys of an unknown section one level up, if they all belong there."""
    section = error.instance.get(place[-1])
    known = error.schema.get("properties", {})
    names = [it for it in section if it in known] if isinstance(section, Mapping) else []
    if not names or set(names) != set(section or ()) or any(it in error.instance for it in names):
        return []
    moves = (MoveKey((*place, it), (*place[:-1], it)) for it in names)
    title = f"Move {', '.join(repr(it) for it in names)} out of '{place[-1]}'"
    return [Fix(title, (*moves, RemoveKey(place)), preferred=True, safe=True)]


def _way_to_section(index: SchemaIndex, error: SchemaError, key: str) -> str | None:
    """Return the way to the section of this mapping, or the mapping above, that has such a key."""
    sections = [(name, index.resolve(it)) for name, it in error.schema.get("properties", {}).items()]
    if options := _chosen_config(index, error):
        sections.append(("config", options))
    above = [it["properties"].get(key, {}) for it in index.mappings_with(error.schema)]
    is_wanted = above and all(it and not index.resolve(it).get("deprecated") for it in above)
    for find in (_exact_name, _other_name):
        for name, section in sections:
            # Every kind of mapping has a `name`: that of the mapping above is more likely than a section's.
            if (inner := find(section, key)) is not None and not (is_wanted and inner == "name"):
                return f"{name}.{inner}"
    return f"../{key}" if is_wanted else None


def _exact_name(section: Mapping[str, Any], key: str) -> str | None:
    return key if key in section.get("properties", ()) else None


def _other_name(section: Mapping[str, Any], key: str) -> str | None:
    """Return the section's own name for a key: in other case, or in place of a wrong word that people write."""
    same = (it for it in section.get("properties", ()) if _letters(it) == _letters(key))
    ways = str(section.get("x-moved", {}).get(key, "")).split()
    return next(same, None) or next((it for it in ways if it in section["properties"]), None)


def _letters(key: str) -> str:
    return key.replace("_", "").replace("-", "").lower()


def _owners_hint(index: SchemaIndex, error: SchemaError, key: str) -> str:
    known = error.schema.get("properties", {})
    options = index.options_by_type
    owners = [kind for kind, keys in options.items() if key in keys]
    if owners and any(set(known) == set(keys) for keys in options.values()):
        return f". It is an option of {', '.join(owners)}"
    return f". Known keys: {', '.join(known)}" if 0 < len(known) <= _MAX_LISTED else ""


def _chosen_options(index: SchemaIndex, error: SchemaError) -> list[str]:
    """Return the options of the entry's grader type."""
    return list(_chosen_config(index, error).get("properties", ()))


def _chosen_config(index: SchemaIndex, error: SchemaError) -> Mapping[str, Any]:
    """Return the schema of the options of the entry's grader type."""
    if DISCRIMINATOR not in error.schema:
        return {}
    kind = error.instance.get(error.schema[DISCRIMINATOR])
    return index.config_by_type.get(kind, {}) if isinstance(kind, str) else {}
