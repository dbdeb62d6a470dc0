r"""What a backslash means in a JavaScript pattern without the flag `u`, and what stands in `[...]`.

An escape that means nothing is the letter itself: `\A`, `\Z`, `\z`, `\h`, `\p` are plain letters. People who come from
other engines mean something else, so these are noted (docs/reference/vally.md, section 7.1).
"""

import re

from waza_engine.lib.js_regex.scanning import Scanner
from waza_engine.lib.js_regex.syntax import DIGITS, SPACE, WORD, JsNote, Units, in_any_case, joined, without

_CLASSES: dict[str, Units] = {
    "d": DIGITS,
    "D": without(DIGITS),
    "s": SPACE,
    "S": without(SPACE),
    "w": WORD,
    "W": without(WORD),
}
_CONTROLS = {"f": 0x0C, "n": 0x0A, "r": 0x0D, "t": 0x09, "v": 0x0B}
_OCTAL = re.compile(r"\\([0-3][0-7]{0,2}|[4-7][0-7]?)")
_HEXADECIMAL = re.compile(r"\\x([0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})")
_CONTROL_LETTER = re.compile(r"\\c([a-zA-Z])")
_CONTROL_IN_CLASS = re.compile(r"\\c([a-zA-Z0-9_])")
_POSIX_CLASS = re.compile(r"\[:\^?[a-z]+:\]")

_MEANT = {
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
"""What the letters mean in other engines."""


class ClassReader:
    """Reads escapes and classes; `notes` collects what is not what it looks like."""

    def __init__(self, scanner: Scanner, *, has_names: bool) -> None:
        self._text = scanner
        self._has_names = has_names
        self.notes: list[JsNote] = []

    def a_class(self, *, any_case: bool) -> Units:
        """The units of a whole `[...]`, read."""
        start = self._text.at
        self._text.skip(1)
        negated = self._text.take("^")
        found: list[tuple[int, int]] = []
        while not self._text.take("]"):
            if not self._text.next:
                raise self._text.error("Unterminated character class", start)
            found += self._member(start)
        units = joined(found)
        if any_case:
            units = in_any_case(units)
        return without(units) if negated else units

    def _member(self, start: int) -> Units:
        """One unit, one escape, or one range."""
        here = self._text.at
        low = self._class_atom()
        if not self._text.starts("-") or self._text.starts("-]"):
            return low
        self._text.skip(1)
        if not self._text.next:
            raise self._text.error("Unterminated character class", start)
        high = self._class_atom()
        if not (_is_single(low) and _is_single(high)):
            # `[\w-z]`: no range, all three are members.
            return (*low, *high, (0x2D, 0x2D))
        if low[0][0] > high[0][0]:
            raise self._text.error("Range out of order in character class", here)
        return ((low[0][0], high[0][0]),)

    def _class_atom(self) -> Units:
        if self._text.next == "\\":
            return self.escape(in_class=True)
        if found := self._text.match(_POSIX_CLASS):
            self._note(f"'{found[0]}' is no class of letters in JavaScript", len(found[0]))
        unit = self._text.taken_unit()
        return ((unit, unit),)

    def escape(self, *, in_class: bool) -> Units:
        r"""The units that an escape stands for, read. Back-references and `\b` are not looked for here."""
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
            unit = self._coded(in_class=in_class)
        return ((unit, unit),)

    def _coded(self, *, in_class: bool) -> int:
        if found := self._text.match(_OCTAL):
            self._text.skip(len(found[0]))
            return int(found[1], 8)
        if found := self._text.match(_HEXADECIMAL):
            self._text.skip(len(found[0]))
            return int(found[1] or found[2], 16)
        if self._text.starts("\\c"):
            found = self._text.match(_CONTROL_IN_CLASS if in_class else _CONTROL_LETTER)
            # Without a letter that it controls, the backslash is one, and the c comes next.
            self._text.skip(3 if found else 1)
            return ord(found[1]) % 32 if found else 0x5C
        return self._itself()

    def _itself(self) -> int:
        """The letter after the backslash."""
        letter = self._text.second
        if letter == "k" and self._has_names:
            raise self._text.error("Invalid escape: \\k is a reference here")
        if letter in _MEANT:
            self._note(f"'\\{letter}' is the letter {letter} in JavaScript, not {_MEANT[letter]}", 2)
        elif self._text.starts("\\u{", "\\x{"):
            self._note(f"'\\{letter}{{' is the letter {letter} in JavaScript: write \\uXXXX or \\xXX", 3)
        self._text.skip(1)
        return self._text.taken_unit()

    def _note(self, message: str, length: int) -> None:
        start = self._text.at
        self.notes.append(JsNote(message, *self._text.place(start, start + length)))


def _is_single(units: Units) -> bool:
    return len(units) == 1 and units[0][0] == units[0][1]
