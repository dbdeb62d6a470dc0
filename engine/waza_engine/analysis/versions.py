"""Checks a document against one version of its runner: keys and values that are too new, deprecated or refused.

All versions come from the dialect's dated table (`model.releases`). For a kind of file and a target, the facts that
matter become a tree of places, so a check costs only the keys that a fact is about. `adjust` changes the findings of
other checks to what the version does.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any, Literal

from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Finding, Fix, RemoveKey, RenameKey, SetValue, Severity
from waza_engine.recognition.recognise import kind_of, releases
from waza_engine.recognition.releases import Fact, Releases, is_newer
from waza_engine.rules.never_applied import NEVER_APPLIED
from waza_engine.rules.newer_than_target import NEWER_THAN_TARGET
from waza_engine.rules.removed_form import REMOVED_FORM


@dataclass(slots=True)
class Places:
    """The facts that matter for one version, along the keys of a file: about the place itself, and below it."""

    facts: list[Fact] = field(default_factory=list)
    values: list[Fact] = field(default_factory=list)
    keys: "dict[str, Places]" = field(default_factory=dict)
    any_key: "Places | None" = None
    items: "Places | None" = None
    types: "dict[str, Places]" = field(default_factory=dict)
    """For grader entries: the places of an entry by its type."""

    def at(self, path: str) -> "Places":
        """Return the places below a path of a fact, which are made if needed."""
        place = self
        for part in path.split(".") if path else ():
            name = part.removesuffix("[]")
            if name == "*":
                place.any_key = place.any_key or Places()
                place = place.any_key
            else:
                place = place.keys.setdefault(name, Places())
            if part.endswith("[]"):
                place.items = place.items or Places()
                place = place.items
        return place

    def add(self, path: str, fact: Fact) -> None:
        """Add a fact at a path."""
        place = self.at(path)
        (place.facts if fact.value is None else place.values).append(fact)

    def is_empty(self) -> bool:
        """Whether nothing is checked."""
        return not (self.facts or self.values or self.keys or self.any_key or self.items or self.types)


@lru_cache(maxsize=32)
def places(dialect_name: str, kind_name: str, target: str) -> Places:
    """Return what to check in a kind of file for a target; "" is the newest version."""
    table, root = releases(dialect_name), Places()
    version, kind = table.target(target), kind_of(dialect_name, kind_name)
    for fact in table.about(f"{kind_name}:"):
        if _matters(fact, version) and not fact.path.endswith(".*"):
            root.add(fact.path, fact)
    of_graders = [it for it in (*table.about("grader"), *table.about("entry")) if _matters(it, version)]
    for way in kind.graders if kind is not None and of_graders else ():
        entries = root.at(".".join(f"{it}[]" for it in way))
        for fact in of_graders:
            type_name, _, rest = fact.path.partition(".")
            entry = entries.types.setdefault(type_name, Places())
            is_option = fact.subject == "grader" and rest
            path = f"config.{rest}" if is_option else rest or "type"
            entry.add(path, fact)
    return root


def _matters(fact: Fact, target: str) -> bool:
    """Whether a key or value at the fact's place leads to a finding."""
    if not target:
        return False
    if any(it and is_newer(it, target) for it in (fact.since, fact.applied_since)):
        return True
    if fact.refused_since and is_newer(fact.refused_since, target) and fact.before == "ignored":
        return True
    return any(it and not is_newer(it, target) for it in (fact.deprecated, fact.refused_since))


def needs_check(dialect_name: str, kind_name: str, target: str) -> bool:
    """Whether files of a kind can have findings about versions."""
    return not places(dialect_name, kind_name, target).is_empty()


def version_findings(
    dialect_name: str, kind_name: str, data: Any, target: str, *, key: str | None = None
) -> Iterator[Finding]:
    """Yield the findings of a document, or of the value under one of its top-level keys, for a version."""
    root = places(dialect_name, kind_name, target)
    place = root if key is None else root.keys.get(key)
    if place is not None and not place.is_empty():
        yield from _Check(dialect_name, target).below(place, data, ())


