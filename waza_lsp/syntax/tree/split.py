"""Cutting a text into pieces at top-level keys and at the items of top-level lists (docs/performance.md).

A piece is parsed on its own: an edit costs one piece, and a broken piece costs the others nothing.

Texts that are larger than any eval file: people are told so, and only their beginning is read.

Lines above a document that speak to the reader of YAML: `%YAML 1.2`.

The comment in which a file names its own schema: `# yaml-language-server: $schema=...`.

Cutting only where an edit was: most edits stay inside the items of one top-level list.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from enum import StrEnum
from operator import itemgetter
from typing import NamedTuple

from waza_engine.lib.yaml.nodes import MOST_CHARACTERS, TOO_LARGE
from waza_lsp.syntax.errors.hints import Cause, Problem, on_line
from waza_lsp.syntax.tree.builder import Builder

__all__ = ["MESSAGE", "MOST_CHARACTERS", "beginning"]

_BEGINNING = 100_000
MESSAGE = f"{TOO_LARGE}; it is not checked. Keep what is large in files of its own"


def beginning(lines: Sequence[str]) -> list[str]:
    """The first lines of a text, as many as tell what kind of file it is."""
    found: list[str] = []
    left = _BEGINNING
    for it in lines:
        left -= len(it)
        if left < 0:
            break
        found.append(it)
    return found or [""]


def directive_problem(source: str) -> Problem | None:
    """What is wrong with the directives in the text above the first key, its `---` included; None without any."""
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
            "A directive needs the line '---' below it; add it, or remove this one",
            directives[-1],
        )
    else:
        above = [it for it in directives if mark is not None and it <= mark.line]
        message, line = f"Not valid YAML: {problem}", max(above, default=directives[0])
    return on_line(message, line, (0, len(lines[line].rstrip())), Cause.OTHER)


_MARK = "yaml-language-server"
_MODELINE = re.compile(r"#\s*yaml-language-server\s*:\s*\$schema\s*=\s*(\S+)")
_LOOKED_AT = 20


def schema_address(lines: Sequence[str]) -> str:
    """What the file names as its schema: an address on the web or a path; empty when it names none.

    Only comments at the top count.
    """
    for line in lines[:_LOOKED_AT]:
        text = line.strip()
        if text and not text.startswith(("#", "---", "%")):
            return ""
        if _MARK in text and (found := _MODELINE.match(text)):
            return found[1]
    return ""


_KEY = re.compile(
    r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#\-?:,\[\]{}&*!|>'"%@`][^:#]*|[\-?:](?=\S)[^:#]*)\s*:(?:[ \t\r\n\x85\u2028\u2029]|$)"""
)
"""What follows the colon are the blanks and line ends of YAML: to it all others are letters."""
_DASH = re.compile(r"( *)-(?:[ \t\r\n]|$)")
_GOES_ON = re.compile(r"[-:](?:[ \t\r\n]|$)")
"""In column 0: an item of the list above, or the value of an explicit `? key`."""
_ONLY_MARK = re.compile(r"---[ \t\r\n]*(?:#|$)")
_PROPERTIES = re.compile(r"---(?:[ \t]+[!&][^ \t\r\n]*)*[ \t\r\n]*(?:#|$)")
"""A document's mark with nothing but a tag or an anchor behind it."""
_OF_ROOT = re.compile(r" *(?:(?:!!map|!|&[^\s]+)[ \t]*(?:[ \t\r\n]|$))+(?:#|$)")
"""The tag or anchor of a whole mapping, on a line of its own."""
_CLOSING = {"[": "]", "{": "}"}
_NO_CONTENT = re.compile(r"[ \t\r\n]*(?:#|$)")


class PieceKind(StrEnum):
    """What the lines of a piece are."""

    PAIR = "pair"
    """A top-level key with its whole value."""
    HEAD = "head"
    """A top-level key whose value is the list of items that follows."""
    ITEM = "item"
    """One item of the list above."""
    STRAY = "stray"
    """Text in column 0 that is no key, or text above the first key that is not part of it: half-typed."""
    WHOLE = "whole"
    """A document that is not a block mapping."""
    SKIPPED = "skipped"
    """Blank lines, comments, directives and document marks before the first key."""


