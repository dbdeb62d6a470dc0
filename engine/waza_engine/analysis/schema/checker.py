"""Checks data, or one part of it, against the schema of a kind of file.

The errors of one check become findings: related errors become one, cascades are dropped.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from waza_engine.analysis.schema.compiler import Walker
from waza_engine.analysis.schema.fixes import (
    QUOTE_ADVICE,
    add_type_fixes,
    combined_fixes,
    is_text_with_colon,
    likely_types,
)
from waza_engine.analysis.schema.grader_types import with_type_fixes
from waza_engine.analysis.schema.keyword import SchemaError
from waza_engine.analysis.schema.messages import errors_of_choice, findings_of_error
from waza_engine.analysis.schema.navigate import key_groups
from waza_engine.analysis.schema.part_keywords import DISCRIMINATOR
from waza_engine.analysis.schema.schema_index import ASIDE, SchemaIndex
from waza_engine.analysis.schema.substitutes import Lack, with_renames
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import (
    AddBlanks,
    Finding,
    Fix,
    InsertKey,
    MoveKey,
    QuoteValue,
    RenameKey,
    Severity,
)
from waza_engine.rules.missing_key import MISSING_KEY
from waza_engine.rules.unknown_key import UNKNOWN_KEY
from waza_engine.rules.wrong_type import WRONG_TYPE

Schema = Mapping[str, Any]


class SchemaChecker:
    """The compiled schema of one kind of file. It checks single parts, so an edit costs only the part it changes."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self._walker = Walker(schema)
        self._index = SchemaIndex(schema, self._walker)
        self._shallow = _without_children(schema)
        self._lists: dict[int, tuple[Schema, Schema]] = {}
        """By the identity of a list's schema: that schema, and the schema without its items."""
        self._max_severity = Severity(schema["x-severity"]) if "x-severity" in schema else None
        """Replaces "error" in files where no mistake is an error; set at the top of the schema."""

    def check(self, data: Any) -> list[Finding]:
        """Return the findings of a whole document."""
        return self._findings(self.schema, data)

    def check_part(self, data: Any, schema: Schema) -> list[Finding]:
        """Return the findings of one value against its part of the schema; pointers start at that value."""
        return self._findings(schema, data)

    def check_root(self, data: Any) -> list[Finding]:
        """Return the findings of the root mapping only: its keys, not their values."""
        return self._findings(self._shallow, data)

    def check_list(self, data: Sequence[Any], schema: Schema) -> list[Finding]:
        """Return the findings of a list itself (its length), not of its items."""
        if id(schema) not in self._lists:
            self._lists[id(schema)] = schema, _without_children(self._index.resolve(schema))
        return self._findings(self._lists[id(schema)][1], list(data))

    def _findings(self, schema: Schema, data: Any) -> list[Finding]:
        errors = self._walker.errors(schema, data)
        found = _gather(self._index, errors, data) if errors else []
        limit = self._max_severity
        if limit is None:
            return found
        return [replace(it, severity=limit) if it.severity is Severity.ERROR else it for it in found]


def _without_children(schema: Schema) -> Schema:
    shallow = {k: v for k, v in schema.items() if k not in {"items", "prefixItems", "$defs", "$schema"}}
    if "properties" in shallow:
        shallow["properties"] = {name: {ASIDE: it} for name, it in schema["properties"].items()}
    return shallow


