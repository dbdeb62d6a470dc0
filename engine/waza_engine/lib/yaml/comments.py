"""Find comments for waza-lsp in a YAML text: `# waza-lsp: quarantine <reason>`."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import yaml

from waza_engine.lib.yaml.nodes import YamlError, compose

_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_COMMENT = re.compile(r"(?:^|(?<=\s))#\s*waza-lsp:\s*([\w-]+)(.*)")
_MARK = "waza-lsp:"


class OwnComment(NamedTuple):
    """A comment for waza-lsp: its line, and the line that it is about, from 1. `text` follows the word."""

    line: int
    target: int
    text: str


def own_comments(text: str, word: str) -> Iterator[OwnComment]:
    """Yield the comments that begin with `word`. A comment on a line of its own is about the next line with content.

    Text that looks like a comment but is inside a value is none. An invalid text has no comments.
    """
    if _MARK not in text:
        return
    try:
        root = compose(text)
    except YamlError:
        return
    lines = _BREAK.split(text.removeprefix("\ufeff"))
    for number, line in enumerate(lines):
        for found in _COMMENT.finditer(line):
            if found[1] == word and not _is_inside_scalar(root, number, found.start()):
                yield OwnComment(number + 1, target_line(lines, number, found.start()) + 1, found[2].strip())


def target_line(lines: Sequence[str], number: int, column: int) -> int:
    """Return the line that a comment is about, from 0: its own, or the next with content, or the last before the end."""
    # The item behind a dash begins on the next line.
    if lines[number][:column].strip(" \t-"):
        return number
    others = (*range(number + 1, len(lines)), *range(number - 1, -1, -1))
    return next((it for it in others if lines[it].strip() and lines[it].lstrip()[0] != "#"), number)


def _is_inside_scalar(root: yaml.Node, line: int, column: int) -> bool:
    found, seen = [root], set[int]()
    while found:
        node = found.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            found += [part for pair in node.value for part in pair]
        elif isinstance(node, yaml.SequenceNode):
            found += node.value
        elif isinstance(node, yaml.ScalarNode) and _marks(node)[0] <= (line, column) < _marks(node)[1]:
            # The text of a block begins on the line below its indicator, behind which there may be a comment.
            return node.style not in {"|", ">"} or line > node.start_mark.line
    return False


def _marks(node: yaml.Node) -> tuple[tuple[int, int], tuple[int, int]]:
    start, end = node.start_mark, node.end_mark
    return (start.line, start.column), (end.line, end.column)