class Cut(NamedTuple):
    """A stretch of whole lines, `end` excluded."""

    kind: PieceKind
    start: int
    end: int


class Layout(NamedTuple):
    """All pieces in order, without gaps; the lines of a second document's mark and a merge conflict (-1: none).

    `is_more` says that something is written below that mark.
    """

    cuts: list[Cut]
    second_document: int
    conflict: int = -1
    is_more: bool = False


def cut(lines: Sequence[str]) -> Layout:
    """Cut a text; its lines carry their line ends."""
    tops = [i for i, it in enumerate(lines) if it[:1] not in _NEUTRAL]
    conflict = next((it for it in tops if lines[it].startswith("<<<<<<< ")), -1)
    start, tops, second = _first_document(lines, tops)
    end = second if second >= 0 else len(lines)
    is_more = second >= 0 and _is_more(lines, second + 1)
    if len(tops) > 1 and _OF_ROOT.match(lines[tops[0]]) and _begins_value(lines[tops[1]]):
        tops = tops[1:]
    if _is_no_block_mapping(lines, tops, end) if tops else _is_indented(lines[start:end]):
        return Layout([*_skipped(0, start), Cut(PieceKind.WHOLE, start, end)], second, conflict, is_more)
    entries = _entries(lines, tops, end)
    cuts = _above(lines, start, entries[0].start if entries else end)
    open_list = -1
    for kind, first, last in entries:
        if kind is PieceKind.STRAY:
            # What follows a half-typed line in column 0 still belongs to the list above it.
            cuts.append(Cut(kind, first, first + 1))
            cuts += (
                items_in(lines, first + 1, last, open_list) if open_list >= 0 else _skipped(first + 1, last)
            )
            continue
        column = _list_column(lines, first, last)
        open_list = column
        if column < 0:
            cuts.append(Cut(PieceKind.PAIR, first, last))
            continue
        begin = next(i for i in range(first + 1, last) if _dash_at(lines[i], column))
        cuts.append(Cut(PieceKind.HEAD, first, begin))
        cuts += items_in(lines, begin, last, column)
    return Layout(cuts, second, conflict, is_more)


def _is_no_block_mapping(lines: Sequence[str], tops: list[int], end: int) -> bool:
    """Whether the lines with text in column 0 begin with something else than a key, which is all there is.

    A quote, a dash or a bracket with keys below it was left unfinished above these, if they are no part of it.
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
    """Whether a line in column 0 can be what the tag or anchor above it stands before."""
    return _begins_flow_or_text(line) or _KEY.match(line) is not None


def _is_indented(lines: Sequence[str]) -> bool:
    """Whether these lines, of which none begins in column 0, begin with a key or a dash: all of the text is indented."""
    first = next((it.lstrip(" ") for it in lines if not _NO_CONTENT.match(it)), "")
    return first[:1] in _CLOSING or bool(_KEY.match(first) or _DASH.match(first))


def _above(lines: Sequence[str], start: int, end: int) -> list[Cut]:
    """What stands above the first key: usually nothing but comments and marks."""
    first = next((it for it in range(start, end) if _is_stray(lines[it])), end)
    return [*_skipped(0, first), *([Cut(PieceKind.STRAY, first, end)] if end > first else [])]


def _is_stray(line: str) -> bool:
    """Whether a line above the first key is neither a comment or a mark nor the tag or anchor of what is below."""
    return starts_nothing(line) and not (_NO_CONTENT.match(line) or _OF_ROOT.match(line))


_NEUTRAL = frozenset([" ", "\t", "#", "\n", "\r", "", "}", "]"])


def starts_nothing(line: str) -> bool:
    """Whether a line only goes on with what stands above it, as far as the top level is concerned."""
    return line[:1] in _NEUTRAL or _GOES_ON.match(line) is not None


def _first_document(lines: Sequence[str], tops: list[int]) -> tuple[int, list[int], int]:
    """Where the first document starts, its lines with text in column 0, and the mark that ends it."""
    start, is_begun = 0, False
    kept: list[int] = []
    for line in tops:
        text = lines[line]
        is_mark = text.startswith("---") and (len(text.rstrip()) == 3 or text[3] in " \t")
        if is_mark and not (kept or is_begun) and _ONLY_MARK.match(text):
            start, is_begun = line + 1, True
        elif is_mark and not (kept or is_begun) and _begins_document(text):
            kept.append(line)
        elif is_mark or (text.startswith("...") and not text[3:].strip()):
            if kept or (is_mark and is_begun):
                return start, kept, line
        elif not (text.startswith("%") and not kept):
            kept.append(line)
    return start, kept, -1


def _begins_document(line: str) -> bool:
    """Whether a line is a document's mark with the beginning of its text behind it."""
    return line.startswith("---") and line[3:4] in _AFTER_DASH and not _PROPERTIES.match(line)


