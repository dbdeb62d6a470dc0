"""`waza-lsp audit --html`."""

import os
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.engine.audit.evals import recording, text_grader, write_eval
from waza_engine.audit.codes import RULES
from waza_lsp.cli import main

ROOT = Path(__file__).parents[3]


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    task = {"id": "t", "graders": [text_grader(not_contains=["error"])]}
    write_eval(tmp_path / "e", [task], recordings=[recording("t", "It is done")])
    return tmp_path


def test_the_page_is_written_beside_the_printed_report(suite: Path) -> None:
    result = CliRunner().invoke(main, ["audit", "e", "--html", "out/audit.html", "--fail-under", "50"])
    assert (result.exit_code, "passes for an agent that says nothing" in result.stdout) == (1, True)
    page = (suite / "out" / "audit.html").read_text(encoding="utf-8")
    assert "<b>Passes for an agent that</b> says nothing" in page
    assert "default-src 'none'" in page


def test_a_page_that_cannot_be_written_is_an_error(suite: Path) -> None:
    (suite / "file").touch()
    result = CliRunner().invoke(main, ["audit", "e", "--html", "file/audit.html"])
    assert result.exit_code == 2
    assert "audit.html: cannot be written" in result.stderr


def test_the_manual_shows_what_the_command_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "examples" / "meeting-minutes", tmp_path / "examples" / "meeting-minutes")
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "is-my-eval-any-good.md").read_text(encoding="utf-8")
    command, _, shown = page.partition("$ waza-lsp ")[2].partition("```")[0].partition("\n")
    result = CliRunner().invoke(main, command.split())
    assert result.output.replace(os.sep, "/") == shown


def test_the_manual_lists_each_finding_with_its_level() -> None:
    page = (ROOT / "docs" / "is-my-eval-any-good.md").read_text(encoding="utf-8")
    rows = {f"| [{it.code}](rules/{it.code}.md) | {it.severity} |" for it in RULES}
    assert rows == {it for it in page.splitlines() if it.startswith("| [") and "(rules/" in it}
