"""The files of a suite, and settings that tasks and graders take from it."""

from pathlib import Path

from waza_engine.lib.files.vfs import Files
from waza_engine.project.suite_files import SuiteFiles


def _suite(root: Path, data: dict[str, object]) -> SuiteFiles:
    for name in ("eval.yaml", "tasks/a.yaml", "tasks/b.yaml", "trigger_tests.yaml"):
        path = root / "evals" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", encoding="utf-8")
    return SuiteFiles(root / "evals" / "eval.yaml", data, Files(), None, None)


def test_the_files_of_a_suite(tmp_path: Path) -> None:
    suite = _suite(tmp_path, {"tasks": ["tasks/*.yaml", "tasks/a.yaml"]})
    assert [it.relative_to(tmp_path / "evals").as_posix() for it in suite.paths] == [
        "eval.yaml",
        "tasks/a.yaml",
        "tasks/b.yaml",
        "trigger_tests.yaml",
    ]
    assert [it.globs for it in suite.tasks] == [(0, 1), (0,)]


def test_settings_of_the_eval_and_of_the_project_above_it(tmp_path: Path) -> None:
    (tmp_path / ".waza.yaml").write_text("defaults: {judgeModel: big}\n", encoding="utf-8")
    suite = _suite(tmp_path, {"config": {"model": "small"}})
    assert suite.setting("eval:config.model") == "small"
    assert suite.setting("project:defaults.judgeModel") == "big"
    assert suite.setting("eval:config.model.more") is None
    assert suite.setting("project:paths.skills") is None
