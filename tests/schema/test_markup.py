"""Texts for editors that do not show Markdown."""

import pytest

from waza_lsp.schema.markup import plain_text


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("**contains** · list of strings", "contains · list of strings"),
        ("Use `a`, or `` a`b ``.", "Use a, or a`b."),
        ("not `**bold**` \\*here\\* \\`", "not **bold** *here* `"),
        ("[Manual](https://a.b/c.md)", "Manual: https://a.b/c.md"),
        ("one  \ntwo", "one\ntwo"),
        ("above\n\n---\n\nbelow", "above\n\n\n\nbelow"),
        ("```yaml\na: `b`\n# **c**\n```", "a: `b`\n# **c**"),
        ("````text\n```\nx\n```\n````", "```\nx\n```"),
        (
            "| option | meaning |\n| --- | --- |\n| `a` | `x \\| y` or **z** |",
            "option · meaning\na · x | y or z",
        ),
        ("snake_case and 2 * 3 and a[0](b c)", "snake_case and 2 * 3 and a[0](b c)"),
    ],
)
def test_markup_is_removed(markdown: str, text: str) -> None:
    assert plain_text(markdown) == text
