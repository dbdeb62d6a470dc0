"""A document's findings with their places, in stages: syntax, structure, schema, meaning (design.md, section 4).

What one piece of text gives is remembered with the piece, so an edit is checked where it happened; where files on
disk had a say, until one of them changes. A region that one stage condemned is skipped by the next.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from waza_engine.checking.files import Files
from waza_engine.checking.levels import Levels
from waza_engine.findings import Finding, Pointer, Severity
from waza_engine.noted_reads import Stamp, note_read, noting_reads, stamp
from waza_engine.rules.duplicate_key import DUPLICATE_KEY
from waza_engine.rules.empty_file import EMPTY_FILE
from waza_engine.rules.second_document import SECOND_DOCUMENT
from waza_engine.rules.syntax_error import SYNTAX_ERROR
from waza_engine.rules.unquoted_template import UNQUOTED_TEMPLATE
from waza_engine.scope import Scope
from waza_lsp.schema.form import Form
from waza_lsp.schema.newer import newer
from waza_lsp.schema.walk import Schema, discriminated, resolve
from waza_lsp.syntax.clues import TEMPLATE_MESSAGE
from waza_lsp.syntax.cut import PieceKind
from waza_lsp.syntax.node import Kind, Node, descend
from waza_lsp.syntax.parse import Parsed
from waza_lsp.syntax.problem import Cause
from waza_lsp.syntax.text import Place, Span
from waza_lsp.syntax.tree import Entry, Piece, Tree
from waza_lsp.syntax.tree import forget as forget_pieces


class Mark(NamedTuple):
    """A finding and the stretch of text it stands on; `related` are places in the same text that explain it."""

    span: Span
    finding: Finding
    related: tuple[tuple[Span, str], ...] = ()
    base: tuple[str, int] | None = None
    """In an item of a top-level list the finding's pointers count from the item's piece: the list's key, and the
    index of the piece's first item."""

    def shifted(self, lines: int, base: tuple[str, int] | None = None) -> "Mark":
        related = tuple((span.shifted(lines), text) for span, text in self.related)
        return Mark(self.span.shifted(lines), self.finding, related, base)

    @property
    def in_document(self) -> Finding:
        """The finding with pointers that count from the top of the document."""
        if self.base is None:
            return self.finding
        key, first = self.base

        def move(pointer: Pointer) -> Pointer:
            match pointer:
                case [int(index), *rest]:
                    return (key, first + index, *rest)
                case ["..", *rest]:
                    return tuple(rest)
                case _:
                    return (key,)

        return self.finding.moved(move)


@dataclass(frozen=True, slots=True)
class World:
    """Where a document stands: its path, the scope of its graders' own checks, and the files around it.

    `levels` is how much people want to hear of each finding; of an `excluded` document, nothing. While the grader
    types, which take a moment to import, are not there, the world is not `complete`: the stages after the schema
    are left out. `target` is the version of the runner that the project uses, empty for the newest.
    """

    path: Path | None = None
    scope: Scope = field(default_factory=Scope)
    files: Files = field(default_factory=Files)
    levels: Levels = field(default_factory=dict)
    excluded: bool = False
    complete: bool = True
    target: str = ""


def marks(tree: Tree, form: Form, world: World) -> list[Mark]:
    """All findings of a document, in the order of the text."""
    scope = world.scope if world.complete else None
    if tree.conflict >= 0:
        # Both sides of a conflict stand in the text: whatever else could be said of it would be about neither.
        span = Span(Place(tree.conflict, 0), Place(tree.conflict, 7))
        return [Mark(span, SYNTAX_ERROR.at((), "Merge conflict; choose a side and remove the markers"))]
    if tree.excess >= 0:
        span = Span(Place(tree.excess, 0), Place(tree.excess, 1))
        message = "From this line on the aliases stand for too many values; write fewer of them"
        return [Mark(span, SYNTAX_ERROR.at((), message))]
    result = list(_syntax(tree))
    result += _structure(tree, form)
    whole = tree.whole
    if whole is not None:
        if not whole.parsed.problems:
            result += _whole(whole, form)
    else:
        result += _root(tree, form)
        result += _parts(tree, form, scope)
    if world.complete:
        result += _rules(tree, form, world, {it.span.start for it in result if _is_error(it)})
    return sorted(result, key=lambda it: it.span)


def _is_error(mark: Mark) -> bool:
    return mark.finding.severity is Severity.ERROR


def _rules(tree: Tree, form: Form, world: World, condemned: set[Place]) -> Iterator[Mark]:
    """What the rules for whole files say; places that have an error already are left alone."""
    data = tree.data()
    document = form.document(data, world.path, world.scope.process_dir, world.files)
    too_new = newer(form.schema, data, world.target) if world.target else ()
    for finding in (*form.judged(document), *too_new):
        span = span_in(tree, finding.pointer, on_key=finding.on == "key")
        if span is not None and span.start not in condemned:
            places = ((span_in(tree, it.pointer), it.text) for it in finding.related if it.path is None)
            yield Mark(span, finding, tuple((place, text) for place, text in places if place is not None))


