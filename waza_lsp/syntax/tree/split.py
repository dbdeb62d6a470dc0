"""Cut a text into pieces at top-level keys and at the items of top-level lists.

Pieces are parsed separately: an edit costs one piece, and a broken piece does not affect the others
(docs/performance.md, "The design"). Most edits stay inside the items of one list; then `recut` cuts only around the edit.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from enum import StrEnum
from operator import itemgetter
from typing import NamedTuple

from waza_engine.lib.yaml.nodes import MOST_CHARACTERS, TOO_LARGE
from waza_lsp.syntax.errors.hints import Cause, Problem, on_line
from waza_lsp.syntax.text import indent_of
from waza_lsp.syntax.tree.builder import Builder

__all__ = ["MOST_CHARACTERS", "TOO_LARGE_MESSAGE", "first_lines"]

_FENCE = "---"
_MOST_RECOGNITION_CHARACTERS = 100_000
TOO_LARGE_MESSAGE = f"{TOO_LARGE}. It is not checked; move large content to separate files"
_KEY = re.compile(
    r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#\-?:,\[\]{}&*!|>'"%@`][^:#]*|[\-?:](?=\S)[^:#]*)\s*:(?:[ \t\r\n\x85\u2028\u2029]|$)"""
)
"""After the colon come the spaces and line ends of YAML; all other characters count as letters."""
_DASH = re.compile(r"( *)-(?:[ \t\r\n]|$)")
_CONTINUES = re.compile(r"[-:](?:[ \t\r\n]|$)")
"""In column 0: an item of the list above, or the value of an explicit `? key`."""
_ONLY_MARK = re.compile(r"---[ \t\r\n]*(?:#|$)")
_PROPERTIES = re.compile(r"---(?:[ \t]+[!&][^ \t\r\n]*)*[ \t\r\n]*(?:#|$)")
"""A `---` with nothing but a tag or anchor after it."""
_OF_ROOT = re.compile(r" *(?:(?:!!map|!|&[^\s]+)[ \t]*(?:[ \t\r\n]|$))+(?:#|$)")
"""The tag or anchor of the root mapping, on a line of its own."""
_CLOSING = {"[": "]", "{": "}"}
_NO_CONTENT = re.compile(r"[ \t\r\n]*(?:#|$)")
_NEUTRAL = frozenset([" ", "\t", "#", "\n", "\r", "", "}", "]"])
_AFTER_DASH = frozenset([" ", "\t", "\n", "\r", ""])
_START = itemgetter(1)
_MARK = "yaml-language-server"
_MODELINE = re.compile(r"#\s*yaml-language-server\s*:\s*\$schema\s*=\s*(\S+)")
_LAST_MODELINE = 20


class PieceKind(StrEnum):
    """What the lines of a piece are."""

    PAIR = "pair"
    """A top-level key with its whole value."""
    HEAD = "head"
    """A top-level key whose value is the list of items that follows."""
    ITEM = "item"
    """One item of the list above."""
    STRAY = "stray"
    """Half-typed text: in column 0 but not a key, or above the first key and not part of it."""
    WHOLE = "whole"
    """A document that is not a block mapping."""
    SKIPPED = "skipped"
    """Blank lines, comments, directives and document marks before the first key."""


class Cut(NamedTuple):
    """A range of whole lines, `end` excluded."""

    kind: PieceKind
    start: int
    end: int


class PieceLayout(NamedTuple):
    """All pieces in order, without gaps.

    `second_document` and `conflict` are the lines where a second document and a merge conflict start (-1: none).
    `has_more_documents`: the second document has content.
    """

    cuts: list[Cut]
    second_document: int
    conflict: int = -1
    has_more_documents: bool = False


class Recut(NamedTuple):
    """New cuts for the pieces from `first` up to, not including, `last`."""

    first: int
    last: int
    cuts: list[Cut]


def cut(lines: Sequence[str]) -> PieceLayout:
    """Cut a text into pieces. The lines include their line ends."""
    tops = [i for i, it in enumerate(lines) if it[:1] not in _NEUTRAL]
    conflict = next((it for it in tops if lines[it].startswith("<<<<<<< ")), -1)
    start, tops, second = _first_document(lines, tops)
    end = second if second >= 0 else len(lines)
    has_more_documents = second >= 0 and _has_content(lines, second + 1)
    if len(tops) > 1 and _OF_ROOT.match(lines[tops[0]]) and _begins_value(lines[tops[1]]):
        tops = tops[1:]
    if _is_not_block_mapping(lines, tops, end) if tops else _is_indented(lines[start:end]):
        return PieceLayout(
            [*_skipped(0, start), Cut(PieceKind.WHOLE, start, end)], second, conflict, has_more_documents
        )
    entries = _entries(lines, tops, end)
    cuts = _above(lines, start, entries[0].start if entries else end)
    open_list = -1
    for kind, first, last in entries:
        if kind is PieceKind.STRAY:
            # Lines after a half-typed line in column 0 still belong to the list above.
            cuts.append(Cut(kind, first, first + 1))
            cuts += (
                item_cuts(lines, first + 1, last, open_list) if open_list >= 0 else _skipped(first + 1, last)
            )
            continue
        column = _list_column(lines, first, last)
        open_list = column
        if column < 0:
            cuts.append(Cut(PieceKind.PAIR, first, last))
            continue
        begin = next(i for i in range(first + 1, last) if _dash_at(lines[i], column))
        cuts.append(Cut(PieceKind.HEAD, first, begin))
        cuts += item_cuts(lines, begin, last, column)
    return PieceLayout(cuts, second, conflict, has_more_documents)


