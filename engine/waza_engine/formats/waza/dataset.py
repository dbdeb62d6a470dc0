"""Tasks from a CSV file: `tasks_from`, `range`, and prompts that are templates.

See docs/reference/waza-formats.md, section 9.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from waza_engine.formats.reading import read_text
from waza_engine.formats.waza.csv_table import CsvError, Row, read_csv
from waza_engine.formats.waza.eval import EvalFile
from waza_engine.formats.waza.template import TemplateError, Values, render
from waza_engine.paths import is_inside
from waza_engine.suite import LoadError, Task


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
