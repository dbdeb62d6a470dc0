"""Reading a pattern by UTF-16 code units, which is what JavaScript does, while places stay those of the given text."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from waza_engine.lib.js_regex.syntax import JsPatternError

_GROUP_NAME_ESCAPE = re.compile(r"\\u(?:([0-9a-fA-F]{4})|\{0*([0-9a-fA-F]{1,6})\})")


def as_units(text: str) -> list[int]:
    """The code units of a text: two for each character beyond U+FFFF."""
    units: list[int] = []
    for it in text:
        code = ord(it)
        if code > 0xFFFF:
            units += [0xD800 + (code - 0x10000 >> 10), 0xDC00 + (code - 0x10000 & 0x3FF)]
        else:
            units.append(code)
    return units


class Scanner:
    """A pattern and how far it is read. `at` counts code units."""

    def __init__(self, pattern: str, start: int = 0) -> None:
        self._given = pattern
        units = as_units(pattern)
        # Each unit as one character: halves of surrogate pairs become lone surrogates.
        self._units = pattern if len(units) == len(pattern) else "".join(map(chr, units))
        self.at = start

    @property
    def next(self) -> str:
        """The next unit, empty at the end."""
        return self._units[self.at : self.at + 1]

    @property
    def second(self) -> str:
        """The unit after the next one, empty at the end."""
        return self._units[self.at + 1 : self.at + 2]

    def rest(self) -> str:
        return self._units[self.at :]

    def starts(self, *texts: str) -> bool:
        return self._units.startswith(texts, self.at)

    def take(self, text: str) -> bool:
        """Whether `text` stands here; then it is read."""
        if not self._units.startswith(text, self.at):
            return False
        self.at += len(text)
        return True

    def skip(self, count: int) -> None:
        self.at += count

    def taken(self, count: int) -> str:
        start, self.at = self.at, self.at + count
        return self._units[start : self.at]

    def taken_unit(self) -> int:
        return ord(self.taken(1))

    def match(self, shape: re.Pattern[str]) -> re.Match[str] | None:
        return shape.match(self._units, self.at)

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Units as characters of the given pattern."""
        return self._character(start), self._character(end)

    def error(self, message: str, at: int | None = None) -> JsPatternError:
        return JsPatternError(message, self._character(self.at if at is None else at))

    def _character(self, at: int) -> int:
        if self._units is self._given:
            return at
        return len(self._units[:at].encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"))

    def decimal_after_backslash(self, highest: int) -> int:
        r"""The number of a back-reference `\N`, read; 0 when there is none, or no group with the number."""
        found = self.match(_BACK)
        number = int(found[1][:9]) if found else 0
        if not found or number > highest:
            return 0
        self.at = found.end()
        return number

    def group_name(self) -> str:
        """The name up to and with the `>`, read.

        Raises:
            JsPatternError: it is no name.

        """
        start, name = self.at, ""
        while not self.take(">"):
            character = self._name_character(start)
            usable = _can_start(character) if not name else _can_follow(character)
            if not usable:
                raise self.error("Invalid capture group name", start)
            name += character
        if not name:
            raise self.error("Invalid capture group name", start)
        return name

    def _name_character(self, start: int) -> str:
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
        unit = self.taken_unit()
        if 0xD800 <= unit <= 0xDBFF and "\udc00" <= self.next <= "\udfff":
            return chr(0x10000 + (unit - 0xD800 << 10) + self.taken_unit() - 0xDC00)
        return chr(unit)


_BACK = re.compile(r"\\([1-9][0-9]*)")


def _can_start(character: str) -> bool:
    return bool(character) and (character in "$_" or character.isidentifier())


def _can_follow(character: str) -> bool:
    return bool(character) and (character in "$\u200c\u200d" or f"a{character}".isidentifier())


@dataclass(frozen=True, slots=True)
class Groups:
    """How many capturing groups a pattern has, and which of them have names."""

    count: int
    names: Mapping[str, int]


def scanned_groups(scanner: Scanner) -> Groups:
    r"""Look ahead for all groups: what `\1` and `\k` mean depends on groups that may come later.

    Raises:
        JsPatternError: a name is none, or is given twice.

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
                name = scanner.group_name()
                if name in names:
                    raise scanner.error(f"Duplicate capture group name '{name}'", here)
                names[name] = count
                continue
        in_class = unit == "[" or (in_class and unit != "]")
        scanner.skip(1)
    scanner.at = start
    return Groups(count, names)
