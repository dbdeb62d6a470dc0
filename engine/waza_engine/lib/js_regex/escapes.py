r"""Read escapes and character classes of JavaScript patterns without the flag `u`.

An unknown escape is the letter itself: `\A`, `\Z`, `\z`, `\h`, `\p` match plain letters. In other engines they have a
meaning, so they get a note (docs/reference/vally.md, section 7.1).
"""

import re

from waza_engine.lib.js_regex.scanning import Scanner
from waza_engine.lib.js_regex.syntax import (
    DIGITS,
    SPACE,
    WORD,
    JsNote,
    Units,
    complement,
    union,
    with_all_cases,
)

_CLASSES: dict[str, Units] = {
    "d": DIGITS,
    "D": complement(DIGITS),
    "s": SPACE,
    "S": complement(SPACE),
    "w": WORD,
    "W": complement(WORD),
}
_CONTROLS = {"f": 0x0C, "n": 0x0A, "r": 0x0D, "t": 0x09, "v": 0x0B}
_OCTAL = re.compile(r"\\([0-3][0-7]{0,2}|[4-7][0-7]?)")
_HEXADECIMAL = re.compile(r"\\x([0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})")
_CONTROL_LETTER = re.compile(r"\\c([a-zA-Z])")
_CONTROL_IN_CLASS = re.compile(r"\\c([a-zA-Z0-9_])")
_POSIX_CLASS = re.compile(r"\[:\^?[a-z]+:\]")

_MEANING_ELSEWHERE = {
    "A": "the start of the text: write ^",
    "Z": "the end of the text: write $",
    "z": "the end of the text: write $",
    "G": "a position",
    "h": "white space: write [ \\t]",
    "R": "a line end: write \\r?\\n",
    "K": "a new start of the match",
    "X": "a whole character",
    "N": "anything but a line end: write .",
    "Q": "the start of a literal text: escape its characters one by one",
    "E": "the end of a literal text: escape its characters one by one",
    "a": "the bell character: write \\x07",
    "e": "the escape character: write \\x1b",
    "p": "a Unicode property, which needs the flag u that vally does not set",
    "P": "a Unicode property, which needs the flag u that vally does not set",
}
"""The meaning of an escaped letter in other engines."""


class ClassReader:
    """Reads escapes and classes; `notes` collects what looks like something else."""

    def __init__(self, scanner: Scanner, *, has_names: bool) -> None:
        self._text = scanner
        self._has_names = has_names
        self.notes: list[JsNote] = []

    def read_class(self, *, any_case: bool) -> Units:
        """Read a whole `[...]` and return its units."""
        start = self._text.at
        self._text.skip(1)
        negated = self._text.take("^")
        found: list[tuple[int, int]] = []
        while not self._text.take("]"):
            if not self._text.next:
                raise self._text.error("Unterminated character class", start)
            found += self._member(start)
        units = union(found)
        if any_case:
            units = with_all_cases(units)
        return complement(units) if negated else units

    def _member(self, start: int) -> Units:
        """Read one unit, one escape, or one range."""
        here = self._text.at
        low = self._class_atom()
        if not self._text.starts("-") or self._text.starts("-]"):
            return low
        self._text.skip(1)
        if not self._text.next:
            raise self._text.error("Unterminated character class", start)
        high = self._class_atom()
        if not (_is_single(low) and _is_single(high)):
            # `[\w-z]` is not a range: all three are members.
            return (*low, *high, (0x2D, 0x2D))
        if low[0][0] > high[0][0]:
            raise self._text.error("Range out of order in character class", here)
        return ((low[0][0], high[0][0]),)

    def _class_atom(self) -> Units:
        if self._text.next == "\\":
            return self.read_escape(in_class=True)
        if found := self._text.match(_POSIX_CLASS):
            self._note(f"'{found[0]}' is not a character class in JavaScript", len(found[0]))
        unit = self._text.read_unit()
        return ((unit, unit),)

    def read_escape(self, *, in_class: bool) -> Units:
        r"""Read an escape and return its units. The caller handles back-references and `\b` outside of classes."""
        letter = self._text.second
        if not letter:
            raise self._text.error("\\ at end of pattern")
        if letter in _CLASSES:
            self._text.skip(2)
            return _CLASSES[letter]
        if letter in _CONTROLS:
            unit = _CONTROLS[letter]
            self._text.skip(2)
        elif letter == "b" and in_class:
            unit = 0x08
            self._text.skip(2)
        else:
            unit = self._code_unit(in_class=in_class)
        return ((unit, unit),)

    def _code_unit(self, *, in_class: bool) -> int:
        if found := self._text.match(_OCTAL):
            self._text.skip(len(found[0]))
            return int(found[1], 8)
        if found := self._text.match(_HEXADECIMAL):
            self._text.skip(len(found[0]))
            return int(found[1] or found[2], 16)
        if self._text.starts("\\c"):
            found = self._text.match(_CONTROL_IN_CLASS if in_class else _CONTROL_LETTER)
            # Without a control letter the backslash matches itself, and `c` is read next.
            self._text.skip(3 if found else 1)
            return ord(found[1]) % 32 if found else 0x5C
        return self._identity()

    def _identity(self) -> int:
        """Read an unknown escape as the letter itself, and note letters that mean something in other engines."""
        letter = self._text.second
        if letter == "k" and self._has_names:
            raise self._text.error("Invalid escape: \\k is a reference in a pattern with named groups")
        if letter in _MEANING_ELSEWHERE:
            self._note(
                f"'\\{letter}' is the letter {letter} in JavaScript, not {_MEANING_ELSEWHERE[letter]}", 2
            )
        elif self._text.starts("\\u{", "\\x{"):
            self._note(f"'\\{letter}{{' is the letter {letter} in JavaScript: write \\uXXXX or \\xXX", 3)
        self._text.skip(1)
        return self._text.read_unit()

    def _note(self, message: str, length: int) -> None:
        start = self._text.at
        self.notes.append(JsNote(message, *self._text.source_span(start, start + length)))


def _is_single(units: Units) -> bool:
    return len(units) == 1 and units[0][0] == units[0][1]
