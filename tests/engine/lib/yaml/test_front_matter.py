"""Markdown files cut at the fences of their front matter."""

import pytest

from waza_engine.lib.yaml.reader import front_matter, parted


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ("", "")),
        ("One.\n---\nTwo.\n", ("", "One.\n---\nTwo.\n")),
        ("---\nname: a\n---\nOne.\n---\nTwo.\n", ("name: a\n", "One.\n---\nTwo.\n")),
        ("---\r\nname: a\r\n---\r\nOne.\f\r\n", ("name: a\r\n", "One.\f\r\n")),
        ("---\n---\n", ("", "")),
        ("---\nname: a\nOne.\n", None),
    ],
)
def test_only_fences_at_the_top_cut(text: str, parts: tuple[str, str] | None) -> None:
    assert parted(text) == parts


@pytest.mark.parametrize(
    "text", ["One.\n", "---\n---\n", "---\n- a\n---\n", "---\na: [\n---\n", "---\na: 1\n"]
)
def test_what_is_no_mapping_is_no_front_matter(text: str) -> None:
    assert front_matter(text) == {}
