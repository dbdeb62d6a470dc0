"""Evidence as indented lines for a terminal: the graders with their place, then what is wrong and what was found."""

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from waza_engine.reports.evidence import Evidence, Source
from waza_engine.reports.inert import one_line

_LONGEST = 300
_MOST_CAUSES = 12
_MOST_NAMES = 4
_WORD = re.compile(r"[\w.-]{3,}")
_MOST_WORDS = 0.6


@dataclass(frozen=True, slots=True)
class Layout:
    """Where lines begin and end: `width` columns, 0 for no wrapping. Paths below `base` are relative to it.

    Without a base, they are as in `Source.file`.
    """

    indent: int = 6
    width: int = 0
    base: Path | None = None

    def lines(self, text: str, level: int = 0) -> list[str]:
        """Return a text as lines at a level of indentation."""
        start = " " * (self.indent + 2 * level)
        line = start + text
        if not self.width or len(line) <= self.width:
            return [line]
        return textwrap.wrap(
            line,
            max(self.width, 40),
            subsequent_indent=f"{start}    ",
            break_on_hyphens=False,
            break_long_words=False,
        )

    def place(self, source: Source | None, *, of_entry: bool = False) -> str:
        """Return `path:line` of a check, or of its grader's entry."""
        if source is None:
            return ""
        path = source.file if self.base is None else str(source.path)
        if self.base is not None and source.path.is_relative_to(self.base):
            path = str(source.path.relative_to(self.base))
        line = source.entry_line if of_entry else source.line
        return one_line(f"{path}:{line}" if line else path)


def evidence_lines(found: Sequence[Evidence], trials: int, layout: Layout) -> Iterator[str]:
    """Yield the lines of a task's evidence; `trials` is the number of its trials."""
    shown = found[:_MOST_CAUSES]
    for _, group in groupby(shown, key=_owner):
        causes = list(group)
        first = causes[0]
        if header := _header(causes, trials, layout):
            yield from layout.lines(header)
        level = 1 if header else 0
        for it in causes:
            yield from layout.lines(short(_message(it)), level)
            yield from _details(it, level + 1, layout)
        if first.status == "error" and first.source is not None and not header:
            yield from layout.lines(layout.place(first.source), 1)
    if left := len(found) - len(shown):
        yield from layout.lines(f"and {left} more failed checks")


def _owner(evidence: Evidence) -> Any:
    return evidence.status, evidence.graders, evidence.score, evidence.after_turn, evidence.trials


def _header(causes: Sequence[Evidence], trials: int, layout: Layout) -> str:
    """Return the graders of the causes, with their place in the file and the trials; "" if the message has it all."""
    first = causes[0]
    numbers = f"trial{'s' if len(first.trials) > 1 else ''} {', '.join(map(str, first.trials))}"
    which = numbers if first.trials and len(first.trials) < trials else ""
    turn = f"after turn {first.after_turn}" if first.after_turn else ""
    if not first.graders or first.message.startswith("grader '"):
        return which
    names = ", ".join(map(one_line, first.graders[:_MOST_NAMES]))
    more = len(first.graders) - _MOST_NAMES
    names += f" and {more} more" if more > 0 else ""
    score = f" {first.score:.2f}" if len(first.graders) == 1 else ""
    place = layout.place(first.source, of_entry=len(causes) > 1)
    return "  ".join(filter(None, (f"{names}{score}", place, turn, which)))


def _message(evidence: Evidence) -> str:
    counted = f" ({evidence.checks} checks)" if evidence.checks > 1 else ""
    word = "error: " if evidence.status == "error" else ""
    return f"{word}{evidence.message}{counted}"


def _says(message: str, wanted: str) -> bool:
    """Whether a message has what was wanted, or most of its words."""
    value = wanted.partition(": ")[2] or wanted
    words = _WORD.findall(value)
    known = sum(it in message for it in words)
    return value in message or (bool(words) and known >= _MOST_WORDS * len(words))


def _details(evidence: Evidence, level: int, layout: Layout) -> Iterator[str]:
    """Yield what was wanted, unless the message says so, and what was found."""
    if evidence.wanted and not _says(evidence.message, evidence.wanted):
        yield from layout.lines(short(f"wanted {evidence.wanted}"), level)
    said = evidence.found.partition(": ")[2].strip("'")
    if evidence.found and not (said and said in evidence.message):
        yield from layout.lines(short(evidence.found), level)


def short(text: str) -> str:
    """Return `text` as one line that is not too long."""
    line = one_line(text)
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "\u2026"
