"""Read flow-style YAML (`{a: [b]}`) around a cursor, and find where multi-line values end.

An unfinished quote or bracket must not swallow the lines below it, so columns count too.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from waza_lsp.syntax.cursor.rows import Row, closing, row_of, scalar_text, scalar_value
from waza_lsp.syntax.text import Place

_TOKEN = re.compile(
    r"""[ \t]+ | (?P<comment>(?:^|(?<=[ \t]))\#.*) | (?P<mark>[{}\[\],])
    | (?P<colon>:)(?:(?=[ \t,\[\]{}]|$)|(?<=["'\]}]:))
    | \?(?=[ \t]|$) | (?P<quoted>"(?:[^"\\]|\\.)*"|'(?:[^']|'')*') | (?P<open>["'].*)
    | (?P<plain>(?:[^\s,\[\]{}:\#]|:(?![ \t,\[\]{}]|$)|(?<=\S)\#|[ \t]+(?=[^\s,\[\]{}:\#]))+) | .""",
    re.VERBOSE,
)
_NEXT_PAIR = re.compile(r"\s*,\s*[\w.-]+:\s")
_CLOSERS = re.compile(r"\s*([\]}][\]}\s]*)(?:(?<=\s)#.*)?$")
_STARTS = frozenset(["quoted", "plain", "open", "[", "{"])
_OPEN, _CLOSE = frozenset("[{"), frozenset("]}")
Lines = Sequence[tuple[int, str]]
"""Line numbers with their text, without line ends. Numbers may skip."""
_BLOCK_SCALAR = re.compile(r"[|>][-+0-9]*\s*(?:#.*)?$")
_REST_OF_QUOTE = {
    '"': re.compile(r'(?:[^"\\]|\\.)*"\s*(?:#.*)?$'),
    "'": re.compile(r"(?:[^']|'')*'\s*(?:#.*)?$"),
}


class Token(NamedTuple):
    """A mark (`{ } [ ] , :`), scalar or `comment` with its columns.

    `open` is an unclosed quote.
    """

    kind: str
    source: str
    line: int
    start: int
    end: int


class Alias(NamedTuple):
    """A value given as `*name`."""

    name: str


@dataclass(slots=True, eq=False)
class Frame:
    """An open bracket with its contents so far and the key or item being written.

    `part` is the key or index of the bracket itself in the frame around it (None for the outermost).
    """

    is_map: bool
    part: str | int | None
    keys: dict[str, Any] = field(default_factory=dict)
    items: list[Any] = field(default_factory=list)
    """The items of a list so far. Maps among them are empty."""
    index: int = 0
    key: str | None = None
    """The key whose value comes next; None if a key comes next."""


@dataclass(frozen=True, slots=True)
class FlowPlace:
    """The frames around a cursor, outermost first, and the scalar that it touches."""

    frames: tuple[Frame, ...]
    token: Token | None
    has_colon: bool
    """Whether a colon follows the scalar (or the cursor)."""
    after_colon: bool
    """Whether a colon is directly before the cursor, without a space."""
    comma: bool
    """Whether a comma is missing after the cursor, because another entry follows."""


def tokens(line: int, text: str, start: int) -> Iterator[Token]:
    """Yield the tokens of a line from a column on."""
    for found in _TOKEN.finditer(text, start):
        kind = found.lastgroup
        if kind is not None:
            yield Token(found.group() if kind == "mark" else kind, found.group(), line, *found.span())


def closing_line(lines: Iterable[tuple[int, str]], start: int) -> int | None:
    """Return the line that closes the bracket at `start` of the first line, or None."""
    depth = 0
    for number, text in lines:
        for token in tokens(number, text, start):
            depth += (token.kind in _OPEN) - (token.kind in _CLOSE)
            if depth == 0:
                return number
        start = 0
    return None


def end_of_open_quote(token: Token, frames: Sequence[Frame], column: int) -> int:
    """Return where an unclosed quote most likely ends.

    That is after `column`, before the next pair or closing bracket.
    """
    following = _NEXT_PAIR.search(token.source, column - token.start) if frames[-1].is_map else None
    if following is not None:
        return token.start + following.start()
    found = _CLOSERS.search(token.source, column - token.start)
    expected = "".join("}" if it.is_map else "]" for it in reversed(frames))
    if found is None or not expected.startswith("".join(found[1].split())):
        return token.end
    return token.start + found.start()


def flow_place(lines: Iterable[tuple[int, str]], start: int, place: Place) -> FlowPlace | None:
    """Return what a cursor in flow style is at.

    Returns None outside the brackets, in comments and next to finished values.
    """
    listed = [
        it for at, (number, text) in enumerate(lines) for it in tokens(number, text, 0 if at else start)
    ]
    if any(it.kind == "comment" and it.line == place.line and it.start < place.column for it in listed):
        return None
    listed = [it for it in listed if it.kind != "comment"]
    before = [it for it in listed if (it.line, it.end) <= place and not _touches(it, place)]
    touched = next((it for it in listed if _touches(it, place)), None)
    after = [it for it in listed if (it.line, it.start) >= place and it is not touched]
    frames: list[Frame] = []
    for token in before:
        _read(frames, token)
        if not frames:
            return None
    if not frames or (touched is None and _is_filled(before[-1])):
        return None
    has_colon = bool(after) and after[0].kind == "colon"
    on_value = frames[-1].key is not None
    is_before = bool(after) and after[0].kind in _STARTS
    if is_before and on_value and touched is None and not _is_key(after):
        return None
    _read_rest(frames, after, on_value=(has_colon or on_value) and not is_before)
    last = before[-1]
    glued = last.kind == "colon" and Place(last.line, last.end) == (_start(touched) if touched else place)
    comma = is_before and (touched is None or _is_key(after))
    return FlowPlace(tuple(frames), touched, has_colon, glued, comma)


class ValueEnds:
    """Finds where values end. Ask from the first line to the last."""

    def __init__(self, lines: Lines, cursor: Place) -> None:
        self._lines = lines
        self._cursor = cursor
        self._open: dict[str, tuple[int, int]] = {}
        """Per quote: no line before this one, deeper than this column, closes it. Saves searching again."""

    def end(self, at: int, row: Row, base: int) -> int:
        """Return the index after the last line of the value that starts on line `at`.

        `base` is its parent's column.
        """
        lines, cursor = self._lines, self._cursor
        text = lines[at][1]
        mark = text[row.value]
        if _BLOCK_SCALAR.match(text, row.value):
            return _deeper(lines, at + 1, base, cursor)
        if mark in _REST_OF_QUOTE and closing(text, row.value) < 0:
            return self._end_of_quote(at, mark, base)
        if mark in "[{":
            end = _deeper(lines, at + 1, base, cursor, also="]}")
            closed = closing_line(lines[at:end], row.value)
            if closed is None:
                return end if row.key is not None else _before_block(lines, at, end, row)
            return at + 1 + sum(1 for it, _ in lines[at + 1 : end] if it <= closed)
        return at + 1

    def _end_of_quote(self, at: int, mark: str, base: int) -> int:
        until, column = self._open.get(mark, (0, 0))
        if at < until and base >= column:
            return at + 1
        end = _deeper(self._lines, at + 1, base, self._cursor)
        for index in range(at + 1, end):
            if _REST_OF_QUOTE[mark].match(self._lines[index][1]):
                return index + 1
        self._open[mark] = end, base
        return at + 1


def _is_key(after: Sequence[Token]) -> bool:
    """Whether the first token is a key, not the value of the key before."""
    return len(after) > 1 and after[1].kind == "colon"


def _start(token: Token) -> Place:
    return Place(token.line, token.start)


def _touches(token: Token, place: Place) -> bool:
    if token.line != place.line or token.kind not in {"quoted", "open", "plain"}:
        return False
    if token.kind == "quoted":
        return token.start < place.column < token.end
    first = token.start + (token.kind == "open")
    return first <= place.column <= token.end


def _read(frames: list[Frame], token: Token) -> None:
    """Add one token to the frames."""
    if token.kind in _OPEN:
        part = _part(frames[-1]) if frames else None
        opened = Frame(token.kind == "{", part)
        if frames:
            _store(frames[-1], {} if opened.is_map else opened.items)
        frames.append(opened)
    elif token.kind in _CLOSE and frames:
        frames.pop()
    elif frames:
        _read_inside(frames[-1], token)


def _read_inside(frame: Frame, token: Token) -> None:
    if token.kind == ",":
        frame.key = None
        frame.index += 1
    elif token.kind in {"quoted", "plain", "open"}:
        if frame.is_map and frame.key is None:
            frame.key = scalar_text(token.source)
            frame.keys.setdefault(frame.key, None)
        else:
            is_alias = token.source.startswith("*")
            _store(frame, Alias(token.source[1:]) if is_alias else scalar_value(token.source))


def _read_rest(frames: Sequence[Frame], after: Iterable[Token], *, on_value: bool) -> None:
    """Add the keys and items after the cursor to the open frames.

    `on_value`: the tokens start with the rest of a pair, as they always do after an inner bracket.
    """
    rests = [Frame(it.is_map, it.part, key="" if it is not frames[-1] or on_value else None) for it in frames]
    open_ones = list(rests)
    for token in after:
        _read(open_ones, token)
        if not open_ones:
            break
    for frame, rest in zip(frames, rests, strict=True):
        rest.keys.pop("", None)
        frame.keys = {**rest.keys, **frame.keys}
        frame.items += rest.items


def _store(frame: Frame, value: Any) -> None:
    if not frame.is_map:
        frame.items.append(value)
    elif frame.key is not None:
        frame.keys[frame.key] = value


def _part(frame: Frame) -> str | int:
    return (frame.key or "") if frame.is_map else frame.index


def _is_filled(last: Token) -> bool:
    """Whether a value ends before the cursor, so that only a comma could follow."""
    return last.kind in _CLOSE or last.kind in {"quoted", "plain", "open"}


def _before_block(lines: Lines, at: int, end: int, row: Row) -> int:
    """Return the first block entry that is no deeper than an unclosed bracket, or `end`."""
    for index in range(at + 1, end):
        inner = row_of(*lines[index], 1)
        is_entry = inner.key is not None or bool(inner.dashes)
        ends_in_comma = lines[index][1][: inner.comment].rstrip().endswith(",")
        if is_entry and inner.column <= row.value and not ends_in_comma:
            return index
    return end


def _deeper(lines: Lines, start: int, base: int, cursor: Place, also: str = "") -> int:
    """Return the index after the lines from `start` on that are indented deeper than `base`.

    Blank lines at the end do not count, except the cursor's line if the cursor is deep enough. A line that starts with
    one of the characters in `also` need not be deeper.
    """
    end = start
    for index in range(start, len(lines)):
        number, text = lines[index]
        bare = text.lstrip(" \t")
        if not bare:
            if number == cursor.line and cursor.column > base:
                end = index + 1
        elif len(text) - len(bare) > base or (also and bare[0] in also):
            end = index + 1
        else:
            break
    return end
