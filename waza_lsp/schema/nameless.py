"""Aliases and tags that stand for nothing: what else could be said of their places comes only from what they lack."""

from collections.abc import Collection, Iterator
from dataclasses import replace

from waza_engine.findings import Severity
from waza_engine.rules.empty_value import EMPTY_VALUE
from waza_engine.rules.missing_key import MISSING_KEY
from waza_engine.rules.syntax_error import SYNTAX_ERROR
from waza_engine.rules.unknown_tag import UNKNOWN_TAG
from waza_engine.rules.wrong_type import WRONG_TYPE
from waza_lsp.schema.mark import Mark
from waza_lsp.syntax.node import Kind, Node
from waza_lsp.syntax.text import Place
from waza_lsp.syntax.tree import Tree

_ABSENT = frozenset([MISSING_KEY, EMPTY_VALUE])
_ALIASES = object()
"""Under which a node knows the names of the aliases at or below it."""


def has_hole(node: Node, anchors: Collection[str]) -> bool:
    """Whether there is an alias at or below a node that stands for nothing."""
    names: frozenset[str] | None = node.memory.get(_ALIASES)
    if names is None:
        names = node.memory[_ALIASES] = frozenset(it.source for it in node.walk() if it.kind is Kind.ALIAS)
    return any(it not in anchors for it in names)


def without_consequences(marks: list[Mark], tree: Tree) -> list[Mark]:
    """The findings without those that only say that something is not there which an alias or a tag was to bring."""
    marks = _with_tags_at_fault(marks)
    holes: set[Place] = set()
    around = set(_tagged(tree))
    if not (tree.has_alias or around):
        return marks
    for piece in tree.pieces:
        root = piece.parsed.root
        if piece.parsed.has_alias and root is not None and has_hole(root, tree.anchors):
            for is_hole, place in _places(root, None, tree.anchors):
                (holes if is_hole else around).add(Place(place.line + piece.start, place.column))
    return [it for it in marks if not _is_consequence(it, holes, around)]


def _with_tags_at_fault(marks: list[Mark]) -> list[Mark]:
    """The findings where a tag alone makes a number, say, a text that is refused: the tag is the mistake then."""
    tags = {it.span.start for it in marks if it.finding.rule is UNKNOWN_TAG}
    spoiled = {it.span.start for it in marks if it.finding.rule is WRONG_TYPE} & tags
    if not spoiled:
        return marks
    return [
        it._replace(finding=replace(it.finding, severity=Severity.ERROR))
        if it.finding.rule is UNKNOWN_TAG and it.span.start in spoiled
        else it
        for it in marks
        if it.finding.rule is not WRONG_TYPE or it.span.start not in spoiled
    ]


def _tagged(tree: Tree) -> Iterator[Place]:
    """The keys that have nothing but an unknown tag: `!word` is a text to people."""
    for piece in tree.pieces:
        tags = {span for _, span in piece.parsed.tags}
        for node in piece.parsed.root.walk() if tags and piece.parsed.root is not None else ():
            for key, value in node.pairs:
                if value.is_empty and value.span in tags:
                    yield Place(key.start.line + piece.start, key.start.column)


def _is_consequence(mark: Mark, holes: set[Place], around: set[Place]) -> bool:
    rule, start = mark.finding.rule, mark.span.start
    return (start in holes and rule is not SYNTAX_ERROR) or (start in around and rule in _ABSENT)


def _places(node: Node, key: Node | None, anchors: Collection[str]) -> Iterator[tuple[bool, Place]]:
    """Where such aliases stand, each with True; and where it would be said that they are missing."""
    if node.kind is Kind.ALIAS:
        if node.source not in anchors:
            yield True, node.start
            if key is not None:
                yield False, key.start
        return
    for key_node, value in node.pairs:
        yield from _places(value, key_node, anchors)
        if key_node.source == "<<" and has_hole(value, anchors):
            yield from ((False, it.start) for it in (key, node, node.pairs[0][0]) if it is not None)
    for item in node.items:
        yield from _places(item, None, anchors)
