"""Repairs of how a line begins: a key without its colon or with half a quote, a dash that is a star."""

import re
from collections.abc import Iterator

from waza_lsp.syntax.edits import Edit
from waza_lsp.syntax.problem import Problem
from waza_lsp.syntax.repair import Repair
from waza_lsp.syntax.repair_columns import beside
from waza_lsp.syntax.text import Place, Span, Text

_WORD = re.compile(r"[\w.-]+")
_KEY_AND_REST = re.compile(r"([\w.-]+?)(?:\s*([;=,\uff1a])\s*|\s+)(?=(\S?))")
_HALF_QUOTED = re.compile(r"""(\s*(?:- +)*)(["'])[\w.-]+(?=:(?:\s|$))""")
_STAR = re.compile(r"( *(?:- +)*)\*(?= )")


def half_key(text: Text, problem: Problem) -> Iterator[Repair]:
    """Of several words the first may be a key, if the schema knows it there."""
    source, start = text.slice(problem.span), problem.span.start
    if _WORD.fullmatch(source):
        yield Repair("Add a colon", (_at(problem.span.end.line, problem.span.end.column, ":"),))
    elif found := _KEY_AND_REST.match(source):
        gap = Span(
            Place(start.line, start.column + found.end(1)), Place(start.line, start.column + found.end())
        )
        title = f"Change '{found[2]}' to a colon" if found[2] else f"Add a colon behind '{found[1]}'"
        yield Repair(title, (Edit(gap, ": " if found[3] else ":"),), is_guess=True)
    else:
        yield from quoted_key(text, problem)


def quoted_key(text: Text, problem: Problem) -> Iterator[Repair]:
    """A line that begins with a quote and goes on like a key; behind a dash that may be a text as well."""
    line = problem.span.start.line
    found = _HALF_QUOTED.match(text.line(line))
    if found is None or found.end(1) != problem.span.start.column:
        return
    title = f"Add the closing quote behind '{found[0][found.end(2) :]}'"
    yield Repair(title, (_at(line, found.end(), found[2]),), is_guess="-" in found[1])


def stars(text: Text, problem: Problem) -> Iterator[Repair]:
    """All items of the list at once: they are usually all written in one way."""
    line, column = problem.span.start
    if (found := _STAR.match(text.line(line))) is None or found.end(1) != column:
        return
    others = ((it, _STAR.match(text.line(it))) for it in beside(text, line, column))
    lines = [line, *(it for it, found in others if found and found.end(1) == column)]
    for chosen in (lines, lines[:1]):
        edits = tuple(Edit(Span(Place(it, column), Place(it, column + 1)), "-") for it in chosen)
        yield Repair("Change '*' to '-'", edits)


def _at(line: int, column: int, new: str) -> Edit:
    return Edit(Span(Place(line, column), Place(line, column)), new)
