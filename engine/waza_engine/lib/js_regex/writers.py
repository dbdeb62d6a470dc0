r"""A parsed pattern in the words of another engine: RE2 where it can say it, otherwise the package `regex`.

Every set of units is written out, so neither engine's idea of `.`, `\w`, `\s` or upper and lower case matters. RE2
has no look-around and no back-references; everything else it says exactly, in linear time.

Texts in the form in which RE2 and `regex` can match them by code units.

A character beyond U+FFFF becomes two: its surrogates, moved to the end of plane 16 where no text has anything left
once it is split. So `.` matches half of an emoji, as in JavaScript, and RE2, which knows no surrogates, can read it.

RE2's `(?m:^)` and `(?m:$)` know the line end `\n` only, JavaScript's also `\r`, U+2028 and U+2029. In the *lined* form
each of the four is three characters: `\n`, a mark that says which, `\n`.

How large a pattern is, and how short a text it can match: asked before an engine unrolls its counts.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from waza_engine.lib.js_regex.syntax import (
    At,
    Back,
    Choice,
    Group,
    Look,
    Node,
    One,
    Place,
    Repeat,
    Sequence,
    Units,
)

SURROGATES = 0xD800, 0xDFFF
MOVED = 0x10F800
"""Where the surrogates are: U+D800 is U+10F800."""
LINE_MARKS = {0x0A: 0x10F000, 0x0D: 0x10F001, 0x2028: 0x10F002, 0x2029: 0x10F003}

_SPLIT = re.compile("[\ud800-\udfff\U00010000-\U0010ffff]")
_MOVED_PAIR = re.compile("([\U0010f800-\U0010fbff])([\U0010fc00-\U0010ffff])")
_STRANGE_LINE_END = re.compile("[\r\u2028\u2029]")
_LINE_END = re.compile("[\n\r\u2028\u2029]")
_LINED_END = re.compile("\n([\U0010f000-\U0010f003])\n")


def has_strange_line_end(text: str) -> bool:
    r"""Whether there are line ends other than `\n`."""
    return _STRANGE_LINE_END.search(text) is not None


def in_units(text: str) -> str:
    """The text with one character for each code unit."""
    return text if text.isascii() else _SPLIT.sub(_halves, text)


def lined(units: str) -> str:
    """A text of units with each line end as three characters."""
    return _LINE_END.sub(lambda it: f"\n{chr(LINE_MARKS[ord(it[0])])}\n", units)


def given_length(prefix: str) -> int:
    """How many characters of the given text such a prefix stands for; half a character counts as none."""
    units = _LINED_END.sub("\n", prefix)
    pairs = len(_MOVED_PAIR.findall(units))
    ends_in_half = bool(units) and 0x10F800 <= ord(units[-1]) <= 0x10FBFF
    return len(units) - pairs - ends_in_half


def _halves(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code <= SURROGATES[1]:
        return chr(code - SURROGATES[0] + MOVED)
    high, low = divmod(code - 0x10000, 0x400)
    return chr(MOVED + high) + chr(MOVED + 0x400 + low)


def size(node: Node) -> int:
    """The number of parts when everything that must be repeated is written out."""
    match node:
        case Sequence(parts) | Choice(parts):
            return 1 + sum(size(it) for it in parts)
        case Repeat(item, low):
            return 1 + size(item) * max(low, 1)
        case Group(item=item) | Look(item=item):
            return 1 + size(item)
        case _:
            return 1


def shortest(node: Node) -> int:
    """The fewest code units that a match consumes."""
    match node:
        case One():
            return 1
        case Sequence(items):
            return sum(shortest(it) for it in items)
        case Choice(options):
            return min(shortest(it) for it in options)
        case Repeat(item, low):
            return shortest(item) * low
        case Group(item=item):
            return shortest(item)
        case _:
            return 0


_WORD = "[0-9A-Z_a-z]"
_NEVER = 0x10F7FF
"""A character that no text in the form of `text_form` has."""
_FOLDED = frozenset(((ord(it.upper()), ord(it.upper())), (ord(it), ord(it))) for it in "ks")
"""RE2 takes `[Ss]` for `(?i:s)`, and beside another single letter it then also finds U+017F, for `[Kk]` U+212A."""


class BeyondRe2(Exception):  # noqa: N818  # a way out, no error
    """The pattern has something that RE2 cannot say."""


@dataclass(frozen=True, slots=True)
class _Words:
    """How an engine says things. `capturing`: groups are captured and can be referred to, and there is look-around."""

    places: Mapping[Place, str]
    nothing: str
    wide: str
    capturing: bool
    lined: bool = False


_RE2_PLACES = {
    Place.START: r"\A",
    Place.END: r"\z",
    Place.LINE_START: "(?m:^)",
    Place.LINE_END: "(?m:$)",
    Place.WORD_EDGE: r"\b",
    Place.NO_WORD_EDGE: r"\B",
}
_RE2 = _Words(_RE2_PLACES, r"[^\x00-\x{10FFFF}]", r"\x{%X}", capturing=False)
_RE2_LINED = _Words(_RE2_PLACES, r"[^\x00-\x{10FFFF}]", r"\x{%X}", capturing=False, lined=True)
_REGEX = _Words(
    {
        Place.START: r"\A",
        Place.END: r"\Z",
        Place.LINE_START: r"(?<![^\n\r\u2028\u2029])",
        Place.LINE_END: r"(?![^\n\r\u2028\u2029])",
        Place.WORD_EDGE: f"(?:(?<={_WORD})(?!{_WORD})|(?<!{_WORD})(?={_WORD}))",
        Place.NO_WORD_EDGE: f"(?:(?<={_WORD})(?={_WORD})|(?<!{_WORD})(?!{_WORD}))",
    },
    "(?!)",
    r"\U%08X",
    capturing=True,
)


def as_re2(node: Node, *, lined: bool = False) -> str:
    """The pattern for RE2; for texts in the lined form it begins at the start of the text.

    Raises:
        BeyondRe2: RE2 cannot say it.

    """
    if not lined:
        return _written(node, _RE2)
    marks = f"{_code(min(LINE_MARKS.values()), _RE2)}-{_code(max(LINE_MARKS.values()), _RE2)}"
    # Without this a search could begin inside the three characters of a line end, or inside a character's bytes.
    return rf"\A(?:[^\n{marks}]|\n[{marks}]\n)*?({_written(node, _RE2_LINED)})"


def as_regex(node: Node) -> str:
    """The pattern for the package `regex`."""
    return _written(node, _REGEX)


def places_in(node: Node) -> frozenset[Place]:
    """The kinds of positions that the pattern asks for."""
    match node:
        case At(place):
            return frozenset([place])
        case Sequence(parts) | Choice(parts):
            return frozenset().union(*(places_in(it) for it in parts))
        case Repeat(item=item) | Group(item=item) | Look(item=item):
            return places_in(item)
        case _:
            return frozenset()


def _written(node: Node, words: _Words) -> str:
    match node:
        case One(units):
            return _set(units, words)
        case At(place):
            return words.places[place]
        case Sequence(items):
            return "".join(_written(it, words) for it in items)
        case Choice(options):
            return f"(?:{'|'.join(_written(it, words) for it in options)})"
        case Repeat():
            return _repeat(node, words)
        case Group(item):
            return f"({'' if words.capturing else '?:'}{_written(item, words)})"
        case _ if not words.capturing:
            raise BeyondRe2
        case Look(item, ahead, negative):
            opening = f"(?{'' if ahead else '<'}{'!' if negative else '='}"
            return f"{opening}{_written(item, words)})"
        case Back(number, any_case):
            # A group that has captured nothing is the empty text, where `regex` would not match.
            reference = rf"(?i:\g<{number}>)" if any_case else rf"\g<{number}>"
            return f"(?({number}){reference}|)"


def _repeat(node: Repeat, words: _Words) -> str:
    if isinstance(node.item, Look):
        # Once is as good as often, and never as good as perhaps: an empty round does not count.
        return f"(?:{_written(node.item, words)}){'' if node.low else '{0}'}"
    high = "" if node.high is None else str(node.high)
    times = {"0,": "*", "1,": "+", "0,1": "?"}.get(f"{node.low},{high}", f"{{{node.low},{high}}}")
    return f"(?:{_written(node.item, words)}){times}{'' if node.greedy else '?'}"


def _set(units: Units, words: _Words) -> str:
    if not units:
        return words.nothing
    ranges = _moved(units)
    if not words.capturing and units in _FOLDED:
        ranges.append((_NEVER, _NEVER))
    marks: list[int] = []
    if words.lined:
        marks = [mark for unit, mark in LINE_MARKS.items() if any(low <= unit <= high for low, high in units)]
        ranges = [it for low, high in ranges for it in _without_line_ends(low, high)]
    options = [_class(ranges, words)] if ranges else []
    if marks:
        options.append(rf"\n{_class([(it, it) for it in marks], words)}\n")
    return options[0] if len(options) == 1 else f"(?:{'|'.join(options)})"


def _class(ranges: list[tuple[int, int]], words: _Words) -> str:
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return _code(ranges[0][0], words)
    pairs = (_code(low, words) + (f"-{_code(high, words)}" if high > low else "") for low, high in ranges)
    return f"[{''.join(pairs)}]"


def _moved(units: Units) -> list[tuple[int, int]]:
    """The ranges with the surrogates where the text has them."""
    first, last = SURROGATES
    found: list[tuple[int, int]] = []
    for low, high in units:
        for start, end, shift in ((0, first - 1, 0), (first, last, MOVED - first), (last + 1, 0xFFFF, 0)):
            below, above = max(low, start), min(high, end)
            if below <= above:
                found.append((below + shift, above + shift))
    return found


def _without_line_ends(low: int, high: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for it in LINE_MARKS:
        if low <= it <= high:
            found += [(low, it - 1)] if low < it else []
            low = it + 1
    return [*found, (low, high)] if low <= high else found


def _code(unit: int, words: _Words) -> str:
    if unit < 0x80:
        return chr(unit) if chr(unit).isalnum() else rf"\x{unit:02X}"
    return words.wide % unit
