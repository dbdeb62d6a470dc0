"""Which files of a folder may be eval files."""

from pathlib import Path

from waza_engine.project.discovery import eval_files
from waza_engine.project.settings import Projects


def _names(folder: Path) -> list[str]:
    return [it.relative_to(folder).as_posix() for it in eval_files(folder, Projects())]


def test_the_locks_of_emacs_are_no_files(tmp_path: Path) -> None:
    (tmp_path / "my.eval.yaml").write_text("")
    (tmp_path / ".#my.eval.yaml").symlink_to("me@machine.1234:5678")
    (tmp_path / "gone.yaml").symlink_to("nowhere")
    assert _names(tmp_path) == ["gone.yaml", "my.eval.yaml"]


def test_a_line_that_is_no_pattern_leaves_nothing_out(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("[z-a].yaml\nold.yaml\n")
    for it in ("a.yaml", "old.yaml"):
        (tmp_path / it).write_text("")
    assert _names(tmp_path) == ["a.yaml"]


def test_links_that_lead_nowhere_are_no_folders(tmp_path: Path) -> None:
    (tmp_path / "my.eval.yaml").write_text("")
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "circle.yaml").symlink_to("circle.yaml")
    (tmp_path / "through").symlink_to("my.eval.yaml/below")
    assert _names(tmp_path) == ["circle.yaml", "my.eval.yaml"]
