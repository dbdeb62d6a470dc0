"""What a pattern says before it is matched; matching itself is in the conformance tests."""

import pytest

from waza_engine.lib.go.glob import fixed_part, is_wild, literal, match


@pytest.mark.parametrize(
    ("pattern", "fixed"),
    [
        ("tasks/*.yaml", "tasks/"),
        ("tasks/a/b?/c.yaml", "tasks/a/"),
        ("*.yaml", ""),
        ("../more/[ab].yaml", "../more/"),
        ("/*.yaml", "/"),
        (r"tasks/a\*/b.yaml", "tasks/"),
        ("tasks/one.yaml", "tasks/"),
        ("", ""),
    ],
)
def test_the_fixed_part_is_the_folders_before_the_first_wildcard(pattern: str, fixed: str) -> None:
    assert fixed_part(pattern) == fixed


@pytest.mark.parametrize("text", ["a*", "a?", "[a]", r"a\b"])
def test_a_text_with_a_wildcard_becomes_a_pattern_for_itself_alone(text: str) -> None:
    assert is_wild(text)
    assert match(literal(text), text)
    assert not match(literal(text), "ab")


def test_a_plain_text_is_its_own_pattern() -> None:
    assert not is_wild("a{b,c}!/d]")
    assert literal("a{b,c}!/d]") == "a{b,c}!/d]"
