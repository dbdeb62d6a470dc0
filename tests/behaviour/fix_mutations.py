"""Typical mistakes: each function yields copies of a valid text with one mistake."""

import re
from collections.abc import Callable, Iterator

from waza_engine.lib.pointer import Pointer
from waza_lsp.syntax.edit.edits import Draft, Edit
from waza_lsp.syntax.edit.entries import remove
from waza_lsp.syntax.edit.members import Member, container_at
from waza_lsp.syntax.text import Place, Span, Text
from waza_lsp.syntax.tree.node import Kind
from waza_lsp.syntax.tree.tree import Tree

_PAIR = re.compile(r"^( *(?:- )?)([a-z_]+): (?=\S)")


def draft_of(source: str) -> Draft:
    text = Text.of(source)
    return Draft(text, Tree.of(text.lines))


def members(draft: Draft, pointer: Pointer = ()) -> Iterator[tuple[Pointer, Member]]:
    """Yield every entry and item of a document."""
    container = container_at(draft, pointer)
    for it in container.members if container is not None else ():
        place = (*pointer, it.part)
        yield place, it
        yield from members(draft, place)


def misspelt_keys(source: str) -> Iterator[str]:
    draft = draft_of(source)
    for _, it in members(draft):
        if it.key is not None and len(str(it.part)) > 4:
            yield _with(draft, Edit(it.key, _swapped(str(it.part))))


def misspelt_words(source: str) -> Iterator[str]:
    draft = draft_of(source)
    for _, it in members(draft):
        if (
            it.node.kind is Kind.SCALAR
            and re.fullmatch(r"[a-z_]{5,20}", it.node.source)
            and not it.node.style
        ):
            yield _with(draft, Edit(it.value, _swapped(it.node.source)))


def single_values_without_list(source: str) -> Iterator[str]:
    """Remove the brackets of `[x]`, or the dash of a single `- x`."""
    draft = draft_of(source)
    for _, it in members(draft):
        if it.node.kind is Kind.SEQ and len(it.node.items) == 1 and it.node.items[0].kind is Kind.SCALAR:
            first = it.node.items[0].span.shift(it.value.start.line - it.node.start.line)
            if first.start.line == first.end.line and it.key is not None:
                colon = Place(it.key.end.line, it.key.end.column + 1)
                yield _with(draft, Edit(Span(colon, it.value.end), " " + draft.text.slice(first)))


def quoted_numbers(source: str) -> Iterator[str]:
    draft = draft_of(source)
    for _, it in members(draft):
        if (
            it.node.kind is Kind.SCALAR
            and isinstance(it.node.value, (int, float, bool))
            and not it.node.style
        ):
            yield _with(draft, Edit(it.value, f'"{it.node.source}"'))


def missing_keys(source: str) -> Iterator[str]:
    draft = draft_of(source)
    for pointer, it in members(draft):
        edits = remove(draft, pointer) if it.key is not None else None
        if edits is not None:
            yield str(draft.apply(edits).text)


def options_beside_config(source: str) -> Iterator[str]:
    """Remove the key `config` of a grader, so that its options are siblings of the type."""
    draft = draft_of(source)
    for _, it in members(draft):
        if it.part == "config" and it.key is not None and it.is_block and it.key.start.column:
            shift = it.value.start.column - it.key.start.column
            lines = range(it.key.start.line + 1, it.value.end.line + 1)
            edits = [
                Edit(Span(Place(n, 0), Place(n, shift)), "") for n in lines if draft.text.line(n).strip()
            ]
            yield _with(
                draft, Edit(Span(Place(it.key.start.line, 0), Place(it.key.start.line + 1, 0)), ""), *edits
            )


def settings_at_the_top(source: str) -> Iterator[str]:
    """Move a key of the top-level `config` to the top level."""
    draft = draft_of(source)
    for pointer, it in members(draft, ("config",)):
        edits = remove(draft, pointer) if len(pointer) == 2 and it.is_one_line_flow else None
        if edits is not None:
            bare = str(draft.apply(edits).text)
            entry = f"{it.part}: {draft.text.slice(it.value)}"
            end = draft.text.line_end
            yield bare + ("" if bare.endswith(end) else end) + entry + end


def no_blank_after_colon(source: str) -> Iterator[str]:
    yield from _lines(source, lambda it: _PAIR.sub(r"\1\2:", it) if _PAIR.match(it) else None)


def no_blank_after_dash(source: str) -> Iterator[str]:
    yield from _lines(
        source, lambda it: re.sub(r"^( *)- ", r"\1-", it) if re.match(r" *- [a-z]", it) else None
    )


def tabs(source: str) -> Iterator[str]:
    yield from _lines(source, lambda it: "\t" + it.lstrip(" ") if re.match(r" +[a-z_]+:", it) else None)


def deeper_lines(source: str) -> Iterator[str]:
    yield from _lines(source, lambda it: " " + it if re.match(r" +[a-z_]+: \S", it) else None)


def no_colon(source: str) -> Iterator[str]:
    yield from _lines(source, lambda it: it[:-1] if re.match(r" +[a-z_]+:$", it) else None)


def open_quotes(source: str) -> Iterator[str]:
    yield from _lines(source, lambda it: it[:-1] if it.endswith(("'", '"')) else None)


def open_brackets(source: str) -> Iterator[str]:
    yield from _lines(source, lambda it: it[:-1] if re.search(r": [\[{].*[\]}]$", it) else None)


def doubled_lines(source: str) -> Iterator[str]:
    draft = draft_of(source)
    for _, it in members(draft):
        if (
            it.key is not None
            and it.is_one_line_flow
            and not draft.text.line(it.key.start.line).lstrip().startswith("-")
        ):
            line = it.key.start.line
            yield _with(draft, Edit(Span(Place(line, 0), Place(line, 0)), draft.text.line(line) + "\n"))


def patterns_in_double_quotes(source: str) -> Iterator[str]:
    draft = draft_of(source)
    for _, it in members(draft):
        if it.node.kind is Kind.SCALAR and it.node.style == "'" and "\\" in it.node.source:
            yield _with(draft, Edit(it.value, f'"{it.node.source}"'))


def templates(source: str) -> Iterator[str]:
    draft = draft_of(source)
    for _, it in members(draft):
        if it.node.kind is Kind.SCALAR and isinstance(it.node.value, str) and not it.node.style:
            for new in ("{{name}}", "{{name}} and more", "{{ a }}-{{ b }}"):
                yield _with(draft, Edit(it.value, new))


Mutation = Callable[[str], Iterator[str]]
MUTATIONS: list[Mutation] = [
    misspelt_keys,
    misspelt_words,
    single_values_without_list,
    quoted_numbers,
    missing_keys,
    options_beside_config,
    settings_at_the_top,
    no_blank_after_colon,
    no_blank_after_dash,
    tabs,
    deeper_lines,
    no_colon,
    open_quotes,
    open_brackets,
    doubled_lines,
    patterns_in_double_quotes,
    templates,
]


def _swapped(word: str) -> str:
    at = next(
        (i for i in range(1, len(word) - 1) if word[i] != word[i + 1] and "_" not in word[i : i + 2]), 0
    )
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def _with(draft: Draft, *edits: Edit) -> str:
    return str(draft.apply(edits).text)


def _lines(source: str, change: Callable[[str], str | None]) -> Iterator[str]:
    text = Text.of(source)
    for line in range(len(text.lines)):
        new = change(text.line(line))
        if new is not None:
            end = Place(line, len(text.line(line)))
            yield str(text.replace(Span(Place(line, 0), end), new))
