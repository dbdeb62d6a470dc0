"""Lines of a `.gitignore` that are no patterns name nothing."""

import pytest

from waza_engine.lib.files.gitignore import ignore_spec, is_ignore_pattern


@pytest.mark.parametrize("line", ["[z-a].yaml", "!", "\\", "a\\"])
def test_what_is_no_pattern_is_passed_over(line: str) -> None:
    assert not is_ignore_pattern(line)
    spec = ignore_spec([line, "drafts/"])
    assert spec.match_file("drafts/a.yaml")
    assert not spec.match_file("a.yaml")


@pytest.mark.parametrize("line", ["", "# said", "*.old.yaml", "!kept.yaml", "[a", "**"])
def test_what_is_one(line: str) -> None:
    assert is_ignore_pattern(line)
