"""The prompts in a skill's description."""

import pytest

from waza_engine.project.skill_prompts import prompts, purpose


@pytest.mark.parametrize(
    ("description", "wanted", "unwanted"),
    [
        ('A. USE FOR: "deploy it", "ship". DO NOT USE FOR: writing code, reviews (of any kind).',
         ("Deploy it", "Ship"), ("Help me with writing code", "Reviews")),
        ("A. WHEN: the user wants a changelog; notes. INVOKES: git. FOR SINGLE OPERATIONS: x",
         ("A changelog", "Notes"), ()),
        ("Use when the user asks to deploy to Azure, publish an app, or roll back. Do not use for unit tests.",
         ("Deploy to Azure", "Publish an app", "Roll back"), ("Unit tests",)),
        ("A. Use this skill when making forms or when the user mentions PDFs.",
         ("Help me with making forms", "PDFs"), ()),
        ("A. Use for: a,\n  b. DON'T USE FOR: c", ("A", "B"), ("C",)),
        ("Helps when things break: always.", (), ()),
        ('Say "use for: x" to it.', (), ()),
        ("A. USE FOR: , . ,", (), ()),
        ("A. USE FOR: same. DO NOT USE FOR: same", (), ("Same",)),
        ("", (), ()),
    ],
)  # fmt: skip
def test_prompts(description: str, wanted: tuple[str, ...], unwanted: tuple[str, ...]) -> None:
    assert prompts(description) == (wanted, unwanted)


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        ("Writes notes. And more. USE FOR: x", "Writes notes."),
        ("Writes notes: for users.\nUSE FOR x", "Writes notes: for users."),
        ("Use when x", ""),
        ("", ""),
    ],
)
def test_purpose(description: str, expected: str) -> None:
    assert purpose(description) == expected