def span_in(tree: Tree, pointer: Pointer, *, on_key: bool = False) -> Span | None:
    """Where a pointer into the whole document stands: the top of the file when the text has nothing there."""
    located = tree.find(pointer) if pointer else None
    if located is None:
        return tree.entries[0].key.span.shifted(tree.entries[0].piece.start) if tree.entries else None
    node = located.node
    is_block = node.kind in _BLOCKS and not node.flow
    if located.key is not None and (on_key or node.is_empty or is_block):
        return located.key
    lines = located.value.start.line - node.start.line
    return _token(node).shifted(lines) if not (is_block and node.items) else located.value


def _syntax(tree: Tree) -> Iterator[Mark]:
    for before, piece in zip((None, *tree.pieces), tree.pieces, strict=False):
        # A stray line behind a quote or bracket that is not closed is most likely inside it.
        if piece.kind is not PieceKind.STRAY or before is None or not before.parsed.unterminated:
            yield from _piece_syntax(piece)


def _piece_syntax(piece: Piece) -> Iterator[Mark]:
    for problem in piece.parsed.problems:
        rule = UNQUOTED_TEMPLATE if problem.cause is Cause.TEMPLATE else SYNTAX_ERROR
        yield Mark(problem.span.shifted(piece.start), rule.at((), problem.message))
    for node in piece.parsed.templates:
        yield Mark(node.span.shifted(piece.start), UNQUOTED_TEMPLATE.at((), TEMPLATE_MESSAGE))
    for first, second in piece.parsed.duplicates:
        yield _duplicate(first, second, piece, piece)


def _duplicate(first: Node, second: Node, first_piece: Piece, second_piece: Piece) -> Mark:
    finding = DUPLICATE_KEY.at((), f"'{second.source}' stands twice in this mapping; remove one", on="key")
    related = ((first.span.shifted(first_piece.start), "First here"),)
    return Mark(second.span.shifted(second_piece.start), finding, related)


def _structure(tree: Tree, form: Form) -> Iterator[Mark]:
    is_blank = all(it.kind is PieceKind.SKIPPED for it in tree.pieces)
    if is_blank and form.schema.get("required"):
        yield Mark(Span(Place(0, 0), Place(0, 0)), EMPTY_FILE.at((), "There is nothing in this file yet"))
    seen: dict[str, Entry] = {}
    for entry in tree.entries:
        first = seen.setdefault(entry.key.source, entry)
        if first is not entry and first.piece is not entry.piece:
            yield _duplicate(first.key, entry.key, first.piece, entry.piece)
    if tree.second_document >= 0:
        line = tree.second_document
        message = "Only the first document of a file is read; everything below this line is ignored"
        yield Mark(Span(Place(line, 0), Place(line, 3)), SECOND_DOCUMENT.at((), message))


def _whole(whole: Piece, form: Form) -> Iterator[Mark]:
    root = whole.parsed.root
    data = root.data(whole.parsed.anchors) if root is not None else None
    for finding in form.checker.check(data):
        yield _mark(root, finding).shifted(whole.start)


def _root(tree: Tree, form: Form) -> Iterator[Mark]:
    """What is wrong with the top-level keys as such."""
    broken = any(it.parsed.problems and it.kind is not PieceKind.ITEM for it in tree.pieces)
    data = {it.key.source: True if it.is_list else tree.entry_data(it) for it in tree.entries}
    for finding in form.checker.check_root(data):
        located = tree.find(finding.pointer) if finding.pointer else None
        if located is not None and located.key is not None:
            # A key inside a broken piece may be no key of the top level at all.
            if _is_sound(tree, located.key.start):
                yield Mark(located.key, finding)
        elif not broken and tree.entries:
            first = tree.entries[0]
            yield Mark(first.key.span.shifted(first.piece.start), finding)


def _is_sound(tree: Tree, key: Place) -> bool:
    piece = tree.piece_at(key.line)
    return piece is None or not piece.parsed.problems or key.line == piece.start


def _parts(tree: Tree, form: Form, scope: Scope | None) -> Iterator[Mark]:
    """What is wrong under each top-level key."""
    known: dict[str, Any] = form.schema.get("properties", {})
    done: set[int] = set()
    for entry in tree.entries:
        schema = known.get(entry.key.source)
        if schema is None or id(entry.piece) in done:
            continue
        if entry.is_list:
            yield from _list(tree, entry, form, schema, scope)
        else:
            done.add(id(entry.piece))
            yield from _part(tree, entry.piece, form, None, scope)


def _list(tree: Tree, entry: Entry, form: Form, schema: Schema, scope: Scope | None) -> Iterator[Mark]:
    resolved = resolve(form.schema, schema)
    if "items" not in resolved:
        finding = form.checker.check_part([], schema)
        yield from (Mark(entry.key.span.shifted(entry.piece.start), it) for it in finding)
        return
    for it in form.checker.check_list([None] * len(entry.items), schema):
        yield Mark(entry.key.span.shifted(entry.piece.start), it)
    pieces: dict[int, tuple[Piece, int]] = {}
    for index, (piece, _) in enumerate(entry.items):
        pieces.setdefault(id(piece), (piece, index))
    for piece, index in pieces.values():
        yield from _part(tree, piece, form, (entry.key.source, index), scope)


