"""Find solutions for findings, and apply all safe ones of a document.

A solution comes from the fixes of the finding's rule, or from the repairs of a syntax error. `apply_fixes` works in
rounds, because one fix can cause or remove other findings.
"""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from lsprotocol import types

from waza_engine.analysis.schema.navigate import Schema
from waza_engine.model.findings import Fix, MoveKey, RemoveKey
from waza_engine.rules.duplicate_key import DUPLICATE_KEY
from waza_engine.rules.text_cut_by_comment import TEXT_CUT_BY_COMMENT
from waza_lsp.diagnostics.ranges import RangedFinding
from waza_lsp.fixes.edits import fix_edits
from waza_lsp.schema.describe import meaning_of
from waza_lsp.syntax.cursor.rows import row_of
from waza_lsp.syntax.edit.edits import Draft, Edit, has_overlap
from waza_lsp.syntax.edit.entries import remove_member
from waza_lsp.syntax.edit.members import Container, Member, container_at, member_at
from waza_lsp.syntax.errors.hints import Cause, Problem
from waza_lsp.syntax.errors.indentation import Repair
from waza_lsp.syntax.errors.repairs import quote_cut_text, quote_template, repairs
from waza_lsp.syntax.text import Place, Span
from waza_lsp.syntax.tree.node import Node
from waza_lsp.syntax.tree.piece import Piece


def accepts_kind(kind: str, context: "types.CodeActionContext") -> bool:
    """Whether the client requests code actions of this kind. A request without kinds accepts all."""
    return not context.only or any(
        it in {"", kind} or kind.startswith(f"{it}.") for it in map(_name, context.only)
    )


def is_manual_request(context: "types.CodeActionContext") -> bool:
    """Whether the user sent the request, not the editor on its own."""
    return context.trigger_kind is not types.CodeActionTriggerKind.Automatic


def _name(kind: "types.CodeActionKind | str") -> str:
    return kind.value if isinstance(kind, types.CodeActionKind) else kind


_MAX_SOLUTIONS = 3


@dataclass(frozen=True, slots=True)
class Solution:
    """One way to fix a finding. `files` are created, each with its text; `safe` is as in `Fix`."""

    title: str
    edits: tuple[Edit, ...]
    files: tuple[tuple[Path, str], ...] = ()
    preferred: bool = False
    safe: bool = False


def solutions(ranged: RangedFinding, draft: Draft, root: Schema) -> list[Solution]:
    """Return at most three solutions that work in this text, the best first."""
    found = [
        *_syntax_solutions(ranged, draft, root),
        *_duplicate_solutions(ranged, draft),
        *_rule_solutions(ranged, draft, root),
    ]
    return sorted(found, key=lambda it: not it.preferred)[:_MAX_SOLUTIONS]


def safe_solution(ranged: RangedFinding, draft: Draft, root: Schema) -> Solution | None:
    """Return the best solution that is safe to apply without the user's consent."""
    return safe_among(ranged, solutions(ranged, draft, root)) if _may_be_safe(ranged) else None


def safe_among(ranged: RangedFinding, found: Sequence[Solution]) -> Solution | None:
    """Return the `safe_solution` among all `solutions` of a finding."""
    return next((it for it in found if it.safe and not it.files), None) if _may_be_safe(ranged) else None


def _may_be_safe(ranged: RangedFinding) -> bool:
    fixes = ranged.finding.fixes
    return not fixes or any(it.safe for it in fixes)


def _rule_solutions(ranged: RangedFinding, draft: Draft, root: Schema) -> Iterator[Solution]:
    for fix in ranged.in_document.fixes if ranged.finding.fixes else ():
        result = fix_edits(fix, draft, root)
        if result is None and (rest := _without_taken_places(fix, draft)) is not None:
            fix, result = rest, fix_edits(rest, draft, root)  # noqa: PLW2901  # the fix that is possible
        if result is not None:
            yield Solution(fix.title, result.edits, result.files, fix.preferred, fix.safe)


def _without_taken_places(fix: Fix, draft: Draft) -> Fix | None:
    """Return a fix without the keys that cannot move because their new place has such a key already.

    If no key can move, the fix removes them. The schema check of one part of a file cannot know the keys above it.
    """
    moves = [it for it in fix.changes if isinstance(it, MoveKey)]
    taken = [it for it in moves if member_at(draft, it.to) is not None]
    if not taken or len(moves) < len(fix.changes):
        return None
    names = [f"'{it.pointer[-1]}'" for it in moves if len(taken) == len(moves) or it not in taken]
    if len(taken) == len(moves):
        return Fix(f"Remove {', '.join(names)}", tuple(RemoveKey(it.pointer) for it in moves))
    everything = ", ".join(f"'{it.pointer[-1]}'" for it in moves)
    title = fix.title.replace(everything, ", ".join(names), 1)
    return replace(fix, title=title, changes=tuple(it for it in moves if it not in taken))


