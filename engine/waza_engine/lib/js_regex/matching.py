"""Search with RE2 where it can express the pattern, with the package `regex` otherwise."""

from dataclasses import dataclass, field
from functools import cached_property

import re2
import regex

from waza_engine.lib.js_regex.syntax import AssertionKind, JsNote, Node, Pattern
from waza_engine.lib.js_regex.writers import (
    NotInRe2,
    as_re2,
    as_regex,
    assertions_in,
    has_other_line_end,
    mark_line_ends,
    shortest_match,
    source_length,
    split_units,
    unrolled_size,
)

LIMIT_SECONDS = 5.0
"""Time limit of a search with look-around or back-references."""

_LARGEST = 200_000
"""Nodes of a pattern for `regex`, which takes microseconds to compile each."""
_OPTIONS = re2.Options()
_OPTIONS.log_errors = False
_OPTIONS.max_mem = 64 << 20


class TooSlowError(Exception):
    """The search takes too long: the pattern backtracks too much, or is too large."""


def build_matcher(pattern: Pattern) -> "Matcher":
    """Return the matcher of a parsed pattern."""
    return Matcher(pattern.node, pattern.notes, assertions_in(pattern.node))


@dataclass(slots=False)
class Matcher:
    """A pattern that can be searched for. Each engine compiles it at first use."""

    node: Node
    notes: tuple[JsNote, ...]
    assertions: frozenset[AssertionKind] = field(default_factory=frozenset)

    def span(self, text: str) -> tuple[int, int] | None:
        """Return start and end of the first match, None if there is none.

        Raises:
            TooSlowError: the search exceeds the time limit.

        """
        units = split_units(text)
        needs_marks = self._needs_marks(units)
        re2_pattern = self._marked_re2 if needs_marks else self._re2
        if re2_pattern is None:
            found, subject = self._search_with_regex(units), units
        else:
            subject = mark_line_ends(units) if needs_marks else units
            found = re2_pattern.search(subject)
        if found is None:
            return None
        start, end = found.span(1) if needs_marks and re2_pattern is not None else found.span()
        if subject is text:
            return start, end
        return source_length(subject[:start]), source_length(subject[:end])

    def capture(self, text: str) -> tuple[int, int] | None:
        """Return start and end of the first match's first group, of the match if the group has none, or None.

        Raises:
            TooSlowError: the search exceeds the time limit.

        """
        whole = self.span(text)
        if whole is None or not self._regex.groups:
            return whole
        units = split_units(text)
        found = self._search_with_regex(units)
        if found is None or found.start(1) < 0:
            return whole
        return source_length(units[: found.start(1)]), source_length(units[: found.end(1)])

    def _needs_marks(self, units: str) -> bool:
        line_assertions = self.assertions & {AssertionKind.LINE_START, AssertionKind.LINE_END}
        if line_assertions and has_other_line_end(units):
            return True
        # RE2 checks `\B` also between the bytes of one character. The pattern for marked lines skips whole characters.
        return AssertionKind.NO_WORD_EDGE in self.assertions and not units.isascii()

    @cached_property
    def _re2(self) -> "re2._Regexp[str] | None":
        return self._compile_re2(marked_lines=False)

    @cached_property
    def _marked_re2(self) -> "re2._Regexp[str] | None":
        return self._compile_re2(marked_lines=True)

    def _compile_re2(self, *, marked_lines: bool) -> "re2._Regexp[str] | None":
        try:
            return re2.compile(as_re2(self.node, marked_lines=marked_lines), options=_OPTIONS)
        except (NotInRe2, re2.error):
            # Besides look-around and back-references: counts above 1000 and programs that grow too large.
            return None

    @cached_property
    def _shortest(self) -> int:
        return shortest_match(self.node)

    @cached_property
    def _size(self) -> int:
        return unrolled_size(self.node)

    @cached_property
    def _regex(self) -> "regex.Pattern[str]":
        return regex.compile(as_regex(self.node), regex.VERSION0)

    def _search_with_regex(self, units: str) -> "regex.Match[str] | None":
        if len(units) < self._shortest:
            return None
        if self._size > _LARGEST:
            raise TooSlowError("the pattern is too large: its nested repetition counts multiply")
        try:
            return self._regex.search(units, timeout=LIMIT_SECONDS)
        except TimeoutError as error:
            raise TooSlowError(f"the search for the pattern took longer than {LIMIT_SECONDS:g} s") from error
        except (regex.error, MemoryError, RecursionError, OverflowError) as error:
            raise TooSlowError(f"the pattern is too large: {error}") from error
