"""`waza-lsp check --fix` and `--diff`: what is safe to fix, fixed in the files or shown as a patch."""

import difflib
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from waza_engine.whole_files import write_whole_bytes
from waza_lsp.schema.fixing import Applied, Choose, fixed
from waza_lsp.schema.mark import Mark
from waza_lsp.schema.solutions import safe_solution
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.edits import Draft

Find = Callable[[Snapshot], Sequence[Mark]]
_BOM = b"\xef\xbb\xbf"
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


class FixedFile(NamedTuple):
    """A file with its text before and after; `name` is the path as the user gave it."""

    name: str
    before: str
    after: str
    applied: Sequence[Applied]


def fixed_file(name: str, snapshot: Snapshot, find: Find, choose: Choose = safe_solution) -> FixedFile | None:
    """What becomes of a file, None when nothing of it is to be fixed."""
    if snapshot.form is None:
        return None
    start = Draft(snapshot.text, snapshot.tree)
    end, applied = fixed(
        start, snapshot.form.schema, lambda it: find(snapshot.tried(it.text, it.tree)), choose
    )
    return FixedFile(name, str(start.text), str(end.text), applied) if applied else None


def write(file: FixedFile) -> None:
    """Put the new text in the file's place: all of it or nothing. A byte-order mark, the mode and links stay.

    Raises:
        OSError: the file or its folder cannot be written.

    """
    path = Path(file.name)
    with path.open("rb") as old:
        mark = _BOM if old.read(3) == _BOM else b""
    write_whole_bytes(path, [mark + file.after.encode()])


def patch(file: FixedFile) -> str:
    """What would change, as a unified diff."""
    # GNU's way to say where a name with blanks in it ends; without it `patch` takes the first word alone.
    name = f"{file.name}\t" if " " in file.name else file.name
    lines = difflib.unified_diff(_lines(file.before), _lines(file.after), name, name)
    return "".join(it if it.endswith("\n") else f"{it}\n\\ No newline at end of file\n" for it in lines)


def _lines(text: str) -> list[str]:
    """The lines as programs see them that apply patches: str.splitlines knows more line ends."""
    return _LINE.findall(text)


def summary(file: FixedFile) -> str:
    """One line: how many findings of which kind were fixed."""
    counts = Counter(it.code for it in file.applied)
    return f"{file.name}: fixed {', '.join(f'{count} {code}' for code, count in sorted(counts.items()))}"
