"""Checks of a CSV file of tasks before a run (docs/reference/waza-formats.md, section 9).

What reads and renders such a file is imported late: rules ask about it for each eval, and few have one.
"""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from waza_engine.lib.paths import is_inside
from waza_engine.project.document import Document
from waza_engine.project.suite_files import text_of

_ANY_TIME = "2026-01-01T00:00:00+00:00"


@dataclass(frozen=True, slots=True)
class Dataset:
    """A CSV file. `lines` are the zero-based lines of the rows. If it cannot be read, `error` says why, without rows."""

    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    lines: tuple[int, ...] = ()
    error: str = ""


def dataset_path(document: Document) -> Path | None:
    """Return the path of `tasks_from`; None if it is missing or waza refuses it."""
    text, folder = document.text("tasks_from"), document.folder
    if not text or folder is None:
        return None
    path = folder / text
    return path if is_inside(path, folder) and path != folder else None


def dataset_of(document: Document) -> Dataset | None:
    """Return the dataset of an eval, None if there is no file to read."""
    path = dataset_path(document)
    return document.files.read_as(path, _read) if path is not None and document.files.is_file(path) else None


def template_problem(document: Document, dataset: Dataset, first: int, last: int) -> str:
    """Return why a prompt of these rows (counted from 1) cannot be rendered, or ""."""
    if "prompt" not in dataset.header:
        return ""
    from waza_engine.dialects.waza.formats.loading.dataset import render_error
    from waza_engine.dialects.waza.formats.templates.template import TemplateError, Values, render

    variables = {str(key): text_of(value) for key, value in document.mapping("inputs").items()}
    for number, row in enumerate(dataset.rows[first - 1 : last], start=1):
        cells = dict(zip(dataset.header, row, strict=True))
        if "{{" in cells["prompt"]:
            try:
                render(cells["prompt"], Values.of_row(cells, number, variables, _ANY_TIME))
            except TemplateError as error:
                line = dataset.lines[first + number - 2] + 1
                return f"line {line}: {render_error(number, error)}"
    return ""


def dataset_doubts(dataset: Dataset) -> list[str]:
    """Return descriptions of what is allowed but probably unintended."""
    from waza_engine.dialects.waza.formats.loading.dataset import NO_PROMPT_COLUMN

    found = []
    if "prompt" not in dataset.header:
        found.append(NO_PROMPT_COLUMN)
    blanks = [it for it in dataset.header if it != it.strip()]
    if blanks:
        found.append(f"the column name '{blanks[0]}' has spaces around it, which are part of the name")
    repeated = [it for it, count in Counter(dataset.header).items() if count > 1]
    if repeated:
        found.append(f"two columns have the name '{repeated[0]}'. The last one counts")
    if "id" in dataset.header:
        column = dataset.header.index("id")
        ids = Counter(it[column] for it in dataset.rows if it[column])
        repeated = [it for it, count in ids.items() if count > 1]
        if repeated:
            found.append(f"two rows have the id '{repeated[0]}'")
    return found


def _read(text: str) -> Dataset:
    from waza_engine.dialects.waza.formats.loading.dataset import CsvError, Row, read_csv

    try:
        header, *rows = read_csv(text) or [Row(0, [])]
    except CsvError as error:
        return Dataset(error=f"line {error.line + 1}: {error.message}")
    if not header.cells:
        return Dataset(error="the file is empty; its first row must name the columns")
    return Dataset(tuple(header.cells), tuple(tuple(it.cells) for it in rows), tuple(it.line for it in rows))
