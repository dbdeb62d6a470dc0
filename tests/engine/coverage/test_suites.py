"""Which tasks of an eval test a skill, and which evals are worth loading to find out."""

from pathlib import Path

import pytest

from tests.engine.coverage.suites import write, write_skill, write_triggers, write_vally, write_waza
from waza_engine.coverage.index import SuiteIndex, evals_that_may_test
from waza_engine.coverage.suites import SkillCoverage, coverage_of
from waza_engine.lib.files.vfs import Files
from waza_engine.project.discovery import eval_files, skill_files
from waza_engine.project.load_suite import load_suite
from waza_engine.project.settings import Projects
from waza_engine.project.skills import skill_at


def measured(root: Path, name: str = "notes") -> SkillCoverage:
    """Return the coverage of a skill, found in both ways."""
    files, path = Files(), next(it for it in root.rglob("SKILL.md") if it.parent.name == name)
    skill, paths = skill_at(path, files), [*eval_files(root, Projects())]
    found = coverage_of(
        skill, [load_suite(it, process_dir=root) for it in evals_that_may_test(skill, paths, files)], files
    )
    evals = [load_suite(it, process_dir=root) for it in paths if it.name == "eval.yaml"]
    assert coverage_of(skill, SuiteIndex(evals).of(skill), files) == found
    return found


def names(root: Path, name: str = "notes") -> list[str]:
    return [f"{it.path.parent.name}:{','.join(it.tasks)}" for it in measured(root, name).evals]


def test_a_waza_eval_tests_the_skill_that_it_names(tmp_path: Path) -> None:
    write_skill(tmp_path)
    write_skill(tmp_path, "notes-too")
    write_waza(tmp_path)
    assert names(tmp_path) == ["notes:first"]
    assert names(tmp_path, "notes-too") == []


def test_of_two_skills_with_a_name_the_one_in_the_directories_is_meant(tmp_path: Path) -> None:
    write_skill(tmp_path)
    write_waza(tmp_path)
    eval_path = tmp_path / "evals" / "notes" / "eval.yaml"
    write(tmp_path / "copies" / "elsewhere" / "SKILL.md", "---\nname: notes\n---\n")
    assert names(tmp_path) == ["notes:first"]
    eval_path.write_text(eval_path.read_text().replace("../../skills/notes", "../../skills"))
    assert names(tmp_path, "elsewhere") == []


def test_a_vally_eval_tests_the_skill_that_it_lists(tmp_path: Path) -> None:
    write_skill(tmp_path)
    write_vally(tmp_path)
    assert names(tmp_path) == ["notes:first"]
    assert measured(tmp_path).clauses[0].state == "exercised"


def test_of_a_folder_with_several_skills_graders_choose(tmp_path: Path) -> None:
    write_skill(tmp_path)
    path = write_vally(tmp_path, "shared")
    path.write_text(path.read_text().replace("../../skills/shared", "../../skills"))
    assert names(tmp_path) == ["shared:first"]
    write_skill(tmp_path, "other")
    assert names(tmp_path) == names(tmp_path, "other") == []
    required = (
        "      - type: skill-invocation\n        name: loads\n        config:\n          required: [other]\n"
    )
    path.write_text(path.read_text() + required)
    assert names(tmp_path, "other") == ["shared:first"]
    assert names(tmp_path) == []


@pytest.mark.parametrize("folder", ["skills/notes/evals", "evals/notes"])
def test_an_eval_without_skills_belongs_to_the_skill_around_it(tmp_path: Path, folder: str) -> None:
    write_skill(tmp_path)
    text = (
        write_vally(tmp_path).read_text().replace("environment:\n  skills:\n    - ../../skills/notes\n", "")
    )
    (tmp_path / "evals" / "notes" / "eval.yaml").unlink()
    write(tmp_path / folder / "eval.yaml", text)
    assert names(tmp_path) == [f"{Path(folder).name}:first"]


def test_trigger_tests_count_for_clauses_of_their_kind(tmp_path: Path) -> None:
    write_skill(tmp_path)
    write_waza(tmp_path, prompt="Say hello")
    triggers = write_triggers(tmp_path)
    triggers.write_text(triggers.read_text() + "  - prompt: Help me with translating books\n")
    states = [str(it.state) for it in measured(tmp_path).clauses]
    assert states == ["exercised", "unclear", "untested", "untested"]
    triggers.write_text(
        "skill: notes\nshould_not_trigger_prompts:\n  - prompt: Help me with translating books\n"
    )
    assert [str(it.state) for it in measured(tmp_path).clauses][2] == "exercised"


def test_an_ignored_skill_is_not_found(tmp_path: Path) -> None:
    kept = write_skill(tmp_path)
    write_skill(tmp_path, "old")
    write(tmp_path / ".gitignore", "old/\n")
    write(tmp_path / "skills" / "notes" / "NOT-SKILL.md", "---\nname: x\n---\n")
    assert [*skill_files(tmp_path, Projects())] == [kept]
