"""One document in many layouts: indented by 2, 3 or 4, dashes below or beside their key, LF or CRLF.

Documents are written in one layout (steps of 2, dashes indented by 2) and moved to the others line by line.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Written:
    """The layout of a file. In `flush` lists, the dashes are in the column of the key."""

    step: int
    flush: bool
    line_end: str

    def __str__(self) -> str:
        dashes = "flush" if self.flush else "indented"
        return f"{self.step}-{dashes}-{'crlf' if self.line_end != chr(10) else 'lf'}"


LAYOUTS = [
    Written(2, False, "\n"),
    Written(2, True, "\r\n"),
    Written(3, False, "\r\n"),
    Written(3, True, "\n"),
    Written(4, False, "\n"),
    Written(4, True, "\r\n"),
]


def laid_out(document: str, layout: Written) -> str:
    """Return the document in a layout. Content that is one column too deep stays so."""
    columns: list[tuple[int, int]] = [(0, 0)]
    lines = [_moved(it, layout, columns) for it in document.split("\n")]
    return layout.line_end.join(lines)


def _moved(line: str, layout: Written, columns: list[tuple[int, int]]) -> str:
    content = line.lstrip(" ")
    indent = len(line) - len(content)
    if not content:
        return line
    even, odd = indent - indent % 2, indent % 2
    column = _column(even, layout, columns, is_dash=content.startswith("-"))
    rest = content
    while rest.startswith("- "):
        even, column = even + 2, column + 2
        _column(even, layout, columns, is_dash=False, known=column)
        rest = rest[2:]
    return " " * (column - (len(content) - len(rest)) + odd) + content


def _column(
    indent: int, layout: Written, columns: list[tuple[int, int]], *, is_dash: bool, known: int | None = None
) -> int:
    """Return the new column of content at `indent`. Deeper levels have ended."""
    while columns[-1][0] > indent:
        columns.pop()
    if columns[-1][0] < indent:
        parent = columns[-1][1]
        step = 0 if is_dash and layout.flush else layout.step
        columns.append((indent, parent + step if known is None else known))
    return columns[-1][1]
