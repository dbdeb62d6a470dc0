"""Move the comments of YAML files with their keys and items (docs/reference/vally.md, section 14)."""

from collections.abc import Sequence
from pathlib import Path

from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.placed_comments import Comment, Comments, comments_of
from waza_engine.project.reading import read_text


class CommentMap:
    """The comments of the source files by their places in the result: the name of a file, then the pointer in it."""

    def __init__(self) -> None:
        self._placed: dict[str, Comments] = {}
        self._of_files: dict[Path, Comments] = {}
        self._places: dict[tuple[Path, Pointer], Pointer] = {}

    def move(self, place: Pointer, source: Path, pointer: Pointer) -> None:
        """Move the comment at `pointer` in the source to `place` in the result; only the first move counts."""
        self._places.setdefault((source, pointer), place)

    def of_source(self, source: Path) -> Comments:
        """Return the comments of a source file. Remove those that are not to be moved."""
        if source not in self._of_files:
            self._of_files[source] = comments_of(read_text(source))
        return self._of_files[source]

    def take_above(self, source: Path, pointer: Pointer) -> tuple[str, ...]:
        """Take the lines above a key or item of the source, or those of the header."""
        comments = self.of_source(source)
        if not pointer:
            lines, comments.header = comments.header, ()
            return lines
        found = comments.at.get(pointer, Comment())
        comments.at[pointer] = Comment((), found.beside)
        return found.above

    def put_first(self, place: Pointer, lines: Sequence[str]) -> None:
        """Put lines above all that is at a place."""
        self._add(place, tuple(lines), "", first=True)

    def result(self, file: str) -> Comments:
        """Return the comments of a file of the result."""
        return self._placed.setdefault(file, Comments())

    def place_all(self, fallback: str) -> None:
        """Place every comment: where its key is now, else where what encloses it is, else at the top of `fallback`."""
        for source, comments in self._of_files.items():
            home = self._places.get((source, ()), (fallback,))
            self._add(home, comments.header, "")
            for pointer, comment in comments.at.items():
                exact = self._places.get((source, pointer))
                if exact is not None:
                    self._add(exact, comment.above, comment.beside)
                    continue
                above = (pointer[:size] for size in range(len(pointer) - 1, 0, -1))
                place = next((it for key in above if (it := self._places.get((source, key)))), home)
                self._add(place, comment.lines, "")
            if len(home) == 1 and comments.footer:
                self.result(str(home[0])).footer += comments.footer
            else:
                self._add(home, comments.footer, "")

    def _add(self, place: Pointer, above: tuple[str, ...], beside: str, *, first: bool = False) -> None:
        file, pointer = self.result(str(place[0])), place[1:]
        if not pointer:
            lines = (*above, *((f" {beside}",) if beside else ()))
            file.header = (*lines, *file.header) if first else (*file.header, *lines)
        elif first:
            before = file.at.get(pointer, Comment())
            file.at[pointer] = Comment((*above, *before.above), before.beside)
        elif above or beside:
            file.add(pointer, *above, beside=beside)
