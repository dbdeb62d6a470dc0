"""Marked documents: `¦` is the cursor, a comment line of carets names a finding on the line above it.

Only this file knows the API of the server's pure half; the tests hold documents and results.
"""

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types

from waza_lsp.snapshot import Snapshot

CURSOR = "¦"
_CARETS = re.compile(r"#\s*(\^+)\s+(\w+) ([\w-]+)\s*$")


@dataclass(frozen=True)
class Marked:
    """A document without its marks, its cursor, and the findings that the caret lines expect."""

    source: str
    cursor: types.Position | None
    findings: list[tuple[int, int, int, str, str]]
    """(line, first column, end column, severity, code), columns in code points."""


def marked(document: str) -> Marked:
    """Dedent a document and remove its marks."""
    lines: list[str] = []
    cursor: types.Position | None = None
    findings: list[tuple[int, int, int, str, str]] = []
    for line in textwrap.dedent(document).removeprefix("\n").split("\n"):
        found = _CARETS.search(line)
        if found and not line[: found.start()].strip():
            start, end = found.span(1)
            findings.append((len(lines) - 1, start, end, found.group(2), found.group(3)))
            continue
        if CURSOR in line:
            before, _, after = line.partition(CURSOR)
            cursor = types.Position(len(lines), len(before.encode("utf-16-le")) // 2)
            line = before + after  # noqa: PLW2901  # the mark is no part of the line
        lines.append(line)
    return Marked("\n".join(lines), cursor, findings)


def snapshot_of(source: str, name: str = "eval.yaml", folder: Path | None = None) -> Snapshot:
    """Return a snapshot of a document, optionally in a real folder."""
    base = (folder or Path("/nowhere/evals")).as_posix()
    return Snapshot.of(f"file://{base}/{name}", source, version=1)
