"""Random edits as editors send them, and what they make of a text: worked out here by offsets, not by the server's code."""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lsprotocol import types

_LINE_END = re.compile(r"\r\n|\n|\r")
_UNITS: dict[str, Callable[[str], int]] = {
    "utf-8": lambda it: len(it.encode()),
    "utf-16": lambda it: len(it.encode("utf-16-le")) // 2,
    "utf-32": len,
}
ENCODINGS = tuple(_UNITS)

_MARKS = (
    "a",
    "z",
    "0",
    " ",
    "  ",
    "\n",
    "\r\n",
    "\r",
    "\t",
    "- ",
    ": ",
    ":",
    "#",
    " # c",
    "'",
    '"',
    "[",
    "]",
    "{",
)
_MORE_MARKS = (
    "}",
    ",",
    "&x ",
    "*x",
    "<<: ",
    "!t ",
    "|\n",
    ">-\n",
    "---\n",
    "...\n",
    "\\",
    "%",
    "@",
    "? ",
    "- - ",
)
_ODD = (
    "\u2028",
    "\x85",
    "\ufeff",
    "😀",
    "é",
    "\x00",
    "\x1b",
    "<<<<<<< HEAD\n",
    "=======\n",
    "%YAML 1.2\n",
    "*n0",
    "&n0 ",
)
_LINES = (
    *(
        "type: text\n",
        "  - type: file\n",
        "graders:\n",
        "config:\n",
        "tasks:\n  - a.yaml\n",
        "name: x\n",
        "id: y\n",
    ),
    *(
        "stimuli:\n  - name: s\n",
        "{{.Input}}",
        "${X}",
        "# waza-lsp: ignore\n",
        "<<: *x\n",
        "key: &x\n  a: 1\n",
    ),
    *(
        "  prompt: |\n    text\n",
        "  - {type: text, name: n}\n",
        "defaults: {}\n",
        "matrix:\n",
        "evals: [a]\n",
    ),
)
BITS = (*_MARKS, *_MORE_MARKS, *_ODD, *_LINES)
"""What is typed: single characters that matter to YAML, and lines that matter to evals."""


@dataclass(frozen=True, slots=True)
class Change:
    """Replace what stands between two offsets of the text by `new`; without offsets the whole text."""

    start: int
    end: int
    new: str
    is_whole: bool = False


Edit = tuple[Change, ...]
"""The changes of one notification, each on top of the one before."""


def event(text: str, change: Change, encoding: str) -> types.TextDocumentContentChangeEvent:
    """The change as the protocol has it."""
    if change.is_whole:
        return types.TextDocumentContentChangeWholeDocument(change.new)
    start, end = (min(it, len(text)) for it in (change.start, change.end))
    places = types.Range(_position(text, start, encoding), _position(text, end, encoding))
    return types.TextDocumentContentChangePartial(places, change.new)


def after(text: str, change: Change) -> str:
    """The text with the change made. Between a CR and its LF there is no place: the one before both is meant."""
    if change.is_whole:
        return change.new
    start, end = (_outside(text, min(it, len(text))) for it in (change.start, change.end))
    return text[:start] + change.new + text[end:]


def _position(text: str, offset: int, encoding: str) -> types.Position:
    offset = _outside(text, offset)
    ends = [it.end() for it in _LINE_END.finditer(text, 0, offset)]
    start = ends[-1] if ends else 0
    return types.Position(len(ends), _UNITS[encoding](text[start:offset]))


def _outside(text: str, offset: int) -> int:
    return offset - 1 if text[offset - 1 : offset + 1] == "\r\n" and offset else offset


def random_edit(chance: random.Random, text: str, others: Sequence[str]) -> Edit:
    """What a hand or an editor does: typing, slips, deleting, moving and pasting blocks, several places at once."""
    ways = (
        [_typed] * 6
        + [_deleted] * 3
        + [_replaced, _copied, _block_gone, _pasted, _moved, _shifted, _everywhere, _line]
    )
    if chance.random() < 0.01:
        ways = [_whole]
    return chance.choice(ways)(chance, text, others)


