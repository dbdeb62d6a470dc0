"""CSV as Go's `encoding/csv` reads it (docs/reference/waza-formats.md, section 9).

Python's own reader lets a bare quote in a cell pass and trims nothing either; Go refuses the former.
"""

from dataclasses import dataclass
from typing import NamedTuple


@dataclass
class CsvError(Exception):
    """The text is no CSV that Go would read; `line` counts from zero."""

    message: str
    line: int


class Row(NamedTuple):
    """One record, and the line (from zero) that it begins on."""

    line: int
    cells: list[str]


def read_csv(text: str) -> list[Row]:
    """All records. Blank lines are skipped; every record must have as many cells as the first.

    Raises:
        CsvError: a quote at the wrong place, a quoted cell that does not end, or a wrong number of cells.

    """
    # Go takes a carriage return for a line's end before a line feed, and at the very end.
    reader = _Reader(text.replace("\r\n", "\n").removesuffix("\r"))
    records: list[Row] = []
    while reader.more():
        line = reader.line
        record = reader.record()
        if records and len(record) != len(records[0].cells):
            raise CsvError(f"The row has {len(record)} cells, the header has {len(records[0].cells)}", line)
        records.append(Row(line, record))
    return records


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._counted = (0, 0)
        """A place in the text, and the line that it is on."""

    @property
    def line(self) -> int:
        place, line = self._counted
        self._counted = (self._at, line + self._text.count("\n", place, self._at))
        return self._counted[1]

    def more(self) -> bool:
        """Whether a record follows; blank lines are passed over."""
        while self._text[self._at : self._at + 1] == "\n":
            self._at += 1
        return self._at < len(self._text)

    def record(self) -> list[str]:
        cells = [self._cell()]
        while self._text[self._at : self._at + 1] == ",":
            self._at += 1
            cells.append(self._cell())
        self._at += 1
        return cells

    def _cell(self) -> str:
        if self._text[self._at : self._at + 1] == '"':
            return self._quoted()
        start = self._at
        while self._at < len(self._text) and self._text[self._at] not in ",\n":
            if self._text[self._at] == '"':
                raise CsvError(
                    'A quote stands inside a cell that is not quoted; quote the cell and write ""', self.line
                )
            self._at += 1
        return self._text[start : self._at]

    def _quoted(self) -> str:
        start_line = self.line
        parts: list[str] = []
        while True:
            end = self._text.find('"', self._at + 1)
            if end < 0:
                raise CsvError("The quoted cell does not end", start_line)
            parts.append(self._text[self._at + 1 : end])
            self._at = end + 1
            follower = self._text[self._at : self._at + 1]
            if follower in {"", ",", "\n"}:
                return '"'.join(parts)
            if follower != '"':
                raise CsvError('A quote inside a quoted cell must be written ""', self.line)
