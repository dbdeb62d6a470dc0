"""Comments of several files on their way into one: each goes with what it stood at.

See docs/reference/vally.md, section 14.
"""

from collections.abc import Sequence
from pathlib import Path

from waza_engine.convert.comments import Comment, comments_of
from waza_engine.findings import Pointer
from waza_engine.formats.reading import read_text


class CarriedComments:
    """The comments of the source by their places in the result, `at`."""

    def __init__(self) -> None:
        self.at: dict[Pointer, Comment] = {}
        self._of_files: dict[Path, dict[Pointer, Comment]] = {}
        self._places: dict[tuple[Path, Pointer], Pointer] = {}

    def carry(self, place: Pointer, source: Path, pointer: Pointer) -> None:
        """Put the comment of something in the source to what became of it."""
        self._places[source, pointer] = place
        found = self._of(source).get(pointer) if pointer else None
        if found:
            self.add(place, found)

    def header(self, source: Path) -> Sequence[str]:
        """The lines at the head of a file."""
        return self._of(source).get((), Comment()).above

    def add(self, place: Pointer, comment: Comment) -> None:
        """Put a comment below those that a place has already."""
        before = self.at.get(place, Comment())
        self.at[place] = Comment((*before.above, *comment.above), comment.beside or before.beside)

    def put_first(self, place: Pointer, lines: Sequence[str]) -> None:
        """Put lines above the comments that a place has already."""
        before = self.at.get(place, Comment())
        self.at[place] = Comment((*lines, *before.above), before.beside)

    def homeless(self) -> list[str]:
        """Put the comments of what has no place of its own to what it stood in; what is left belongs to the header."""
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
