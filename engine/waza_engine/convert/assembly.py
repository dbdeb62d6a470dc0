"""Steps shared by both directions of a conversion: move comments, list losses, put kept parts into comments, write files."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from waza_engine.convert.conversion import Conversion
from waza_engine.convert.graders.stand_ins import StandIns
from waza_engine.convert.keys import DEFAULT_EXECUTOR, SameKey
from waza_engine.convert.suite import PortableSuite
from waza_engine.convert.text.comments import CommentMap
from waza_engine.convert.text.kept import kept_lines, own_keys
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.placed_comments import Comments
from waza_engine.lib.yaml.writing import yaml_text
from waza_engine.model.suite import GraderEntry


class Assembly:
    """The result of one conversion while it is made. Places are a file's name and a pointer in it."""

    suite: PortableSuite

    def __init__(self, path: Path, out: Path, source: str, target: str) -> None:
        self.comments = CommentMap()
        self.result = Conversion()
        self.folder, self.out = path.parent.absolute(), out
        self._path, self._source, self._target = path, source, target
        self._kept: list[tuple[Pointer, Mapping[str, Any]]] = []

    def lose(self, message: str, path: Path | None, pointer: Pointer = (), *, kept: bool = False) -> None:
        """Report a loss, once."""
        self.result.lose(message, path, pointer, kept=kept)

    def note_all(self, notes: Iterable[tuple[str, Pointer]]) -> None:
        """Report notes on the eval."""
        for message, pointer in notes:
            self.lose(message, self._path, pointer)

    def lose_executor(self) -> None:
        """Report an executor that the other dialect does not have."""
        key = "config" if self._source == "waza" else "defaults"
        message = (
            f"{self._target} has no executor '{self.suite.executor}'; '{DEFAULT_EXECUTOR}' takes its place"
        )
        self.lose(message, self._path, (key, "executor"), kept=True)

    def lose_keys(
        self,
        owner: str,
        parts: Mapping[str, Any],
        path: Path,
        place: Pointer,
        carried: Sequence[Pointer] = (),
    ) -> None:
        """Report the keys that the other dialect lacks."""
        for keys in own_keys(parts):
            if keys in carried:
                continue
            message = f"{owner}{self._target} has no equivalent of '{'.'.join(keys)}'"
            self.lose(message, path, (*place, *keys), kept=True)

    def tell_grader(self, each: StandIns) -> None:
        """Report what is lost with a grader or check."""
        item = each.item
        label = (
            f"Grader '{item.name or item.type}'"
            if isinstance(item, GraderEntry)
            else f"'{item.section}.{item.key}'"
        )
        path = item.path or self._path
        if each.problem:
            self.lose(f"{label}: {each.problem}", path, item.pointer, kept=True)
        if each.difference and not each.restored:
            self.lose(f"{label}: {each.difference}", path, item.pointer)

    def move_keys(self, place: Pointer, source: Path, pointer: Pointer, keys: Iterable[SameKey]) -> None:
        """Move the comments of keys that both dialects have."""
        for it in keys:
            here, there = (it.vally, it.waza) if self._source == "vally" else (it.waza, it.vally)
            if "*" in (*here, *there):
                continue
            self.comments.move((*place, *there), source, (*pointer, *here))
            if here[:1] == ("defaults",):
                self.comments.move((*place, *there), source, (*pointer, "config", *here[1:]))

    def move_grader(self, place: Pointer, number: int, each: StandIns) -> None:
        """Move the comments of a grader to what stands in for it, or to itself."""
        item = each.item
        if item.path is None or not each.entries:
            return
        self.comments.move((*place, number), item.path, item.pointer)
        for index, part in enumerate(each.parts):
            if part:
                self.comments.move((*place, number + index), item.path, (*item.pointer, "config", *part))
        for key in ("type", "name", "weight", "turn", "config"):
            self.comments.move((*place, number, key), item.path, (*item.pointer, key))

    def keep(self, place: Pointer, parts: Mapping[str, Any]) -> None:
        """Keep parts in a comment above all that is at a place."""
        if parts:
            self._kept.append((place, parts))

    def finish(self, files: Mapping[str, Mapping[str, Any]], main: str) -> Conversion:
        """Write the files with their comments. Comments without a place go to the top of `main`."""
        self.comments.place_all(main)
        for place, parts in self._kept:
            self.comments.put_first(place, kept_lines(parts, self._source))
        for name, data in files.items():
            comments = _fitting(self.comments.result(name), data)
            self.result.files[PurePosixPath(name)] = yaml_text(data, comments)
        return self.result


def _fitting(comments: Comments, data: Mapping[str, Any]) -> Comments:
    """Return the comments, each at a place that the data has."""
    made = Comments(header=comments.header, footer=comments.footer)
    for pointer, comment in comments.at.items():
        place = pointer
        while place and not _exists(data, place):
            place = place[:-1]
        if place == pointer:
            made.add(place, *comment.above, beside=comment.beside)
        elif place:
            made.add(place, *comment.lines)
        else:
            made.header += comment.lines
    return made


def _exists(data: Any, pointer: Pointer) -> bool:
    value: Any = data
    for part in pointer:
        keys: Any = (
            value if isinstance(value, Mapping) else range(len(value) if isinstance(value, list) else 0)
        )
        if part not in keys:
            return False
        value = value[part]
    return True
