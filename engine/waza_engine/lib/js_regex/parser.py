r"""JavaScript's grammar for patterns without the flags `u` and `v`, with the leniency that browsers and Node keep.

ECMAScript 2024 with its annex B: `]`, `{` and unknown escapes are literal, `\1` is octal without a first
group. Two things are added. vally cuts a leading group of flags off (docs/reference/vally.md, section 7.1).
And `(?i:...)`, which Node 20 refuses and newer engines know, is read and noted.
"""

import re

from waza_engine.lib.js_regex.escapes import ClassReader
from waza_engine.lib.js_regex.scanning import Scanner, scanned_groups
from waza_engine.lib.js_regex.syntax import (
    LINE_ENDS,
    At,
    Back,
    Choice,
    Group,
    JsNote,
    JsPatternError,
    Look,
    Node,
    One,
    Pattern,
    Place,
    Repeat,
    Sequence,
    Units,
    in_any_case,
    without,
)

_LEADING_FLAGS = re.compile(r"\(\?([ims]+)\)")
_MODIFIERS = re.compile(r"\(\?([ims]*)(?:(-)([ims]*))?:")
_BRACES = re.compile(r"\{([0-9]+)(?:(,)([0-9]*))?\}")
_DEEPEST = 100
"""How deep groups may be nested. Deeper ones are no pattern of a person, and the writers recurse."""
_MOST_TIMES = 1 << 31


def parsed(pattern: str, *, leading_flags: bool = True) -> Pattern:
    """The pattern as data.

    Raises:
        JsPatternError: JavaScript would refuse it.

    """
    flags, start = "", 0
    if leading_flags and (found := _LEADING_FLAGS.match(pattern)):
        flags, start = found[1], found.end()
        if len(set(flags)) < len(flags):
            raise JsPatternError(f"Invalid flags '{flags}': a letter occurs twice", 2)
    return _Parser(Scanner(pattern, start), frozenset(flags)).pattern()


