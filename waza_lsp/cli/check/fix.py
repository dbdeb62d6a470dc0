"""`waza-lsp check --fix` and `--diff`: apply safe fixes to files, or show them as a patch."""

import difflib
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from waza_engine.lib.files.safe_read import open_regular
from waza_engine.lib.files.safe_write import write_bytes_atomic
from waza_lsp.diagnostics.ranges import RangedFinding
from waza_lsp.fixes.fixes import AppliedFix, Choose, apply_fixes, safe_solution
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.edit.edits import Draft

Find = Callable[[Snapshot], Sequence[RangedFinding]]
_BOM = b"\xef\xbb\xbf"
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


class FixedFile(NamedTuple):
    """A file's text before and after the fixes. `name` is the path that the user gave."""

    name: str
    before: str
    after: str
    applied: Sequence[AppliedFix]


def fix_file(name: str, snapshot: Snapshot, find: Find, choose: Choose = safe_solution) -> FixedFile | None:
    """Apply the fixes that `choose` picks; return None if there are none."""
    if snapshot.form is None:
        return None
    start = Draft(snapshot.text, snapshot.tree)
    end, applied = apply_fixes(
        start, snapshot.form.schema, lambda draft: find(snapshot.with_text(draft.text, draft.tree)), choose
    )
    return FixedFile(name, str(start.text), str(end.text), applied) if applied else None


def write(file: FixedFile) -> None:
    """Replace the file atomically. A byte-order mark, the file mode and links are kept.

    Raises:
        OSError: the file or its folder cannot be written.

    """
    path = Path(file.name)
    with open_regular(path) as old:
        mark = _BOM if old.read(3) == _BOM else b""
    write_bytes_atomic(path, [mark + file.after.encode()])


def patch(file: FixedFile) -> str:
    """Return the changes as a unified diff."""
    # GNU ends a name that has spaces with a tab; without the tab, `patch` reads only its first word.
    name = f"{file.name}\t" if " " in file.name else file.name
    lines = difflib.unified_diff(_lines(file.before), _lines(file.after), name, name)
    return "".join(it if it.endswith("\n") else f"{it}\n\\ No newline at end of file\n" for it in lines)


def _lines(text: str) -> list[str]:
    r"""Split at `\n` only, as `patch` does: `str.splitlines` splits at more characters."""
    return _LINE.findall(text)


def summary(file: FixedFile) -> str:
    """Return one line with the number of fixed findings per code."""
    counts = Counter(it.code for it in file.applied)
    return f"{file.name}: fixed {', '.join(f'{count} {code}' for code, count in sorted(counts.items()))}"
