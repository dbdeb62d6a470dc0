"""A tab after the dash of an item, where YAML requires spaces."""

import pytest

from tests.behaviour.findings_harness import HEADER, findings_in
from tests.behaviour.fixes_harness import check_fix


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("graders:\n  -¦\ttype: text\n", "graders:\n  - type: text\n"),
        ("graders:\n  -¦\ttype: text\n    name: a\n", "graders:\n  - type: text\n    name: a\n"),
        ("graders:\n  - ¦\ttype: text\n    name: a\n", "graders:\n  - type: text\n    name: a\n"),
        ("graders:\n  -¦\ttype: text\n      name: a\n", "graders:\n  -   type: text\n      name: a\n"),
        ("graders:\n-¦\ttype: text\n  name: a\n", "graders:\n- type: text\n  name: a\n"),
        ("tags:\n  -¦\ta\n  - b\n", "tags:\n  - a\n  - b\n"),
        (
            "hooks:\n  before_run:\n    -¦\tcommand: a\n    -\tcommand: b\n",
            "hooks:\n  before_run:\n    - command: a\n    - command: b\n",
        ),
    ],
)
def test_it_becomes_blanks(before: str, after: str) -> None:
    [found] = [it for it in findings_in(HEADER + before.replace("¦", "")) if it.code == "syntax-error"]
    assert set(found.underlined) <= {"\t", " "}
    assert found.message == "YAML does not allow tabs for indentation; use spaces"
    check_fix(HEADER + before, HEADER + after, "Replace tabs with spaces")
