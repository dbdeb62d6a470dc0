"""What can be said of a CSV file of tasks before a run (docs/reference/waza-formats.md, section 9)."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from waza_engine.dialects.waza.formats.loading.dataset import CsvError, Row, read_csv
from waza_engine.dialects.waza.formats.templates.template import TemplateError, Values, render
from waza_engine.lib.paths import is_inside
from waza_engine.project.document import Document
from waza_engine.project.suite_files import text_of

_SOME_MOMENT = "2026-01-01T00:00:00+00:00"


@dataclass(frozen=True, slots=True)
class Dataset:
    """A CSV file as read; `lines` (from zero) are those of the rows. `error` says why it is none, then there are no rows."""

    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    lines: tuple[int, ...] = ()
    error: str = ""


def dataset_path(document: Document) -> Path | None:
    """Where `tasks_from` leads; None when it names nothing, or a place that waza refuses."""
    text, folder = document.text("tasks_from"), document.folder
    if not text or folder is None:
        return None
    path = folder / text
    return path if is_inside(path, folder) and path != folder else None


def dataset_of(document: Document) -> Dataset | None:
    """The dataset of an eval, None when there is no file to read."""
    path = dataset_path(document)
    return document.files.read_as(path, _read) if path is not None and document.files.is_file(path) else None


def template_problem(document: Document, dataset: Dataset, first: int, last: int) -> str:
    """Why a prompt among the rows (counted from 1) cannot be rendered; empty when all can."""
    if "prompt" not in dataset.header:
        return ""
    variables = {str(key): text_of(value) for key, value in document.mapping("inputs").items()}
    for number, row in enumerate(dataset.rows[first - 1 : last], start=1):
        cells = dict(zip(dataset.header, row, strict=True))
        if "{{" in cells["prompt"]:
            try:
                render(cells["prompt"], Values.of_row(cells, number, variables, _SOME_MOMENT))
            except TemplateError as error:
                line = dataset.lines[first + number - 2] + 1
                return f"line {line}: The prompt of row {number} cannot be rendered: {error}"
    return ""


def doubts(dataset: Dataset) -> list[str]:
    """What is allowed and hardly meant."""
    found = []
    if "prompt" not in dataset.header:
        found.append("there is no column 'prompt', so all prompts are empty")
    blanks = [it for it in dataset.header if it != it.strip()]
    if blanks:
        found.append(f"the column name '{blanks[0]}' has blanks around it, which belong to the name")
    twice = [it for it, count in Counter(dataset.header).items() if count > 1]
    if twice:
        found.append(f"two columns are called '{twice[0]}'; the last one counts")
    if "id" in dataset.header:
        column = dataset.header.index("id")
        ids = Counter(it[column] for it in dataset.rows if it[column])
        twice = [it for it, count in ids.items() if count > 1]
        if twice:
            found.append(f"the id '{twice[0]}' stands in two rows")
    return found


def _read(text: str) -> Dataset:
    try:
        header, *rows = read_csv(text) or [Row(0, [])]
    except CsvError as error:
        return Dataset(error=f"line {error.line + 1}: {error.message}")
    if not header.cells:
        return Dataset(error="the file is empty; its first row must name the columns")
    return Dataset(tuple(header.cells), tuple(tuple(it.cells) for it in rows), tuple(it.line for it in rows))
