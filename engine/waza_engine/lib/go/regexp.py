r"""The only door for patterns that come from files: RE2, with Go's grammar.

See docs/reference/waza-graders.md, section 4.1.

RE2 takes linear time whatever the pattern. Python's `re` is never used for them: it reads other patterns and
reads the same patterns differently.

Where Go's regular expressions and google-re2 read a pattern differently, the pattern is changed or refused here.

Go refuses `\C` and group names that are not ASCII, and accepts more Unicode class names: `\pl`, `\p{Letter}`,
`\p{greek}`, `\p{LC}`, `\p{Cn}`, `\p{ASCII}`, `\p{Assigned}` (docs/reference/waza-graders.md, sections 4.1 and 13.6).
"""

from functools import lru_cache

import re2

from waza_engine.lib.go.text import without_surrogates
from waza_engine.lib.go.unicode_classes import class_items

__all__ = [
    "TEXTS_WITHOUT_ANYTHING_IN_COMMON",
    "PatternError",
    "any_case_error",
    "is_found_anywhere",
    "is_found_in_any_word",
    "literal",
    "regex_error",
    "regex_fault",
    "regex_found",
    "regex_place",
]


class PatternError(ValueError):
    """A pattern that Go would refuse to compile; the text says why."""


def as_re2(pattern: str) -> str:
    """The pattern in the words of RE2.

    Raises:
        PatternError: RE2 would accept the pattern although Go refuses it.

    """
    if "\\" not in pattern and "(?" not in pattern:
        return pattern
    return "".join(_Scanner(pattern).pieces())


class _Scanner:
    """Walks a pattern from left to right, knowing whether it is inside a `[...]`."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0

    def pieces(self) -> list[str]:
        found: list[str] = []
        while self._at < len(self._pattern):
            found.append(self._piece())
        return found

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
        found = [self._take(2 if self._pattern.startswith("[^", self._at) else 1)]
        # A `]` in the first place is a member, not the end.
        if self._pattern.startswith("]", self._at):
            found.append(self._take(1))
        while self._at < len(self._pattern) and self._pattern[self._at] != "]":
            found.append(self._member())
        return "".join(found) + self._take(1)

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
        # A name that nobody knows stays as it is, for RE2's error to show.
        return items or self._pattern[start : self._at]

    def _class_name(self) -> str | None:
        r"""The name after `\p`, taken from the pattern; None when there is none."""
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


_OPTIONS = re2.Options()
_OPTIONS.log_errors = False
# The default of 8 MB refuses patterns that Go compiles, such as `\p{L}{1000}`.
_OPTIONS.max_mem = 64 << 20

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
"""RE2's words for an error, and Go's, which waza's users know."""


def regex_error(pattern: str) -> str | None:
    """Why `pattern` is not valid, in Go's words, or None when it is."""
    compiled = _compiled(pattern)
    return str(compiled) if isinstance(compiled, PatternError) else None


def any_case_error(pattern: str) -> str | None:
    """Why a pattern is not valid that waza puts `(?i)` in front of, told of what the author wrote."""
    reason = regex_error(f"(?i){pattern}")
    return (regex_error(pattern) or reason) if reason else None


def regex_fault(pattern: str) -> tuple[int, int] | None:
    """Where in an invalid pattern the offending part stands; None when that is not told, or is all of it."""
    compiled = _compiled(pattern)
    reason = str(compiled) if isinstance(compiled, PatternError) else ""
    fragment = reason.partition(": `")[2].removesuffix("`")
    at = pattern.find(fragment) if fragment else -1
    return (at, at + len(fragment)) if at >= 0 else None


def literal(text: str) -> str:
    """A pattern that finds just this text."""
    return "".join(f"\\{it}" if it in _META else it for it in text)


def regex_found(pattern: str, text: str) -> bool | None:
    """Whether `pattern` is found anywhere in `text`; None when the pattern is not valid."""
    compiled = _compiled(pattern)
    if isinstance(compiled, PatternError):
        return None
    return compiled.search(without_surrogates(text)) is not None


def regex_place(pattern: str, text: str) -> tuple[int, int] | None:
    """Start and end of the first place where `pattern` is found; None when it is not, or is not valid."""
    compiled = _compiled(pattern)
    if isinstance(compiled, PatternError):
        return None
    found = compiled.search(without_surrogates(text))
    return (found.start(), found.end()) if found is not None else None


TEXTS_WITHOUT_ANYTHING_IN_COMMON = ("", "a", "\n", "0 \u00e9!\nB")
"""What is found in all of these says nothing of a text."""


def is_found_anywhere(pattern: str) -> bool:
    """Whether a valid pattern is found in texts that have nothing in common, so that it says nothing (`.*`, `a?`)."""
    return all(regex_found(pattern, it) for it in TEXTS_WITHOUT_ANYTHING_IN_COMMON)


def is_found_in_any_word(pattern: str) -> bool:
    """Whether a valid pattern is found in every letter and digit (such as one for a word): only an empty output lacks it."""
    return all(regex_found(pattern, it) for it in ("a", "Z", "7"))


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> "re2._Regexp[str] | PatternError":
    try:
        return re2.compile(as_re2(without_surrogates(pattern)), options=_OPTIONS)
    except PatternError as error:
        return error
    except re2.error as error:
        reason = error.args[0]
        return PatternError(
            _go_words(reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason))
        )


def _go_words(reason: str) -> str:
    what, separator, fragment = reason.partition(": ")
    return f"{_GO_WORDS.get(what, what)}{f': `{fragment}`' if separator else ''}"