def recut(
    lines: Sequence[str],
    pieces: Sequence[tuple[PieceKind, int, int, object, object]],
    count: int,
    same: tuple[int, int],
) -> Recut | None:
    """Cut the items that an edit touched again; None if the edit may affect other pieces.

    Args:
        lines: the text after the edit.
        pieces: kind, start and end of each piece before the edit, none of them joined.
        count: how many lines the text had.
        same: how many lines are the same at the top and at the bottom.

    """
    top, bottom = same
    shift = len(lines) - count
    first = bisect_right(pieces, max(top - 1, 0), key=_START) - 1
    last = bisect_right(pieces, max(count - bottom - 1, top, 0), key=_START)
    # The first item decides the column of the other dashes, so it must not be affected.
    if first < 1 or any(it[0] is not PieceKind.ITEM for it in pieces[first - 1 : last]):
        return None
    start, end = pieces[first][1], pieces[last - 1][2] + shift
    if not all(map(continues_above, lines[start:end])):
        return None
    dash = lines[pieces[first - 1][1]]
    cuts = item_cuts(lines, start, end, indent_of(dash))
    return (
        Recut(first, last, cuts)
        if cuts and cuts[0].start == start and cuts[0].kind is PieceKind.ITEM
        else None
    )


def first_lines(lines: Sequence[str]) -> list[str]:
    """Return the first lines of a text, enough to recognise the kind of file."""
    found: list[str] = []
    left = _MOST_RECOGNITION_CHARACTERS
    for it in lines:
        left -= len(it)
        if left < 0:
            break
        found.append(it)
    return found or [""]


def front_matter_lines(lines: Sequence[str]) -> list[str]:
    """Return the YAML at the top of a Markdown text, with a blank first line for the fence; empty without both fences."""
    if not lines or not lines[0].startswith(_FENCE):
        return [""]
    end = next((at for at, it in enumerate(lines) if at and it.startswith(_FENCE)), 0)
    return ["\n", *lines[1:end]] if end else [""]


def schema_address(lines: Sequence[str]) -> str:
    """Return the URL or path in `# yaml-language-server: $schema=...`, or "".

    Only comments at the top count.
    """
    for line in lines[:_LAST_MODELINE]:
        text = line.strip()
        if text and not text.startswith(("#", "---", "%")):
            return ""
        if _MARK in text and (found := _MODELINE.match(text)):
            return found[1]
    return ""


def directive_problem(source: str) -> Problem | None:
    """Return the problem of directives such as `%YAML 1.2`, or None.

    `source` is the text above the first key.
    """
    lines = source.splitlines()
    directives = [line for line, text in enumerate(lines) if text.startswith("%")]
    if not directives:
        return None
    error = Builder(f"{source.rstrip()}\na: b\n").read()
    if error is None:
        return None
    mark, problem = getattr(error, "problem_mark", None), str(getattr(error, "problem", error))
    if "<document start>" in problem:
        message, line = (
            "A directive needs a line '---' below it; add that line, or remove the directive",
            directives[-1],
        )
    else:
        above = [it for it in directives if mark is not None and it <= mark.line]
        message, line = f"Not valid YAML: {problem}", max(above, default=directives[0])
    return on_line(message, line, (0, len(lines[line].rstrip())), Cause.OTHER)


def continues_above(line: str) -> bool:
    """Whether a line continues the top-level entry above it."""
    return line[:1] in _NEUTRAL or _CONTINUES.match(line) is not None


def _is_not_block_mapping(lines: Sequence[str], tops: list[int], end: int) -> bool:
    """Whether the document is a list, a flow value or a text instead of a block mapping.

    A quote, dash or bracket above keys is half-typed text, unless the keys are part of it.
    """
    first = lines[tops[0]]
    if _begins_document(first) or first[0] in "|>":
        return True
    if not (_begins_flow_or_text(first) or _DASH.match(first)):
        return False
    keys = [lines[it] for it in tops[1:] if _KEY.match(lines[it])]
    if not keys:
        return True
    closing = _CLOSING.get(first[0])
    if closing and (closing in first or any(it.rstrip().endswith(",") for it in keys)):
        return True
    return Builder("".join(lines[tops[0] : end])).read() is None


