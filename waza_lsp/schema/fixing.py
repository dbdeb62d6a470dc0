"""Applying all safe fixes of a document: in rounds, because one fix can bring up or settle another finding."""

from bisect import insort
from collections.abc import Callable, Sequence
from typing import NamedTuple

from waza_lsp.schema.mark import Mark
from waza_lsp.schema.solutions import Solution, safe_solution, solutions
from waza_lsp.schema.walk import Schema
from waza_lsp.syntax.edits import Draft, Edit, overlap

_MOST_ROUNDS = 50


class Applied(NamedTuple):
    """A fix that was applied: the code of its finding, and what was done."""

    code: str
    title: str


Choose = Callable[[Mark, Draft, Schema], Solution | None]


def fixed(
    draft: Draft, root: Schema, find: Callable[[Draft], Sequence[Mark]], choose: Choose = safe_solution
) -> tuple[Draft, list[Applied]]:
    """The document with every safe fix applied that does not get in the way of another, until there are none left.

    `choose` says which fix of a finding is applied, None for none of them.
    """
    draft = draft.begun()
    applied: list[Applied] = []
    for _ in range(_MOST_ROUNDS):
        edits, done = _round(draft, root, find(draft), choose)
        if not edits:
            break
        draft = draft.edited(edits)
        applied += done
    return draft, applied


def newest_solution(mark: Mark, draft: Draft, root: Schema) -> Solution | None:
    """The best way to the newest form of something outdated; of other findings only what is safe."""
    if not mark.finding.rule.outdated:
        return safe_solution(mark, draft, root)
    return next((it for it in solutions(mark, draft, root) if it.edits and not it.files), None)


def _round(
    draft: Draft, root: Schema, marks: Sequence[Mark], choose: Choose
) -> tuple[list[Edit], list[Applied]]:
    edits: list[Edit] = []
    done: list[Applied] = []
    touched: set[tuple[str | int, ...]] = set()
    for mark in marks:
        # Two fixes in one mapping could bring the same key twice; the second has its turn in the next round.
        around = mark.in_document.pointer[:-1]
        if mark.finding.pointer and around in touched:
            continue
        solution = choose(mark, draft, root)
        if solution is not None and not overlap(solution.edits, edits):
            for it in solution.edits:
                insort(edits, it)
            done.append(Applied(mark.finding.code, solution.title))
            touched.add(around)
    return edits, done
