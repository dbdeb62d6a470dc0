"""Invalid lines of a `.gitignore` are ignored."""

import pytest

from waza_engine.lib.files.gitignore import ignore_spec, is_ignore_pattern


@pytest.mark.parametrize("line", ["[z-a].yaml", "!", "\\", "a\\"])
def test_an_invalid_line_is_ignored(line: str) -> None:
    assert not is_ignore_pattern(line)
    spec = ignore_spec([line, "drafts/"])
    assert spec.match_file("drafts/a.yaml")
    assert not spec.match_file("a.yaml")


@pytest.mark.parametrize("line", ["", "# comment", "*.old.yaml", "!current.yaml", "[a", "**"])
def test_valid_lines(line: str) -> None:
    assert is_ignore_pattern(line)
