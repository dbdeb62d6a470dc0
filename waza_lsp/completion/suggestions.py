"""Suggestions from a schema: missing keys, values, and skeletons of whole mappings."""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum
from typing import Any

from waza_engine.analysis.schema.navigate import (
    DISCRIMINATOR,
    Schema,
    branch_of,
    branches,
    has_key_group,
    key_groups,
    narrow,
    properties,
    recommended_keys,
    required_keys,
    resolve,
)
from waza_engine.recognition.releases import is_newer
from waza_lsp.schema.describe import VERSION_WORDS
from waza_lsp.schema.skeletons import body_of, json_types, mapping_of, needed_keys, variants
from waza_lsp.schema.type_words import type_words
from waza_lsp.syntax.edit.emit import flow
from waza_lsp.syntax.edit.snippets import Body


class Rank(IntEnum):
    """The order in which suggestions are shown."""

    REQUIRED = 0
    RECOMMENDED = 1
    SKELETON = 2
    OPTIONAL = 3
    NO_EFFECT = 4
    DEPRECATED = 5


class SuggestionKind(StrEnum):
    """The kind of a suggestion."""

    KEY = "key"
    VALUE = "value"
    SKELETON = "skeleton"
    FILE = "file"
    FOLDER = "folder"
    ANCHOR = "anchor"
    NAME = "name"
    """The name of an existing thing."""
    WORD = "word"
    """A piece of code."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A key (`label`) with the text after it, a value (`label`), or a skeleton: a mapping to fill in.

    `detail` is a short phrase, `note` a word (`required`, `default`, the branch of a key), `text` a sentence.
    """

    kind: SuggestionKind
    label: str
    body: Body = ""
    detail: str = ""
    note: str = ""
    text: str = ""
    rank: Rank = Rank.OPTIONAL
    is_literal: bool = False
    """Insert the label unchanged: it is a number or boolean, not a string that may need quotes."""
    is_likely: bool = False
    """The most probable value: a default, or a pattern for all files."""
    since: str = ""
    refused_since: str = ""
    deprecated_since: str = ""
    """The versions of the runner that introduced, deprecated and began to refuse it; empty if unknown."""

    def is_for(self, target: str) -> bool:
        """Whether a version of the runner has it and accepts it; any does if the target is empty.

        A deprecated key is for older versions only. A deprecated value is offered with its date.
        """
        if not target:
            return True
        ends = [self.refused_since, self.deprecated_since if self.kind is SuggestionKind.KEY else ""]
        is_old = any(it and not is_newer(it, target) for it in ends)
        return not is_old and not (self.since and is_newer(self.since, target))


def keys(root: Schema, schema: Schema, value: Any) -> list[Suggestion]:
    """Return the keys that a mapping with `value` can still get, required ones first."""
    present = value if isinstance(value, Mapping) else {}
    wanted = _KeyRanks.of(root, schema, present)
    excluded = {*present, *_excluded_keys(schema, present)}
    found = [
        _key_suggestion(root, name, it, wanted)
        for name, it in properties(root, schema, present).items()
        if name not in excluded and not _is_hidden(resolve(root, it), present)
    ]
    free = schema.get("additionalProperties")
    if isinstance(free, Mapping):
        found += [
            _key_suggestion(root, name, free, wanted)
            for name in schema.get("x-key-suggestions", ())
            if name not in present
        ]
    # The checks report the others. Versions before the date of a deprecation know no better key.
    found = [
        it
        for it in found
        if it.rank is not Rank.NO_EFFECT and (it.rank is not Rank.DEPRECATED or it.deprecated_since)
    ]
    return sorted(found, key=lambda it: (it.rank, it.label != schema.get(DISCRIMINATOR)))


def _excluded_keys(schema: Schema, present: Mapping[str, Any]) -> Iterator[str]:
    """Return the keys that conflict with present ones, in lists of which only one key may be used."""
    for pair in schema.get("x-exclusive", ()):
        # An empty or false value excludes nothing.
        yield from pair if any(it in present and present[it] not in (False, "") for it in pair) else ()
    if len(present) >= schema.get("maxProperties", len(present) + 1):
        yield from schema.get("properties", ())
    groups = [it.get("required", ()) for it in schema.get("oneOf", ())]
    if any(name in present for group in groups for name in group):
        yield from (name for group in groups for name in group)


