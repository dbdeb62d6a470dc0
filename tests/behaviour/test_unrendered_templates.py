"""Templates that nothing replaces: the finding, the fix, and the hover."""

from pathlib import Path
from typing import Any

import pytest

from tests.behaviour.fixes_harness import draft_of, findings_of
from tests.behaviour.harness import marked, snapshot_of
from waza_engine.lib.yaml.reader import read_yaml
from waza_engine.lib.yaml.scalars import plain
from waza_lsp.features.hover import hover
from waza_lsp.fixes.fixes import solutions
from waza_lsp.workspace.workspace import WorkspaceFiles

_EVAL = """\
name: notes-eval
skill: notes
config: {trials_per_task: 1, timeout_seconds: 60, executor: copilot-sdk, model: gpt-4o}
inputs: {topic: bread}
tasks_from: rows.csv
graders:
  - ENTRY
"""
_SPEC = """\
name: notes
scoring: {threshold: 1}
stimuli:
  - name: a
    prompt: 'PROMPT'
    environment: {env: {REGION: '${REGION=west}'}}
    graders:
      - {type: output-contains, config: {substring: 'TEXT'}}
"""


def _found(source: str, folder: Path, name: str = "eval.yaml") -> list[str]:
    found = findings_of(snapshot_of(source, name, folder))
    return [
        it.finding.message for it in found if it.finding.code in {"unrendered-template", "template-in-prompt"}
    ]


@pytest.fixture(autouse=True)
def dataset(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("id,prompt,answer\na,Say {{.Vars.answer}},yes\n", "utf-8")


@pytest.mark.parametrize(
    "template",
    [
        "{{.Vars.topic}}",
        "{{ .Vars.topic }}",
        "{{- .topic -}}",
        "{{topic}}",
        "${topic}",
        "{{.Vars.answer}}",
        "${answer}",
        "{{.TaskName}}",
        "{{.Vars.typo}}",
    ],
)
@pytest.mark.parametrize(
    "entry",
    [
        "{type: text, name: g, config: {contains: ['x T y']}}",
        "{type: prompt, name: g, config: {prompt: 'Is it T?'}}",
        "{type: file, name: g, config: {must_exist: ['T.md']}}",
        "{type: code, name: g, config: {assertions: [\"'T' in output\"]}}",
    ],
)
def test_templates_in_graders_are_reported(template: str, entry: str, tmp_path: Path) -> None:
    is_code = "assertions" in entry and template.startswith("$")
    found = _found(_EVAL.replace("ENTRY", entry.replace("T", template, 1)), tmp_path)
    assert len(found) == (0 if is_code else 1)


@pytest.mark.parametrize(
    "text",
    ["{{user}}", "${HOME}", "{{ .Values.image }}", "{{#each topic}}", r"\$\{x\}", "{{topic}", "{topic}"],
)
def test_what_no_name_explains_is_meant_as_it_is(text: str, tmp_path: Path) -> None:
    entry = f"{{type: text, name: g, config: {{contains: ['{text}']}}}}"
    assert _found(_EVAL.replace("ENTRY", entry), tmp_path) == []


def test_a_constant_is_written_in_its_place(tmp_path: Path) -> None:
    entry = "{type: text, name: g, config: {contains: ['a {{.Vars.topic}} b']}}"
    assert _fixed(_EVAL.replace("ENTRY", entry), tmp_path)["graders"][0]["config"] == {
        "contains": ["a bread b"]
    }


def test_a_column_has_no_constant_to_write(tmp_path: Path) -> None:
    entry = "{type: text, name: g, config: {contains: ['{{.Vars.answer}}']}}"
    snapshot = snapshot_of(_EVAL.replace("ENTRY", entry), "eval.yaml", tmp_path)
    assert snapshot.form is not None
    [found] = [it for it in findings_of(snapshot) if it.finding.code == "unrendered-template"]
    assert solutions(found, draft_of(snapshot), snapshot.form.schema) == []
    assert "one task file" in found.finding.message


def test_hooks_and_expectations_of_tasks(tmp_path: Path) -> None:
    grader = "{type: text, name: g, config: {contains: [x]}}"
    eval_text = _EVAL.replace("ENTRY", grader).replace("tasks_from: rows.csv", "tasks: [t.yaml]")
    task = "id: a\nname: a\ninputs: {prompt: 'Say {{topic}}', files: [{path: a.md, content: '{{.Vars.topic}}'}]}\n"
    (tmp_path / "t.yaml").write_text(f"{task}expected: {{output_contains: ['{{{{topic}}}}']}}\n", "utf-8")
    hook = "hooks: {before_task: [{command: 'make {{.Vars.topic}}'}]}\n"
    (tmp_path / "eval.yaml").write_text(eval_text, "utf-8")
    assert len(_found(eval_text + hook, tmp_path)) == 1
    assert len(_found((tmp_path / "t.yaml").read_text("utf-8"), tmp_path, "t.yaml")) == 3


def _fixed(source: str, folder: Path) -> Any:
    snapshot = snapshot_of(source, "eval.yaml", folder)
    assert snapshot.form is not None
    [found] = [it for it in findings_of(snapshot) if it.finding.code == "unrendered-template"]
    best = solutions(found, draft_of(snapshot), snapshot.form.schema)[0]
    return plain(read_yaml(str(draft_of(snapshot).apply(best.edits).text)))


@pytest.mark.parametrize("template", ["{{REGION}}", "{{ .Vars.REGION }}"])
def test_specs_have_variables_with_a_dollar(template: str, tmp_path: Path) -> None:
    source = _SPEC.replace("PROMPT", "Say it").replace("TEXT", f"in {template}")
    [stimulus] = _fixed(source, tmp_path)["stimuli"]
    assert stimulus["graders"][0]["config"]["substring"] == "in ${REGION}"


@pytest.mark.parametrize("text", ["{{user.name}}", "{% if x %}{{ x }}{% endif %}", "${REGION}", "${OTHER=a}"])
def test_other_templates_in_specs_are_texts(text: str, tmp_path: Path) -> None:
    assert _found(_SPEC.replace("PROMPT", text).replace("TEXT", text), tmp_path) == []


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (
            _EVAL.replace("ENTRY", "{type: text, name: g, config: {contains: ['{{.Va¦rs.topic}}']}}"),
            "only in the `prompt` column",
        ),
        (_EVAL.replace("ENTRY", "{type: text, name: g, config: {contains: ['${to¦pic}']}}"), "no variables"),
        (_SPEC.replace("PROMPT", "a ${NA¦ME} b"), "before it reads the file"),
        (_SPEC.replace("PROMPT", "a {{ na¦me }} b"), "does not replace"),
    ],
)
def test_the_hover_says_where_templates_are_replaced(document: str, said: str, tmp_path: Path) -> None:
    found = marked(document)
    assert found.cursor is not None
    shown = hover(snapshot_of(found.source, "eval.yaml", tmp_path), found.cursor, WorkspaceFiles(tmp_path))
    assert shown is not None
    assert said in shown.contents.value  # type: ignore[union-attr]  # always MarkupContent