class _Check:
    """One check against a version."""

    def __init__(self, dialect_name: str, target: str) -> None:
        self._program = dialect_name
        self._table: Releases = releases(dialect_name)
        self._target = self._table.target(target)

    def below(self, place: Places, value: Any, pointer: Pointer) -> Iterator[Finding]:
        if isinstance(value, Mapping):
            entry = place.types.get(str(value.get("type"))) if place.types else None
            for part, it in value.items():
                for inner in (place, entry):
                    found = (inner.keys.get(part) or inner.any_key) if inner is not None else None
                    if found is not None:
                        yield from self._at(found, value, it, (*pointer, part))
        elif isinstance(value, list) and place.items is not None:
            for index, it in enumerate(value):
                yield from self._at(place.items, value, it, (*pointer, index))

    def _at(self, place: Places, holder: Any, value: Any, pointer: Pointer) -> Iterator[Finding]:
        for fact in place.facts:
            # The type of a grader is a value; all else without a value is a key.
            is_type = fact.subject == "grader" and "." not in fact.path
            yield from self._finding(fact, holder, value, pointer, is_value=is_type)
        for fact in place.values:
            if is_value(value, fact.value or ""):
                yield from self._finding(fact, holder, value, pointer, is_value=True)
        yield from self.below(place, value, pointer)

    def _finding(
        self, fact: Fact, holder: Any, value: Any, pointer: Pointer, *, is_value: bool
    ) -> Iterator[Finding]:
        on: Literal["key", "value"] = "value" if is_value else "key"
        name = f"'{value}'" if is_value else f"'{pointer[-1]}'"
        if is_value and (value is None or isinstance(value, dict | list)):
            name = (
                f"a mapping as '{pointer[-1]}'"
                if isinstance(value, dict)
                else f"'{pointer[-1]}' without a value"
            )
        program, target = self._program, self._target
        if fact.since and is_newer(fact.since, target):
            does = self._table.before(fact, target)
            needs = "probably needs" if fact.sure == "inferred" else "needs"
            text = (
                f"{name} {needs} {program} {fact.since}, but this project uses {target}{_CONSEQUENCES[does]}"
            )
            severity = Severity.ERROR if does == "refused" and fact.sure != "inferred" else None
            yield NEWER_THAN_TARGET.at(pointer, _sentence(text), on=on, severity=severity)
        elif fact.applied_since and is_newer(fact.applied_since, target):
            if value not in (None, [], {}):
                text = f"{name} has no effect before {program} {fact.applied_since}, and this project uses {target}"
                yield NEVER_APPLIED.at(pointer, _sentence(text), on=on)
        elif fact.refused_since and not is_newer(fact.refused_since, target):
            text, fixes = _refusal(fact, name, program), _fixes(fact, holder, pointer)
            if fact.sure == "inferred":
                yield _old_form(pointer, text, on, fixes, Severity.WARNING)
            else:
                yield REMOVED_FORM.at(pointer, text, on=on, fixes=fixes, refused=True)
        elif fact.deprecated and not is_newer(fact.deprecated, target):
            refused = f", and {program} {fact.refused_since} refuses it" if fact.refused_since else ""
            text = f"{name} is deprecated since {program} {fact.deprecated}{refused}. {fact.note}".rstrip()
            yield _old_form(pointer, _sentence(text), on, _fixes(fact, holder, pointer), Severity.INFORMATION)
        elif fact.refused_since and fact.before == "ignored":
            text = f"{program} {target} ignores {name}, and {program} {fact.refused_since} refuses it. {fact.note}"
            yield NEVER_APPLIED.at(
                pointer, _sentence(text).rstrip(), on=on, fixes=_fixes(fact, holder, pointer)
            )


def _old_form(
    pointer: Pointer, text: str, on: Literal["key", "value"], fixes: list[Fix], severity: Severity
) -> Finding:
    # Imported late: it needs the schema compiler, which must not slow down the start of the server.
    from waza_engine.analysis.schema.messages import LEGACY_SHAPE

    return LEGACY_SHAPE.at(pointer, text, on=on, fixes=fixes, severity=severity)


_CONSEQUENCES = {
    "refused": ", which refuses it",
    "ignored": ", which ignores it",
    "warned": ", which ignores it with a warning",
    "accepted": "",
    "unknown": "",
}


