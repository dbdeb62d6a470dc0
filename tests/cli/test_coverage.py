"""`waza-lsp coverage`: text, JSON and GitHub, and the exit status."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.engine.coverage.suites import write_skill, write_triggers, write_waza
from waza_lsp.cli import main


def coverage(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["coverage", *arguments])


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with an eval of the skill `notes`, and a skill without one."""
    write_skill(tmp_path)
    write_skill(tmp_path, "other", "description: Does other things.\n")
    write_waza(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("root")
def test_text_shows_skills_clauses_and_the_percentage() -> None:
    result = coverage()
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "skills/notes/SKILL.md: 1 task in 1 eval, 1 of 4 clauses covered",
        "  5:36: hint[untested-clause] No task and no trigger prompt of the skill's eval is about 'rotate certificates'",
        "  6:19: hint[untested-clause] No task and no trigger prompt of the skill's eval is about 'translating books'",
        "  6:38: hint[untested-clause] No task and no trigger prompt of the skill's eval is about 'über-lange Blogposts'",
        "skills/other/SKILL.md: no eval tests it",
        "  2:1: hint[untested-clause] No task and no trigger prompt tests the skill 'other'",
        "2 skills: 1 of 5 covered (20 %)",
    ]
    own = coverage("skills/notes/SKILL.md", "--quiet")
    assert own.stdout.splitlines()[-1] == "1 skill: 1 of 4 covered (25 %)"


@pytest.mark.usefixtures("root")
def test_fail_under_compares_the_percentage() -> None:
    assert coverage("--fail-under", "20").exit_code == 0
    result = coverage("--fail-under", "20.5")
    assert result.exit_code == 1
    assert result.stderr == "FAILED: 20 % of the clauses are covered, less than 20.5 %\n"


def test_json_has_evals_and_states_with_places(root: Path) -> None:
    write_triggers(root)
    data = json.loads(coverage("--format", "json").stdout)
    assert data["summary"] == {"skills": 2, "covered": 1, "total": 5, "percent": 20.0, "problems": []}
    notes, other = data["skills"]
    assert notes["evals"] == [{"path": "evals/notes/eval.yaml", "tasks": ["first"], "trigger_prompts": 1}]
    assert [(it["text"], it["wanted"], it["state"]) for it in notes["clauses"]] == [
        ("write release notes", True, "exercised"),
        ("rotate certificates", True, "untested"),
        ("translating books", False, "untested"),
        ("über-lange Blogposts", False, "untested"),
    ]
    assert notes["clauses"][3]["range"] == {
        "start": {"line": 5, "character": 37},
        "end": {"line": 5, "character": 57},
    }
    assert (other["covered"], other["total"], other["evals"]) == (0, 1, [])


@pytest.mark.usefixtures("root")
def test_github_annotates_the_clauses() -> None:
    lines = coverage("--format", "github", "--fail-under", "90").stdout.splitlines()
    assert lines[0] == (
        "::notice file=skills/notes/SKILL.md,line=5,endLine=5,title=untested-clause,col=36,endColumn=54::No task and no "
        "trigger prompt of the skill's eval is about 'rotate certificates'"
    )
    assert len(lines) == 4


def test_levels_of_the_project_count(root: Path) -> None:
    settings = root / ".waza-lsp.toml"
    settings.write_text('[rules]\nuntested-clause = "warning"\n')
    assert "  5:36: warning[untested-clause] " in coverage().stdout
    assert coverage("--format", "github").stdout.startswith("::warning ")
    settings.write_text('[rules]\nuntested-clause = "off"\n')
    assert "untested-clause" not in coverage().stdout
    assert coverage("--fail-under", "50").exit_code == 1


def test_an_eval_that_cannot_be_loaded_is_named_and_the_rest_goes_on(root: Path) -> None:
    broken = root / "evals" / "notes-too" / "eval.yaml"
    broken.parent.mkdir()
    broken.write_text("name: notes\nskill: notes\nconfig: 7\ntasks: [tasks/*.yaml]\n")
    result = coverage("--fail-under", "100")
    assert result.exit_code == 2
    assert "notes-too" in result.stderr
    assert "1 of 4 clauses covered" in result.stdout


def test_many_skills_load_all_evals_once(root: Path) -> None:
    for number in range(6):
        write_skill(root, f"s{number}")
        write_waza(root, f"s{number}")
    result = coverage("-q")
    assert result.stdout.splitlines()[-1] == "8 skills: 7 of 29 covered (24 %)"


def test_a_folder_without_skills_is_an_error(tmp_path: Path) -> None:
    result = coverage(str(tmp_path))
    assert result.exit_code == 2
    assert "waza-lsp new skill" in result.stderr
