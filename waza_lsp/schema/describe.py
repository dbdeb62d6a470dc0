"""Describe keys and values of a document in the words of its schema.

`meaning_of` and `meaning_of_value` return the parts of a hover, `details` a short Markdown page for completion. Only the
piece of the document that contains the value is read.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from waza_engine.analysis.schema.files import read_schema
from waza_engine.analysis.schema.navigate import (
    DISCRIMINATOR,
    Schema,
    branches,
    child,
    key_groups,
    narrow,
    properties,
    recommended_keys,
    required_keys,
    resolve,
    schema_at,
    value_at,
)
from waza_engine.lib.pointer import Pointer
from waza_lsp.schema.type_words import code, limits, type_words
from waza_lsp.syntax.edit.emit import block, flow
from waza_lsp.syntax.tree.tree import Tree

NO_EXAMPLE = object()
MANUAL_KEY = "x-manual-key"
"""In the schema of a key: the page that describes it, with the anchor."""
VERSION_WORDS = {
    "x-since": "since",
    "x-deprecated-since": "deprecated since",
    "x-refused-since": "refused since",
}
"""The marks of versions in a schema, with words for each."""


def _dates(marks: Schema) -> tuple[str, ...]:
    """Return the versions in the marks of a key or value, in words."""
    changed = (
        f"changed in {marks['x-changed-in']}: {marks['x-version-note']}" if "x-changed-in" in marks else ""
    )
    known = [f"{words} {marks[it]}" for it, words in VERSION_WORDS.items() if it in marks]
    return (*known, *filter(None, [changed]))


@dataclass(frozen=True, slots=True)
class Option:
    """A key of a mapping, for a line of a table."""

    name: str
    type: str
    description: str
    required: bool = False
    since: str = ""
    default: str = ""


@dataclass(frozen=True, slots=True)
class Meaning:
    """The description of a key, or of one of its values.

    `values` are the values that a key may have, `others` the alternatives to a value, `options` the keys that may be
    below. `score` is a section of the page about the thing, and `page` the name of that page. `place` is the page that
    lists the key among others.
    """

    title: str
    description: str
    type: str = ""
    required: bool = False
    recommended: bool = False
    since: str = ""
    dates: tuple[str, ...] = ()
    deprecated: bool = False
    instead: str = ""
    no_effect: bool = False
    values: Mapping[str, str] = field(default_factory=dict)
    others: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    example: Any = NO_EXAMPLE
    score: str = ""
    page: str = ""
    place: str = ""


def meaning_of(root: Schema, tree: Tree, pointer: Pointer) -> Meaning | None:
    """Describe the key at `pointer`, or the list of an item; None if the schema has no description."""
    while pointer and isinstance(pointer[-1], int):
        pointer = pointer[:-1]
    if not pointer:
        return None
    data = data_along(tree, pointer)
    parent = schema_at(root, pointer[:-1], data)
    holder = value_at(data, pointer[:-1])
    found = child(root, parent, pointer[-1], holder) if parent is not None else None
    if parent is None or found is None or not found.get("description"):
        return None
    name = str(pointer[-1])
    is_selected = any(name in resolve(root, it).get("properties", {}) for it in branches(parent).values())
    meaning = _schema_meaning(
        root, name, narrow(root, found, value_at(data, pointer)), with_options=is_selected
    )
    return replace(
        meaning,
        required=name in required_keys(root, parent, holder),
        recommended=name in recommended_keys(parent),
    )


def meaning_of_value(root: Schema, tree: Tree, pointer: Pointer) -> Meaning | None:
    """Describe the value at `pointer` if its schema lists or describes values; None otherwise."""
    data = data_along(tree, pointer)
    schema, value = schema_at(root, pointer, data), value_at(data, pointer)
    if schema is None or not isinstance(value, str) or value not in listed_values(schema):
        return None
    name = next((str(it) for it in reversed(pointer) if isinstance(it, str)), "")
    old, marks = schema.get("x-enum-deprecated", ()), schema.get("x-values", {}).get(value, {})
    meaning = Meaning(
        title=f"{name}: {value}",
        description=schema.get("x-enum-descriptions", {}).get(value, ""),
        since=marks.get("x-since", ""),
        dates=_dates({key: it for key, it in marks.items() if key != "x-since"}),
        deprecated=value in old or "x-deprecated-since" in marks,
        others=tuple(it for it in _current_values(schema) if it != value),
    )
    parent = schema_at(root, pointer[:-1], data)
    if parent is not None and parent.get(DISCRIMINATOR) == pointer[-1] and value in branches(parent):
        return _with_branch(root, meaning, branches(parent)[value])
    return meaning


def _current_values(schema: Schema) -> Iterator[str]:
    """Yield the listed values that the newest version takes without complaint."""
    old, marks = schema.get("x-enum-deprecated", ()), schema.get("x-values", {})
    for it in map(str, listed_values(schema)):
        if it not in old and not marks.get(it, {}).keys() & {"x-deprecated-since", "x-refused-since"}:
            yield it


def _with_dates(text: str, schema: Schema, value: str) -> str:
    """Return the description of a listed value, and what happened to the value in which version."""
    dates = _dates(schema.get("x-values", {}).get(value, {}))
    return " ".join(filter(None, [text, f"({', '.join(dates)})" if dates else ""]))


def listed_values(schema: Schema) -> Sequence[Any]:
    """Return the values of an enumeration; for a list of suggestions, those with a description, or all if one has dates."""
    if "enum" in schema:
        return cast("Sequence[Any]", schema["enum"])
    suggested: Sequence[Any] = schema.get("x-suggestions", ())
    dated, described = schema.get("x-values", {}), schema.get("x-enum-descriptions", {})
    return suggested if any(it in dated for it in suggested) else [it for it in suggested if it in described]


def data_along(tree: Tree, pointer: Pointer) -> Any:
    """Return plain data of the piece that `pointer` leads into, without its neighbours."""
    if tree.whole is not None:
        return tree.data()
    entry = next((it for it in tree.entries if pointer and it.key.source == pointer[0]), None)
    if entry is None:
        return {}
    if not entry.is_list:
        return {entry.key.source: tree.entry_data(entry)}
    index = pointer[1] if len(pointer) > 1 else None
    if not isinstance(index, int) or index >= len(entry.items):
        return {entry.key.source: []}
    return {entry.key.source: [*[None] * index, entry.items[index][1].data(tree.anchors)]}


def _schema_meaning(root: Schema, name: str, schema: Schema, *, with_options: bool) -> Meaning:
    described: Mapping[str, str] = schema.get("x-enum-descriptions", {})
    examples = schema.get("examples", ())
    options = tuple(_options(root, schema))
    return Meaning(
        title=name,
        description=schema["description"],
        type=type_words(root, schema),
        since=schema.get("x-since", ""),
        dates=_dates({key: it for key, it in schema.items() if key != "x-since"}),
        deprecated=schema.get("deprecated", False),
        instead=schema.get("x-use-instead", ""),
        no_effect=schema.get("x-no-effect", False),
        values={str(it): _with_dates(described.get(it, ""), schema, str(it)) for it in listed_values(schema)},
        facts=tuple(_facts(schema, options if not with_options else ())),
        options=options if with_options else (),
        example=examples[0] if examples else NO_EXAMPLE,
        page=_manual(schema) if with_options else "",
        place=schema.get(MANUAL_KEY, ""),
    )


def _facts(schema: Schema, keys: tuple[Option, ...]) -> Iterator[str]:
    if "default" in schema:
        yield f"Default: {code(schema['default'])}"
    yield from limits(schema)
    groups = key_groups(schema.get("anyOf", ()))
    current = [it for it in groups if not any(_is_old(schema, key) for key in it)]
    if len(current) > 1:
        yield "At least one of " + ", ".join(" and ".join(code(key) for key in it) for it in current)
    if keys:
        yield "Keys: " + ", ".join(code(it.name) for it in keys)
    yield from _code_names(schema)


def _code_names(schema: Schema) -> Iterator[str]:
    """Yield the names that code in the value, its items or its options may use, per language with their types."""
    parts = (
        schema,
        schema.get("items", {}),
        *(it.get("items", {}) for it in schema.get("properties", {}).values()),
    )
    for part in parts:
        # The language that applies without another key comes first.
        for language in sorted(part.get("x-names", {}), key=lambda it: it != part.get("x-language")):
            names = part["x-names"][language]
            own = [f"{code(name)} ({it['type']})" for name, it in names.items() if not it.get("builtin")]
            builtin = [code(name) for name, it in names.items() if it.get("builtin")]
            yield f"Names in {language}: {', '.join([*own, *builtin])}"


def _is_old(schema: Schema, key: str) -> bool:
    return bool(schema.get("properties", {}).get(key, {}).get("deprecated"))


def _options(root: Schema, schema: Schema) -> Iterator[Option]:
    needed = required_keys(root, schema, None)
    listed = {name: resolve(root, it) for name, it in properties(root, schema, None).items()}
    for name in sorted(listed, key=lambda it: it not in needed):
        it = listed[name]
        if not it.get("deprecated"):
            yield Option(
                name,
                type_words(root, it),
                it.get("description", ""),
                required=name in needed,
                since=it.get("x-since", ""),
                default=flow(it["default"]) if "default" in it else "",
            )


def _with_branch(root: Schema, meaning: Meaning, branch: Schema) -> Meaning:
    """Add the keys of the mappings that a discriminator's value selects, and its page."""
    selected = [resolve(root, it) for it in resolve(root, branch).get("properties", {}).values()]
    page = next((it["x-docs"] for it in selected if "x-docs" in it), "")
    return replace(
        meaning,
        since=meaning.since or next((it["x-since"] for it in selected if "x-since" in it), ""),
        options=tuple(option for it in selected for option in _options(root, it)),
        facts=tuple(fact for it in selected for fact in (*_costs(it), *_facts(it, ()))),
        score=_section(page, "Score"),
        page=next((_manual(it) for it in selected if "x-docs" in it), ""),
    )


