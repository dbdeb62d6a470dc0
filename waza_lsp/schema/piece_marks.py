"""What is wrong in one piece of a text: against its part of the schema, and what its grader types say beyond that.

It is remembered with the piece, so an edit is checked where it happened; where files on disk had a say, until one of
them changes.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from waza_engine.findings import Finding, Pointer, Severity
from waza_engine.noted_reads import Stamp, note_read, noting, stamp
from waza_engine.rules.unknown_key import UNKNOWN_KEY
from waza_engine.scope import Scope
from waza_lsp.schema.apart import apart
from waza_lsp.schema.form import Form
from waza_lsp.schema.mark import Mark
from waza_lsp.schema.nameless import has_hole
from waza_lsp.schema.spots import span_of
from waza_lsp.schema.walk import Schema, discriminated, resolve
from waza_lsp.syntax.node import Kind, Node, descend
from waza_lsp.syntax.parse import Parsed
from waza_lsp.syntax.piece import Piece


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """Where pieces stand: in a list under a key, or (None) at the top; without a scope their meaning is left alone."""

    form: Form
    key: str | None
    scope: Scope | None

    def has_a_say(self, item: tuple[Piece, Node]) -> bool:
        """Whether an item may have findings here, now or when files on disk are others."""
        parsed = item[0].parsed
        if parsed.root is None or parsed.problems:
            return False
        if parsed.has_alias:
            return True
        remembered = _remembered(parsed, parsed.root, self)
        return bool(remembered.found) or remembered.has_stamps


@lru_cache(maxsize=256)
def standing(form: Form, key: str | None, scope: Scope | None) -> Standing:
    """The one object for all that stands equally, so that what is remembered is found fast."""
    return Standing(form, key, scope)


def piece_marks(parsed: Parsed, where: Standing, anchors: dict[str, Node]) -> tuple[Mark, ...]:
    """Findings of a piece that is sound, with places that count from its first line.

    `anchors` are those of the whole text.
    """
    if parsed.root is None:
        return ()
    if parsed.has_alias:
        return _found(parsed, parsed.root, where, anchors)
    return _remembered(parsed, parsed.root, where).found


def item_marks(piece: Piece, where: Standing, anchors: dict[str, Node], index: int) -> tuple[Mark, ...]:
    """The same of a sound piece in a list, whose first item has an index, with places in the whole text."""
    parsed, base = piece.parsed, (where.key or "", index)
    if parsed.root is None or parsed.has_alias:
        return tuple(it.shifted(piece.start, base) for it in piece_marks(parsed, where, anchors))
    return _remembered(parsed, parsed.root, where).at(piece.start, base)


def _remembered(parsed: Parsed, root: Node, where: Standing) -> "_Remembered":
    memory = root.memory
    remembered: _Remembered | None = memory.get(where)
    if remembered is None:
        remembered = memory[where] = _Remembered()
    if not remembered.is_fresh():
        remembered.anew(lambda: _found(parsed, root, where, parsed.anchors))
    return remembered


class _Remembered:
    """What a piece gave, and the state of the files on disk that had a say in it."""

    __slots__ = ("_at", "_shifted", "_stamps", "found")

    def __init__(self) -> None:
        self.found: tuple[Mark, ...] = ()
        self._stamps: dict[Path, Stamp] | None = None
        self._at: tuple[int, tuple[str, int]] | None = None
        self._shifted: tuple[Mark, ...] = ()

    @property
    def has_stamps(self) -> bool:
        """Whether files had a say."""
        return bool(self._stamps)

    def is_fresh(self) -> bool:
        """Whether there are findings, and none of the files has changed since."""
        if not self._stamps:
            return self._stamps is not None
        for path in self._stamps:
            note_read(path)
        return all(stamp(path) == then for path, then in self._stamps.items())

    def anew(self, find: Callable[[], tuple[Mark, ...]]) -> None:
        """Find and remember."""
        with noting() as seen:
            self.found = find()
        self._stamps = {it: stamp(it) for it in seen.paths}
        self._at = None
        for path in self._stamps:
            note_read(path)

    def at(self, start: int, base: tuple[str, int]) -> tuple[Mark, ...]:
        """The findings of a piece that starts at a line: most stay where they were, and are the same objects."""
        if self._at != (start, base):
            self._shifted = tuple(it.shifted(start, base) for it in self.found)
            self._at = (start, base)
        return self._shifted


def _found(parsed: Parsed, root: Node, where: Standing, anchors: dict[str, Node]) -> tuple[Mark, ...]:
    found = _part_marks(root, where, anchors, has_alias=parsed.has_alias)
    # A template is read as a text; what that text would be worth is not said before it is one.
    templates = {it.start for it in parsed.templates}
    return tuple(it for it in found if it.span.start not in templates) if templates else found


def _part_marks(root: Node, where: Standing, nodes: dict[str, Node], *, has_alias: bool) -> tuple[Mark, ...]:
    form, key = where.form, where.key
    known: dict[str, Any] = form.schema.get("properties", {})
    result: list[Mark] = []
    if key is not None:
        items = resolve(form.schema, known[key])["items"]
        for index, item in enumerate(root.items):
            result += _value_marks(root, (index,), item, where, items, nodes, has_alias=has_alias)
    else:
        for key_node, value in root.pairs:
            if key_node.source in known:
                result += _value_marks(
                    root,
                    (key_node.source,),
                    value,
                    where,
                    known[key_node.source],
                    nodes,
                    has_alias=has_alias,
                )
    return tuple(result)


def _value_marks(
    root: Node,
    base: Pointer,
    value: Node,
    where: Standing,
    schema: Schema,
    anchors: dict[str, Node],
    *,
    has_alias: bool,
) -> Iterator[Mark]:
    form, scope = where.form, where.scope
    data = value.data(anchors)
    found = form.checker.check_part(data, schema)
    for finding in found:
        yield mark_in(root, finding.below(base))
    if scope is None:
        return
    condemned = [it for it in found if it.severity is Severity.ERROR]
    for pointer, _ in discriminated(form.schema, schema, data):
        errors = [it for it in condemned if it.pointer[: len(pointer)] == pointer]
        if any(it.rule is not UNKNOWN_KEY for it in errors):
            continue
        node = descend(value, pointer)
        if node is None or (has_alias and has_hole(node[1], anchors)):
            continue
        if node[1].kind is Kind.MAP:
            unknown = [it.pointer[len(pointer) :] for it in errors]
            for finding in _meaning(form, node[1].typed(anchors), scope, unknown):
                yield mark_in(root, finding.below((*base, *pointer)))
            if form.is_read_apart(where.key, (*base, *pointer)):
                for finding in apart(node[1], anchors):
                    yield mark_in(root, finding.below((*base, *pointer)))


def _meaning(form: Form, entry: Any, scope: Scope, unknown: list[Pointer]) -> Iterator[Finding]:
    """What an entry's type says of it without the keys that are unknown.

    Such a key may be another one misspelt: where it stands beside the options, nothing is said of them together.
    """
    found = form.meaning(_without(entry, unknown) if unknown else entry, scope)
    mappings = [it[:-1] for it in unknown]
    for it in found:
        if not mappings or not (it.rule.needs or any(_is_about(it.pointer, mapping) for mapping in mappings)):
            yield it


def _is_about(pointer: Pointer, mapping: Pointer) -> bool:
    """Whether something is said of a mapping with an unknown key, or above it; of one in a list, also in it.

    A key of the entry itself may belong into the mapping of its options.
    """
    if not mapping:
        return len(pointer) < 2
    is_above = pointer == mapping[: len(pointer)]
    return is_above or (len(mapping) > 1 and pointer[: len(mapping)] == mapping)


def _without(entry: Any, unknown: list[Pointer]) -> Any:
    """A mapping without some keys in it, at any depth."""
    if isinstance(entry, dict):
        gone = {it[0] for it in unknown if len(it) == 1}
        kept = ((key, it) for key, it in entry.items() if key not in gone)
        return {key: _without(it, [way[1:] for way in unknown if way[0] == key]) for key, it in kept}
    if isinstance(entry, list) and any(unknown):
        return [
            _without(it, [way[1:] for way in unknown if way[:1] == (index,)])
            for index, it in enumerate(entry)
        ]
    return entry


def mark_in(root: Node | None, finding: Finding) -> Mark:
    """The finding with its place in a node."""
    span = span_of(root, finding.pointer, on_key=finding.on == "key")
    related = tuple((span_of(root, it.pointer), it.text) for it in finding.related if it.path is None)
    return Mark(span, finding, related)
