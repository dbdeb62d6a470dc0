r"""Go's regular expressions, for all patterns that waza reads from files (docs/reference/waza-graders.md, section 4.1).

RE2 matches in linear time whatever the pattern. Python's `re` is never used: it accepts other patterns, and some of the
same patterns mean something else.

Where google-re2 differs from Go, the pattern is translated or refused here (section 13.6). Go refuses `\C` and group
names that are not ASCII. It accepts more class names: `\pl`, `\p{Letter}`, `\p{greek}`, `\p{LC}`, `\p{Cn}`, `\p{ASCII}`,
`\p{Assigned}`.
"""

import re
from collections import OrderedDict
from threading import Lock

import re2

from waza_engine.lib.go.text import without_surrogates
from waza_engine.lib.go.unicode_classes import class_items


class PatternError(ValueError):
    """Go would not compile the pattern; the message gives the reason in Go's words."""


_OPTIONS = re2.Options()
_OPTIONS.log_errors = False
# The default of 8 MB refuses patterns that Go compiles, such as `\p{L}{1000}`.
_OPTIONS.max_mem = 64 << 20

_MAX_DEPTH = 1000
"""Go's limit. RE2 has none and takes 80 kB for each level."""
_MAX_QUOTED = 80
_GROUPS = re.compile(r"\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^]\\])*\]?|[()]", re.DOTALL)
"""Escapes and classes, in which parentheses mean themselves, and parentheses."""

_META = frozenset(r"\.+*?()|[]{}^$")

_GO_WORDS = {
    "invalid perl operator": "invalid or unsupported Perl syntax",
    "invalid named capture group": "invalid named capture",
    "invalid repetition size": "invalid repeat count",
    "bad repetition operator": "invalid nested repetition operator",
    "no argument for repetition operator": "missing argument to repetition operator",
    "missing )": "missing closing )",
    "missing ]": "missing closing ]",
    "trailing \\": "trailing backslash at end of expression",
}
"""RE2's error messages, and those of Go, which waza's users know."""


def regex_error(pattern: str) -> str | None:
    """Return why `pattern` is invalid, in Go's words; None if it is valid."""
    compiled = _compile(pattern)
    return str(compiled) if isinstance(compiled, PatternError) else None


def case_insensitive_error(pattern: str) -> str | None:
    """Return why a pattern is invalid that waza prefixes with `(?i)`. The message quotes what the author wrote."""
    reason = regex_error(f"(?i){pattern}")
    return (regex_error(pattern) or reason) if reason else None


def regex_error_span(pattern: str) -> tuple[int, int] | None:
    """Return start and end of the offending part of an invalid pattern; None if RE2 does not name it."""
    compiled = _compile(pattern)
    reason = str(compiled) if isinstance(compiled, PatternError) else ""
    fragment = reason.partition(": `")[2].removesuffix("`")
    at = pattern.find(fragment) if fragment else -1
    return (at, at + len(fragment)) if at >= 0 else None


def literal(text: str) -> str:
    """Return a pattern that matches exactly this text."""
    return "".join(f"\\{it}" if it in _META else it for it in text)


def regex_matches(pattern: str, text: str) -> bool | None:
    """Whether `pattern` matches anywhere in `text`; None if the pattern is invalid."""
    compiled = _compile(pattern)
    if isinstance(compiled, PatternError):
        return None
    return compiled.search(without_surrogates(text)) is not None


def regex_span(pattern: str, text: str) -> tuple[int, int] | None:
    """Return start and end of the first match; None if there is none or the pattern is invalid."""
    compiled = _compile(pattern)
    if isinstance(compiled, PatternError):
        return None
    found = compiled.search(without_surrogates(text))
    return (found.start(), found.end()) if found is not None else None


UNRELATED_TEXTS = ("", "a", "\n", "0 \u00e9!\nB")
"""A pattern that matches all of these matches any text."""


def is_catch_all(pattern: str) -> bool:
    """Whether a valid pattern matches any text (`.*`, `a?`): it matches texts that have nothing in common."""
    return all(regex_matches(pattern, it) for it in UNRELATED_TEXTS)


def is_in_any_word(pattern: str) -> bool:
    r"""Whether a valid pattern matches every letter and digit (`\w`), so that nearly every output matches."""
    return all(regex_matches(pattern, it) for it in ("a", "Z", "7"))


_compiled: OrderedDict[str, "re2._Regexp[str] | PatternError"] = OrderedDict()
"""The last patterns, the oldest first."""
_lock = Lock()
_MAX_COMPILED = 64
_MAX_INSTRUCTIONS = 2_000_000
"""For all cached patterns together: `\\p{L}{1000}` has 1.2 million, which take up to 60 MB."""


