"""`waza-lsp new`: evals to begin with, in each dialect."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from waza_engine import run_eval
from waza_engine.recognition.recognise import dialects
from waza_engine.recognition.starters import dialects_with_new_evals, starters
from waza_lsp.cli import main


def new(root: Path, *arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["new", "--out", str(root), *arguments])
    return done.exit_code, done.output


@pytest.mark.parametrize("dialect", dialects_with_new_evals())
def test_a_new_eval_has_no_findings_and_passes(tmp_path: Path, dialect: str) -> None:
    status, written = new(tmp_path, "greeter", "--dialect", dialect)
    assert (status, written.splitlines()[0]) == (0, str(tmp_path / "greeter" / "eval.yaml"))
    check = CliRunner().invoke(main, ["check", "--quiet", str(tmp_path)])
    assert (check.exit_code, check.output) == (0, "")
    text = (tmp_path / "greeter" / "eval.yaml").read_text(encoding="utf-8")
    assert "name: greeter-eval" in text
    assert "${" not in text
    assert run_eval(tmp_path / "greeter" / "eval.yaml").status == "passed"


def test_files_to_begin_with_have_no_findings(tmp_path: Path) -> None:
    """Those that are only snippets, such as trigger tests, too."""
    for dialect in dialects():
        for it in starters(dialect.name):
            if not it.path:
                path = tmp_path / dialect.name / "trigger_tests.yaml"
                path.parent.mkdir()
                path.write_text(it.text.replace("${1:my-skill}", "s"), encoding="utf-8")
    check = CliRunner().invoke(main, ["check", "--quiet", str(tmp_path)])
    assert (check.exit_code, check.output) == (0, "")


def test_existing_files_stay(tmp_path: Path) -> None:
    new(tmp_path, "greeter")
    task = tmp_path / "greeter" / "tasks" / "first-task.yaml"
    task.write_text("mine", encoding="utf-8")
    status, message = new(tmp_path, "greeter")
    assert status == 2
    assert "eval.yaml already exists; nothing was written" in message
    assert task.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("name", ["../up", "a/b", "no", "True", "1.5", "", "a b", "-x"])
def test_names_that_are_no_folders_or_no_text_in_yaml_are_refused(tmp_path: Path, name: str) -> None:
    status, message = new(tmp_path, "--", name)
    assert status == 2
    assert "is not a name" in message
    assert list(tmp_path.iterdir()) == []
