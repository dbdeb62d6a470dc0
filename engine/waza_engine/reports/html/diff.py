"""Read unified diffs for the HTML reports: of workspace files, and of two texts."""

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

_MOST_LINES = 1500
_SHORT = 60
_HEAD = re.compile(r"^diff --git a/(.*) b/\1$", re.MULTILINE)
_NAMES = ("--- ", "+++ ", "index ", "new file mode", "deleted file mode", "diff --git ")


@dataclass(frozen=True, slots=True)
class Diff:
    """The diff of one file or text: lines, each with its CSS class. `path` is that of the file."""

    title: str
    lines: list[tuple[str, str]]
    is_cut: bool = False
    path: str = ""


@dataclass(frozen=True, slots=True)
class Patch:
    """The diffs of all files that a patch changes; `has_more` when some are left out."""

    paths: list[str]
    diffs: list[Diff]
    has_more: bool
    is_short: bool


def read_patch(patch: str) -> Patch:
    """Split a patch into the diffs of its files, up to a number of lines."""
    parts = [it.splitlines() for it in re.split(r"(?m)^(?=diff --git )", patch) if it.strip()]
    diffs: list[Diff] = []
    left = _MOST_LINES
    for lines in parts:
        if left <= 0:
            break
        diffs.append(_file(lines, left))
        left -= len(lines)
    has_more = len(diffs) < len(parts)
    return Patch(files_in(patch), diffs, has_more, is_short=patch.count("\n") < _SHORT)


def files_in(patch: str) -> list[str]:
    """Return the paths that a patch changes."""
    return _HEAD.findall(patch)


def text_diff(before: str, after: str, names: tuple[str, str]) -> Diff | None:
    """Compare two texts; None when they are the same."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), *names, lineterm="", n=2)
    # The first two lines are the names.
    body = _classified(islice(lines, 2, 2 + _MOST_LINES))
    return Diff(f"{names[0]} \u2192 {names[1]}", body) if body else None


def _file(lines: list[str], most: int) -> Diff:
    found = _HEAD.match(lines[0])
    title = path = found[1] if found else lines[0]
    if any(it.startswith("deleted file") for it in lines[:3]):
        title += " (deleted)"
    elif any(it.startswith("new file") for it in lines[:3]):
        title += " (new)"
    body = lines[1:most]
    # A changed line may look like one of the head, too.
    start = next((index for index, it in enumerate(body) if not it.startswith(_NAMES)), len(body))
    return Diff(title, _classified(body[start:]), len(lines) > most, path)


def _classified(lines: Iterable[str]) -> list[tuple[str, str]]:
    looks = {"+": "add", "-": "del", "@": "at", "\\": "at"}
    return [(looks.get(it[:1], ""), it) for it in lines]
