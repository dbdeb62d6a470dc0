"""Find the comments of YAML files, and move each with its key or item (docs/reference/vally.md, section 14)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.nodes import YamlError, compose
from waza_engine.project.reading import read_text

_COMMENT = re.compile(r"(?:^|\s)#(.*)$")


@dataclass(frozen=True, slots=True)
class Comment:
    """The comment lines above a key or item, without `#`, and the comment on its own line."""

    above: tuple[str, ...] = ()
    beside: str = ""


def comments_of(text: str) -> dict[Pointer, Comment]:
    """Return the comments by the pointer of their key or item; the file's header is at `()`."""
    try:
        root = compose(text)
    except YamlError:
        return {}
    lines = text.splitlines()
    found: dict[Pointer, Comment] = {}
    taken: set[int] = set()
    for pointer, node, end in _places(root, ()):
        line = node.start_mark.line
        above = tuple(_above(lines, line, taken))
        beside = _beside(lines, end) if end.line == line else _beside_key(lines, line, node)
        if above or beside:
            found[pointer] = Comment(above, beside)
    header = tuple(_header(lines, taken))
    return {**found, (): Comment(header)} if header else found


def _places(node: yaml.Node, pointer: Pointer) -> Iterator[tuple[Pointer, yaml.Node, yaml.Mark]]:
    """The keys and items that may have comments: pointer, start, and the end of the value."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            child = (*pointer, key.value)
            yield child, key, value.end_mark if _is_inline(value) else key.end_mark
            yield from _places(value, child)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            if not (isinstance(item, yaml.MappingNode) and not item.flow_style):
                yield (*pointer, index), item, item.end_mark
            elif item.value:
                # The first key of an item is on the line of the dash, so a comment above belongs to the item.
                yield (*pointer, index), item, item.start_mark
            yield from _places(item, (*pointer, index))


def _is_inline(value: yaml.Node) -> bool:
    return not isinstance(value, yaml.CollectionNode) or bool(value.flow_style)


def _above(lines: list[str], line: int, taken: set[int]) -> list[str]:
    found: list[str] = []
    at = line - 1
    while at >= 0 and at not in taken and lines[at].lstrip().startswith("#"):
        taken.add(at)
        found.insert(0, lines[at].strip()[1:])
        at -= 1
    return found


def _beside(lines: list[str], end: yaml.Mark) -> str:
    rest = lines[end.line][end.column :] if end.line < len(lines) else ""
    comment = _COMMENT.search(rest)
    return comment[1].strip() if comment and not rest[: comment.start()].strip(" ,]}") else ""


def _beside_key(lines: list[str], line: int, key: yaml.Node) -> str:
    """The comment behind a key whose value starts on the next line."""
    rest = lines[line][key.end_mark.column :] if key.end_mark.line == line else ""
    comment = re.fullmatch(r"\s*:\s*[|>]?[-+\d]*\s+#(.*)", rest)
    return comment[1].strip() if comment else ""


def _header(lines: list[str], taken: set[int]) -> Iterator[str]:
    """Comment lines at the top, separated from the first key by a blank line."""
    for at, line in enumerate(lines):
        if line.strip() and not line.lstrip().startswith("#"):
            return
        if line.strip() and at not in taken:
            yield line.strip()[1:]


class CommentMap:
    """The comments of the source files by their pointers in the result, `at`."""

    def __init__(self) -> None:
        self.at: dict[Pointer, Comment] = {}
        self._of_files: dict[Path, dict[Pointer, Comment]] = {}
        self._places: dict[tuple[Path, Pointer], Pointer] = {}

    def move(self, place: Pointer, source: Path, pointer: Pointer) -> None:
        """Move the comment at `pointer` in the source to `place` in the result."""
        self._places[source, pointer] = place
        found = self._of(source).get(pointer) if pointer else None
        if found:
            self.add(place, found)

    def header(self, source: Path) -> Sequence[str]:
        """Return the header lines of a file."""
        return self._of(source).get((), Comment()).above

    def add(self, place: Pointer, comment: Comment) -> None:
        """Add a comment below those at a place."""
        before = self.at.get(place, Comment())
        self.at[place] = Comment((*before.above, *comment.above), comment.beside or before.beside)

    def put_first(self, place: Pointer, lines: Sequence[str]) -> None:
        """Add lines above the comments at a place."""
        before = self.at.get(place, Comment())
        self.at[place] = Comment((*lines, *before.above), before.beside)

    def place_rest(self) -> list[str]:
        """Move comments without a place of their own to the enclosing one. Return the rest, for the header."""
        left: list[str] = []
        for source, comments in self._of_files.items():
            for pointer, comment in comments.items():
                if not pointer or (source, pointer) in self._places:
                    continue
                lines = (*comment.above, *([f" {comment.beside}"] if comment.beside else []))
                above = (pointer[:size] for size in range(len(pointer) - 1, -1, -1))
                home = next((it for it in above if (source, it) in self._places), None)
                if home is None:
                    left += lines
                else:
                    self.add(self._places[source, home], Comment(lines))
        return left

    def _of(self, source: Path) -> dict[Pointer, Comment]:
        if source not in self._of_files:
            self._of_files[source] = comments_of(read_text(source))
        return self._of_files[source]
