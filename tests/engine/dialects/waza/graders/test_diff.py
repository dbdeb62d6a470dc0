"""The `diff` grader: what the vectors do not say (docs/reference/waza-graders.md, sections 5.4 and 13.8)."""

from pathlib import Path
from typing import Any

import pytest

from waza_engine.dialects.waza.graders.diff import DiffGrader
from waza_engine.graders.base import GradeError, GraderResult, GradingContext


def graded(root: Path, entry: dict[str, Any], *, update: bool = False, **config: Any) -> GraderResult:
    context = GradingContext(workspace_dir=root / "ws", process_dir=root / "ctx", update_snapshots=update)
    return DiffGrader.model_validate({"expected_files": [entry], **config}).grade(context)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("ws", "ctx/snaps", "ctx/other"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "ws/a.txt").write_bytes(b"one\ntwo\n")
    (tmp_path / "ctx/snaps/a.txt").write_bytes(b"one\ntwo\n")
    (tmp_path / "ctx/other/a.txt").write_bytes(b"one\ntwo\n")
    return tmp_path


def updates(result: GraderResult) -> Any:
    assert result.details is not None
    return result.details["snapshot_updates"]


def test_fragments_are_trimmed_of_unicode_white_space_only(root: Path) -> None:
    (root / "ws/b.txt").write_text("word\x1f")
    entry = {"path": "b.txt", "contains": ["+\u00a0\u2003word\x1f\u3000", "\x1f", "-word\x1c", "\x85"]}
    assert graded(root, entry).passed


def test_a_prefix_counts_in_the_first_place_only(root: Path) -> None:
    assert graded(root, {"path": "a.txt", "contains": [" -one"]}).score == 0.5


def test_a_fragment_is_looked_for_in_the_bytes(root: Path) -> None:
    (root / "ws/b.txt").write_bytes(b"\xff ok")
    assert graded(root, {"path": "b.txt", "contains": ["ok", "-\ufffd"]}).passed


def test_a_snapshot_may_be_anywhere_without_a_context_directory(root: Path) -> None:
    absolute = str(root / "ctx/other/a.txt")
    for snapshot in (absolute, "snaps/../other/a.txt", "../ctx/snaps/a.txt"):
        assert graded(root, {"path": "a.txt", "snapshot": snapshot}).passed


@pytest.mark.parametrize("snapshot", ["../other/a.txt", "link/a.txt", "link.txt", "missing/a.txt", "."])
def test_a_snapshot_stays_in_its_context_directory(root: Path, snapshot: str) -> None:
    (root / "ctx/snaps/link").symlink_to(root / "ctx/other")
    (root / "ctx/snaps/link.txt").symlink_to(root / "ctx/other/a.txt")
    entry = {"path": "a.txt", "snapshot": snapshot}
    assert graded(root, entry, context_dir="snaps").score == 0.5
    assert graded(root, entry, context_dir="snaps", update=True).score == 0.5


def test_links_inside_the_context_directory_are_followed(root: Path) -> None:
    (root / "ctx/snaps/link.txt").symlink_to("a.txt")
    (root / "ctx/way").symlink_to("snaps")
    assert graded(root, {"path": "a.txt", "snapshot": "link.txt"}, context_dir="way").passed
    absolute = str(root / "ctx/snaps/a.txt")
    assert graded(root, {"path": "a.txt", "snapshot": absolute}, context_dir="snaps").passed


def test_a_missing_context_directory_is_a_failed_check(root: Path) -> None:
    assert graded(root, {"path": "a.txt", "snapshot": "a.txt"}, context_dir="nowhere").score == 0.5


def test_update_writes_what_is_missing_and_what_differs(root: Path) -> None:
    created = graded(root, {"path": "a.txt", "snapshot": "new/deep/a.txt"}, update=True)
    assert created.passed
    assert (root / "ctx/new/deep/a.txt").read_bytes() == b"one\ntwo\n"
    assert updates(created)[0]["status"] == "created"

    (root / "ctx/snaps/a.txt").write_bytes(b"one\r\n2\r\n")
    updated = graded(root, {"path": "a.txt", "snapshot": "a.txt"}, context_dir="snaps", update=True)
    assert updates(updated) == [
        {"path": "a.txt", "snapshot": "a.txt", "status": "updated", "lines_changed": 1}
    ]

    same = graded(root, {"path": "a.txt", "snapshot": "a.txt"}, context_dir="snaps", update_snapshots=True)
    assert (updates(same)[0]["status"], updates(same)[0]["lines_changed"]) == ("unchanged", 0)


def test_no_update_without_being_asked(root: Path) -> None:
    result = graded(root, {"path": "a.txt", "snapshot": "new.txt"})
    assert result.score == 0.5
    assert updates(result) is None
    assert not (root / "ctx/new.txt").exists()


def test_captured_files_come_first_and_need_no_workspace() -> None:
    grader = DiffGrader.model_validate(
        {"expected_files": [{"path": "../x", "contains": ["captured"]}, {"path": "gone", "contains": ["a"]}]}
    )
    result = grader.grade(GradingContext(captured_files={"../x": b"captured"}))
    assert result.score == 0.5


def test_a_bad_path_ends_the_run_even_when_it_was_captured(root: Path) -> None:
    grader = DiffGrader.model_validate({"expected_files": [{"path": "../x", "contains": ["a"]}]})
    with pytest.raises(GradeError):
        grader.grade(GradingContext(workspace_dir=root / "ws", captured_files={"../x": b"a"}))