def keys_by_branch(root: Schema, parent: Schema, part: str | int, value: Any) -> list[Suggestion]:
    """Return the keys of all branches at `part` of a parent whose discriminator selects none.

    Only branches that have all present keys count. Each key names its branches.
    """
    present = value if isinstance(value, Mapping) else {}
    described = resolve(root, parent["properties"][parent[DISCRIMINATOR]])
    options = {
        name: narrow(root, it["properties"][part], value)
        for name, branch in branches(parent).items()
        if part in (it := resolve(root, branch)).get("properties", {})
        and name not in described.get("x-enum-deprecated", ())
    }
    fitting = {name: it for name, it in options.items() if set(present) <= set(it.get("properties", ()))}
    found: dict[str, Suggestion] = {}
    owners: dict[str, list[str]] = {}
    for name, it in fitting.items():
        for suggestion in keys(root, it, present):
            found.setdefault(suggestion.label, suggestion)
            owners.setdefault(suggestion.label, []).append(name)
    return [
        replace(it, detail=f"{', '.join(owners[it.label])} · {it.detail}", note=", ".join(owners[it.label]))
        for it in found.values()
    ]


def skeletons(root: Schema, schema: Schema, name: str = "") -> list[Suggestion]:
    """Return mappings with all required keys: one for each current value of a discriminator.

    The label is `name`, or else the discriminator, or the first keys.
    """
    schema = narrow(root, schema, {})
    if "object" not in json_types(schema) or not schema.get("properties") or schema.get("x-not-offered"):
        return []
    found: list[Suggestion] = []
    chosen = schema.get("properties", {}).get(schema.get(DISCRIMINATOR), {})
    newer = _with_date(resolve(root, chosen))
    for variant in sorted(variants(root, schema), key=lambda it: next(iter(it.values()), "") in newer):
        key = next(iter(variant), "")
        described = resolve(root, schema["properties"][key]).get("x-enum-descriptions", {}) if key else {}
        label = name or (f"{key}: {variant[key]}" if key else ", ".join(needed_keys(root, schema, {})[:3]))
        text = described.get(variant[key], "") if key else schema.get("description", "")
        if body := mapping_of(root, schema, variant):
            found.append(
                Suggestion(
                    SuggestionKind.SKELETON,
                    label,
                    body,
                    ", ".join(body),
                    "",
                    text,
                    Rank.SKELETON,
                    **_versions(_value_marks(resolve(root, chosen), variant.get(key, ""))),
                )
            )
    return found


def values(schema: Schema, *, examples: bool = True) -> list[Suggestion]:
    """Return the allowed or probable values of a narrowed schema, optionally without its examples."""
    described: Mapping[str, str] = schema.get("x-enum-descriptions", {})
    old = schema.get("x-enum-deprecated", ())
    listed = _listed_values(schema, examples=examples)
    found = [_value_suggestion(schema, it, described.get(str(it), "")) for it in listed if it not in old]
    newer = _with_date(schema)
    return sorted({it.label: it for it in found}.values(), key=lambda it: (it.rank, it.label in newer))


def _with_date(schema: Schema) -> frozenset[str]:
    """Return the values that not every version of the runner has."""
    return frozenset(name for name, marks in schema.get("x-values", {}).items() if "x-since" in marks)


def with_units(typed: str, schema: Schema) -> list[Suggestion]:
    """Return the typed number with each unit that the schema allows."""
    units: Mapping[str, str] = schema.get("x-units", {}) if typed.isdecimal() else {}
    return [Suggestion(SuggestionKind.VALUE, f"{typed}{unit}", detail=words) for unit, words in units.items()]


def name_suggestions(names: Iterable[tuple[str, str]]) -> list[Suggestion]:
    """Return names as value suggestions, each with a few words about its origin."""
    found: dict[str, str] = {}
    for name, about in names:
        found.setdefault(name, about)
    return [Suggestion(SuggestionKind.NAME, name, detail=about) for name, about in found.items()]