def _part(
    tree: Tree, piece: Piece, form: Form, base: tuple[str, int] | None, scope: Scope | None
) -> Iterator[Mark]:
    if piece.parsed.problems:
        return
    parsed, key = piece.parsed, base[0] if base is not None else None
    if parsed.has_alias:
        found = _part_marks(parsed, form, key, scope, tree.anchors)
    else:
        remembered = _remembered((parsed, form, key, scope))
        found = remembered.marks(lambda: _part_marks(parsed, form, key, scope, parsed.anchors))
    # A template is read as a text; what that text would be worth is not said before it is one.
    templates = {it.start for it in parsed.templates}
    yield from (it.shifted(piece.start, base) for it in found if it.span.start not in templates)


class _Remembered:
    """What a piece gave, and the state of the files on disk that had a say in it."""

    __slots__ = ("_marks", "_stamps")

    def __init__(self) -> None:
        self._marks: tuple[Mark, ...] | None = None
        self._stamps: dict[Path, Stamp] = {}

    def marks(self, find: Callable[[], tuple[Mark, ...]]) -> tuple[Mark, ...]:
        """The findings; they are found anew once one of the files has changed."""
        if self._marks is None or any(stamp(path) != then for path, then in self._stamps.items()):
            with noting_reads() as read:
                self._marks = find()
            self._stamps = {it: stamp(it) for it in read}
        for path in self._stamps:
            note_read(path)
        return self._marks


@lru_cache(maxsize=32768)
def _remembered(_of: tuple[Parsed, Form, str | None, Scope | None]) -> _Remembered:
    return _Remembered()


def forget() -> None:
    """Let go of what is remembered of all texts: for those who look at each text once."""
    _remembered.cache_clear()
    forget_pieces()


def _part_marks(
    parsed: Parsed, form: Form, key: str | None, scope: Scope | None, nodes: dict[str, Node]
) -> tuple[Mark, ...]:
    """Findings of a piece, with places that count from its first line."""
    root = parsed.root
    if root is None:
        return ()
    known: dict[str, Any] = form.schema.get("properties", {})
    result: list[Mark] = []
    if key is not None:
        items = resolve(form.schema, known[key])["items"]
        for index, item in enumerate(root.items):
            result += _value_marks(root, (index,), item, form, items, scope, nodes)
    else:
        for key_node, value in root.pairs:
            if key_node.source in known:
                result += _value_marks(
                    root, (key_node.source,), value, form, known[key_node.source], scope, nodes
                )
    return tuple(result)


def _value_marks(
    root: Node,
    base: Pointer,
    value: Node,
    form: Form,
    schema: Schema,
    scope: Scope | None,
    anchors: dict[str, Node],
) -> Iterator[Mark]:
    data = value.data(anchors)
    found = form.checker.check_part(data, schema)
    for finding in found:
        yield _mark(root, finding.below(base))
    if scope is None:
        return
    condemned = [it.pointer for it in found if it.severity is Severity.ERROR]
    for pointer, _ in discriminated(form.schema, schema, data):
        if any(it[: len(pointer)] == pointer for it in condemned):
            continue
        node = descend(value, pointer)
        if node is not None and node[1].kind is Kind.MAP:
            for finding in form.meaning(node[1].typed(anchors), scope):
                yield _mark(root, finding.below((*base, *pointer)))


def _mark(root: Node | None, finding: Finding) -> Mark:
    span = _span(root, finding.pointer, on_key=finding.on == "key")
    related = tuple((_span(root, it.pointer), it.text) for it in finding.related if it.path is None)
    return Mark(span, finding, related)


def _span(root: Node | None, pointer: Pointer, *, on_key: bool = False) -> Span:
    """The smallest stretch that stands for a place; never more than one line of a block."""
    if root is None:
        return Span(Place(0, 0), Place(0, 1))
    found = descend(root, pointer)
    while found is None and pointer:
        pointer = pointer[:-1]
        found = descend(root, pointer)
    key, value = found if found is not None else (None, root)
    if key is not None and (on_key or value.is_empty or (not value.flow and value.kind in _BLOCKS)):
        return key.span
    return _token(value)


_BLOCKS = frozenset([Kind.MAP, Kind.SEQ])


def _token(node: Node) -> Span:
    if node.kind is Kind.MAP and node.pairs and not node.flow:
        return node.pairs[0][0].span
    if node.kind is Kind.SEQ and node.items and not node.flow:
        return _token(node.items[0])
    start, end = node.span
    if end.line > start.line:
        return Span(start, Place(start.line, start.column + 1))
    return node.span if end > start else Span(start, Place(start.line, start.column + 1))