def _gather(index: SchemaIndex, errors: Iterable[SchemaError], data: Any) -> list[Finding]:
    """Return the findings for all errors of one check of `data`.

    Keys missing in one place become one finding, and a misspelt key is not also reported as missing. A value of the
    wrong type gets no other finding.
    """
    lacks: list[Lack] = []
    findings: list[Finding] = []
    missing: dict[Pointer, dict[str, bool]] = defaultdict(dict)
    presence_errors: dict[Pointer, SchemaError] = {}
    for error in _without_cascades([*errors]):
        if error.validator in _PRESENCE_KEYWORDS:
            known = missing[error.absolute_path]
            found = _missing_names(index, error)
            known.update({name: is_needed or known.get(name, False) for name, is_needed in found})
            presence_errors[error.absolute_path] = error
        elif inner := errors_of_choice(index, error):
            findings.extend(_gather(index, inner, data))
        else:
            findings.extend(findings_of_error(index, error))
            lacks += _lack_of_group(index, error)
    for pointer, names in missing.items():
        error = presence_errors[pointer]
        absent = [it for it in names if it not in error.instance]
        lacks.append(Lack(pointer, error.instance, error.schema, absent))
    findings = with_renames(index, [with_type_fixes(index, it, data) for it in findings], lacks)
    taken = _keys_from_fixes(findings)
    needed = {(pointer, it) for pointer, names in missing.items() for it in names if names[it]} & taken
    # A run refuses the file, because the misspelt key is required.
    findings = [
        replace(it, severity=Severity.ERROR) if needed and _keys_from_fixes([it]) & needed else it
        for it in findings
    ]
    for pointer, names in missing.items():
        error = presence_errors[pointer]
        if used := [it for it in error.schema.get("x-stand-ins", ()) if it in error.instance]:
            instead = {(*pointer, it) for it in used}
            findings = [_standing_in(it) if it.pointer in instead else it for it in findings]
            continue
        lacking = [it for it in names if (pointer, it) not in taken]
        blank = [it for it in lacking if it in error.instance]
        absent = [it for it in lacking if it not in blank]
        for group in ([absent] if absent else []) + [[it] for it in blank]:
            severity = None if any(names[it] for it in group) else Severity.WARNING
            findings.append(_missing_finding(index, error, group, severity))
    needed = {
        (pointer, name)
        for pointer, names in missing.items()
        for name, is_needed in names.items()
        if is_needed
    }
    findings = [_as_serious(it, needed) for it in findings]
    return _merge_missing([it for it in findings if not _is_explained(it, taken)])


def _standing_in(finding: Finding) -> Finding:
    """Return the finding on a key that its author wrote instead of all that the mapping needs; removing it mends nothing."""
    return replace(finding, severity=Severity.ERROR, fixes=()) if finding.rule is UNKNOWN_KEY else finding


def _without_cascades(errors: Sequence[SchemaError]) -> Iterator[SchemaError]:
    """Drop all other errors of values of the wrong type: fixing the type changes them, too."""
    wrong: dict[Pointer, SchemaError] = {}
    for it in errors:
        if it.validator == "type":
            first = wrong.setdefault(it.absolute_path, it)
            # The schema with keys is the one that can show an example.
            if "properties" in it.schema and "properties" not in first.schema:
                wrong[it.absolute_path] = it
    for it in errors:
        # Our own keywords are about the key, not the value.
        if wrong.get(it.absolute_path, it) is it or it.validator.startswith("x-"):
            yield it


_PRESENCE_KEYWORDS = {"required", "x-recommended"}


def _missing_names(index: SchemaIndex, error: SchemaError) -> Iterator[tuple[str, bool]]:
    """Yield the names that are absent or have no value, and whether waza requires them."""
    tolerated = error.schema.get("x-tolerated", ())
    for name in error.validator_value:
        if _is_needless(error, name):
            continue
        if name not in error.instance or (index.is_null_nothing and error.instance[name] is None):
            yield name, error.validator == "required" and name not in tolerated


def _is_needless(error: SchemaError, name: str) -> bool:
    """Whether a value beside it makes a recommended key needless: the mock executor uses no model."""
    beside = error.schema.get("properties", {}).get(name, {}).get("x-needless-beside", {})
    return any(error.instance.get(key) == value for key, value in beside.items())


def _lack_of_group(index: SchemaIndex, error: SchemaError) -> Iterator[Lack]:
    """Yield the lack of a mapping that has no key of a group."""
    if error.validator == "anyOf" and isinstance(error.instance, Mapping):
        groups = key_groups([index.resolve(it) for it in error.validator_value])
        names = [it[0] for it in groups if len(it) == 1]
        if names and not any(it in error.instance for it in names):
            yield Lack(error.absolute_path, error.instance, error.schema, names, one_of=True)


def _keys_from_fixes(findings: list[Finding]) -> set[tuple[Pointer, str]]:
    """Return the keys that the best fixes of unknown keys would add, with the mapping they belong to."""
    best = [change for it in findings for fix in it.fixes[:1] for change in fix.changes]
    new = {(it.pointer[:-1], it.name) for it in best if isinstance(it, RenameKey)}
    new |= {
        (it.pointer[:-1], str(it.pointer[-1]).partition(":")[0])
        for it in findings
        if it.rule is UNKNOWN_KEY and it.fixes and isinstance(it.fixes[0].changes[0], AddBlanks)
    }
    for it in best:
        if isinstance(it, MoveKey):
            new |= {(it.to[:depth], str(part)) for depth, part in enumerate(it.to) if part != ".."}
    return new