def _compile(pattern: str) -> "re2._Regexp[str] | PatternError":
    with _lock:
        known = _compiled.get(pattern)
        if known is not None:
            _compiled.move_to_end(pattern)
            return known
    result = _compile_new(pattern)
    with _lock:
        _compiled[pattern] = result
        while len(_compiled) > 1 and (
            len(_compiled) > _MAX_COMPILED or sum(map(_instructions, _compiled.values())) > _MAX_INSTRUCTIONS
        ):
            _compiled.popitem(last=False)
    return result


def _instructions(compiled: "re2._Regexp[str] | PatternError") -> int:
    return 0 if isinstance(compiled, PatternError) else int(compiled.programsize)


def _compile_new(pattern: str) -> "re2._Regexp[str] | PatternError":
    if pattern.count("(") > _MAX_DEPTH and _depth(pattern) > _MAX_DEPTH:
        return PatternError(f"expression nests too deeply: `{pattern[:_MAX_QUOTED]}`")
    try:
        return re2.compile(_as_re2(without_surrogates(pattern)), options=_OPTIONS)
    except PatternError as error:
        return error
    except re2.error as error:
        reason = error.args[0]
        return PatternError(
            _go_words(reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason))
        )


def _depth(pattern: str) -> int:
    """Return how deeply the groups are nested."""
    deepest = depth = 0
    for it in _GROUPS.finditer(pattern):
        if it[0] == "(":
            depth += 1
            deepest = max(deepest, depth)
        elif it[0] == ")":
            depth -= 1
    return deepest


def _go_words(reason: str) -> str:
    what, separator, fragment = reason.partition(": ")
    return f"{_GO_WORDS.get(what, what)}{f': `{fragment}`' if separator else ''}"


def _as_re2(pattern: str) -> str:
    """Return the pattern in RE2's syntax.

    Raises:
        PatternError: Go refuses the pattern although RE2 accepts it.

    """
    if "\\" not in pattern and "(?" not in pattern:
        return pattern
    return "".join(_Scanner(pattern).pieces())


class _Scanner:
    """Reads a pattern from left to right and tracks whether it is inside a `[...]`."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0

    def pieces(self) -> list[str]:
        pieces: list[str] = []
        while self._at < len(self._pattern):
            pieces.append(self._piece())
        return pieces

    def _piece(self) -> str:
        rest = self._pattern[self._at : self._at + 2]
        if rest == "\\Q":
            return self._literal()
        if rest[0] == "\\":
            return self._escape(in_class=False)
        if rest[0] == "[":
            return self._class()
        if rest == "(?":
            self._check_group_name()
        return self._take(1)

    def _take(self, count: int) -> str:
        start, self._at = self._at, self._at + count
        return self._pattern[start : self._at]

    def _literal(self) -> str:
        end = self._pattern.find("\\E", self._at)
        return self._take((end + 2 if end >= 0 else len(self._pattern)) - self._at)

    def _class(self) -> str:
        members = [self._take(2 if self._pattern.startswith("[^", self._at) else 1)]
        # A `]` at the start is a member, not the end.
        if self._pattern.startswith("]", self._at):
            members.append(self._take(1))
        while self._at < len(self._pattern) and self._pattern[self._at] != "]":
            members.append(self._member())
        return "".join(members) + self._take(1)

    def _member(self) -> str:
        if self._pattern[self._at] == "\\":
            return self._escape(in_class=True)
        end = self._pattern.find(":]", self._at) if self._pattern.startswith("[:", self._at) else -1
        return self._take(end + 2 - self._at) if end >= 0 else self._take(1)

    def _escape(self, *, in_class: bool) -> str:
        letter = self._pattern[self._at + 1 : self._at + 2]
        if letter == "C":
            raise PatternError("invalid escape sequence: `\\C`")
        if letter not in {"p", "P"}:
            return self._take(2)
        start = self._at
        self._take(2)
        name = self._class_name()
        if name is None:
            return self._pattern[start : self._at]
        negated = (letter == "P") is not name.startswith("^")
        items = class_items(name.removeprefix("^"), negated=negated, in_class=in_class)
        # An unknown name stays as it is, so that RE2's error quotes it.
        return items or self._pattern[start : self._at]

    def _class_name(self) -> str | None:
        r"""Read the name after `\p`; None if there is none."""
        if not self._pattern.startswith("{", self._at):
            return self._take(1) or None
        end = self._pattern.find("}", self._at)
        return self._take(end + 1 - self._at)[1:-1] if end >= 0 else None

    def _check_group_name(self) -> None:
        for opening in ("(?P<", "(?<"):
            if self._pattern.startswith(opening, self._at):
                end = self._pattern.find(">", self._at)
                if end >= 0 and not self._pattern[self._at : end].isascii():
                    raise PatternError(f"invalid named capture: `{self._pattern[self._at : end + 1]}`")
                return