def _begins_flow_or_text(line: str) -> bool:
    return line[0] in "[{\"'" and not _KEY.match(line)


def _begins_value(line: str) -> bool:
    """Whether a line in column 0 can be the value of the tag or anchor above it."""
    return _begins_flow_or_text(line) or _KEY.match(line) is not None


def _is_indented(lines: Sequence[str]) -> bool:
    """Whether the whole document is indented.

    No line has text in column 0, and the first content is a key, dash or bracket.
    """
    first = next((it.lstrip(" ") for it in lines if not _NO_CONTENT.match(it)), "")
    return first[:1] in _CLOSING or bool(_KEY.match(first) or _DASH.match(first))


def _above(lines: Sequence[str], start: int, end: int) -> list[Cut]:
    """Return the cuts above the first key: usually comments and document marks."""
    first = next((it for it in range(start, end) if _is_stray(lines[it])), end)
    return [*_skipped(0, first), *([Cut(PieceKind.STRAY, first, end)] if end > first else [])]


def _is_stray(line: str) -> bool:
    """Whether a line above the first key is half-typed text.

    It is not a comment, a document mark, or the tag or anchor of the root.
    """
    return continues_above(line) and not (_NO_CONTENT.match(line) or _OF_ROOT.match(line))


def _first_document(lines: Sequence[str], tops: list[int]) -> tuple[int, list[int], int]:
    """Return the start of the first document, its lines with text in column 0, and its end.

    The end is the line of the mark that ends it, or -1.
    """
    start, is_begun = 0, False
    found: list[int] = []
    for line in tops:
        text = lines[line]
        is_mark = text.startswith("---") and (len(text.rstrip()) == 3 or text[3] in " \t")
        if is_mark and not (found or is_begun) and _ONLY_MARK.match(text):
            start, is_begun = line + 1, True
        elif is_mark and not (found or is_begun) and _begins_document(text):
            found.append(line)
        elif is_mark or (text.startswith("...") and not text[3:].strip()):
            if found or (is_mark and is_begun):
                return start, found, line
        elif not (text.startswith("%") and not found):
            found.append(line)
    return start, found, -1


def _begins_document(line: str) -> bool:
    """Whether a line is a `---` followed by the start of the document's text."""
    return line.startswith("---") and line[3:4] in _AFTER_DASH and not _PROPERTIES.match(line)


def _has_content(lines: Sequence[str], start: int) -> bool:
    """Whether lines from `start` on hold more than comments and document marks."""
    below = (lines[it].strip() for it in range(start, len(lines)))
    return any(it and not it.startswith("#") and it not in {"---", "..."} for it in below)


def _skipped(start: int, end: int) -> list[Cut]:
    return [Cut(PieceKind.SKIPPED, start, end)] if end > start else []


def _entries(lines: Sequence[str], tops: list[int], end: int) -> list[Cut]:
    """Return the top-level entries; items in column 0 stay with the key above them."""
    starts = [
        (PieceKind.PAIR if _KEY.match(lines[it]) or lines[it].startswith("? ") else PieceKind.STRAY, it)
        for it in tops
        if not _CONTINUES.match(lines[it])
    ]
    ends = [it for _, it in starts[1:]] + [end]
    return (
        [Cut(kind, first, last) for (kind, first), last in zip(starts, ends, strict=True)] if starts else []
    )


def _list_column(lines: Sequence[str], first: int, last: int) -> int:
    """Return the column of the dashes if the entry's value is a block list, else -1."""
    head = lines[first].split("#")[0].rstrip() if "#" in lines[first] else lines[first].rstrip()
    if not head.endswith(":"):
        return -1
    for line in range(first + 1, last):
        if not _NO_CONTENT.match(lines[line]):
            found = _DASH.match(lines[line])
            return len(found.group(1)) if found else -1
    return -1


def _dash_at(line: str, column: int) -> bool:
    found = _DASH.match(line)
    return found is not None and len(found.group(1)) == column


def item_cuts(lines: Sequence[str], first: int, last: int, column: int) -> list[Cut]:
    """Cut the items of a list whose dashes are in `column`."""
    prefix = " " * column + "-"
    width = len(prefix)
    starts = [
        i
        for i in range(first, last)
        if lines[i].startswith(prefix) and lines[i][width : width + 1] in _AFTER_DASH
    ]
    if not starts:
        return _skipped(first, last)
    return [
        *_skipped(first, starts[0]),
        *(Cut(PieceKind.ITEM, a, b) for a, b in zip(starts, [*starts[1:], last], strict=True)),
    ]