def _is_explained(finding: Finding, taken: set[tuple[Pointer, str]]) -> bool:
    """Whether a key reported as missing is the one that an unknown key was meant to be."""
    wanted = {
        (it.pointer, it.key) for fix in finding.fixes for it in fix.changes if isinstance(it, InsertKey)
    }
    return finding.rule is MISSING_KEY and not taken.isdisjoint(wanted)


def _as_serious(finding: Finding, needed: set[tuple[Pointer, str]]) -> Finding:
    """Return an unknown key as an error if it is a misspelt key that its mapping needs.

    Loaders that ignore unknown keys still refuse the mapping, and the missing key itself is not reported.
    """
    if finding.rule is UNKNOWN_KEY and not needed.isdisjoint(_keys_from_fixes([finding])):
        return replace(finding, severity=Severity.ERROR)
    return finding


def _merge_missing(findings: list[Finding]) -> list[Finding]:
    """Merge missing-key findings at one place into one, with the highest severity among them."""
    result: list[Finding] = []
    at: dict[Pointer, int] = {}
    for it in findings:
        if it.rule is MISSING_KEY and it.pointer in at:
            first = result[at[it.pointer]]
            message = f"{first.message}; {it.message[0].lower()}{it.message[1:]}"
            severity = Severity.ERROR if Severity.ERROR in {first.severity, it.severity} else first.severity
            fixes = combined_fixes(first.fixes, it.fixes)
            result[at[it.pointer]] = replace(first, message=message, severity=severity, fixes=fixes)
        else:
            if it.rule is MISSING_KEY:
                at[it.pointer] = len(result)
            result.append(it)
    return result


def _missing_finding(
    index: SchemaIndex, error: SchemaError, names: list[str], severity: Severity | None
) -> Finding:
    """Return the finding for keys that a mapping lacks, or for one key without a value; the latter is on the key."""
    pointer = error.absolute_path
    if "string" in error.schema.get("type", ()) and is_text_with_colon(error.instance, error.schema):
        fix = Fix("Quote the text", (QuoteValue(pointer),), preferred=True)
        return WRONG_TYPE.at(pointer, f"Expected a string, found an object{QUOTE_ADVICE}", fixes=[fix])
    listed = ", ".join(f"'{it}'" for it in names)
    is_blank = names[0] in error.instance
    what, title = (f"{listed} needs a value", "Fill in") if is_blank else (f"Missing {listed}", "Add")
    fix = Fix(f"{title} {listed}", tuple(InsertKey(pointer, it, None) for it in names), preferred=True)
    return MISSING_KEY.at(
        (*pointer, names[0]) if is_blank else pointer,
        what + _type_list(index, error, names),
        on="key",
        fixes=_type_fixes(index, error, names) or [fix],
        severity=severity,
    )


def _discriminators_among(index: SchemaIndex, error: SchemaError, names: list[str]) -> list[str]:
    """Return the names that choose a branch here; other mappings may have a key of the same name."""
    own = error.schema.get("properties", ()) if DISCRIMINATOR not in error.schema else ()
    return [it for it in names if it in index.discriminators and it not in own]


def _type_list(index: SchemaIndex, error: SchemaError, names: list[str]) -> str:
    """Return the list of types for the message about an entry without a type."""
    if not _discriminators_among(index, error, names):
        return ""
    old = index.old_types
    current = [it for it in index.options_by_type if it not in old]
    return f". Known types: {', '.join(current)}" if current else ""


def _type_fixes(index: SchemaIndex, error: SchemaError, names: list[str]) -> Sequence[Fix]:
    """Return fixes that add a type to an entry: those types that have all its options."""
    keys, pointer = _discriminators_among(index, error, names), error.absolute_path
    if not keys:
        return ()
    likely = likely_types(index.options_by_type, error.instance.get("config"), index.old_types)
    fixes = add_type_fixes(pointer, keys[0], likely)
    others = tuple(InsertKey(pointer, it, None) for it in names if it != keys[0])
    listed = "".join(f", '{it.key}'" for it in others)
    return [replace(it, title=it.title + listed, changes=(*it.changes, *others)) for it in fixes]
