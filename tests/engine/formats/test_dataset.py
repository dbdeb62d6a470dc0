"""Tasks from CSV files, and the templates in their prompts."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.engine.formats.suite_files import CONFIG, load, refused
from waza_engine.formats.waza.csv_table import CsvError, read_csv
from waza_engine.formats.waza.template import TemplateError, Values, render


def _eval(more: str = "") -> str:
    return f"name: d\nskill: d\n{CONFIG}\ntasks_from: data.csv\n{more}"


def test_each_row_is_a_task(tmp_path: Path) -> None:
    table = "id,name,prompt\nx,One,Hi\n,Two,Ho\n,,He\n"
    tasks = load(tmp_path, eval=_eval(), **{"data.csv": table}).tasks
    assert [(it.id, it.name, it.prompt) for it in tasks] == [
        ("x", "One", "Hi"),
        ("Two", "Two", "Ho"),
        ("row-3", "row-3", "He"),
    ]


def test_rows_can_be_chosen_and_prompts_are_templates(tmp_path: Path) -> None:
    table = "prompt,lang\na,\nWrite {{.Vars.lang}} for {{.Vars.who}},Go\n{{.TaskName}},C\nd,\n"
    tasks = load(
        tmp_path, eval=_eval("range: [2, 3]\ninputs: {who: me, lang: no}\n"), **{"data.csv": table}
    ).tasks
    assert [(it.id, it.prompt) for it in tasks] == [("row-1", "Write Go for me"), ("row-2", "row-2")]


@pytest.mark.parametrize("written", ["", "null", "~", "[0, 0]"])
def test_a_range_without_rows_is_all_of_them(tmp_path: Path, written: str) -> None:
    suite = load(tmp_path, eval=_eval(f"range: {written}\n"), **{"data.csv": "prompt\na\nb\n"})
    assert [it.prompt for it in suite.tasks] == ["a", "b"]


def test_tasks_beside_a_dataset_are_ignored_with_a_warning(tmp_path: Path) -> None:
    suite = load(tmp_path, eval=_eval("tasks: [tasks/*.yaml]\n"), **{"data.csv": "prompt\nHi\n"})
    assert [it.id for it in suite.tasks] == ["row-1"]
    assert "'tasks' is ignored" in suite.warnings[0]


def test_a_dataset_without_prompts_is_worth_a_warning(tmp_path: Path) -> None:
    suite = load(tmp_path, eval=_eval(), **{"data.csv": "\ufeffid,Prompt\na,Hi\n"})
    assert [(it.id, it.prompt) for it in suite.tasks] == [("row-1", "")]
    assert len(suite.warnings) == 2


@pytest.mark.parametrize(
    ("more", "table", "message"),
    [
        ("range: [0, 5]", "prompt\na\n", "'range' must be two row numbers"),
        ("range: [3, 2]", "prompt\na\n", "'range' must be two row numbers"),
        ("range: [1]", "prompt\na\n", "'range' must have 2 items"),
        ("", "", "The file is empty"),
        ("", "prompt\n{{.Vars.no}}\n", "The prompt of row 1 cannot be rendered: there is no variable 'no'"),
        ("", "a,b\n1\n", "The row has 1 cells, the header has 2"),
        ("", 'a,b\n1,x"y\n', "A quote stands inside a cell"),
    ],
)
def test_a_dataset_that_cannot_be_used(tmp_path: Path, more: str, table: str, message: str) -> None:
    assert message in refused(tmp_path, eval=_eval(more), **{"data.csv": table}).message


@pytest.mark.parametrize("name", ["../data.csv", "/etc/passwd", "."])
def test_a_dataset_must_lie_below_the_eval(tmp_path: Path, name: str) -> None:
    error = refused(tmp_path, eval=_eval().replace("data.csv", name))
    assert error.pointer == ("tasks_from",)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("a,b\n1,2\n", [["a", "b"], ["1", "2"]]),
        ("a, b\r\n1,2", [["a", " b"], ["1", "2"]]),
        ('a,b\n"x,1","say ""hi"""\n', [["a", "b"], ["x,1", 'say "hi"']]),
        ('a\n"two\nlines"\n\n\nlast\n', [["a"], ["two\nlines"], ["last"]]),
        ("a,\n,b\n", [["a", ""], ["", "b"]]),
        ('a\n""\n', [["a"], [""]]),
        ("", []),
    ],
)
def test_csv_is_read_as_go_reads_it(text: str, rows: list[list[str]]) -> None:
    assert read_csv(text) == rows


@pytest.mark.parametrize(
    ("text", "line"), [('a,b\n1,x"y"\n', 1), ('a\n"x" y\n', 1), ('a\n"x\n\n', 1), ("a,b\n\n1,2,3\n", 2)]
)
def test_csv_that_go_refuses_is_placed_by_its_line(text: str, line: int) -> None:
    with pytest.raises(CsvError) as caught:
        read_csv(text)
    assert caught.value.line == line


VALUES = Values(
    {"a": "A", "a-b": "dash"}, {"TaskName": "T", "Timestamp": datetime(2026, 1, 2, tzinfo=UTC).isoformat()}
)


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("no braces ${X} {x}", "no braces ${X} {x}"),
        ("{{.Vars.a}}", "A"),
        ("{{ .Vars.a }}-{{.TaskName}}", "A-T"),
        ('{{index .Vars "a-b"}}', "dash"),
        ('{{index .Vars "nobody"}}|', "|"),
        ('{{"{{"}}', "{{"),
        ("x {{- .Vars.a -}} y", "xAy"),
        ("x {{/* a note */}} y", "x  y"),
        ("{{.Timestamp}}", "2026-01-02T00:00:00+00:00"),
    ],
)
def test_the_usual_templates_are_rendered(template: str, text: str) -> None:
    assert render(template, VALUES) == text


@pytest.mark.parametrize(
    "template",
    [
        "{{.Vars.b}}",
        "{{.x}}",
        "{{x}}",
        "{{fixture:f}}",
        "{{.Vars.a-b}}",
        "{{",
        "a {{.Vars.a}} {{ b",
        "{{if .Vars.a}}",
    ],
)
def test_other_templates_are_refused(template: str) -> None:
    with pytest.raises(TemplateError):
        render(template, VALUES)
