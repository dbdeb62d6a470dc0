"""Suppress findings with comments: `# waza-lsp: ignore[code]`, and `# waza-lsp: ignore-file[code]` at the top.

A comment behind a value applies to its line. A comment on a line of its own applies to the next line that is not a
comment. Without brackets it applies to all findings. A comment that suppresses nothing is reported.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from waza_engine.lib.spelling import nearest
from waza_engine.model.findings import Finding, Severity
from waza_engine.project.levels import codes_elsewhere, unknown_code
from waza_engine.rules.duplicate_key import DUPLICATE_KEY
from waza_engine.rules.syntax_error import SYNTAX_ERROR
from waza_engine.rules.unknown_key import UNKNOWN_KEY
from waza_engine.rules.unused_suppression import UNUSED_SUPPRESSION
from waza_lsp.diagnostics.ranges import RangedFinding
from waza_lsp.schema.document_kind import Form
from waza_lsp.schema.visitor import SchemaPaths, schema_paths, visit
from waza_lsp.syntax.edit.edits import Draft, Edit
from waza_lsp.syntax.text import Place, Span
from waza_lsp.syntax.tree.piece import Piece
from waza_lsp.syntax.tree.tree import Tree

_CODES_COMMENT = re.compile(r"\s*# waza-lsp: ignore\[[^\]]*(?=\])")


def suppression_edit(code: str, line: int, draft: Draft) -> Edit | None:
    """Return the edit that suppresses findings of a line: a comment above it, or the code in the existing comment.

    None where the text is broken.
    """
    piece = draft.tree.piece_at(line)
    if piece is None or piece.parsed.problems:
        return None
    found = _CODES_COMMENT.match(draft.text.line(line - 1)) if line else None
    if found is not None:
        end = Place(line - 1, found.end())
        return Edit(Span(end, end), f", {code}")
    text = draft.text.line(line)
    indent = text[: len(text) - len(text.lstrip(" "))]
    start = Place(line, 0)
    return Edit(Span(start, start), f"{indent}# waza-lsp: ignore[{code}]\n")


_PREFIX = "waza-lsp:"
_COMMENT = re.compile(r"(?:^|(?<=\s))#\s*(waza-lsp:\s*([\w-]+)(\[[^\]\r\n]*\]?)?)")
_NAME = re.compile(r"[^\s,\[\]]+")
_LINE, _FILE = "ignore", "ignore-file"
_QUARANTINE, _TASK = "quarantine", "task"


@dataclass(frozen=True, slots=True)
class Suppression:
    """One code in a comment (None: any finding) and the line it applies to (None: the whole file).

    `problem` says why it cannot suppress anything.
    """

    span: Span
    code: str | None = None
    line: int | None = None
    problem: str = ""


def apply_suppressions(
    findings: Sequence[RangedFinding], tree: Tree, lines: Sequence[str], form: Form
) -> list[RangedFinding]:
    """Drop the suppressed findings, and report comments without effect, unless the text is broken."""
    if not _has_comments(tree, lines):
        return list(findings)
    found = list(suppressions(tree, lines))
    scopes = {(it.line, it.code) for it in found if not it.problem}
    kept, used = [], set()
    for ranged in findings:
        matching = scopes.intersection(_scopes(ranged))
        used.update(matching)
        if not matching:
            kept.append(ranged)
    if any(it.finding.rule is SYNTAX_ERROR for it in findings):
        return kept
    hidden = _HiddenFindings(findings, tree)
    unused = (
        it for it in found if it.problem or ((it.line, it.code) not in used and not hidden.may_hide(it))
    )
    outside = _outside_of_tasks(tree, lines, form)
    reported = (RangedFinding(it.span, _unused(it)) for it in (*unused, *outside))
    return sorted([*kept, *reported], key=lambda it: it.span)


def _has_comments(tree: Tree, lines: Sequence[str]) -> bool:
    """Whether any line mentions us. A piece that did not change is not searched again."""
    if tree.pieces_where(_mentions_us, lines):
        return True
    end = tree.pieces[-1].end if tree.pieces else 0
    return any(_PREFIX in it for it in lines[end:])


def _mentions_us(piece: Piece, lines: Sequence[str]) -> bool:
    return _PREFIX in "".join(lines[piece.start : piece.end])


def without_suppressed(
    findings: Iterable[RangedFinding], tree: Tree, lines: Sequence[str]
) -> list[RangedFinding]:
    """Drop the suppressed findings. For findings that no check reports."""
    if not _has_comments(tree, lines):
        return list(findings)
    scopes = {(it.line, it.code) for it in suppressions(tree, lines) if not it.problem}
    return [it for it in findings if scopes.isdisjoint(_scopes(it))]


def _outside_of_tasks(tree: Tree, lines: Sequence[str], form: Form) -> Iterator[Suppression]:
    """Yield the quarantine comments of an eval or experiment that are about none of its tasks."""
    if form.runnable in {"", _TASK} or not any(_QUARANTINE in it for it in lines):
        return
    # Imported late: few files have such comments.
    from waza_engine.lib.yaml.comments import target_line
    from waza_engine.runs.planning.quarantine import OUTSIDE, WORD, reason_of

    tasks = [it.node.span.shift(it.start) for it in visit(tree, _task_paths(form)) if it.pointer]
    for number, text in enumerate(lines):
        for found in _COMMENT.finditer(text) if _QUARANTINE in text else ():
            whole = Span(Place(number, found.start(1)), Place(number, found.end(1)))
            if found[2] != WORD or _in_value(tree, whole.start) or not reason_of(_behind_word(found)):
                continue
            target = target_line(lines, number, found.start())
            if not any(it.start.line <= target <= it.end.line for it in tasks):
                yield Suppression(whole, problem=OUTSIDE)


@lru_cache(maxsize=64)
def _task_paths(form: Form) -> SchemaPaths:
    return schema_paths(form.schema, lambda schema, _: schema.get("x-runnable") == _TASK)


def _behind_word(comment: re.Match[str]) -> str:
    return f"{comment[3] or ''}{comment.string[comment.end() :]}"


class _HiddenFindings:
    """Where errors hide further findings, so a comment there may turn out to be of use once they are fixed."""

    def __init__(self, findings: Sequence[RangedFinding], tree: Tree) -> None:
        self._tree = tree
        self._lines = [
            it.span.start.line
            for it in findings
            if it.finding.severity is Severity.ERROR and it.finding.rule not in _NOT_HIDING
        ]

    def may_hide(self, it: Suppression) -> bool:
        """Whether the findings that a comment suppresses may be hidden. Nothing hides a code that does not exist."""
        if it.code in codes_elsewhere():
            return True
        if it.code is not None and unknown_code(it.code):
            return False
        piece = self._tree.piece_at(it.line) if it.line is not None else None
        if piece is None:
            return it.line is None and bool(self._lines)
        return any(piece.start <= line < piece.end for line in self._lines)


_NOT_HIDING = frozenset([DUPLICATE_KEY, UNKNOWN_KEY])
"""Errors that do not stop further checks."""


def _scopes(ranged: RangedFinding) -> Iterator[tuple[int | None, str | None]]:
    """Yield the line and the code of each comment that would suppress the finding."""
    for line in (ranged.span.start.line, None):
        yield line, ranged.finding.code
        yield line, None


def suppressions(tree: Tree, lines: Sequence[str]) -> Iterator[Suppression]:
    """Yield all suppression comments of a text."""
    first = next((i for i, it in enumerate(lines) if _is_content(it)), len(lines))
    targets = _targets(lines)
    for line, text in enumerate(lines):
        if _PREFIX not in text:
            continue
        for found in _COMMENT.finditer(text):
            if not _in_value(tree, Place(line, found.start(1))):
                alone = not text[: found.start()].strip()
                yield from _of_comment(
                    found, line, targets[line] if alone else line, at_top=alone and line < first
                )


def _of_comment(found: re.Match[str], line: int, target: int, *, at_top: bool) -> Iterator[Suppression]:
    whole = Span(Place(line, found.start(1)), Place(line, found.end(1)))
    word, brackets = found[2], found[3]
    if word not in {_LINE, _FILE}:
        if problem := _problem_of_other_word(word, _behind_word(found)):
            yield Suppression(whole, problem=problem)
    elif problem := _problem(word, brackets, at_top=at_top):
        yield Suppression(whole, problem=problem)
    else:
        applies_to = None if word == _FILE else target
        if brackets is None:
            yield Suppression(whole, None, applies_to)
            return
        for name in _NAME.finditer(brackets):
            start = found.start(3) + name.start()
            yield Suppression(
                Span(Place(line, start), Place(line, start + len(name[0]))), name[0], applies_to
            )


def _problem_of_other_word(word: str, text: str) -> str:
    """Return what is wrong with a comment that suppresses nothing, whose `text` follows the word."""
    # Imported late: few files have such comments.
    from waza_engine.audit.codes import NEGATIVE_TEST
    from waza_engine.runs.planning.quarantine import NO_REASON, WORD, reason_of

    if word == WORD:
        return "" if reason_of(text) else NO_REASON
    if word == NEGATIVE_TEST:
        return ""
    near = nearest(word, [_LINE, _FILE, WORD, NEGATIVE_TEST], most=1)
    return f"Unknown word '{word}'. Did you mean '{near[0]}'?" if near else ""


def _problem(word: str, brackets: str | None, *, at_top: bool) -> str:
    if brackets is not None and not brackets.endswith("]"):
        return "The bracket is not closed, so this comment has no effect. Add ']'"
    if brackets is not None and not _NAME.search(brackets):
        return f"No code in the brackets, so this comment has no effect. Add one, or write only '{word}' for all findings"
    if word == _FILE and not at_top:
        return "'ignore-file' only works in a comment above the first key. Write 'ignore' for one line"
    return ""


def _unused(suppression: Suppression) -> Finding:
    where = "in this file" if suppression.line is None else "on the line of this comment"
    message = suppression.problem
    if not message and suppression.code is None:
        message = f"No findings {where}. Remove this comment"
    elif not message and suppression.code is not None:
        message = unknown_code(suppression.code) or f"No '{suppression.code}' {where}. Remove it"
    return UNUSED_SUPPRESSION.at((), message)


def _targets(lines: Sequence[str]) -> list[int]:
    """Return for each line the next one that is not a comment; the line itself if there is none."""
    found, after = list(range(len(lines))), None
    for line in reversed(range(len(lines))):
        if not lines[line].lstrip().startswith("#"):
            after = line
        elif after is not None:
            found[line] = after
    return found


def _is_content(line: str) -> bool:
    text = line.strip()
    return bool(text) and not text.startswith(("#", "%", "---"))


def _in_value(tree: Tree, place: Place) -> bool:
    """Whether the place is inside a string, where `#` does not start a comment."""
    located = tree.at(place)
    if located is None or located.on_key or not located.value.start < place < located.value.end:
        return False
    # The text of a block begins on the line below its indicator, behind which there may be a comment.
    return located.node.style not in {"|", ">"} or place.line > located.value.start.line
