"""Diffs of workspace files and of texts."""

import pytest

from tests.engine.reports.html.pages import macro
from waza_engine.reports.html.diff import read_patch, text_diff


@pytest.mark.parametrize("patch", ["", "nonsense", "diff --git a/x b/x\nBinary files a/x and b/x differ\n"])
def test_any_patch_can_be_shown(patch: str) -> None:
    macro("diff", "patch", read_patch(patch), "x")


def test_a_long_patch_is_cut() -> None:
    parts = [
        f"diff --git a/{it} b/{it}\n--- a/{it}\n+++ b/{it}\n@@ -0,0 +1 @@\n" + "+x\n" * 900 for it in "abc"
    ]
    shown = macro("diff", "patch", read_patch("".join(parts)), "x")
    assert shown.count('<div class="add">') < 1500
    assert "1 more files are not in this page" in shown


def test_changed_lines_that_look_like_the_head_of_a_diff_are_shown() -> None:
    found = macro("diff", "diff_block", text_diff("-- old\nb", "++ new\nb", ("x", "y")))
    assert '<div class="del">--- old</div><div class="add">+++ new</div>' in found
    assert "--- x" not in found


def test_texts_that_are_the_same_have_no_diff() -> None:
    assert text_diff("a\nb", "a\nb", ("x", "y")) is None
    found = text_diff("a\nb", "a\nc", ("x", "y"))
    assert found is not None
    assert ("add", "+c") in found.lines