@dataclass(frozen=True, slots=True)
class _KeyRanks:
    root: Schema
    schema: Schema
    needed: frozenset[str]
    recommended: frozenset[str]
    choices: frozenset[str]

    @classmethod
    def of(cls, root: Schema, schema: Schema, value: Mapping[str, Any]) -> "_KeyRanks":
        open_choices = [] if has_key_group(schema, value) else key_groups(schema.get("anyOf", ()))
        return cls(
            root,
            schema,
            frozenset(required_keys(root, schema, value)),
            frozenset(recommended_keys(schema)),
            frozenset(it for group in open_choices for it in group),
        )

    def rank(self, name: str, schema: Schema) -> tuple[Rank, str]:
        if schema.get("deprecated"):
            return Rank.DEPRECATED, "deprecated"
        if schema.get("x-no-effect"):
            return Rank.NO_EFFECT, "no effect"
        if name in self.needed:
            return Rank.REQUIRED, "required"
        if name in self.recommended:
            return Rank.RECOMMENDED, "recommended"
        return (Rank.RECOMMENDED, "one of several") if name in self.choices else (Rank.OPTIONAL, "")


def _key_suggestion(root: Schema, name: str, schema: Schema, wanted: _KeyRanks) -> Suggestion:
    resolved = narrow(root, schema, None)
    rank, note = wanted.rank(name, resolved)
    words = type_words(root, resolved)
    dates = _versions(resolved)
    detail = " · ".join(it for it in (words, note, _default_words(resolved), *_date_words(resolved)) if it)
    return Suggestion(
        SuggestionKind.KEY,
        name,
        body_of(root, resolved),
        detail,
        note,
        resolved.get("description", ""),
        rank,
        **dates,
    )


def _versions(marks: Schema) -> dict[str, Any]:
    """Return the versions in the marks of a key or value, for a suggestion."""
    names = ("since", "refused_since", "deprecated_since")
    return {it: marks.get(f"x-{it.replace('_', '-')}", "") for it in names}


def _date_words(marks: Schema) -> list[str]:
    return [f"{words} {marks[it]}" for it, words in VERSION_WORDS.items() if it in marks]


def _value_marks(schema: Schema, value: Any) -> Schema:
    marks: Schema = schema.get("x-values", {}).get(str(value), {})
    return marks


def _default_words(schema: Schema) -> str:
    return f"default {flow(schema['default'])}" if "default" in schema else ""


def _listed_values(schema: Schema, *, examples: bool) -> Iterator[Any]:
    """Return the enum, or else suggestions, the default, and examples that are real values."""
    kinds = json_types(schema)
    if "enum" in schema or "const" in schema:
        yield from schema.get("enum", [schema.get("const")])
        return
    if "boolean" in kinds:
        yield from (True, False)
    yield from schema.get("x-suggestions", ())
    if isinstance(schema.get("default"), str | int | float) and "boolean" not in kinds:
        yield schema["default"]
    telling = "x-reference" in schema or "pattern" in schema or {"integer", "number"} & set(kinds)
    if telling and examples:
        yield from (it for it in schema.get("examples", ()) if isinstance(it, str | int | float))


def _value_suggestion(schema: Schema, value: Any, text: str) -> Suggestion:
    is_default = "default" in schema and schema["default"] == value and type(schema["default"]) is type(value)
    label = value if isinstance(value, str) else flow(value)
    marks = _value_marks(schema, value)
    is_old = "x-deprecated-since" in marks
    note = "default" if is_default else "deprecated" if is_old else ""
    return Suggestion(
        SuggestionKind.VALUE,
        label,
        detail=" · ".join([*filter(None, [text or note]), *_date_words(marks)]),
        note=note,
        text=text,
        rank=Rank.DEPRECATED if is_old else Rank.OPTIONAL,
        is_literal=not isinstance(value, str),
        is_likely=is_default,
        **_versions(marks),
    )


def has_open_branch(schema: Schema, value: Any) -> bool:
    """Whether the schema has a discriminator whose value is missing or unknown."""
    return DISCRIMINATOR in schema and branch_of(schema, value) is None


def _is_hidden(schema: Schema, present: Container[str]) -> bool:
    """Whether a key is never offered, or is the old name of one that is present."""
    is_replaced = schema.get("x-move-to") in present or schema.get("x-use-instead") in present
    return is_replaced or bool(schema.get("x-not-offered"))
