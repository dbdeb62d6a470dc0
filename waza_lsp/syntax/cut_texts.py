"""Plain texts that end where a `#` was meant to be part of them: what follows it is a comment to YAML."""

import re
from collections.abc import Iterator

from waza_lsp.syntax.node import Kind, Node
from waza_lsp.syntax.text import Place, Span

_CANDIDATE = re.compile(r"(?<=[^\s#]) #(?=\w)[^\n]*")
"""People who write comments put a blank behind the mark."""
_ENOUGH_WORDS = 2


def cut_texts(source: str, root: Node) -> Iterator[Span]:
    """The comments that were probably meant as text, each from its mark to the end of the line."""
    if " #" not in source:
        return
    ends: dict[Place, Node] | None = None
    for line, text in enumerate(source.split("\n")):
        found = _CANDIDATE.search(text) if " #" in text else None
        if found is None:
            continue
        if ends is None:
            ends = {it.end: it for it in _plain_texts(root)}
        node = ends.get(Place(line, found.start()))
        is_number = text[found.start() + 2].isdigit()
        if node is not None and (is_number or len(node.source.split()) >= _ENOUGH_WORDS):
            yield Span(Place(line, found.start() + 1), Place(line, len(text.rstrip())))


def _plain_texts(node: Node) -> Iterator[Node]:
    if node.kind is Kind.SCALAR and not node.style and isinstance(node.value, str):
        yield node
    for _, value in node.pairs:
        yield from _plain_texts(value)
    for item in node.items:
        yield from _plain_texts(item)