def _manual(schema: Schema) -> str:
    """Return the name of the manual page; usually the name of the schema that holds its text."""
    return str(schema.get("x-manual") or schema.get("x-docs", ""))


def _costs(schema: Schema) -> Iterator[str]:
    if cost := schema.get("x-cost"):
        yield cost


def _section(page: str, heading: str) -> str:
    """Return the text under a heading of a page, which is in the schema of the same name."""
    text = str(read_schema(page).get("x-page", "")) if page else ""
    return text.partition(f"## {heading}\n")[2].partition("\n## ")[0].strip()


_MAX_LINE = 60


def details(root: Schema, pointer: Pointer, data: Any, value: str | None) -> str:
    """Return the page of the key at `pointer`, or of its value `value`; empty without a schema."""
    schema = schema_at(root, pointer, data)
    if schema is None:
        return ""
    paragraphs = _key_paragraphs(root, schema, str(pointer[-1]) if pointer else "")
    if value is not None and value in listed_values(schema):
        parent = schema_at(root, pointer[:-1], data)
        paragraphs = _value_paragraphs(root, schema, parent if parent is not None else {}, value)
    return "\n\n".join(it for it in paragraphs if it)


def _key_paragraphs(root: Schema, schema: Schema, name: str) -> Iterator[str]:
    yield schema.get("description", "")
    if schema.get("deprecated") and (instead := schema.get("x-use-instead")):
        yield f"Deprecated: use {code(instead)}."
    facts = [type_words(root, schema), *limits(schema)]
    if "default" in schema:
        facts.append(f"default {code(flow(schema['default']))}")
    facts += _dates(schema)
    yield " · ".join(facts)
    for example in schema.get("examples", ())[:1]:
        yield _example(name, example)


def _value_paragraphs(root: Schema, schema: Schema, parent: Schema, value: str) -> Iterator[str]:
    yield schema.get("x-enum-descriptions", {}).get(value, "")
    marks = schema.get("x-values", {}).get(value, {})
    if DISCRIMINATOR not in parent and (dates := _dates(marks)):
        yield " · ".join(dates)
    branch = branches(parent).get(value) if DISCRIMINATOR in parent else None
    for option in resolve(root, branch).get("properties", {}).values() if branch is not None else ():
        found = resolve(root, option)
        options = {name: resolve(root, it) for name, it in found.get("properties", {}).items()}
        if "properties" in found and (since := found.get("x-since")):
            yield f"Since {since}."
        lines = [
            f"- {code(name)}: {it.get('description', '')}" + "".join(f" ({date})" for date in _dates(it))
            for name, it in options.items()
            if not it.get("deprecated")
        ]
        yield "\n".join(lines)


def _example(name: str, example: Any) -> str:
    if not name or not isinstance(example, list | dict) or len(flow(example)) <= _MAX_LINE:
        return f"Example: {code(f'{name}: {flow(example)}' if name else flow(example))}"
    return "\n".join(["```yaml", f"{name}:", *block(example, "  "), "```"])