def undone(text: str, edit: Edit) -> Edit:
    """The edit that takes another one back, as one notification."""
    back: list[Change] = []
    for it in edit:
        if it.is_whole:
            back.append(Change(0, 0, text, is_whole=True))
        else:
            start, end = (_outside(text, min(at, len(text))) for at in (it.start, it.end))
            back.append(Change(start, start + len(it.new), text[start:end]))
        text = after(text, it)
    return tuple(reversed(back))


def _typed(chance: random.Random, text: str, _others: Sequence[str]) -> Edit:
    start = chance.randrange(len(text) + 1)
    return (Change(start, start, chance.choice(BITS)),)


def _deleted(chance: random.Random, text: str, _others: Sequence[str]) -> Edit:
    start = chance.randrange(len(text) + 1)
    return (Change(start, min(len(text), start + chance.choice((1, 1, 1, 2, 5, 20))), ""),)


def _replaced(chance: random.Random, text: str, _others: Sequence[str]) -> Edit:
    start = chance.randrange(len(text) + 1)
    return (Change(start, min(len(text), start + 1), chance.choice(BITS)),)


def _copied(chance: random.Random, text: str, _others: Sequence[str]) -> Edit:
    start, other = (chance.randrange(len(text) + 1) for _ in range(2))
    return (Change(start, start, text[other : other + chance.randrange(1, 80)]),)


def _block_gone(chance: random.Random, text: str, _others: Sequence[str]) -> Edit:
    start, end = _block(chance, text)
    return (Change(start, end, ""),)


def _pasted(chance: random.Random, text: str, others: Sequence[str]) -> Edit:
    """Some lines of another file, at the start of a line, with the indentation that the clipboard had or not."""
    source = chance.choice(others)
    start, end = _block(chance, source)
    block = source[start:end]
    if chance.random() < 0.3:
        block = "".join("  " + it for it in block.splitlines(keepends=True))
    at, _ = _block(chance, text)
    return (Change(at, at, block),)


def _moved(chance: random.Random, text: str, _others: Sequence[str]) -> Edit:
    """Lines cut here and put there, in one notification."""
    start, end = _block(chance, text)
    block, rest = text[start:end], text[:start] + text[end:]
    at, _ = _block(chance, rest)
    return (Change(start, end, ""), Change(at, at, block))


def _shifted(chance: random.Random, text: str, _others: Sequence[str]) -> Edit:
    """Lines indented, taken back, or made a comment: a change each, from the bottom up."""
    start, end = _block(chance, text)
    starts = [start, *(start + it.end() for it in _LINE_END.finditer(text[start:end]))][:-1] or [start]
    put = chance.choice(("  ", "# ", "\t", ""))
    gone = 2 if not put else 0
    return tuple(Change(it, it + gone, put) for it in reversed(starts))


def _everywhere(chance: random.Random, text: str, _others: Sequence[str]) -> Edit:
    """A word replaced wherever it stands, from the top down."""
    words = re.findall(r"\w+", text)
    if not words:
        return _typed(chance, text, ())
    word, new = chance.choice(words), chance.choice(("renamed", "é😀", "", "*x", '"'))
    places = [it.start() for it in re.finditer(re.escape(word), text)][:20]
    step = len(new) - len(word)
    return tuple(
        Change(it + index * step, it + index * step + len(word), new) for index, it in enumerate(places)
    )


def _line(chance: random.Random, text: str, _others: Sequence[str]) -> Edit:
    start = chance.randrange(len(text) + 1)
    line = text.rfind("\n", 0, start) + 1
    end = text.find("\n", start) + 1 or len(text)
    return (Change(line, end, chance.choice(("", text[line:end] * 2, "  " + text[line:end]))),)


def _whole(chance: random.Random, text: str, others: Sequence[str]) -> Edit:
    new = chance.choice((*others, "", text.replace("\n", "\r\n"), text.replace("\r\n", "\n")))
    return (Change(0, 0, new, is_whole=True),)


def _block(chance: random.Random, text: str) -> tuple[int, int]:
    """A stretch of whole lines."""
    starts = [0, *(it.end() for it in _LINE_END.finditer(text))]
    first = chance.randrange(len(starts))
    last = min(first + chance.choice((1, 1, 2, 3, 5, 9, 20)), len(starts))
    return starts[first], starts[last] if last < len(starts) else len(text)
