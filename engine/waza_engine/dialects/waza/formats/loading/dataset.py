"""Loads tasks from a CSV file: `tasks_from`, `range`, and prompts that are templates.

CSV is read as Go's `encoding/csv` reads it: Python's own reader accepts a bare quote in a cell, which Go refuses.
See docs/reference/waza-formats.md, section 9.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from waza_engine.dialects.waza.formats.templates.template import TemplateError, Values, render
from waza_engine.lib.paths import is_inside, real_path
from waza_engine.model.suite import LoadError, Task
from waza_engine.project.reading import read_text

if TYPE_CHECKING:
    from waza_engine.dialects.waza.formats.eval import EvalFile

_MAX_BYTES = 32_000_000
_MAX_ROWS = 100_000
_UNQUOTED, _BLANK = re.compile('[^,\n"]*'), re.compile("\n*")
NO_PROMPT_COLUMN = "there is no column 'prompt', so all prompts are empty"


@dataclass
class CsvError(Exception):
    """The text is not CSV that Go would read; `line` counts from zero."""

    message: str
    line: int


class Row(NamedTuple):
    """One record, and the zero-based line that it starts on."""

    line: int
    cells: list[str]


def read_csv(text: str) -> list[Row]:
    """Return all records. Blank lines are skipped; every record must have as many cells as the first.

    Raises:
        CsvError: a quote at the wrong place, a quoted cell that does not end, or a wrong number of cells.

    """
    # For Go, a carriage return ends a line before a line feed, and at the end of the text.
    reader = _Reader(text.replace("\r\n", "\n").removesuffix("\r"))
    records: list[Row] = []
    while reader.has_more():
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
        self._line_at = (0, 0)
        """An offset in the text, and its line."""

    @property
    def line(self) -> int:
        place, line = self._line_at
        self._line_at = (self._at, line + self._text.count("\n", place, self._at))
        return self._line_at[1]

    def has_more(self) -> bool:
        """Skip blank lines, and return whether a record follows."""
        self._at += len(_BLANK.match(self._text, self._at)[0])  # type: ignore[index]  # it matches nothing, too
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
            return self._quoted_cell()
        cell = _UNQUOTED.match(self._text, self._at)[0]  # type: ignore[index]  # it matches nothing, too
        self._at += len(cell)
        if self._text[self._at : self._at + 1] == '"':
            raise CsvError('There is a quote inside an unquoted cell. Quote the cell and write ""', self.line)
        return cell

    def _quoted_cell(self) -> str:
        start_line = self.line
        parts: list[str] = []
        while True:
            end = self._text.find('"', self._at + 1)
            if end < 0:
                raise CsvError("The quoted cell does not end", start_line)
            parts.append(self._text[self._at + 1 : end])
            self._at = end + 1
            next_character = self._text[self._at : self._at + 1]
            if next_character in {"", ",", "\n"}:
                return '"'.join(parts)
            if next_character != '"':
                raise CsvError('A quote inside a quoted cell must be written ""', self.line)


def dataset_tasks(spec: "EvalFile", eval_path: Path) -> tuple[list[Task], list[str]]:
    """Return the tasks of the dataset, and warnings.

    Raises:
        LoadError: the file cannot be used, the range is invalid, or a prompt cannot be rendered.

    """
    eval_dir = eval_path.parent
    path = eval_dir / spec.tasks_from
    if not is_inside(path, eval_dir) or real_path(path) == real_path(eval_dir):
        message = f"'tasks_from' must be a file below {eval_dir}, not '{spec.tasks_from}'"
        raise LoadError(eval_path, message, ("tasks_from",))
    try:
        header, *rows = read_csv(read_text(path, _MAX_BYTES)) or [Row(0, [])]
    except CsvError as error:
        raise LoadError(path, error.message, line=error.line) from error
    if not header.cells:
        raise LoadError(path, "The file is empty; its first row must name the columns")
    selected = _select(rows, spec, eval_path)
    if len(selected) > _MAX_ROWS:
        raise LoadError(path, f"The file has more than {_MAX_ROWS:,} rows. Select some with 'range'")
    moment = datetime.now(UTC).isoformat(timespec="seconds")
    tasks: list[Task] = []
    for number, row in enumerate(selected, start=1):
        try:
            cells = dict(zip(header.cells, row.cells, strict=True))
            tasks.append(_task(cells, Values.of_row(cells, number, spec.inputs, moment), path))
        except TemplateError as error:
            raise LoadError(path, render_error(number, error), line=row.line) from error
    return tasks, list(_warnings(header.cells, path))


def render_error(number: int, error: TemplateError) -> str:
    """Return the message about a prompt that cannot be rendered; `number` counts rows from 1."""
    return f"The prompt of row {number} cannot be rendered: {error}"


def _select(rows: list[Row], spec: "EvalFile", eval_path: Path) -> list[Row]:
    first, last = spec.range
    if first == 0 and last == 0:
        return rows
    if first < 1 or last < first:
        message = (
            f"'range' must be two row numbers counted from 1, the smaller one first, not [{first}, {last}]"
        )
        raise LoadError(eval_path, message, ("range",))
    return rows[first - 1 : last]


def _task(row: Mapping[str, str], values: Values, path: Path) -> Task:
    name = str(values.fields["TaskName"])
    return Task(id=row.get("id") or name, name=name, prompt=render(row.get("prompt", ""), values), path=path)


def _warnings(header: list[str], path: Path) -> Iterator[str]:
    if header[0].startswith("\ufeff"):
        yield f"{path}: a byte-order mark is part of the first column's name. Save the file without it"
    if "prompt" not in header:
        yield f"{path}: {NO_PROMPT_COLUMN}"
