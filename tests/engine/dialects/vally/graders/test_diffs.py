"""The diff of a workspace in git's format."""

from pathlib import Path

from waza_engine.dialects.vally.graders._shared.diff import diff_of
from waza_engine.graders.base import GradingContext
from waza_engine.lib.text_diff import unified_diff


def test_a_changed_line_is_in_a_hunk() -> None:
    diff = unified_diff({"src/a.txt": b"one\ntwo\n"}, {"src/a.txt": b"one\n2\n"})
    assert diff == (
        "diff --git a/src/a.txt b/src/a.txt\n--- a/src/a.txt\n+++ b/src/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
    )


def test_new_and_deleted_files() -> None:
    diff = unified_diff({"old": b"x\n"}, {"new": b"y"})
    assert "new file mode 100644\n--- /dev/null\n+++ b/new\n" in diff
    assert "deleted file mode 100644\n--- a/old\n+++ /dev/null\n" in diff
    assert "+y\n\\ No newline at end of file\n" in diff


def test_other_line_separators_do_not_split_lines() -> None:
    assert "+a\u2028b\n" in unified_diff({}, {"x": "a\u2028b\n".encode()})


def test_binary_content_is_not_shown() -> None:
    assert "Binary files a/x and b/x differ\n" in unified_diff({"x": b"\0a"}, {"x": b"\0b"})


def test_equal_files_have_no_diff() -> None:
    assert unified_diff({"x": b"a"}, {"x": b"a"}) == ""


def test_the_diff_of_a_trial(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("new\n")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("x")
    context = GradingContext(workspace_dir=tmp_path, baseline_files={"a": b"old\n"})
    assert "-old\n+new\n" in (diff_of(context) or "")
    assert "HEAD" not in (diff_of(context) or "")
    assert diff_of(GradingContext(workspace_dir=tmp_path)) is None
    assert diff_of(GradingContext(diff="")) == ""


def test_files_too_long_to_compare_are_replaced_as_a_whole() -> None:
    old, new = b"a\n" * 30_000, b"b\n" * 30_000
    diff = unified_diff({"x": old}, {"x": new})
    assert "@@ -1,30000 +1,30000 @@\n-a\n" in diff
    assert diff.endswith("+b\n")