class _Parser:
    """Walks a pattern from left to right; `flags` are those that hold where it stands."""

    def __init__(self, scanner: Scanner, flags: frozenset[str]) -> None:
        self._text = scanner
        self._flags = flags
        self._groups = scanned_groups(scanner)
        self._escapes = ClassReader(scanner, has_names=bool(self._groups.names))
        self._opened = 0
        self._finished: set[int] = set()
        self._behind = 0
        self._depth = 0
        self._notes: list[JsNote] = []

    def pattern(self) -> Pattern:
        node = self._choice()
        if self._text.next == ")":
            raise self._text.error("Unmatched ')'")
        notes = sorted([*self._notes, *self._escapes.notes], key=lambda it: it.start)
        return Pattern(node, tuple(notes))

    def _choice(self) -> Node:
        options = [self._sequence()]
        while self._text.take("|"):
            options.append(self._sequence())
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def _sequence(self) -> Node:
        items: list[Node] = []
        while self._text.next not in {"", "|", ")"}:
            items.append(self._term())
        return items[0] if len(items) == 1 else Sequence(tuple(items))

    def _term(self) -> Node:
        match self._text.next:
            case "^":
                self._text.skip(1)
                return At(Place.LINE_START if "m" in self._flags else Place.START)
            case "$":
                self._text.skip(1)
                return At(Place.LINE_END if "m" in self._flags else Place.END)
            case "(":
                # A look-behind takes no quantifier; a look-ahead does, for the sake of old scripts.
                is_behind = self._text.starts("(?<=", "(?<!")
                node = self._group()
                return node if is_behind else self._repeated(node)
            case "\\" if self._text.starts("\\b", "\\B"):
                return At(Place.WORD_EDGE if self._text.taken(2) == "\\b" else Place.NO_WORD_EDGE)
            case "*" | "+" | "?":
                raise self._text.error("Nothing to repeat")
            case "{" if self._text.match(_BRACES):
                raise self._text.error("Nothing to repeat")
            case _:
                return self._repeated(self._atom())

    def _atom(self) -> Node:
        match self._text.next:
            case ".":
                self._text.skip(1)
                return One(((0, 0xFFFF),) if "s" in self._flags else without(LINE_ENDS))
            case "[":
                return One(self._escapes.a_class(any_case="i" in self._flags))
            case "\\":
                return self._escape()
            case _:
                return self._literal(self._text.taken_unit())

    def _literal(self, unit: int) -> Node:
        return One(self._folded(((unit, unit),)))

    def _folded(self, units: Units) -> Units:
        return in_any_case(units) if "i" in self._flags else units

    def _escape(self) -> Node:
        if number := self._text.decimal_after_backslash(self._groups.count):
            return self._back(number)
        if self._groups.names and self._text.starts("\\k"):
            return self._named_back()
        units = self._escapes.escape(in_class=False)
        return One(self._folded(units) if len(units) == 1 and units[0][0] == units[0][1] else units)

    def _named_back(self) -> Node:
        start = self._text.at
        self._text.skip(2)
        name = self._text.group_name() if self._text.take("<") else None
        if name is None:
            raise self._text.error("Invalid named reference", start)
        if name not in self._groups.names:
            raise self._text.error(f"No group is named '{name}'", start)
        return self._back(self._groups.names[name])

    def _back(self, number: int) -> Node:
        # Each round of a loop forgets what its groups had captured. So before its end a group is always empty.
        if number not in self._finished and not self._behind:
            return Sequence(())
        return Back(number, "i" in self._flags)

    def _group(self) -> Node:
        start, outer = self._text.at, self._flags
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._text.error("Regular expression too large: groups are nested too deep")
        for opening, ahead, negative in _LOOKS:
            if self._text.take(opening):
                self._behind += not ahead
                node = self._closed(start, outer)
                self._behind -= not ahead
                return Look(node, ahead, negative)
        if self._text.take("(?:"):
            return self._closed(start, outer)
        if self._text.take("(?<"):
            self._text.group_name()
        elif self._text.starts("(?"):
            self._modify(start)
            return self._closed(start, outer)
        else:
            self._text.skip(1)
        self._opened += 1
        number = self._opened
        node = self._closed(start, outer)
        self._finished.add(number)
        return Group(node, number)

    def _closed(self, start: int, outer: frozenset[str]) -> Node:
        node = self._choice()
        if not self._text.take(")"):
            raise self._text.error("Unterminated group", start)
        self._flags = outer
        self._depth -= 1
        return node

    def _modify(self, start: int) -> None:
        r"""Read `(?i:`, `(?-s:`, `(?im-s:`: flags for the group only."""
        found = self._text.match(_MODIFIERS)
        letters = f"{found[1]}{found[3] or ''}" if found else ""
        if not found or not letters or len(set(letters)) < len(letters):
            raise self._text.error(f"Invalid group{_hint(self._text.rest())}", start)
        self._text.skip(found.end() - found.start())
        self._flags = self._flags.union(found[1]).difference(found[3] or "")
        message = (
            f"'{found[0]}' is read by the newest JavaScript engines only; Node 20 and 22 refuse the pattern"
        )
        self._notes.append(JsNote(message, *self._text.place(start, self._text.at)))

    def _repeated(self, node: Node) -> Node:
        start = self._text.at
        limits: tuple[int, int | None]
        if self._text.take("*"):
            limits = (0, None)
        elif self._text.take("+"):
            limits = (1, None)
        elif self._text.take("?"):
            limits = (0, 1)
        elif found := self._text.match(_BRACES):
            self._text.skip(found.end() - found.start())
            low = min(int(found[1][:12]), _MOST_TIMES)
            high = min(int(found[3][:12]), _MOST_TIMES) if found[3] else None if found[2] else low
            if high is not None and high < low:
                raise self._text.error("Numbers out of order in {} quantifier", start)
            limits = (low, high)
        else:
            return node
        return Repeat(node, *limits, greedy=not self._text.take("?"))


_LOOKS = (("(?=", True, False), ("(?!", True, True), ("(?<=", False, False), ("(?<!", False, True))


def _hint(rest: str) -> str:
    """What to do about a group that JavaScript does not have."""
    if rest.startswith("(?P<"):
        return ": JavaScript writes a named group (?<name>...)"
    if rest.startswith("(?P="):
        return r": JavaScript refers to a named group with \k<name>"
    if rest.startswith(("(?>", "(?#", "(?|")):
        return f": JavaScript has no '{rest[:3]}'"
    if re.match(r"\(\?-?[a-zA-Z]+\)", rest):
        return ": flags are read at the very start of a pattern only, and only i, m and s"
    return ""
