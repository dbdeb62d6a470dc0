"""Which engine answers for a pattern, and in which form the text is put to it."""

from dataclasses import dataclass, field
from functools import cached_property

import re2
import regex

from waza_engine.lib.js_regex.syntax import JsNote, Node, Pattern, Place
from waza_engine.lib.js_regex.writers import (
    BeyondRe2,
    as_re2,
    as_regex,
    given_length,
    has_strange_line_end,
    in_units,
    lined,
    places_in,
    shortest,
    size,
)

LIMIT_SECONDS = 5.0
"""How long a search with look-around or back-references may take."""

_LARGEST = 200_000
"""How many parts a pattern may have for `regex`, which takes microseconds for each."""
_OPTIONS = re2.Options()
_OPTIONS.log_errors = False
_OPTIONS.max_mem = 64 << 20


class TooSlowError(Exception):
    """The search took too long: the pattern tries too many ways through the text."""


def compiled(pattern: Pattern) -> "Matcher":
    """The matcher of a parsed pattern."""
    return Matcher(pattern.node, pattern.notes, places_in(pattern.node))


@dataclass(slots=False)
class Matcher:
    """A pattern ready to search. The engines compile it when a text first needs them."""

    node: Node
    notes: tuple[JsNote, ...]
    places: frozenset[Place] = field(default_factory=frozenset)

    def place(self, text: str) -> tuple[int, int] | None:
        """Start and end of the first match.

        Raises:
            TooSlowError: it was not found within the time limit.

        """
        units = in_units(text)
        needs_lines = self._needs_lines(units)
        searcher = self._lined_re2 if needs_lines else self._re2
        if searcher is None:
            found, searched = self._searched_slowly(units), units
        else:
            searched = lined(units) if needs_lines else units
            found = searcher.search(searched)
        if found is None:
            return None
        span = found.span(1) if needs_lines and searcher is not None else found.span()
        if searched is text:
            return span[0], span[1]
        return given_length(searched[: span[0]]), given_length(searched[: span[1]])

    def _needs_lines(self, units: str) -> bool:
        line_places = self.places & {Place.LINE_START, Place.LINE_END}
        if line_places and has_strange_line_end(units):
            return True
        # RE2 looks for an edge also between the bytes of one character.
        return Place.NO_WORD_EDGE in self.places and not units.isascii()

    @cached_property
    def _re2(self) -> "re2._Regexp[str] | None":
        return self._compiled(with_lines=False)

    @cached_property
    def _lined_re2(self) -> "re2._Regexp[str] | None":
        return self._compiled(with_lines=True)

    def _compiled(self, *, with_lines: bool) -> "re2._Regexp[str] | None":
        try:
            return re2.compile(as_re2(self.node, lined=with_lines), options=_OPTIONS)
        except (BeyondRe2, re2.error):
            # Beside look-around these are counts above 1000 and programs that grow too large.
            return None

    @cached_property
    def _shortest(self) -> int:
        return shortest(self.node)

    @cached_property
    def _size(self) -> int:
        return size(self.node)

    @cached_property
    def _regex(self) -> "regex.Pattern[str]":
        return regex.compile(as_regex(self.node), regex.VERSION0)

    def _searched_slowly(self, units: str) -> "regex.Match[str] | None":
        if len(units) < self._shortest:
            return None
        if self._size > _LARGEST:
            raise TooSlowError("the pattern is too large: its counts multiply")
        try:
            return self._regex.search(units, timeout=LIMIT_SECONDS)
        except TimeoutError as error:
            raise TooSlowError(f"the pattern found no answer within {LIMIT_SECONDS:g} s") from error
        except (regex.error, MemoryError, RecursionError, OverflowError) as error:
            raise TooSlowError(f"the pattern is too large: {error}") from error
