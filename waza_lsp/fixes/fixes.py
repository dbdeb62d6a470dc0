"""What can be done about a finding, as edits: the fixes of its rule, or repairs of text that is not YAML.

Which code actions a client asks for.

Applying all safe fixes of a document: in rounds, because one fix can bring up or settle another finding.
"""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from lsprotocol import types

from waza_engine.analysis.schema.navigate import Schema
from waza_engine.rules.duplicate_key import DUPLICATE_KEY
from waza_lsp.diagnostics.ranges import RangedFinding
from waza_lsp.fixes.edits import fix_edits
from waza_lsp.schema.describe import meaning_of
from waza_lsp.syntax.cursor.rows import row_of
from waza_lsp.syntax.edit.edits import Draft, Edit, has_overlap
from waza_lsp.syntax.edit.entries import remove_member
from waza_lsp.syntax.edit.members import Container, Member, container_at
from waza_lsp.syntax.errors.hints import Cause, Problem
from waza_lsp.syntax.errors.indentation import Repair
from waza_lsp.syntax.errors.repairs import quote_template, repairs
from waza_lsp.syntax.text import Place, Span
from waza_lsp.syntax.tree.node import Node
from waza_lsp.syntax.tree.piece import Piece


def accepts_kind(kind: str, context: "types.CodeActionContext") -> bool:
    """Whether one of the kinds asked for is this one or above it; clients that want any kind name none."""
    return not context.only or any(
        it in {"", kind} or kind.startswith(f"{it}.") for it in map(_name, context.only)
    )


def is_manual_request(context: "types.CodeActionContext") -> bool:
    """Whether a person asked, and not the editor by itself."""
    return context.trigger_kind is not types.CodeActionTriggerKind.Automatic


def _name(kind: "types.CodeActionKind | str") -> str:
    return kind.value if isinstance(kind, types.CodeActionKind) else kind


_MAX_SOLUTIONS = 3


@dataclass(frozen=True, slots=True)
class Solution:
    """One way to mend a finding. `files` are to be created, each with its text; `safe` as in `Fix`."""

    title: str
    edits: tuple[Edit, ...]
    files: tuple[tuple[Path, str], ...] = ()
    preferred: bool = False
    safe: bool = False


def solutions(mark: RangedFinding, draft: Draft, root: Schema) -> list[Solution]:
    """At most three ways to mend a finding, best first; only such as can be made in this text."""
    found = [
        *_syntax_solutions(mark, draft, root),
        *_duplicate_solutions(mark, draft),
        *_rule_solutions(mark, draft, root),
    ]
    return sorted(found, key=lambda it: not it.preferred)[:_MAX_SOLUTIONS]


def safe_solution(mark: RangedFinding, draft: Draft, root: Schema) -> Solution | None:
    """The best solution that may be applied without asking."""
    if mark.finding.fixes and not any(it.safe for it in mark.finding.fixes):
        return None
    return next((it for it in solutions(mark, draft, root) if it.safe and not it.files), None)


def _rule_solutions(mark: RangedFinding, draft: Draft, root: Schema) -> Iterator[Solution]:
    for fix in mark.in_document.fixes if mark.finding.fixes else ():
        outcome = fix_edits(fix, draft, root)
        if outcome is not None:
            yield Solution(fix.title, outcome.edits, outcome.files, fix.preferred, fix.safe)


def _syntax_solutions(mark: RangedFinding, draft: Draft, root: Schema) -> Iterator[Solution]:
    piece = draft.tree.piece_at(mark.span.start.line)
    if piece is None:
        return
    source = "".join(draft.text.lines[piece.start : piece.end])
    for problem in piece.parsed.problems:
        if problem.span.shift(piece.start) == mark.span:
            found = _rank_repairs(repairs(source, problem), problem, piece, draft, root)
            for index, it in enumerate(found):
                yield _repair_solution(it, piece, preferred=index == 0)
    if any(it.span.shift(piece.start) == mark.span for it in piece.parsed.templates):
        it = quote_template(draft.text, mark.span)
        yield Solution(it.title, it.edits, preferred=True, safe=it.safe)


def _rank_repairs(
    found: list[Repair], problem: Problem, piece: Piece, draft: Draft, root: Schema
) -> list[Repair]:
    """Without guesses of keys that nothing knows; of several columns those come first where the key is known."""
    if problem.cause is not Cause.INDENTATION and not any(it.is_guess for it in found):
        return found
    line = piece.start + problem.span.start.line
    known = [
        it for it in found if _makes_known_key(draft.apply(_repair_solution(it, piece).edits), line, root)
    ]
    return [*known, *(it for it in found if it not in known and not it.is_guess)]