def _refusal(fact: Fact, name: str, program: str) -> str:
    older = {"ignored": "; older versions ignored it", "accepted": "; older versions accepted it"}
    does = "probably refuses" if fact.sure == "inferred" else "refuses"
    text = (
        f"{program} {does} {name} since version {fact.refused_since}{older.get(fact.before, '')}. {fact.note}"
    )
    return _sentence(text).rstrip()


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] if text.startswith("a ") else text


def is_value(value: Any, wanted: str) -> bool:
    """Whether a value in a file is the one of a fact's place."""
    match wanted:
        case "null":
            return value is None
        case '""':
            return isinstance(value, str) and not value
        case "{}":
            return isinstance(value, Mapping)
        case _:
            return isinstance(value, str | int | float) and str(value) == wanted


def _fixes(fact: Fact, holder: Any, pointer: Pointer) -> list[Fix]:
    word, _, wanted = fact.fix.partition(" ")
    name = str(pointer[-1])
    if word in {"remove", "drop"} or (word == "rename" and isinstance(holder, Mapping) and wanted in holder):
        if word == "rename":
            return []  # Both keys are present: only a person can merge them.
        # What was ignored can go without any change of a verdict.
        is_safe = word == "drop" or fact.before == "ignored"
        # The comment beside an old form often says why the author chose it.
        removal = RemoveKey(pointer, comments_to=pointer[:-1])
        return [Fix(f"Remove '{name}'", (removal,), preferred=True, safe=is_safe)]
    if word == "offer":
        return [Fix(f"Remove '{name}'", (RemoveKey(pointer),))]
    if word == "rename":
        rename = Fix(f"Change to '{wanted}'", (RenameKey(pointer, wanted),), preferred=True, safe=True)
        # The other key may be there already, elsewhere in the file.
        is_empty = isinstance(holder, Mapping) and holder.get(name) in (None, {}, [])
        removal = RemoveKey(pointer, comments_to=(*pointer[:-1], wanted))
        return [rename, *([Fix(f"Remove '{name}'", (removal,), safe=True)] if is_empty else ())]
    if word == "set":
        return [Fix(f"Change to '{wanted}'", (SetValue(pointer, wanted),), preferred=True)]
    return []


def adjust(finding: Finding, dialect_name: str, target: str, *, strict: bool = False) -> Finding | None:
    """Return the finding as it is for a version; None if that version accepts the text. "" is the newest version.

    In a `strict` file all versions refuse what only older ones refuse elsewhere.
    """
    facts = _facts_that_matter(dialect_name, target).get(finding.code, ())
    if finding.older is None and not facts:
        return finding
    version = releases(dialect_name).target(target)
    if finding.older is not None:
        since, severity = finding.older
        if is_newer(since, version) or (strict and severity is Severity.ERROR):
            finding = replace(finding, severity=severity)
    for fact in facts:
        if _is_about(fact, finding):
            if fact.since and is_newer(fact.since, version):
                return None
            if fact.refused_since and is_newer(fact.refused_since, version):
                return _before(fact, finding, dialect_name, version)
    return finding


def may_adjust(code: str, dialect_name: str, target: str) -> bool:
    """Whether findings with this code are others for a version, apart from those that say so themselves."""
    return code in _facts_that_matter(dialect_name, target)


@lru_cache(maxsize=32)
def _facts_that_matter(dialect_name: str, target: str) -> dict[str, list[Fact]]:
    """Return the facts about findings that a version does not know yet, by their code."""
    version = releases(dialect_name).target(target)
    found: dict[str, list[Fact]] = {}
    for fact in releases(dialect_name).about("rule"):
        if any(it and is_newer(it, version) for it in (fact.since, fact.refused_since)):
            found.setdefault(fact.path.partition(" ")[0], []).append(fact)
    return found


def _is_about(fact: Fact, finding: Finding) -> bool:
    which = fact.path.partition(" ")[2]
    if which == "(refused)":
        return finding.refused
    return not which or fnmatchcase(".".join(map(str, finding.pointer)), which)


def _before(fact: Fact, finding: Finding, program: str, version: str) -> Finding | None:
    """Return a finding for a version before it became an error."""
    if fact.before == "accepted":
        is_old_form = finding.rule.outdated
        return replace(finding, severity=Severity.INFORMATION) if is_old_form else None
    message = f"{finding.message} ({program} {version} ignores it silently)"
    return replace(finding, severity=Severity.WARNING, message=message)
