"""Applying all safe fixes of a document: in rounds, because one fix can bring up or settle another finding."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from waza_lsp.schema.mark import Mark
from waza_lsp.schema.solutions import safe_solution
from waza_lsp.schema.walk import Schema
from waza_lsp.syntax.edits import Draft, Edit, overlap

_MOST_ROUNDS = 50


class Applied(NamedTuple):
    """A fix that was applied: the code of its finding, and what was done."""

    code: str
    title: str


def fixed(draft: Draft, root: Schema, find: Callable[[Draft], Sequence[Mark]]) -> tuple[Draft, list[Applied]]:
    """The document with every safe fix applied that does not get in the way of another, until there are none left."""
    draft = draft.begun()
    applied: list[Applied] = []
    for _ in range(_MOST_ROUNDS):
        edits, done = _round(draft, root, find(draft))
        if not edits:
            break
        draft = draft.edited(edits)
        applied += done
    return draft, applied


def _round(draft: Draft, root: Schema, marks: Sequence[Mark]) -> tuple[list[Edit], list[Applied]]:
    edits: list[Edit] = []
    done: list[Applied] = []
    touched: set[tuple[str | int, ...]] = set()
    for mark in marks:
        # Two fixes in one mapping could bring the same key twice; the second has its turn in the next round.
        around = mark.in_document.pointer[:-1]
        if mark.finding.pointer and around in touched:
            continue
        solution = safe_solution(mark, draft, root)
        if solution is not None and not overlap(solution.edits, edits):
            edits += solution.edits
            done.append(Applied(mark.finding.code, solution.title))
            touched.add(around)
    return edits, done
