"""Read patches: unified diffs of a workspace, and the patches of `apply_patch`, the tool of Codex."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

_HEAD = "diff --git "
_HUNK = re.compile(r"^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_BEGIN = "*** Begin Patch"
_FILE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.*\S)")
_MOVE = "*** Move to: "


@dataclass(frozen=True, slots=True)
class FilePatch:
    """The change of one file in a unified diff: its hunks are lines with their mark, numbered from 1 in the new text.

    `first_line` is the number of the file's first line in the diff.
    """

    path: str
    is_new: bool
    is_deleted: bool
    is_binary: bool
    hunks: Sequence[tuple[int, Sequence[str]]]
    first_line: int
    lines: Sequence[str]

    def new_line(self, number: int) -> int:
        """Return the line of the new text at line `number` of the diff, the next one for a removed line; 0 in the header."""
        at, found = -1, 0
        for line in self.lines[: number - self.first_line + 1]:
            if head := _HUNK.match(line):
                at = found = int(head[3])
            elif at >= 0 and line[:1] in {" ", "+"}:
                at, found = at + 1, at
            elif at >= 0:
                found = at
        return found

    def before(self, after: str | None) -> str | None:
        """Return the text before the change; None if the patch does not belong to the text `after`, or has no text."""
        if self.is_binary:
            return None
        new = _lines(after or "")
        old: list[str] = []
        done = 0
        for start, body in self.hunks:
            # A hunk without new lines stands after the line that it names.
            has_new = any(it[:1] in {" ", "+"} for it in body)
            place = start - 1 if has_new else start
            if not done <= place <= len(new):
                return None
            old += new[done:place]
            done = place
            for line in body:
                if line[:1] in {" ", "+"}:
                    if done >= len(new) or new[done] != line[1:]:
                        return None
                    done += 1
                if line[:1] in {" ", "-"}:
                    old.append(line[1:])
        return "".join([*old, *new[done:]])


def read_diff(patch: str) -> list[FilePatch]:
    """Return the changed files of a unified diff."""
    lines = _lines(patch)
    starts = [at for at, it in enumerate(lines) if it.startswith(_HEAD)]
    return [_file_patch(lines[start:end], start + 1) for start, end in pairwise([*starts, len(lines)])]


def _file_patch(lines: list[str], first: int) -> FilePatch:
    hunks: list[tuple[int, list[str]]] = []
    for line in lines[1:]:
        if found := _HUNK.match(line):
            hunks.append((int(found[3]), []))
        elif hunks and line.startswith("\\"):
            # The line before has no line end.
            if body := hunks[-1][1]:
                body[-1] = body[-1].removesuffix("\n")
        elif hunks:
            hunks[-1][1].append(line)
    header = lines[: next((at for at, it in enumerate(lines) if it.startswith("@@")), len(lines))]
    return FilePatch(
        _path_of(lines[0].removeprefix(_HEAD).rstrip("\n")),
        is_new=any(it.startswith("new file") for it in header),
        is_deleted=any(it.startswith("deleted file") for it in header),
        is_binary=any(it.startswith(("Binary files ", "GIT binary patch")) for it in header),
        hunks=hunks,
        first_line=first,
        lines=lines,
    )


def _path_of(names: str) -> str:
    """Return the path in `a/PATH b/PATH`; "" if there are two."""
    path = names[2 : 2 + (len(names) - len("a/ b/")) // 2]
    return path if names == f"a/{path} b/{path}" else ""


def _lines(text: str) -> list[str]:
    """Return the lines with their ends; only line feeds end one."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def is_patch(text: str) -> bool:
    """Whether a text has a patch for `apply_patch`."""
    return _BEGIN in text


def changes_of_patch(text: str) -> Iterator[dict[str, Any]]:
    """Yield the changes of a patch for `apply_patch` as the fields of `FileEdit`s."""
    path, kind, moved = "", "", ""
    body: list[str] = []
    for line in [*text[text.index(_BEGIN) :].split("\n")[1:], "*** End Patch"]:
        found = _FILE.match(line)
        if not found and not line.startswith("*** End Patch"):
            if line.startswith(_MOVE):
                moved = line.removeprefix(_MOVE).strip()
            elif kind:
                body.append(line)
            continue
        yield from _file_changes(kind, path, moved, body)
        if not found:
            return
        kind, path, moved, body = found[1], found[2], "", []


def _file_changes(kind: str, path: str, moved: str, body: list[str]) -> Iterator[dict[str, Any]]:
    if kind == "Add":
        yield {"path": path, "whole": "".join(f"{it[1:]}\n" for it in body if it.startswith("+"))}
    elif kind == "Delete":
        yield {"path": path, "is_deleted": True}
    elif kind == "Update":
        for old, new in _replaced(body):
            yield {"path": path, "old": old, "new": new}
        if moved:
            yield {"path": moved, "moved_from": path}


def _replaced(body: list[str]) -> Iterator[tuple[str, str]]:
    """Yield what each hunk replaces. Hunks begin with `@@`, without numbers of lines."""
    old: list[str] = []
    new: list[str] = []
    for line in [*body, "@@"]:
        if line.startswith("@@"):
            if old != new:
                yield "".join(f"{it}\n" for it in old), "".join(f"{it}\n" for it in new)
            old, new = [], []
        elif line.startswith("+"):
            new.append(line[1:])
        elif line.startswith("-"):
            old.append(line[1:])
        elif not line.startswith("***"):
            old.append(line[1:])
            new.append(line[1:])