def _is_more(lines: Sequence[str], start: int) -> bool:
    """Whether there is anything but blank lines, comments and marks."""
    below = (lines[it].strip() for it in range(start, len(lines)))
    return any(it and not it.startswith("#") and it not in {"---", "..."} for it in below)


def _skipped(start: int, end: int) -> list[Cut]:
    return [Cut(PieceKind.SKIPPED, start, end)] if end > start else []


def _entries(lines: Sequence[str], tops: list[int], end: int) -> list[Cut]:
    """Top-level entries; items in column 0 stay with the key above them."""
    starts = [
        (PieceKind.PAIR if _KEY.match(lines[it]) or lines[it].startswith("? ") else PieceKind.STRAY, it)
        for it in tops
        if not _GOES_ON.match(lines[it])
    ]
    ends = [it for _, it in starts[1:]] + [end]
    return (
        [Cut(kind, first, last) for (kind, first), last in zip(starts, ends, strict=True)] if starts else []
    )


def _list_column(lines: Sequence[str], first: int, last: int) -> int:
    """The column of the dashes when the entry's value is a block list, else -1."""
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


def items_in(lines: Sequence[str], first: int, last: int, column: int) -> list[Cut]:
    """The items of a list whose dashes stand in `column`."""
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


_AFTER_DASH = frozenset([" ", "\t", "\n", "\r", ""])

_START = itemgetter(1)


class Recut(NamedTuple):
    """The pieces from `first` up to, not including, `last` give way to `cuts`."""

    first: int
    last: int
    cuts: list[Cut]


def recut(
    lines: Sequence[str],
    pieces: Sequence[tuple[PieceKind, int, int, object]],
    count: int,
    same: tuple[int, int],
) -> Recut | None:
    """New cuts for the items that an edit touched; None where more than these may be cut in another way.

    Args:
        lines: the text after the edit.
        pieces: kinds, starts and ends of the pieces before it, none of them joined.
        count: how many lines there were.
        same: how many lines at the top and at the bottom are those from before.

    """
    top, bottom = same
    shift = len(lines) - count
    first = bisect_right(pieces, max(top - 1, 0), key=_START) - 1
    last = bisect_right(pieces, max(count - bottom - 1, top, 0), key=_START)
    # The first item of a list decides in which column the others have their dashes.
    if first < 1 or any(it[0] is not PieceKind.ITEM for it in pieces[first - 1 : last]):
        return None
    start, end = pieces[first][1], pieces[last - 1][2] + shift
    if not all(map(starts_nothing, lines[start:end])):
        return None
    dash = lines[pieces[first - 1][1]]
    cuts = items_in(lines, start, end, len(dash) - len(dash.lstrip(" ")))
    return (
        Recut(first, last, cuts)
        if cuts and cuts[0].start == start and cuts[0].kind is PieceKind.ITEM
        else None
    )