def _makes_known_key(after: Draft, line: int, root: Schema) -> bool:
    key = after.tree.at(Place(line, row_of(line, after.text.line(line), 1).key_start))
    return key is not None and key.on_key and meaning_of(root, after.tree, key.pointer) is not None


def _repair_solution(repair: Repair, piece: Piece, *, preferred: bool = False) -> Solution:
    edits = tuple(Edit(it.span.shift(piece.start), it.text) for it in repair.edits)
    return Solution(repair.title, edits, preferred=preferred, safe=repair.safe)


def _duplicate_solutions(mark: RangedFinding, draft: Draft) -> Iterator[Solution]:
    """Take out either of two entries with one key; a pointer could not tell them apart."""
    if mark.finding.rule is not DUPLICATE_KEY:
        return
    places = [("Remove this one", mark.span), *(("Remove the first one", it) for it, _ in mark.related)]
    found = [(title, it) for title, span in places if (it := _container_of(draft, span)) is not None]
    # The best one loses nothing: it takes the entry without a value.
    for title, (container, index) in sorted(found, key=lambda it: _has_value(*it[1])):
        edits = remove_member(draft, container, index)
        if edits is not None:
            yield Solution(title, tuple(edits))


def _has_value(container: Container, index: int) -> bool:
    value = container.members[index].value
    return value.start != value.end


def _container_of(draft: Draft, key: Span) -> tuple[Container, int] | None:
    """The mapping that holds the key at a place, and which of its entries that is."""
    piece = draft.tree.piece_at(key.start.line)
    root = piece.parsed.root if piece is not None else None
    top = container_at(draft, ())
    if top is not None and (index := _index_of(top, key)) is not None:
        return top, index
    waiting: list[Node] = [root] if root is not None else []
    while waiting and piece is not None:
        node = waiting.pop()
        span = node.span.shift(piece.start)
        members = tuple(_member(part, name, value, piece.start) for part, name, value in node.children())
        container = Container(
            ("somewhere",), is_map=bool(node.pairs), flow=node.flow, span=span, members=members
        )
        if (index := _index_of(container, key)) is not None:
            return container, index
        waiting += [it for _, _, it in node.children()]
    return None


def _member(part: str | int, key: Node | None, value: Node, start: int) -> Member:
    return Member(part, key, key.span.shift(start) if key else None, value, value.span.shift(start))


def _index_of(container: Container, key: Span) -> int | None:
    """Which entry of a mapping has its key at a place; they stand in order."""
    index = bisect_left(container.members, key, key=lambda it: it.key or it.value)
    return index if index < len(container.members) and container.members[index].key == key else None


_MAX_ROUNDS = 50


class AppliedFix(NamedTuple):
    """A fix that was applied: the code of its finding, and what was done."""

    code: str
    title: str


Choose = Callable[[RangedFinding, Draft, Schema], Solution | None]


def apply_fixes(
    draft: Draft,
    root: Schema,
    find: Callable[[Draft], Sequence[RangedFinding]],
    choose: Choose = safe_solution,
) -> tuple[Draft, list[AppliedFix]]:
    """The document with every safe fix applied that does not get in the way of another, until there are none left.

    `choose` says which fix of a finding is applied, None for none of them.
    """
    draft = draft.as_first()
    applied: list[AppliedFix] = []
    for _ in range(_MAX_ROUNDS):
        edits, done = _round(draft, root, find(draft), choose)
        if not edits:
            break
        draft = draft.apply(edits)
        applied += done
    return draft, applied


def upgrade_solution(mark: RangedFinding, draft: Draft, root: Schema) -> Solution | None:
    """The best way to the newest form of something outdated; of other findings only what is safe."""
    if not mark.finding.rule.outdated:
        return safe_solution(mark, draft, root)
    return next((it for it in solutions(mark, draft, root) if it.edits and not it.files), None)


def _round(
    draft: Draft, root: Schema, marks: Sequence[RangedFinding], choose: Choose
) -> tuple[list[Edit], list[AppliedFix]]:
    edits: list[Edit] = []
    done: list[AppliedFix] = []
    touched: set[tuple[str | int, ...]] = set()
    for mark in marks:
        # Two fixes in one mapping could bring the same key twice; the second has its turn in the next round.
        around = mark.in_document.pointer[:-1]
        if mark.finding.pointer and around in touched:
            continue
        solution = choose(mark, draft, root)
        if solution is not None and not has_overlap(solution.edits, edits):
            for it in solution.edits:
                insort(edits, it)
            done.append(AppliedFix(mark.finding.code, solution.title))
            touched.add(around)
    return edits, done
