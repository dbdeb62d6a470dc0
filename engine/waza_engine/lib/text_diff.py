"""The change between two sets of files as a unified diff in git's form."""

import difflib
from collections.abc import Iterator, Mapping
from io import StringIO

_MOST_BYTES = 1_000_000
"""Larger files are compared as a whole, not line by line."""
_MOST_PAIRS = 400_000_000
"""As many pairs of lines take seconds in the worst case."""


def unified_diff(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> str:
    """The change from one set of files to another; empty when there is none."""
    changed = (it for it in sorted({*before, *after}) if before.get(it) != after.get(it))
    return "".join(line for it in changed for line in _change(it, before.get(it), after.get(it)))


def _change(path: str, old: bytes | None, new: bytes | None) -> Iterator[str]:
    yield f"diff --git a/{path} b/{path}\n"
    if old is None:
        yield "new file mode 100644\n"
    if new is None:
        yield "deleted file mode 100644\n"
    names = "/dev/null" if old is None else f"a/{path}", "/dev/null" if new is None else f"b/{path}"
    if any(_is_no_text(it) for it in (old, new)):
        yield f"Binary files {names[0]} and {names[1]} differ\n"
        return
    for line in _compared(_lines(old), _lines(new), names):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _compared(old: list[str], new: list[str], names: tuple[str, str]) -> Iterator[str]:
    """Header and hunks; where comparing line by line would take too long, everything goes and everything comes."""
    if len(old) * len(new) <= _MOST_PAIRS:
        yield from difflib.unified_diff(old, new, *names)
        return
    yield from (f"--- {names[0]}\n", f"+++ {names[1]}\n", f"@@ -1,{len(old)} +1,{len(new)} @@\n")
    yield from (f"-{it}" for it in old)
    yield from (f"+{it}" for it in new)


def _is_no_text(data: bytes | None) -> bool:
    return data is not None and (b"\0" in data or len(data) > _MOST_BYTES)


def _lines(data: bytes | None) -> list[str]:
    return StringIO((data or b"").decode("utf-8", "replace"), newline="\n").readlines()