def _syntax_solutions(ranged: RangedFinding, draft: Draft, root: Schema) -> Iterator[Solution]:
    piece = draft.tree.piece_at(ranged.span.start.line)
    if piece is None:
        return
    if ranged.finding.rule is TEXT_CUT_BY_COMMENT:
        quoted = quote_cut_text(draft.text, ranged.span)
        if quoted is not None and not draft.is_harmed_by(quoted.edits):
            yield Solution(quoted.title, quoted.edits, preferred=True)
    source = "".join(draft.text.lines[piece.start : piece.end])
    for problem in piece.parsed.problems:
        if problem.span.shift(piece.start) == ranged.span:
            found = _rank_repairs(repairs(source, problem), problem, piece, draft, root)
            for index, it in enumerate(found):
                yield _repair_solution(it, piece, preferred=index == 0)
    if any(it.span.shift(piece.start) == ranged.span for it in piece.parsed.templates):
        it = quote_template(draft.text, ranged.span)
        yield Solution(it.title, it.edits, preferred=True, safe=it.safe)


def _rank_repairs(
    found: list[Repair], problem: Problem, piece: Piece, draft: Draft, root: Schema
) -> list[Repair]:
    """Drop guesses that lead to unknown keys. Of several indentations, those with a known key come first."""
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


def _duplicate_solutions(ranged: RangedFinding, draft: Draft) -> Iterator[Solution]:
    """Remove one of two entries with the same key; a pointer could not tell them apart."""
    if ranged.finding.rule is not DUPLICATE_KEY:
        return
    places = [("Remove this one", ranged.span), *(("Remove the first one", it) for it, _ in ranged.related)]
    found = [(title, it) for title, span in places if (it := _container_of(draft, span)) is not None]
    # An entry without a value goes first: nothing is lost.
    for title, (container, index) in sorted(found, key=lambda it: _has_value(*it[1])):
        edits = remove_member(draft, container, index)
        if edits is not None:
            yield Solution(title, tuple(edits))


def _has_value(container: Container, index: int) -> bool:
    value = container.members[index].value
    return value.start != value.end


def _container_of(draft: Draft, key: Span) -> tuple[Container, int] | None:
    """Return the mapping with the key at a span, and the index of its entry."""
    piece = draft.tree.piece_at(key.start.line)
    root = piece.parsed.root if piece is not None else None
    top = container_at(draft, ())
    if top is not None and (index := _index_of(top, key)) is not None:
        return top, index
    stack: list[Node] = [root] if root is not None else []
    while stack and piece is not None:
        node = stack.pop()
        span = node.span.shift(piece.start)
        members = tuple(_member(part, name, value, piece.start) for part, name, value in node.children())
        container = Container(
            ("somewhere",), is_map=bool(node.pairs), flow=node.flow, span=span, members=members
        )
        if (index := _index_of(container, key)) is not None:
            return container, index
        stack += [it for _, _, it in node.children()]
    return None


def _member(part: str | int, key: Node | None, value: Node, start: int) -> Member:
    return Member(part, key, key.span.shift(start) if key else None, value, value.span.shift(start))


def _index_of(container: Container, key: Span) -> int | None:
    """Return the index of the entry whose key is at a span; the entries are in the order of the text."""
    index = bisect_left(container.members, key, key=lambda it: it.key or it.value)
    return index if index < len(container.members) and container.members[index].key == key else None


_MAX_ROUNDS = 50


class AppliedFix(NamedTuple):
    """A fix that was applied: the code of its finding and the title of the fix."""

    code: str
    title: str


Choose = Callable[[RangedFinding, Draft, Schema], Solution | None]


def apply_fixes(
    draft: Draft,
    root: Schema,
    find: Callable[[Draft], Sequence[RangedFinding]],
    choose: Choose = safe_solution,
) -> tuple[Draft, list[AppliedFix]]:
    """Apply fixes until none is left, in each round those that do not overlap.

    `choose` returns the solution to apply for a finding, or None.
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


def upgrade_solution(ranged: RangedFinding, draft: Draft, root: Schema) -> Solution | None:
    """Return the best solution for something outdated; for other findings, only a safe one."""
    if not ranged.finding.rule.outdated:
        return safe_solution(ranged, draft, root)
    return next((it for it in solutions(ranged, draft, root) if it.edits and not it.files), None)


def _round(
    draft: Draft, root: Schema, findings: Sequence[RangedFinding], choose: Choose
) -> tuple[list[Edit], list[AppliedFix]]:
    edits: list[Edit] = []
    applied: list[AppliedFix] = []
    touched: set[tuple[str | int, ...]] = set()
    for ranged in findings:
        # Two fixes in one mapping could add the same key twice, so the second waits for the next round.
        parent = ranged.in_document.pointer[:-1]
        if ranged.finding.pointer and parent in touched:
            continue
        solution = choose(ranged, draft, root)
        if solution is not None and not has_overlap(solution.edits, edits):
            for it in solution.edits:
                insort(edits, it)
            applied.append(AppliedFix(ranged.finding.code, solution.title))
            touched.add(parent)
    return edits, applied
