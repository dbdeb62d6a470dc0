"""Fixes for the start of a line, and for keys with several possible positions."""

import pytest

from tests.behaviour.fixes_harness import check_fix, quick_fixes
from tests.behaviour.test_fixes import HEADER

TASK = "id: a\nname: A\ninputs:\n  prompt: x\n  workdir: y\n"
GRADER = "graders:\n  - type: file\n    name: made\n    config:\n      must_exist: [a]\n"


@pytest.mark.parametrize(
    ("word", "quoted"), [("name:", '¦"name:'), ("  prompt:", '  ¦"prompt:'), ("id:", '¦"id:')]
)
def test_a_key_with_half_a_quote_gets_the_other_half(word: str, quoted: str) -> None:
    key = word.strip(" :")
    title = f"Add the closing quote after '{key}'"
    check_fix(TASK.replace(word, quoted), TASK.replace(f"{key}:", f'"{key}":'), title, "tasks/a.yaml")


def test_a_key_with_lines_below_it_gets_the_other_half() -> None:
    check_fix(HEADER + GRADER.replace("config", '¦"config'), HEADER + GRADER.replace("config", '"config"'))
    check_fix(HEADER + GRADER.replace("- type", '- ¦"type'), HEADER + GRADER.replace("type", '"type"'))
    check_fix(
        HEADER + GRADER.replace("name: made", '¦"name: "made"'),
        HEADER + GRADER.replace("name: made", '"name": "made"'),
    )


def test_a_text_with_half_a_quote_is_still_closed_at_its_end() -> None:
    tags = TASK + "tags:\n  - {}\n"
    check_fix(tags.format('¦"note: this'), tags.format('"note: this"'), name="tasks/a.yaml")
    check_fix(TASK.replace("A", '¦"A: b'), TASK.replace("A", '"A: b"'), name="tasks/a.yaml")


@pytest.mark.parametrize(
    ("line", "broken", "title"),
    [
        ("name: A", "na¦me A", "Add a colon after 'name'"),
        ("  prompt: x", "  pr¦ompt x", "Add a colon after 'prompt'"),
        ("  prompt: x", "  pr¦ompt = x", "Change '=' to a colon"),
        ("inputs:", "in¦puts;", "Change ';' to a colon"),
        ("name: A", "na¦me\uff1aA", "Change '\uff1a' to a colon"),
    ],
)
def test_a_word_that_is_a_key_here_gets_its_colon(line: str, broken: str, title: str) -> None:
    check_fix(TASK.replace(line, broken), TASK, title, "tasks/a.yaml")


@pytest.mark.parametrize("line", ["hello wo¦rld", "wor¦kdir y", "na¦mes;"])
def test_a_word_that_is_no_key_here_gets_none(line: str) -> None:
    assert quick_fixes(TASK + line + "\n", "tasks/a.yaml") == []


def test_an_item_goes_to_the_column_of_the_others() -> None:
    prompts = "skill: s\nshould_trigger_prompts:\n  - prompt: a\n    confidence: medium\n  - prompt: b\n"
    check_fix(
        prompts.replace("  - prompt: a", " - prompt: a").replace("conf", "co¦nf"),
        prompts,
        "Indent the item by 2 instead of 1",
        "trigger_tests.yaml",
    )
    second = "  - type: file\n    name: other\n"
    check_fix(
        HEADER + GRADER.replace("  - type", " - type").replace("name", "na¦me") + second,
        HEADER + GRADER + second,
    )


def test_without_other_items_the_line_moves() -> None:
    prompts = "skill: s\nshould_trigger_prompts:\n  - prompt: a\n{}confidence: medium\n"
    check_fix(prompts.format("     ¦"), prompts.format("    "), name="trigger_tests.yaml")


def test_of_two_columns_the_one_where_the_key_is_known() -> None:
    check_fix("cache:\n  enabled: true\n d¦ir: c\n", "cache:\n  enabled: true\n  dir: c\n", name=".waza.yaml")
    check_fix(HEADER + " des¦cription: x\n", HEADER + "description: x\n")
    check_fix(HEADER + " un¦known: x\n", HEADER + "unknown: x\n")


def test_stars_become_dashes() -> None:
    check_fix(
        HEADER + GRADER + "  ¦* type: file\n    name: b\n", HEADER + GRADER + "  - type: file\n    name: b\n"
    )
    check_fix(
        TASK + "tags:\n  ¦* a\n  * b\n", TASK + "tags:\n  - a\n  - b\n", "Change '*' to '-'", "tasks/a.yaml"
    )
    check_fix(TASK.replace("A", "¦* b"), TASK.replace("A", "'* b'"), "Quote the value", "tasks/a.yaml")


def test_of_names_that_begin_alike_the_nearest_comes_first() -> None:
    check_fix("paths:\n  ev¦al: x\n", "paths:\n  evals: x\n", name=".waza.yaml")
    check_fix(HEADER + "desc¦: x\n", HEADER + "description: x\n")


def test_bullets_in_a_text_of_the_same_column_stay_bullets() -> None:
    task = "id: a\nname: A\ninputs:\n  files:\n    {0} path: a\n# why\n    {1} path: b\n  prompt: |\n    * do this\n    * do that\n"
    check_fix(task.format("¦*", "*"), task.format("-", "-"), "Change '*' to '-'", "tasks/a.yaml")
