"""Unified diffs in the HTML reports: of workspace files, and of two texts."""

import difflib
import re
from collections.abc import Iterator
from html import escape
from itertools import islice

_MOST_LINES = 1500
_HEAD = re.compile(r"^diff --git a/(.*) b/\1$", re.MULTILINE)
_NAMES = ("--- ", "+++ ", "index ", "new file mode", "deleted file mode", "diff --git ")


def patch_html(patch: str) -> Iterator[str]:
    """Every file of a patch in a box of its own; very long ones are cut."""
    left = _MOST_LINES
    for part in re.split(r"(?m)^(?=diff --git )", patch):
        if not part.strip():
            continue
        if left <= 0:
            yield '<p class="quiet">and more files</p>'
            return
        lines = part.splitlines()
        yield _file(lines, left)
        left -= len(lines)


def files_in(patch: str) -> list[str]:
    """The paths that a patch changes."""
    return _HEAD.findall(patch)


def text_diff(before: str, after: str, names: tuple[str, str]) -> str:
    """What is different between two texts, "" when nothing is."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), *names, lineterm="", n=2)
    # Before all others come two lines with the names.
    body = [_line(it) for it in islice(lines, 2, 2 + _MOST_LINES)]
    head = f'<div class="head">{escape(names[0])} \u2192 {escape(names[1])}</div>'
    return f'<div class="diff">{head}{"".join(body)}</div>' if body else ""


def _file(lines: list[str], most: int) -> str:
    found = _HEAD.match(lines[0])
    name = found[1] if found else lines[0]
    told = " (new)" if any(it.startswith("new file") for it in lines[:3]) else ""
    told = " (deleted)" if any(it.startswith("deleted file") for it in lines[:3]) else told
    body, in_head = [], True
    for it in lines[1:most]:
        in_head = in_head and it.startswith(_NAMES)
        if not in_head:
            body.append(_line(it))
    cut = '<div class="at">...</div>' if len(lines) > most else ""
    return f'<div class="diff"><div class="head">{escape(name)}{told}</div>{"".join(body)}{cut}</div>'


def _line(line: str) -> str:
    kind = {"+": "add", "-": "del", "@": "at", "\\": "at"}.get(line[:1], "")
    return f'<div class="{kind}">{escape(line) or "&nbsp;"}</div>'
