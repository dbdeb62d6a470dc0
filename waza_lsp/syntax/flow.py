"""A stretch of flow-style YAML (`{a: [b]}`) around a cursor, finished or not."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from waza_lsp.syntax.rows import scalar_text, scalar_value
from waza_lsp.syntax.text import Place

_TOKEN = re.compile(
    r"""[ \t]+ | (?P<comment>(?:^|(?<=[ \t]))\#.*) | (?P<mark>[{}\[\],]) | (?P<colon>:)(?=[ \t,\[\]{}]|$)
    | (?P<quoted>"(?:[^"\\]|\\.)*"|'(?:[^']|'')*') | (?P<open>["'].*)
    | (?P<plain>(?:[^\s,\[\]{}:\#]|:(?![ \t,\[\]{}]|$)|(?<=\S)\#|[ \t]+(?=[^\s,\[\]{}:\#]))+) | .""",
    re.VERBOSE,
)
_STARTS = frozenset(["quoted", "plain", "open", "[", "{"])
_OPEN, _CLOSE = frozenset("[{"), frozenset("]}")


class Token(NamedTuple):
    """A mark (`{ } [ ] , :`), a scalar, or a `comment`, with its columns. `open` is a quote without its end."""

    kind: str
    source: str
    line: int
    start: int
    end: int


@dataclass(slots=True, eq=False)
class Frame:
    """An open bracket: the keys written so far with their values, and which key or item is being written.

    `part` is the key or index under which the bracket itself stands in the frame around it (None for the first).
    """

    is_map: bool
    part: str | int | None
    keys: dict[str, Any] = field(default_factory=dict)
    index: int = 0
    key: str | None = None
    """The key whose value comes next; None where a key comes next."""


@dataclass(frozen=True, slots=True)
class FlowPlace:
    """Where a cursor is: the frames around it, outermost first, and the scalar it touches."""

    frames: tuple[Frame, ...]
    token: Token | None
    has_colon: bool
    """Whether a colon follows the scalar (or the cursor)."""
    after_colon: bool
    """Whether a colon stands directly before the cursor, without a blank."""


def tokens(line: int, text: str, start: int) -> Iterator[Token]:
    """The tokens of a line from a column on."""
    for found in _TOKEN.finditer(text, start):
        kind = found.lastgroup
        if kind is not None:
            yield Token(found.group() if kind == "mark" else kind, found.group(), line, *found.span())


def extent(lines: Iterable[tuple[int, str]], start: int) -> int | None:
    """The line in which the bracket at column `start` of the first line is closed; None if in none of them."""
    depth = 0
    for number, text in lines:
        for token in tokens(number, text, start):
            depth += (token.kind in _OPEN) - (token.kind in _CLOSE)
            if depth == 0:
                return number
        start = 0
    return None


def flow_place(lines: Iterable[tuple[int, str]], start: int, place: Place) -> FlowPlace | None:
    """What a cursor in flow style is at; None outside the brackets, in comments and beside finished values."""
    listed = [
        it for at, (number, text) in enumerate(lines) for it in tokens(number, text, 0 if at else start)
    ]
    before = [it for it in listed if (it.line, it.end) <= place and not _touches(it, place)]
    touched = next((it for it in listed if _touches(it, place)), None)
    after = [it for it in listed if (it.line, it.start) >= place and it is not touched]
    if any(it.kind == "comment" and it.line == place.line and it.start < place.column for it in listed):
        return None
    frames: list[Frame] = []
    for token in before:
        _read(frames, token)
        if not frames:
            return None
    if not frames or (touched is None and (_is_filled(before[-1]) or (after and after[0].kind in _STARTS))):
        return None
    has_colon = bool(after) and after[0].kind == "colon"
    _read_rest(frames[-1], after, on_value=has_colon or frames[-1].key is not None)
    last = before[-1]
    glued = last.kind == "colon" and Place(last.line, last.end) == (_start(touched) if touched else place)
    return FlowPlace(tuple(frames), touched, has_colon, glued)


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
    """Take one token in."""
    if token.kind in _OPEN:
        part = _part(frames[-1]) if frames else None
        if frames:
            _store(frames[-1], {} if token.kind == "{" else [])
        frames.append(Frame(token.kind == "{", part))
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
            _store(frame, scalar_value(token.source))


def _read_rest(frame: Frame, after: list[Token], *, on_value: bool) -> None:
    """Add the keys that stand behind the cursor in the same brackets; `on_value`: first comes the rest of a pair."""
    depth = 0
    rest = Frame(frame.is_map, None, key="" if on_value else None)
    for token in after:
        if depth == 0 and token.kind in _CLOSE:
            break
        if depth == 0:
            _read_inside(rest, token)
        if token.kind in _OPEN and depth == 0:
            _store(rest, {} if token.kind == "{" else [])
        depth += (token.kind in _OPEN) - (token.kind in _CLOSE)
    rest.keys.pop("", None)
    for key, value in rest.keys.items():
        frame.keys.setdefault(key, value)


def _store(frame: Frame, value: Any) -> None:
    if frame.is_map and frame.key is not None:
        frame.keys[frame.key] = value


def _part(frame: Frame) -> str | int:
    return (frame.key or "") if frame.is_map else frame.index


def _is_filled(last: Token) -> bool:
    """Whether a value stands before the cursor already, so that only a comma could follow."""
    return last.kind in _CLOSE or last.kind in {"quoted", "plain", "open"}
