"""Fixes for invalid YAML, and for valid YAML that means something else than intended."""

import pytest

from tests.behaviour.fixes_harness import check_fix, quick_fixes
from tests.behaviour.test_fixes import HEADER

GRADER = """\
graders:
  - type: text
    name: a
    config:
      contains: {}
"""


def _check(before: str, after: str, title: str | None = None) -> None:
    check_fix(HEADER + before, HEADER + after, title)


def _value(before: str, after: str, title: str | None = None) -> None:
    _check(GRADER.format(before), GRADER.format(after), title)


def test_v11_tabs() -> None:
    check_fix(HEADER.replace("  timeout", "¦\ttimeout"), HEADER)
    check_fix(HEADER.replace("\n  ", "\n\t").replace("\ttrials", "¦\ttrials"), HEADER)


def test_blanks_of_a_web_page() -> None:
    check_fix(HEADER.replace("  timeout", "\u00a0 ¦timeout"), HEADER, "Use ordinary spaces")
    check_fix(HEADER.replace("  timeout", " \u00a0¦timeout"), HEADER, "Use ordinary spaces")
    check_fix(HEADER.replace("skill: ", "skill:\u00a0¦"), HEADER, "Use ordinary spaces")
    graders = HEADER + "graders:\n  - type: text\n    name: n\n    config: {contains: [a]}\n"
    for mark in ("- ", "name: "):
        start = graders.index(mark, len(HEADER)) + len(mark)
        before = graders[: start - 1] + "\u00a0¦" + graders[start:]
        check_fix(before, graders, "Use ordinary spaces")


def test_tabs_take_the_columns_of_the_neighbours() -> None:
    four = HEADER.replace("\n  ", "\n    ")
    check_fix(four.replace("    timeout", "¦\ttimeout"), four)


def test_two_positions_of_a_quote_have_different_titles() -> None:
    found = quick_fixes(HEADER + "description: ¦'notes # of today\n")
    assert [it.title for it in found] == ["Add the closing quote", "Add the closing quote after 'today'"]


def test_v12_a_line_too_deep() -> None:
    check_fix(HEADER.replace("  timeout", "   ¦timeout"), HEADER)


def test_v12_the_first_line_of_several_is_too_deep() -> None:
    check_fix(HEADER.replace("  trials", "   ¦trials"), HEADER)
    task = "id: a\nname: A\ninputs:\n{0}prompt: |\n{1}  hello\n  files: []\n  workdir: x\n"
    check_fix(task.format("   ¦", "   "), task.format("  ", "  "), name="tasks/a.yaml")


def test_v12_of_two_lines_the_second_is_not_deep_enough() -> None:
    task = "id: a\nname: A\ninputs:\n   prompt: x\n{0}workdir: x\n"
    check_fix(task.format("  ¦"), task.format("   "), name="tasks/a.yaml")


def test_v12_a_line_not_deep_enough_goes_with_what_is_below_it() -> None:
    _check(
        GRADER.format("[x]").replace("    config:\n      contains", "   conf¦ig:\n     contains"),
        GRADER.format("[x]").replace("      contains", "      contains"),
    )


def test_v13_an_unclosed_quote() -> None:
    _check(
        GRADER.format("[x]").replace("name: a", 'name: ¦"a  # b'),
        GRADER.format("[x]").replace("name: a", 'name: "a"  # b'),
    )


def test_v14_unclosed_brackets() -> None:
    _value("¦[a, b  # c", "[a, b]  # c")
    _check(
        "graders:\n  - {type: text, name: a, config: {contains: ¦[b\n",
        "graders:\n  - {type: text, name: a, config: {contains: [b]}}\n",
    )


def test_v15_a_missing_blank_after_a_colon() -> None:
    _check(GRADER.format("[x]").replace("name: a", "na¦me:a"), GRADER.format("[x]"))


def test_v15_where_yaml_takes_it_for_a_text() -> None:
    check_fix(
        HEADER.replace(
            "  trials_per_task: 1\n  timeout_seconds: 60\n  executor: mock\n  model: gpt-4o\n",
            "  trials_per¦_task:1\n",
        ),
        HEADER.replace("  timeout_seconds: 60\n  executor: mock\n  model: gpt-4o\n", ""),
    )


def test_v16_a_missing_blank_after_a_dash() -> None:
    _check(GRADER.format("[x]").replace("- type", "¦-type"), GRADER.format("[x]"))
    two = GRADER.format("[x]") + GRADER.format("[y]").removeprefix("graders:\n")
    _check(two.replace("- type", "-type").replace("-type", "¦-type", 1), two)


def test_v16_where_yaml_takes_it_for_a_text() -> None:
    _value("\n        -¦x\n        -y", "\n        - x\n        - y")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{{name¦}}", '"{{name}}"'),
        ("{{ name¦ }}  # c", '"{{ name }}"  # c'),
        ("{{na¦me}} does it", '"{{name}} does it"'),
        ("{{a}}: {{¦b}}", '"{{a}}: {{b}}"'),
    ],
)
def test_v17_a_template_without_quotes(before: str, after: str) -> None:
    task = "id: t\nname: T\ninputs:\n  prompt: {}\n"
    check_fix(task.format(before), task.format(after), name="tasks/a.yaml")


def test_v17_a_template_in_brackets() -> None:
    _value("[{{¦a}}, b]", '["{{a}}", b]')
    _value("[{{¦a}} c, b]", '["{{a}} c", b]')


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('["¦\\d+"]', "['\\d+']"),
        ('["\\¦d+", "it\'s"]', "['\\d+', \"it's\"]"),
        ('["¦\\d\\n"]', '["\\\\d\\n"]'),
        ("[@¦x, y]", "['@x', y]"),
        ("[*¦.md, y]", "['*.md', y]"),
    ],
)
def test_texts_that_need_other_quotes(before: str, after: str) -> None:
    _value(before, after)


def test_a_colon_in_a_value() -> None:
    check_fix(
        HEADER.replace("name: notes", "name: notes¦: two"),
        HEADER.replace("name: notes", "name: 'notes: two'"),
    )


def test_quotes_inside_quotes() -> None:
    check_fix(
        HEADER.replace("name: notes", "name: 'it'¦s notes'"),
        HEADER.replace("name: notes", "name: 'it''s notes'"),
    )


def test_a_key_without_a_colon() -> None:
    _check(GRADER.format("[x]").replace("config:", "conf¦ig"), GRADER.format("[x]"), "Add a colon")


def test_a_merge_conflict_has_no_fix() -> None:
    assert quick_fixes(HEADER + "¦<<<<<<< ours\nversion: '1'\n=======\nversion: '2'\n>>>>>>> theirs\n") == []


@pytest.mark.parametrize("line", ["version¦:1", "vers¦ion"])
def test_half_an_entry_at_the_top(line: str) -> None:
    found = quick_fixes(HEADER + line + "\n")
    assert [it.title for it in found] == ["Add the missing space" if ":" in line else "Add a colon"]
