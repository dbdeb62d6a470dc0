"""Where the skills of a suite are found, and what is read of them."""

from pathlib import Path

import pytest

from waza_engine.lib.files.vfs import Files
from waza_engine.lib.queries.tracking import track_reads
from waza_engine.project.skills import skills
from waza_engine.project.suite_files import SuiteFiles

SKILL = "---\nname: {}\ndescription: Does it.\n---\n"


def _found(root: Path, eval_name: str = "evals/eval.yaml", **config: object) -> list[tuple[str, str]]:
    files = Files()
    suite = SuiteFiles(root / eval_name, {"config": config}, files, None, None)
    return [(it.path.relative_to(root).as_posix(), it.name) for it in skills(suite, files)]


def _write(root: Path, *names: str) -> None:
    (root / ".git").mkdir()
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SKILL.format(path.parent.name.lower()), encoding="utf-8")


@pytest.mark.parametrize(
    "name",
    [
        "evals/SKILL.md",
        "SKILL.md",
        "skills/notes/SKILL.md",
        ".github/skills/notes/SKILL.md",
        "evals/skills/notes/SKILL.md",
        ".github/agents/notes.agent.md",
    ],
)
def test_usual_places(tmp_path: Path, name: str) -> None:
    _write(tmp_path, name)
    assert [path for path, _ in _found(tmp_path)] == [name]


@pytest.mark.parametrize("is_snapshot", [False, True])
def test_folders_that_are_missing_count_as_read(tmp_path: Path, *, is_snapshot: bool) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "evals").mkdir()
    files = Files(is_snapshot=is_snapshot)
    suite = SuiteFiles(tmp_path / "evals" / "eval.yaml", {}, files, None, None)
    with track_reads() as reads:
        assert not [*skills(suite, files)]
    # A new skill is reported by its own path and the folders above it inside the workspace, but not by the workspace.
    assert {tmp_path / it for it in ("skills", ".github", "agents")} <= reads.paths


def test_the_directories_of_the_suite_come_first(tmp_path: Path) -> None:
    _write(tmp_path, "own/deploy/SKILL.md", "skills/notes/SKILL.md")
    assert _found(tmp_path, skill_directories=["../own/deploy"]) == [
        ("own/deploy/SKILL.md", "deploy"),
        ("skills/notes/SKILL.md", "notes"),
    ]


def test_the_project_names_another_place(tmp_path: Path) -> None:
    _write(tmp_path, "library/notes/SKILL.md")
    (tmp_path / ".waza.yaml").write_text("paths:\n  skills: library\n", encoding="utf-8")
    assert _found(tmp_path) == [("library/notes/SKILL.md", "notes")]


def test_nothing_above_the_repository_is_looked_at(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    _write(inner, "evals/eval.yaml")
    (tmp_path / "SKILL.md").write_text(SKILL.format("outside"), encoding="utf-8")
    assert _found(inner) == []


@pytest.mark.parametrize("text", ["", "# Notes", "---\nname: [\n---\n", "---\nname: x\n", "---\n- a\n---\n"])
def test_without_a_name_that_can_be_read_it_is_called_after_its_folder(tmp_path: Path, text: str) -> None:
    _write(tmp_path, "skills/notes/SKILL.md")
    (tmp_path / "skills/notes/SKILL.md").write_text(text, encoding="utf-8")
    assert _found(tmp_path) == [("skills/notes/SKILL.md", "notes")]


def test_an_agent_is_called_after_its_file(tmp_path: Path) -> None:
    _write(tmp_path, ".github/agents/scribe.agent.md")
    (tmp_path / ".github/agents/scribe.agent.md").write_text("# Scribe", encoding="utf-8")
    assert _found(tmp_path) == [(".github/agents/scribe.agent.md", "scribe")]


def test_a_name_that_is_a_number_for_yaml_is_the_text_that_waza_reads(tmp_path: Path) -> None:
    _write(tmp_path, "skills/notes/SKILL.md")
    (tmp_path / "skills/notes/SKILL.md").write_text(SKILL.format("365"), encoding="utf-8")
    assert _found(tmp_path) == [("skills/notes/SKILL.md", "365")]
