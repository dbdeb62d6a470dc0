"""The `file` grader: what the vectors do not say.

See docs/reference/waza-graders.md, sections 4.1, 4.3, 5.3 and 13.7.
"""

from pathlib import Path
from typing import Any

import pytest

from waza_engine.dialects.waza.graders.file import FileGrader
from waza_engine.graders.base import GradeError, GraderResult, GradingContext


def graded(workspace: Path, **config: Any) -> GraderResult:
    return FileGrader.model_validate(config).grade(GradingContext(workspace_dir=workspace))


@pytest.mark.parametrize("path", ["with\0nul", "n" * 256, "loop"])
def test_what_the_system_does_not_call_missing_exists(tmp_path: Path, path: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    assert graded(tmp_path, must_exist=[path]).passed
    assert graded(tmp_path, must_not_exist=[path]).passed
    assert graded(tmp_path, content_patterns=[{"path": path, "must_match": ["a"]}]).score == 0


def test_a_path_that_leads_back_into_the_workspace_is_accepted(tmp_path: Path) -> None:
    workspace = tmp_path / "ws"
    workspace.mkdir()
    (workspace / "x").touch()
    assert graded(workspace, must_exist=["../ws/x", "a/../x", "./x", "x/."]).passed


@pytest.mark.parametrize("path", ["..", "../ws", "../ws2/x", "a/..", "a/../..", "/", ".", ""])
def test_other_ways_out_end_the_run(tmp_path: Path, path: str) -> None:
    workspace = tmp_path / "ws"
    workspace.mkdir()
    for option in ("must_exist", "must_not_exist"):
        with pytest.raises(GradeError):
            graded(workspace, **{option: [path]})


def test_one_bad_path_counts_before_any_file_is_looked_at(tmp_path: Path) -> None:
    with pytest.raises(GradeError):
        graded(tmp_path, must_exist=["missing"], content_patterns=[{"path": "/etc/hosts"}])


def test_each_bad_byte_is_one_character(tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(b"a\xe2\x82z\xf0\x9f\x98\n")
    result = graded(
        tmp_path,
        content_patterns=[{"path": "bytes", "must_match": ["^a..z...\n$", "\ufffd", r"(?s)^.{8}$"]}],
    )
    assert result.passed


def test_what_is_true_of_a_missing_file_is_not_checked(tmp_path: Path) -> None:
    result = graded(tmp_path, content_patterns=[{"path": "gone", "must_not_match": ["a", "b"]}])
    assert result.score == 0
    assert result.details is not None
    assert len(result.details["failures"]) == 3


def test_a_workspace_given_by_a_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws/a").touch()
    monkeypatch.chdir(tmp_path)
    assert graded(Path("ws"), must_exist=["a"]).passed
