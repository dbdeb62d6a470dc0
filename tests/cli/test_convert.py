"""`waza-lsp convert`: files are made, nothing is overwritten, and a broken eval is told in one line."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from waza_lsp.cli import main

OLD = """\
# my suite
name: n
skill: s
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: mock
  model: m
graders:
  - type: keyword   # beside
    name: k
    config:
      keywords: [a, b]
tasks: ["tasks/*.yaml"]
"""


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "t.yaml").write_text("id: t\nname: T\ninputs: {prompt: hi}\n", encoding="utf-8")
    (tmp_path / "eval.yaml").write_text(OLD, encoding="utf-8")
    return tmp_path


def test_the_newest_form_changes_what_is_outdated_and_no_more(suite: Path) -> None:
    done = CliRunner().invoke(main, ["convert", "eval.yaml", "--to", "latest", "--out", "new"])
    assert done.exit_code == 0, done.output
    new = OLD.replace("keyword ", "text ").replace("keywords:", "contains:")
    assert (suite / "new" / "eval.yaml").read_text(encoding="utf-8") == new


@pytest.mark.usefixtures("suite")
def test_losses_are_told_with_paths_from_where_one_is() -> None:
    done = CliRunner().invoke(main, ["convert", "eval.yaml", "--to", "vally", "--out", "new"])
    assert "\ntasks/t.yaml:2:1: kept as a comment: Task 't'" in f"\n{done.stderr}"


def test_files_that_are_there_stay_unless_forced(suite: Path) -> None:
    command = ["convert", "eval.yaml", "--to", "vally", "--out", "."]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 2
    assert "already exists; nothing was written" in done.output
    assert (suite / "eval.yaml").read_text(encoding="utf-8") == OLD
    assert CliRunner().invoke(main, [*command, "--force"]).exit_code == 0
    assert "stimuli:" in (suite / "eval.yaml").read_text(encoding="utf-8")


def test_a_broken_eval_is_told_in_one_line(suite: Path) -> None:
    (suite / "eval.yaml").write_text("name: [\n", encoding="utf-8")
    done = CliRunner().invoke(main, ["convert", "eval.yaml", "--to", "vally"])
    assert done.exit_code == 2
    assert done.output.count("\n") == 1
    assert "eval.yaml:1:7: error:" in done.output


def test_the_plan_lists_losses_with_places_and_writes_nothing(suite: Path) -> None:
    done = CliRunner().invoke(main, ["convert", "eval.yaml", "--to", "vally", "--plan"])
    assert done.exit_code == 0, done.output
    assert "eval.yaml:10:5: kept as a comment: Grader 'k'" in done.stdout
    assert f"would write {Path('vally', 'eval.yaml')}" in done.stdout
    assert not (suite / "vally").exists()


@pytest.mark.usefixtures("suite")
def test_the_plan_as_json() -> None:
    done = CliRunner().invoke(main, ["convert", "eval.yaml", "--to", "vally", "--plan", "--format", "json"])
    plan = json.loads(done.stdout)
    assert plan["files"] == [str(Path("vally", "eval.yaml"))]
    [name] = [it for it in plan["losses"] if it["path"] == str(Path("tasks", "t.yaml"))]
    assert (name["line"], name["column"], name["pointer"], name["kept"]) == (2, 1, ["name"], True)
