"""Globs give names with `/` on every system: Windows reads both, but patterns only match `/`."""

from pathlib import Path

from waza_engine.lib.files.vfs import Files
from waza_engine.lib.go.glob import glob
from waza_engine.project.suite_files import eval_of_task


def test_names_have_slashes_on_every_system(tmp_path: Path) -> None:
    task = tmp_path / "tasks" / "deep" / "a.yaml"
    task.parent.mkdir(parents=True)
    task.write_text("id: a\n", encoding="utf-8")
    eval_file = tmp_path / "eval.yaml"
    eval_file.write_text("name: n\nskill: s\nconfig: {}\ntasks: [tasks/*/*.yaml]\n", encoding="utf-8")
    assert [*glob("tasks/*/*.yaml", tmp_path)] == ["tasks/deep/a.yaml"]
    assert eval_of_task(task, Files()) == eval_file
