"""Tasks from CSV files, and the templates in their prompts."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.engine.dialects.waza.suite_files import CONFIG, load, refused
from waza_engine.dialects.waza.formats.loading.dataset import CsvError, read_csv
from waza_engine.dialects.waza.formats.templates.template import TemplateError, Values, render


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
        ("", "prompt\n{{.Vars.no}}\n", "The prompt of row 1 cannot be rendered: unknown variable 'no'"),
        ("", "a,b\n1\n", "The row has 1 cells, the header has 2"),
        ("", 'a,b\n1,x"y\n', "There is a quote inside an unquoted cell"),
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
        ("a,b\nc,d\r", [["a", "b"], ["c", "d"]]),
        ("a\rb\n\r", [["a\rb"]]),
        ("", []),
    ],
)
def test_csv_is_read_as_go_reads_it(text: str, rows: list[list[str]]) -> None:
    assert [it.cells for it in read_csv(text)] == rows


@pytest.mark.parametrize(
    ("text", "line"), [('a,b\n1,x"y"\n', 1), ('a\n"x" y\n', 1), ('a\n"x\n\n', 1), ("a,b\n\n1,2,3\n", 2)]
)
def test_csv_that_go_refuses_is_placed_by_its_line(text: str, line: int) -> None:
    with pytest.raises(CsvError) as caught:
        read_csv(text)
    assert caught.value.line == line


def test_a_row_knows_its_line() -> None:
    assert [it.line for it in read_csv('a\n\n"two\nlines"\nlast\n')] == [0, 2, 4]


def test_a_prompt_that_cannot_be_rendered_is_placed_by_its_row(tmp_path: Path) -> None:
    error = refused(tmp_path, eval=_eval(), **{"data.csv": 'prompt\n"two\nlines"\n{{.Vars.no}}\n'})
    assert (error.path, error.line) == (tmp_path / "data.csv", 3)


VALUES = Values(
    {"a": "A", "a-b": "dash", "empty": "", "lang": "Go", "é": "é"},
    {"TaskName": "T", "Timestamp": datetime(2026, 1, 2, tzinfo=UTC).isoformat(), "Iteration": 0},
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
        ('{{"a}}b"}}', "a}}b"),
        ("{{$.Vars.a}}{{.Vars.é}}", "Aé"),
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
        "{{if}}a{{end}}",
        "{{end}}",
        "{{else}}",
        "{{if 1}}{{else}}{{else}}{{end}}",
        "{{}}",
        "{{.Vars.a.b}}",
        '{{.Vars.a "x"}}',
        '{{"a" | "b"}}',
        "{{and .Vars.a .Vars.no}}",
        '{{eq .Iteration "0"}}',
        "{{lt true false}}",
        "{{len 3}}",
        "{{not}}",
        "{{index .Vars.a 1}}",
        '{{"\\q"}}',
        "{{99999999999999999999}}",
        "{{range .Vars}}x{{end}}",
        "{{$x := 1}}",
        '{{template "x"}}',
        '{{printf "%9999d" 1}}',
        "{{/* not closed }}",
        "{{ /* apart */}}",
        "{{/* apart */ }}",
        "{{/* two */ x */}}",
        "{{08}}",
        "{{0x1e-7}}",
        "{{1e}}",
        "{{1e-}}",
        "{{1-2}}",
    ],
)
def test_other_templates_are_refused(template: str) -> None:
    with pytest.raises(TemplateError):
        render(template, VALUES)


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{{if .Vars.lang}}yes{{else}}no{{end}}", "yes"),
        ("{{if .Vars.empty}}1{{else if .Vars.a}}2{{else}}3{{end}}|", "2|"),
        ("a {{- if .Vars.a -}} b {{- end -}} c", "abc"),
        ("{{if false}}{{.Vars.no}}{{end}}ok", "ok"),
        ('{{if eq .Vars.lang "C" "Go"}}{{if ne .Vars.a "A"}}x{{end}}y{{end}}', "y"),
        ("{{len .Vars.lang}} {{len .Vars.é}} {{len .Vars}}", "2 2 5"),
        ('{{printf "%s!" .Vars.lang}}', "Go!"),
        ('{{.Vars.lang | printf "%-4s|%4q|%v" "x" "y"}}', 'x   | "y"|Go'),
        ('{{printf "%03d|%d|%t|%.2f|%%" 7 "x" true 1.5}}', "007|%!d(string=x)|true|1.50|%"),
        ('{{printf "%s"}} {{printf "x" 1}}', "%!s(MISSING) x%!(EXTRA int=1)"),
        ("{{and .Vars.empty .Vars.no}}|{{or .Vars.empty .Vars.a}}|{{not .Vars.empty}}", "|A|true"),
        ("{{if (eq (len .Vars.lang) 2)}}two{{end}}", "two"),
        ("{{if eq .Iteration 0}}first{{end}}", "first"),
        ('{{lt 1 2}} {{ge "b" "a"}}', "true true"),
        ('{{print 1 2 "a" 3}}{{println "a" 1}}', "1 2a3a 1\n"),
        ("{{`raw \\n`}} {{'a'}} {{-3}}", "raw \\n 97 -3"),
        ("{{1e-7}} {{1e+5}} {{-2.5E-1}} {{0x1e}}", "1e-07 100000 -0.25 30"),
        ("{{010}} {{-0_17}} {{0}} {{0o10}}", "8 -15 0 8"),
        ("a {{- /* b */ -}} c{{/**/}}{{/* d\n*/}}", "ac"),
        ("{{if 0}}" + "{{else if 0}}" * 20_000 + "{{else}}x{{end}}", "x"),
    ],
)
def test_templates_can_decide_count_and_print(template: str, text: str) -> None:
    assert render(template, VALUES) == text


@pytest.mark.parametrize("name", ["slice", "html", "js", "urlquery", "range"])
def test_what_only_waza_knows_is_said_to_be_unsupported(name: str) -> None:
    with pytest.raises(TemplateError, match=f"'{name}' is not supported in prompts"):
        render(f"{{{{{name} .Vars.a}}}}", VALUES)


def test_a_branch_that_is_not_taken_must_be_well_formed_all_the_same() -> None:
    with pytest.raises(TemplateError, match="unknown function 'nothing'"):
        render("{{if false}}{{nothing}}{{end}}", VALUES)


@pytest.mark.slow
@pytest.mark.parametrize(
    "template",
    [
        "{{" + "(" * 20_000 + "1" + ")" * 20_000 + "}}",
        "{{if 1}}" * 20_000 + "{{end}}" * 20_000,
        "{{if 0}}{{else if 0}}" * 51 + "{{end}}" * 51,
        "{{1" + "|not" * 20_000 + "}}",
        "{{/*" * 20_000,
        '{{printf "' + "%999d" * 99 + '"' + " 1" * 99 + "}}" * 1 + '{{printf "%999d" 1}}' * 1_000,
        '{{if "\\"" ' + '| printf "%q" ' * 49 + "}}{{end}}",
    ],
)
def test_a_template_takes_no_more_than_its_length_allows(template: str) -> None:
    with pytest.raises(TemplateError):
        render(template, VALUES)
