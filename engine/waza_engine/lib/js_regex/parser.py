r"""Parse JavaScript patterns without the flags `u` and `v`, as leniently as browsers and Node do.

The grammar is ECMAScript 2024 with its annex B: `]`, `{` and unknown escapes are literal, `\1` is octal without a first
group. There are two additions. vally strips a leading group of flags (docs/reference/vally.md, section 7.1). And
`(?i:...)`, which Node 20 refuses and newer engines accept, is parsed with a note.
"""

import re

from waza_engine.lib.js_regex.escapes import ClassReader
from waza_engine.lib.js_regex.scanning import Scanner, scan_groups
from waza_engine.lib.js_regex.syntax import (
    LINE_ENDS,
    Assertion,
    AssertionKind,
    BackReference,
    Choice,
    Group,
    JsNote,
    JsPatternError,
    LookAround,
    Node,
    Pattern,
    Repeat,
    Sequence,
    Units,
    UnitSet,
    complement,
    with_all_cases,
)

_LEADING_FLAGS = re.compile(r"\(\?([ims]+)\)")
_MODIFIERS = re.compile(r"\(\?([ims]*)(?:(-)([ims]*))?:")
_BRACES = re.compile(r"\{([0-9]+)(?:(,)([0-9]*))?\}")
_DEEPEST = 100
"""Levels of nested groups. Nobody writes more, and the writers are recursive."""
_MOST_TIMES = 1 << 31


def parse_pattern(pattern: str, *, leading_flags: bool = True) -> Pattern:
    """Return the parsed pattern.

    Raises:
        JsPatternError: JavaScript refuses it.

    """
    flags, start = "", 0
    if leading_flags and (found := _LEADING_FLAGS.match(pattern)):
        flags, start = found[1], found.end()
        if len(set(flags)) < len(flags):
            raise JsPatternError(f"Invalid flags '{flags}': a letter occurs twice", 2)
    return _Parser(Scanner(pattern, start), frozenset(flags)).pattern()


class _Parser:
    """Parses a pattern from left to right; `flags` are those in effect at the current position."""

    def __init__(self, scanner: Scanner, flags: frozenset[str]) -> None:
        self._text = scanner
        self._flags = flags
        self._groups = scan_groups(scanner)
        self._escapes = ClassReader(scanner, has_names=bool(self._groups.names))
        self._group_count = 0
        self._closed_groups: set[int] = set()
        self._look_behinds = 0
        self._depth = 0
        self._notes: list[JsNote] = []

    def pattern(self) -> Pattern:
        node = self._choice()
        if self._text.next == ")":
            raise self._text.error("Unmatched ')'")
        notes = sorted([*self._notes, *self._escapes.notes], key=lambda note: note.start)
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
                return Assertion(AssertionKind.LINE_START if "m" in self._flags else AssertionKind.START)
            case "$":
                self._text.skip(1)
                return Assertion(AssertionKind.LINE_END if "m" in self._flags else AssertionKind.END)
            case "(":
                # A look-ahead may have a quantifier, for compatibility with old scripts; a look-behind may not.
                is_behind = self._text.starts("(?<=", "(?<!")
                node = self._group()
                return node if is_behind else self._read_quantifier(node)
            case "\\" if self._text.starts("\\b", "\\B"):
                return Assertion(
                    AssertionKind.WORD_EDGE if self._text.read(2) == "\\b" else AssertionKind.NO_WORD_EDGE
                )
            case "*" | "+" | "?":
                raise self._text.error("Nothing to repeat")
            case "{" if self._text.match(_BRACES):
                raise self._text.error("Nothing to repeat")
            case _:
                return self._read_quantifier(self._atom())

    def _atom(self) -> Node:
        match self._text.next:
            case ".":
                self._text.skip(1)
                return UnitSet(((0, 0xFFFF),) if "s" in self._flags else complement(LINE_ENDS))
            case "[":
                return UnitSet(self._escapes.read_class(any_case="i" in self._flags))
            case "\\":
                return self._escape()
            case _:
                return self._literal(self._text.read_unit())

    def _literal(self, unit: int) -> Node:
        return UnitSet(self._with_flag_i(((unit, unit),)))

    def _with_flag_i(self, units: Units) -> Units:
        return with_all_cases(units) if "i" in self._flags else units

    def _escape(self) -> Node:
        if number := self._text.read_back_reference(self._groups.count):
            return self._back_reference(number)
        if self._groups.names and self._text.starts("\\k"):
            return self._named_back_reference()
        units = self._escapes.read_escape(in_class=False)
        return UnitSet(self._with_flag_i(units) if len(units) == 1 and units[0][0] == units[0][1] else units)

    def _named_back_reference(self) -> Node:
        start = self._text.at
        self._text.skip(2)
        name = self._text.read_group_name() if self._text.take("<") else None
        if name is None:
            raise self._text.error("Invalid named reference", start)
        if name not in self._groups.names:
            raise self._text.error(f"No group is named '{name}'", start)
        return self._back_reference(self._groups.names[name])

    def _back_reference(self, number: int) -> Node:
        # Each iteration of a loop resets the captures of its groups, so a reference before the end of its group is empty.
        if number not in self._closed_groups and not self._look_behinds:
            return Sequence(())
        return BackReference(number, "i" in self._flags)

    def _group(self) -> Node:
        start, outer = self._text.at, self._flags
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._text.error("Regular expression too large: groups are nested too deeply")
        for opening, ahead, negative in _LOOKS:
            if self._text.take(opening):
                self._look_behinds += not ahead
                node = self._group_body(start, outer)
                self._look_behinds -= not ahead
                return LookAround(node, ahead, negative)
        if self._text.take("(?:"):
            return self._group_body(start, outer)
        if self._text.take("(?<"):
            self._text.read_group_name()
        elif self._text.starts("(?"):
            self._read_modifiers(start)
            return self._group_body(start, outer)
        else:
            self._text.skip(1)
        self._group_count += 1
        number = self._group_count
        node = self._group_body(start, outer)
        self._closed_groups.add(number)
        return Group(node, number)

    def _group_body(self, start: int, outer: frozenset[str]) -> Node:
        node = self._choice()
        if not self._text.take(")"):
            raise self._text.error("Unterminated group", start)
        self._flags = outer
        self._depth -= 1
        return node

    def _read_modifiers(self, start: int) -> None:
        r"""Read `(?i:`, `(?-s:`, `(?im-s:`: flags that apply to this group."""
        found = self._text.match(_MODIFIERS)
        letters = f"{found[1]}{found[3] or ''}" if found else ""
        if not found or not letters or len(set(letters)) < len(letters):
            raise self._text.error(f"Invalid group{_hint(self._text.rest())}", start)
        self._text.skip(found.end() - found.start())
        self._flags = self._flags.union(found[1]).difference(found[3] or "")
        message = (
            f"Only the newest JavaScript engines support '{found[0]}'; Node 20 and 22 refuse the pattern"
        )
        self._notes.append(JsNote(message, *self._text.source_span(start, self._text.at)))

    def _read_quantifier(self, node: Node) -> Node:
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
    """Return the fix for a kind of group that JavaScript does not have, "" if there is none."""
    if rest.startswith("(?P<"):
        return ": JavaScript writes a named group (?<name>...)"
    if rest.startswith("(?P="):
        return r": JavaScript refers to a named group with \k<name>"
    if rest.startswith(("(?>", "(?#", "(?|")):
        return f": JavaScript has no '{rest[:3]}'"
    if re.match(r"\(\?-?[a-zA-Z]+\)", rest):
        return ": flags are allowed only at the very start of a pattern, and only i, m and s"
    return ""
