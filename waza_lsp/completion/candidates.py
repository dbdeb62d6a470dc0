"""Completion candidates at the cursor: keys and values from the schema, names, files."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from waza_engine.analysis.schema.navigate import Schema, narrow, schema_at, value_at
from waza_engine.lib.files.vfs import Files
from waza_engine.lib.pointer import Pointer
from waza_lsp.completion.paths import path_suggestions
from waza_lsp.completion.suggestions import (
    Rank,
    Suggestion,
    SuggestionKind,
    has_open_branch,
    keys,
    keys_by_branch,
    name_suggestions,
    skeletons,
    values,
    with_units,
)
from waza_lsp.schema.document_kind import Form
from waza_lsp.schema.paths import Disk, start_folder
from waza_lsp.schema.references import has_definitions, is_pattern, names_of_kind
from waza_lsp.schema.skeletons import body_of, json_types
from waza_lsp.syntax.cursor.surroundings import At, Situation
from waza_lsp.syntax.edit.snippets import TabStop
from waza_lsp.syntax.tree.node import Kind, Node
from waza_lsp.syntax.tree.tree import Tree

_MIN_SKELETON_KEYS = 2
NamesElsewhere = Callable[[str], Iterable[tuple[str, str]]]


class Candidate(NamedTuple):
    """A suggestion and its position: a key, a value, or a list item with its dash."""

    at: At
    suggestion: Suggestion
    pointer: Pointer
    """The pointer of the suggested key or value."""


@dataclass(frozen=True, slots=True)
class CompletionContext:
    """The document and the files that candidates come from. Without `files`, there are no paths.

    `names_elsewhere` returns the names of one kind in other files, each with a few words about its origin.
    """

    form: Form
    tree: Tree
    path: Path | None
    files: Disk | None
    names_elsewhere: NamesElsewhere = lambda _: ()


def candidates(here: Situation, context: CompletionContext) -> list[Candidate]:
    """Return every candidate that fits, best first."""
    root = context.form.schema
    schema = schema_at(root, here.pointer, here.data)
    if here.at is At.ALIAS:
        return [Candidate(At.ALIAS, it, here.pointer) for it in _anchors(context.tree, here)]
    if here.at is not At.VALUE and _is_complete_text(schema, value_at(here.data, here.pointer)):
        return []
    if here.at is At.KEY:
        return list(_key_candidates(here, context, schema))
    if schema is None:
        return []
    if here.at is At.ITEM:
        return (
            list(_item_candidates(here, schema, context, here.pointer))
            if "array" in json_types(schema)
            else []
        )
    found: list[Candidate] = []
    for kind in json_types(schema) or ["string"]:
        found += _candidates_of_kind(kind, here, schema, context)
    return list({(it.at, it.suggestion.label): it for it in reversed(found)}.values())[::-1]


def matching_candidates(found: list[Candidate], here: Situation) -> list[Candidate]:
    """Drop keys that do not match the typed word. When an existing key is replaced, all keys stay."""
    typed = here.typed.strip().lower()
    if not typed or here.has_colon:
        return found
    labels = {it.suggestion.label.lower() for it in found if it.at is At.KEY}
    fitting = {it for it in labels if any(part.startswith(typed) for part in _label_tails(it))} or {
        it for it in labels if _has_letters(it, typed)
    }
    return [it for it in found if it.at is not At.KEY or it.suggestion.label.lower() in fitting]


def _label_tails(label: str) -> list[str]:
    """Return the label, and the rest of it after each separator."""
    return [label[at:] for at in range(len(label)) if at == 0 or not label[at - 1].isalnum()]


def _has_letters(label: str, typed: str) -> bool:
    letters = iter(label)
    return all(it in letters for it in typed)


def _candidates_of_kind(
    kind: str, here: Situation, schema: Schema, context: CompletionContext
) -> Iterator[Candidate]:
    # Directly after a colon the user types a space or a line break. Neither may accept a completion item.
    is_open = not here.quote and (here.below is None or not (here.has_children or here.lead))
    # A quoted string on its own line, or after a dash, may be an unfinished key.
    is_half_key = bool(here.quote) and here.below is None and not here.flow
    match kind:
        case "object" if is_open or is_half_key:
            yield from _key_candidates(here, context, schema)
        case "array" if is_open:
            yield from _item_candidates(here, schema, context, here.pointer)
        case "object" | "array":
            pass
        case _:
            yield from (
                Candidate(At.VALUE, it, here.pointer)
                for it in _scalar_suggestions(here, schema, context, here.pointer)
            )


def _key_candidates(
    here: Situation, context: CompletionContext, schema: Schema | None
) -> Iterator[Candidate]:
    root = context.form.schema
    value = value_at(here.data, here.pointer)
    found = keys(root, _with_used_types(schema, context), value) if schema is not None else []
    if schema is not None and not value and not here.has_colon and not here.quote:
        more = skeletons(root, schema, "" if here.pointer else schema.get("title", ""))
        found = sorted([*found, *(it for it in more if _adds_to(it, found))], key=lambda it: it.rank)
    if not found and here.pointer:
        parent, holder = (
            schema_at(root, here.pointer[:-1], here.data),
            value_at(here.data, here.pointer[:-1]),
        )
        if parent is not None and has_open_branch(parent, holder):
            found = keys_by_branch(root, parent, here.pointer[-1], value)
    yield from (Candidate(At.KEY, it, (*here.pointer, it.label)) for it in found)


def _with_used_types(schema: Schema, context: CompletionContext) -> Schema:
    """Return the schema of a mapping; if its keys are grader types, only those that the file uses are suggested.

    A file without graders may still get any type.
    """
    if schema.get("x-keys") != "grader-type":
        return schema
    document = context.form.document(context.tree.data(), context.path, None, Files())
    used = dict.fromkeys(it for _, data in document.graders() if isinstance(it := data.get("type"), str))
    return {**schema, "x-key-suggestions": [*used]} if used else schema


def _is_complete_text(schema: Schema | None, value: object) -> bool:
    """Whether a string is valid at this position, so that it is not an unfinished map."""
    return isinstance(value, str) and schema is not None and "string" in json_types(schema)


def _adds_to(skeleton: Suggestion, found: list[Suggestion]) -> bool:
    return isinstance(skeleton.body, Mapping) and (
        len(skeleton.body) >= _MIN_SKELETON_KEYS or skeleton.label not in {it.label for it in found}
    )


def _item_candidates(
    here: Situation, schema: Schema, context: CompletionContext, pointer: Pointer
) -> Iterator[Candidate]:
    """Return new list items: filled mappings, values, and an empty item."""
    root = context.form.schema
    item = narrow(root, schema.get("items", {}), None)
    pointer = (*pointer, 0)
    kinds = json_types(item)
    found: list[Suggestion] = []
    for kind in kinds or ["string"]:
        if kind == "object":
            found += skeletons(root, item)
        elif kind != "array":
            found += _scalar_suggestions(here, item, context, pointer) or [_blank_item(root, schema)]
    yield from (Candidate(At.ITEM, it, pointer) for it in found or [_blank_item(root, schema)])


def _blank_item(root: Schema, schema: Schema) -> Suggestion:
    """Return an item for the user to fill in."""
    written = body_of(root, schema)
    first = written[0] if isinstance(written, Sequence) and not isinstance(written, str) else TabStop()
    return Suggestion(
        SuggestionKind.SKELETON, "item", first, text=schema.get("description", ""), rank=Rank.SKELETON
    )


def _scalar_suggestions(
    here: Situation, schema: Schema, context: CompletionContext, pointer: Pointer
) -> list[Suggestion]:
    thing = str(schema.get("x-reference", ""))
    names = _name_suggestions(thing, here, context) if thing else []
    # A thing does not refer to itself.
    around = (
        {_own_name(context.tree, pointer[:depth]) for depth in range(1, len(pointer))} if names else set()
    )
    names = [it for it in names if it.label not in around]
    # Names of defined things are complete, so examples would mislead.
    found = [*names, *values(schema, examples=not (names and has_definitions(context.form, thing)))]
    if here.at is At.VALUE:
        found = [*with_units(here.typed, schema), *found]
    # With `x-or-path`, a path is only one of the possible values.
    if (mark := schema.get("x-path") or schema.get("x-or-path")) and context.files is not None:
        start = start_folder(
            context.form, context.tree, context.path, context.files, _path_base(mark), pointer
        )
        typed = here.typed if here.at is At.VALUE else ""
        listed = (
            path_suggestions(
                mark["kind"], start, typed, context.files, schema.get("x-holds", ""), mark.get("suffixes", ())
            )
            if start is not None
            else []
        )
        listed = [it for it in listed if start is None or start / it.label != context.path]
        found = [*listed, *found] if "x-path" in schema else [*found, *listed]
    # Names may repeat: a list of tool calls, for example, is in call order.
    others = _other_items(here, context.tree, pointer) if "x-reference" not in schema else ()
    return list({it.label: it for it in reversed(found) if it.label not in others}.values())[::-1]


def _other_items(here: Situation, tree: Tree, pointer: Pointer) -> Container[str]:
    """Return the other strings of the list if `pointer` is that of an item."""
    if not pointer or not isinstance(pointer[-1], int):
        return ()
    own = pointer[-1] if here.at is At.VALUE and here.pointer == pointer else None
    listed = _list_nodes(tree, pointer[:-1])
    return {it.source for at, it in enumerate(listed) if it.kind is Kind.SCALAR and at != own}


def _list_nodes(tree: Tree, pointer: Pointer) -> Iterable[Node]:
    """Return the items of a list, as far as the text can be parsed."""
    entry = tree.entry(pointer[0]) if len(pointer) == 1 else None
    if entry is not None and entry.is_list:
        return (node for _, node in entry.items)
    located = tree.find(pointer)
    return located.node.items if located is not None else ()


def _own_name(tree: Tree, pointer: Pointer) -> str:
    located = tree.find((*pointer, "name"))
    return located.node.source if located is not None else ""


def _name_suggestions(thing: str, here: Situation, context: CompletionContext) -> list[Suggestion]:
    """Return the names of one kind, those of this file first, with the details that other files give."""
    elsewhere = list(context.names_elsewhere(thing))
    details = dict(reversed(elsewhere))
    own = names_of_kind(context.form, context.tree, thing, here.span.start)
    listed = [*((it, details.get(it, f"{thing} in this file")) for it in own), *elsewhere]
    return name_suggestions((name, about) for name, about in listed if not is_pattern(name))


def _path_base(mark: Mapping[str, str]) -> str:
    # The workspace of a trial is filled from the fixtures.
    return "fixtures" if mark["base"] == "workspace" else mark["base"]


def _anchors(tree: Tree, here: Situation) -> list[Suggestion]:
    """Return the anchors above the cursor."""
    line = here.span.start.line
    found = {
        name: node
        for piece in tree.pieces
        for name, node in piece.parsed.anchors.items()
        if piece.start + node.start.line <= line
    }
    return [
        Suggestion(SuggestionKind.ANCHOR, name, detail=_anchor_detail(node)) for name, node in found.items()
    ]


def _anchor_detail(node: Node) -> str:
    return ", ".join(key.source for key, _ in node.pairs) or node.source
