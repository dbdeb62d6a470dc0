"""A file that an eval's globs name is a task, whatever stands in it."""

from pathlib import Path

import pytest

from waza_engine.project.suite_files import kind_named_by_eval

EVAL = "name: a\nskill: b\nconfig: {trials_per_task: 1}\ntasks: [tests/*.yaml]\n"


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "eval.yaml").write_text(EVAL)
    (tmp_path / "tests").mkdir()
    return tmp_path


def _kind(path: Path) -> str | None:
    found = kind_named_by_eval(path)
    return f"{found[0].name} {found[1].name}: {found[2]}" if found else None


def test_what_a_glob_names_is_a_task(suite: Path) -> None:
    (suite / "tests" / "a.yaml").write_text("mock_response: hi\n")
    assert _kind(suite / "tests" / "a.yaml") == "waza task: named by eval.yaml"
    assert _kind(suite / "tests" / "new.yaml") == "waza task: named by eval.yaml"


def test_what_no_glob_names_is_none(suite: Path) -> None:
    assert _kind(suite / "fixtures" / "a.yaml") is None
    assert _kind(suite / "tests" / "deep" / "a.yaml") is None
    assert _kind(suite / "tests" / "a.json") is None
    assert _kind(Path("tests/a.yaml")) is None


def test_other_files_called_eval_name_nothing(suite: Path) -> None:
    (suite / "eval.yaml").write_text("version: '1'\ndefaults: {}\ntasks: [tests/*.yaml]\n")
    assert _kind(suite / "tests" / "a.yaml") is None


def test_a_changed_eval_is_read_again(suite: Path) -> None:
    assert _kind(suite / "tests" / "a.yaml") is not None
    (suite / "eval.yaml").write_text(EVAL.replace("tests/*.yaml", "tasks/*.yaml, other"))
    assert _kind(suite / "tests" / "a.yaml") is None
