r"""Write a parsed pattern for RE2, or for the package `regex` where RE2 cannot express it.

Every set of units is written out, so that the engines' own `.`, `\w`, `\s` and case rules do not matter. RE2 has no
look-around and no back-references; everything else it matches exactly, in linear time.

The text is converted as well, so that both engines match by UTF-16 code units: a character beyond U+FFFF becomes its two
surrogates. These are moved to the end of plane 16, because RE2 cannot read surrogates and no converted text has other
characters there. So `.` matches half of an emoji, as in JavaScript.

RE2's `(?m:^)` and `(?m:$)` know the line end `\n` only, JavaScript's also `\r`, U+2028 and U+2029. For texts with these,
each line end is *marked*: it becomes `\n`, a character that says which line end it was, and `\n`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from waza_engine.lib.js_regex.syntax import (
    Assertion,
    AssertionKind,
    BackReference,
    Choice,
    Group,
    LookAround,
    Node,
    Repeat,
    Sequence,
    Units,
    UnitSet,
)

_SURROGATES = 0xD800, 0xDFFF
_MOVED = 0x10F800
"""Where the surrogates go: U+D800 becomes U+10F800."""
_LINE_MARKS = {0x0A: 0x10F000, 0x0D: 0x10F001, 0x2028: 0x10F002, 0x2029: 0x10F003}

_SPLIT = re.compile("[\ud800-\udfff\U00010000-\U0010ffff]")
_MOVED_PAIR = re.compile("([\U0010f800-\U0010fbff])([\U0010fc00-\U0010ffff])")
_OTHER_LINE_END = re.compile("[\r\u2028\u2029]")
_LINE_END = re.compile("[\n\r\u2028\u2029]")
_MARKED_LINE_END = re.compile("\n([\U0010f000-\U0010f003])\n")
_WORD = "[0-9A-Z_a-z]"
_NEVER = 0x10F7FF
"""A character that does not occur in a converted text."""
_CASE_PAIRS = frozenset(((ord(it.upper()), ord(it.upper())), (ord(it), ord(it))) for it in "ks")
"""RE2 reads `[Ss]` as `(?i:s)`. Next to another single letter it then also matches U+017F, and U+212A for `[Kk]`."""


class NotInRe2(Exception):  # noqa: N818  # not an error: the caller uses `regex`
    """RE2 cannot express the pattern."""


@dataclass(frozen=True, slots=True)
class _Engine:
    """The syntax of an engine. With `capturing` it has captures, back-references and look-around."""

    assertions: Mapping[AssertionKind, str]
    nothing: str
    wide: str
    capturing: bool
    marks_lines: bool = False


_RE2_ASSERTIONS = {
    AssertionKind.START: r"\A",
    AssertionKind.END: r"\z",
    AssertionKind.LINE_START: "(?m:^)",
    AssertionKind.LINE_END: "(?m:$)",
    AssertionKind.WORD_EDGE: r"\b",
    AssertionKind.NO_WORD_EDGE: r"\B",
}
_RE2 = _Engine(_RE2_ASSERTIONS, r"[^\x00-\x{10FFFF}]", r"\x{%X}", capturing=False)
_RE2_MARKED = _Engine(_RE2_ASSERTIONS, r"[^\x00-\x{10FFFF}]", r"\x{%X}", capturing=False, marks_lines=True)
_REGEX = _Engine(
    {
        AssertionKind.START: r"\A",
        AssertionKind.END: r"\Z",
        AssertionKind.LINE_START: r"(?<![^\n\r\u2028\u2029])",
        AssertionKind.LINE_END: r"(?![^\n\r\u2028\u2029])",
        AssertionKind.WORD_EDGE: f"(?:(?<={_WORD})(?!{_WORD})|(?<!{_WORD})(?={_WORD}))",
        AssertionKind.NO_WORD_EDGE: f"(?:(?<={_WORD})(?={_WORD})|(?<!{_WORD})(?!{_WORD}))",
    },
    "(?!)",
    r"\U%08X",
    capturing=True,
)


def as_re2(node: Node, *, marked_lines: bool = False) -> str:
    """Return the pattern for RE2. For texts with marked line ends it is anchored, and the match is group 1.

    Raises:
        NotInRe2: RE2 cannot express it.

    """
    if not marked_lines:
        return _write(node, _RE2)
    marks = f"{_code(min(_LINE_MARKS.values()), _RE2)}-{_code(max(_LINE_MARKS.values()), _RE2)}"
    # Without this prefix a match could begin inside a marked line end, or inside the bytes of a character.
    return rf"\A(?:[^\n{marks}]|\n[{marks}]\n)*?({_write(node, _RE2_MARKED)})"


def as_regex(node: Node) -> str:
    """Return the pattern for the package `regex`."""
    return _write(node, _REGEX)


def assertions_in(node: Node) -> frozenset[AssertionKind]:
    """Return the kinds of assertions that occur in the pattern."""
    match node:
        case Assertion(kind):
            return frozenset([kind])
        case Sequence(parts) | Choice(parts):
            return frozenset().union(*(assertions_in(it) for it in parts))
        case Repeat(item=item) | Group(item=item) | LookAround(item=item):
            return assertions_in(item)
        case _:
            return frozenset()


def unrolled_size(node: Node) -> int:
    """Return the number of nodes when all required repetitions are unrolled, as an engine does."""
    match node:
        case Sequence(parts) | Choice(parts):
            return 1 + sum(unrolled_size(it) for it in parts)
        case Repeat(item, low):
            return 1 + unrolled_size(item) * max(low, 1)
        case Group(item=item) | LookAround(item=item):
            return 1 + unrolled_size(item)
        case _:
            return 1


def shortest_match(node: Node) -> int:
    """Return the smallest number of code units that a match consumes."""
    match node:
        case UnitSet():
            return 1
        case Sequence(items):
            return sum(shortest_match(it) for it in items)
        case Choice(options):
            return min(shortest_match(it) for it in options)
        case Repeat(item, low):
            return shortest_match(item) * low
        case Group(item=item):
            return shortest_match(item)
        case _:
            return 0


def has_other_line_end(text: str) -> bool:
    r"""Whether the text has line ends other than `\n`."""
    return _OTHER_LINE_END.search(text) is not None


def split_units(text: str) -> str:
    """Return the text with one character for each code unit."""
    return text if text.isascii() else _SPLIT.sub(_halves, text)


def mark_line_ends(units: str) -> str:
    """Return a text of units with each line end as three characters."""
    return _LINE_END.sub(lambda found: f"\n{chr(_LINE_MARKS[ord(found[0])])}\n", units)


def source_length(prefix: str) -> int:
    """Return the number of characters of the original text for a prefix of a converted one; halves do not count."""
    units = _MARKED_LINE_END.sub("\n", prefix)
    pairs = len(_MOVED_PAIR.findall(units))
    ends_in_half = bool(units) and 0x10F800 <= ord(units[-1]) <= 0x10FBFF
    return len(units) - pairs - ends_in_half


def _halves(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code <= _SURROGATES[1]:
        return chr(code - _SURROGATES[0] + _MOVED)
    high, low = divmod(code - 0x10000, 0x400)
    return chr(_MOVED + high) + chr(_MOVED + 0x400 + low)


def _write(node: Node, engine: _Engine) -> str:
    match node:
        case UnitSet(units):
            return _set(units, engine)
        case Assertion(kind):
            return engine.assertions[kind]
        case Sequence(items):
            return "".join(_write(it, engine) for it in items)
        case Choice(options):
            return f"(?:{'|'.join(_write(it, engine) for it in options)})"
        case Repeat():
            return _repeat(node, engine)
        case Group(item):
            return f"({'' if engine.capturing else '?:'}{_write(item, engine)})"
        case _ if not engine.capturing:
            raise NotInRe2
        case LookAround(item, ahead, negative):
            opening = f"(?{'' if ahead else '<'}{'!' if negative else '='}"
            return f"{opening}{_write(item, engine)})"
        case BackReference(number, any_case):
            # A group without a capture matches the empty string in JavaScript, and nothing in `regex`.
            reference = rf"(?i:\g<{number}>)" if any_case else rf"\g<{number}>"
            return f"(?({number}){reference}|)"


def _repeat(node: Repeat, engine: _Engine) -> str:
    if isinstance(node.item, LookAround):
        # Look-around consumes nothing: one repetition equals many, and an optional one equals none.
        return f"(?:{_write(node.item, engine)}){'' if node.low else '{0}'}"
    high = "" if node.high is None else str(node.high)
    times = {"0,": "*", "1,": "+", "0,1": "?"}.get(f"{node.low},{high}", f"{{{node.low},{high}}}")
    return f"(?:{_write(node.item, engine)}){times}{'' if node.greedy else '?'}"


def _set(units: Units, engine: _Engine) -> str:
    if not units:
        return engine.nothing
    ranges = _move_surrogates(units)
    if not engine.capturing and units in _CASE_PAIRS:
        ranges.append((_NEVER, _NEVER))
    marks: list[int] = []
    if engine.marks_lines:
        marks = [
            mark for unit, mark in _LINE_MARKS.items() if any(low <= unit <= high for low, high in units)
        ]
        ranges = [it for low, high in ranges for it in _without_line_ends(low, high)]
    options = [_class(ranges, engine)] if ranges else []
    if marks:
        options.append(rf"\n{_class([(it, it) for it in marks], engine)}\n")
    return options[0] if len(options) == 1 else f"(?:{'|'.join(options)})"


def _class(ranges: list[tuple[int, int]], engine: _Engine) -> str:
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return _code(ranges[0][0], engine)
    pairs = (_code(low, engine) + (f"-{_code(high, engine)}" if high > low else "") for low, high in ranges)
    return f"[{''.join(pairs)}]"


def _move_surrogates(units: Units) -> list[tuple[int, int]]:
    """Return the ranges with the surrogates moved to where a converted text has them."""
    first, last = _SURROGATES
    found: list[tuple[int, int]] = []
    for low, high in units:
        for start, end, shift in ((0, first - 1, 0), (first, last, _MOVED - first), (last + 1, 0xFFFF, 0)):
            below, above = max(low, start), min(high, end)
            if below <= above:
                found.append((below + shift, above + shift))
    return found


def _without_line_ends(low: int, high: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for unit in _LINE_MARKS:
        if low <= unit <= high:
            found += [(low, unit - 1)] if low < unit else []
            low = unit + 1
    return [*found, (low, high)] if low <= high else found


def _code(unit: int, engine: _Engine) -> str:
    if unit < 0x80:
        return chr(unit) if chr(unit).isalnum() else rf"\x{unit:02X}"
    return engine.wide % unit
