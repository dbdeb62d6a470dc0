"""Variables of templates: columns of a CSV file in `{{ }}`, placeholders of the file in `${ }`."""

from pathlib import Path

from tests.behaviour.completion_harness import Completions
from tests.behaviour.harness import marked, snapshot_of
from waza_lsp.features.completion import completion
from waza_lsp.workspace.workspace import WorkspaceFiles

EVAL = """
name: demo
skill: notes
tasks_from: cases.csv
inputs:
  region: west
description: {}
"""


def offered_in(folder: Path, document: str, name: str = "eval.yaml") -> Completions:
    (folder / "cases.csv").write_text("id,prompt,customer\n1,hello,Anna\n", encoding="utf-8")
    found = marked(document)
    assert found.cursor is not None
    snapshot = snapshot_of(found.source, name, folder)
    return Completions(
        snapshot, found.cursor, list(completion(snapshot, found.cursor, files=WorkspaceFiles(folder)).items)
    )


def test_columns_and_inputs(tmp_path: Path) -> None:
    found = offered_in(tmp_path, EVAL.replace("{}", '"for {{¦"'))
    assert {".Vars.customer", ".Vars.region", ".TaskName"} <= set(found.labels)
    assert found.item(".Vars.customer").detail == "column of cases.csv"
    assert '"for {{.Vars.customer}}"' in found.applied(found.item(".Vars.customer"))


def test_the_end_is_not_written_twice(tmp_path: Path) -> None:
    found = offered_in(tmp_path, EVAL.replace("{}", '"for {{ .Vars.cus¦ }}"'))
    assert '"for {{ .Vars.customer }}"' in found.applied(found.item(".Vars.customer"))


def test_in_a_text_of_several_lines(tmp_path: Path) -> None:
    found = offered_in(tmp_path, EVAL.replace("{}", "|\n  for {{¦\n  and more"))
    assert "for {{.Vars.customer}}\n" in found.applied(found.item(".Vars.customer"))


def test_not_in_comments_and_without_a_dataset(tmp_path: Path) -> None:
    assert offered_in(tmp_path, EVAL.replace("{}", "x\n# {{¦")).labels == []
    assert offered_in(tmp_path, 'name: demo\nskill: notes\ndescription: "{{¦"\n').labels == []


def test_placeholders_of_the_file(tmp_path: Path) -> None:
    source = "name: demo\nstimuli:\n  - name: a\n    prompt: ${WHO=you} and ${¦\n    tags: {a: '${WHERE}'}\n"
    found = offered_in(tmp_path, source, "eval.yaml")
    assert found.labels == ["WHO", "WHERE"]
    assert "and ${WHERE}\n" in found.applied(found.item("WHERE"))
