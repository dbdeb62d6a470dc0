"""Fixed part and literal form of a glob. The conformance tests cover matching."""

import pytest

from waza_engine.lib.go.glob import fixed_part, has_wildcard, literal, match


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
def test_the_literal_of_a_text_with_wildcards_matches_only_that_text(text: str) -> None:
    assert has_wildcard(text)
    assert match(literal(text), text)
    assert not match(literal(text), "ab")


def test_a_plain_text_is_its_own_pattern() -> None:
    assert not has_wildcard("a{b,c}!/d]")
    assert literal("a{b,c}!/d]") == "a{b,c}!/d]"
