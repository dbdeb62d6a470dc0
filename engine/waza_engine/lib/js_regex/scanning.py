"""Read a pattern by UTF-16 code units, as JavaScript does. Positions in errors count characters."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from waza_engine.lib.js_regex.syntax import JsPatternError

_GROUP_NAME_ESCAPE = re.compile(r"\\u(?:([0-9a-fA-F]{4})|\{0*([0-9a-fA-F]{1,6})\})")


def code_units(text: str) -> list[int]:
    """Return the code units of a text: two for each character beyond U+FFFF."""
    units: list[int] = []
    for character in text:
        code = ord(character)
        if code > 0xFFFF:
            units += [0xD800 + (code - 0x10000 >> 10), 0xDC00 + (code - 0x10000 & 0x3FF)]
        else:
            units.append(code)
    return units


class Scanner:
    """A pattern and the reading position `at`, in code units."""

    def __init__(self, pattern: str, start: int = 0) -> None:
        self._pattern = pattern
        units = code_units(pattern)
        # One character for each unit: surrogate pairs become two lone surrogates.
        self._units = pattern if len(units) == len(pattern) else "".join(map(chr, units))
        self.at = start

    @property
    def next(self) -> str:
        """The next unit, "" at the end."""
        return self._units[self.at : self.at + 1]

    @property
    def second(self) -> str:
        """The unit after the next one, "" at the end."""
        return self._units[self.at + 1 : self.at + 2]

    def rest(self) -> str:
        return self._units[self.at :]

    def starts(self, *texts: str) -> bool:
        return self._units.startswith(texts, self.at)

    def take(self, text: str) -> bool:
        """Read `text` if it comes next, and return whether it did."""
        if not self._units.startswith(text, self.at):
            return False
        self.at += len(text)
        return True

    def skip(self, count: int) -> None:
        self.at += count

    def read(self, count: int) -> str:
        start, self.at = self.at, self.at + count
        return self._units[start : self.at]

    def read_unit(self) -> int:
        return ord(self.read(1))

    def match(self, shape: re.Pattern[str]) -> re.Match[str] | None:
        return shape.match(self._units, self.at)

    def source_span(self, start: int, end: int) -> tuple[int, int]:
        """Return the characters of the pattern for a range of units."""
        return self._character(start), self._character(end)

    def error(self, message: str, at: int | None = None) -> JsPatternError:
        return JsPatternError(message, self._character(self.at if at is None else at))

    def _character(self, at: int) -> int:
        if self._units is self._pattern:
            return at
        return len(self._units[:at].encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"))

    def read_back_reference(self, highest: int) -> int:
        r"""Read a back-reference `\N` and return N; 0 if there is none, or no group with that number."""
        found = self.match(_BACK_REFERENCE)
        number = int(found[1][:9]) if found else 0
        if not found or number > highest:
            return 0
        self.at = found.end()
        return number

    def read_group_name(self) -> str:
        """Read a group name and the `>` after it, and return the name.

        Raises:
            JsPatternError: the name is invalid.

        """
        start, name = self.at, ""
        while not self.take(">"):
            character = self._read_name_character(start)
            usable = _can_start(character) if not name else _can_follow(character)
            if not usable:
                raise self.error("Invalid capture group name", start)
            name += character
        if not name:
            raise self.error("Invalid capture group name", start)
        return name

    def _read_name_character(self, start: int) -> str:
        if found := self.match(_GROUP_NAME_ESCAPE):
            self.at = found.end()
            code = int(found[1] or found[2], 16)
            low = self.match(_GROUP_NAME_ESCAPE) if 0xD800 <= code <= 0xDBFF and found[1] else None
            if low and low[1] and 0xDC00 <= int(low[1], 16) <= 0xDFFF:
                self.at = low.end()
                return chr(0x10000 + (code - 0xD800 << 10) + int(low[1], 16) - 0xDC00)
            return chr(code) if code <= 0x10FFFF else ""
        if not self.next:
            raise self.error("Invalid capture group name", start)
        unit = self.read_unit()
        if 0xD800 <= unit <= 0xDBFF and "\udc00" <= self.next <= "\udfff":
            return chr(0x10000 + (unit - 0xD800 << 10) + self.read_unit() - 0xDC00)
        return chr(unit)


_BACK_REFERENCE = re.compile(r"\\([1-9][0-9]*)")


def _can_start(character: str) -> bool:
    return bool(character) and (character in "$_" or character.isidentifier())


def _can_follow(character: str) -> bool:
    return bool(character) and (character in "$\u200c\u200d" or f"a{character}".isidentifier())


@dataclass(frozen=True, slots=True)
class Groups:
    """The number of capturing groups in a pattern, and the numbers of the named ones."""

    count: int
    names: Mapping[str, int]


def scan_groups(scanner: Scanner) -> Groups:
    r"""Return all groups without moving the position: what `\1` and `\k` mean depends on later groups.

    Raises:
        JsPatternError: a name is invalid, or is used twice.

    """
    start, count, in_class = scanner.at, 0, False
    names: dict[str, int] = {}
    while unit := scanner.next:
        here = scanner.at
        if unit == "\\":
            scanner.skip(2)
            continue
        if unit == "(" and not in_class:
            named = scanner.starts("(?<") and not scanner.starts("(?<=", "(?<!")
            if named or not scanner.starts("(?"):
                count += 1
            if named:
                scanner.skip(3)
                name = scanner.read_group_name()
                if name in names:
                    raise scanner.error(f"Duplicate capture group name '{name}'", here)
                names[name] = count
                continue
        in_class = unit == "[" or (in_class and unit != "]")
        scanner.skip(1)
    scanner.at = start
    return Groups(count, names)
