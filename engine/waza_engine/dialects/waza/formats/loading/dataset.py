"""Tasks from a CSV file: `tasks_from`, `range`, and prompts that are templates.

See docs/reference/waza-formats.md, section 9.

CSV as Go's `encoding/csv` reads it (docs/reference/waza-formats.md, section 9).

Python's own reader lets a bare quote in a cell pass and trims nothing either; Go refuses the former.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from waza_engine.dialects.waza.formats.eval import EvalFile
from waza_engine.dialects.waza.formats.templates.template import TemplateError, Values, render
from waza_engine.lib.paths import is_inside
from waza_engine.model.suite import LoadError, Task
from waza_engine.project.reading import read_text


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


def dataset_tasks(spec: EvalFile, eval_path: Path) -> tuple[list[Task], list[str]]:
    """The tasks of the dataset, and warnings.

    Raises:
        LoadError: the file cannot be used, the range is none, or a prompt cannot be rendered.

    """
    eval_dir = eval_path.parent
    path = eval_dir / spec.tasks_from
    if not is_inside(path, eval_dir) or path.resolve() == eval_dir.resolve():
        message = f"'tasks_from' must be a file below {eval_dir}, not '{spec.tasks_from}'"
        raise LoadError(eval_path, message, ("tasks_from",))
    try:
        header, *rows = read_csv(read_text(path)) or [Row(0, [])]
    except CsvError as error:
        raise LoadError(path, error.message, line=error.line) from error
    if not header.cells:
        raise LoadError(path, "The file is empty; its first row must name the columns")
    selected = _selected(rows, spec, eval_path)
    moment = datetime.now(UTC).isoformat(timespec="seconds")
    tasks: list[Task] = []
    for number, row in enumerate(selected, start=1):
        try:
            cells = dict(zip(header.cells, row.cells, strict=True))
            tasks.append(_task(cells, Values.of_row(cells, number, spec.inputs, moment), path))
        except TemplateError as error:
            reason = f"The prompt of row {number} cannot be rendered: {error}"
            raise LoadError(path, reason, line=row.line) from error
    return tasks, list(_warnings(header.cells, path))


def _selected(rows: list[Row], spec: EvalFile, eval_path: Path) -> list[Row]:
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
        yield f"{path}: a byte-order mark is part of the first column's name; save the file without it"
    if "prompt" not in header:
        yield f"{path}: there is no column 'prompt', so all prompts are empty"
