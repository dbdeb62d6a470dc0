"""Fixes of findings: a document with the cursor on the mistake, and the document afterwards."""

import pytest

from tests.behaviour.fixes_harness import actions_at, apply_action, check_fix, quick_fixes

HEADER = """\
name: notes
skill: notes
tasks: [tasks/*.yaml]
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: mock
  model: gpt-4o
"""


def _check(before: str, after: str, title: str | None = None) -> None:
    check_fix(HEADER + before, HEADER + after, title)


def _titles(document: str) -> list[str]:
    return [it.title for it in quick_fixes(document)]


def test_f1_a_misspelt_key_has_the_nearest_first_and_preferred() -> None:
    grader = "graders:\n  - type: text\n    name: a\n    config:\n      {}: [x]  # why\n"
    _check(grader.format("conta¦ns_c"), grader.format("contains_cs"))
    found = quick_fixes(HEADER + grader.format("conta¦ns_c"))
    assert [it.is_preferred for it in found] == [True, *[None] * (len(found) - 1)]
    assert len(found) <= 3


def test_f2_a_misspelt_type_has_the_nearest_first() -> None:
    grader = "graders:\n  - type: {}\n    name: a\n    config:\n      assertions: ['True']\n"
    _check(grader.format("cod¦"), grader.format("code"))


@pytest.mark.parametrize("quote", ['"', "'"])
def test_a_key_or_value_keeps_its_quotes(quote: str) -> None:
    check_fix(
        HEADER.replace("executor", f"{quote}execu¦tr{quote}"),
        HEADER.replace("executor", f"{quote}executor{quote}"),
    )
    check_fix(HEADER.replace("mock", f"{quote}mo¦kc{quote}"), HEADER.replace("mock", f"{quote}mock{quote}"))


def test_f3_a_missing_key_is_put_where_it_belongs_with_a_value() -> None:
    check_fix(
        HEADER.replace("  timeout_seconds: 60\n", "").replace("config", "conf¦ig"),
        HEADER.replace("timeout_seconds: 60", "timeout_seconds: 300"),
    )


def test_a_missing_name_comes_behind_the_type() -> None:
    _check(
        "graders:\n    - # one\n      ty¦pe: text\n      config:\n          contains: [x]\n",
        "graders:\n    - # one\n      type: text\n      name: says-where\n      config:\n          contains: [x]\n",
    )


def test_missing_options_in_brackets() -> None:
    _check(
        "graders:\n  - {type: code, name: a, con¦fig: {}}\n",
        "graders:\n  - {type: code, name: a, config: {assertions: [len(output) > 0]}}\n",
    )


def test_a_missing_type_is_read_off_the_options() -> None:
    _check(
        "graders:\n  - na¦me: a\n    config:\n      must_exist: [b]\n",
        "graders:\n  - type: file\n    name: a\n    config:\n      must_exist: [b]\n",
    )


def test_what_is_missing_at_one_place_comes_with_one_fix() -> None:
    before = HEADER.replace("name: notes\n", "").replace("tasks: [tasks/*.yaml]\n", "")
    found = quick_fixes("¦" + before)
    assert [it.title for it in found] == ["Add 'tasks', 'name'", "Add 'tasks_from', 'name'"]
    after = apply_action(actions_at(before)[0], found[0])
    assert after == "name: note-taker-eval\n" + before + "tasks: [tasks/*.yaml]\n"


def test_v06_a_text_for_a_list() -> None:
    grader = "graders:\n  - type: text\n    name: a\n    config:\n      contains: {}\n"
    _check(grader.format("hel¦lo  # greets"), grader.format("[hello]  # greets"))
    _check(grader.format("'hel¦lo'"), grader.format("['hello']"))
    _check(grader.format("hel¦lo, you"), grader.format("['hello, you']"))


def test_a_text_for_a_list_where_lists_have_dashes() -> None:
    grader = "graders:\n- type: text\n  name: a\n  config:\n    not_contains:\n    - x\n    contains:{}"
    _check(grader.format(" hel¦lo  # greets\n"), grader.format("  # greets\n    - hello\n"))


def test_a_block_text_for_a_list() -> None:
    grader = "graders:\n  - type: text\n    name: a\n    config:\n      contains:{}"
    _check(
        grader.format(" ¦|\n        one\n          two\n"),
        grader.format("\n        - |\n            one\n              two\n"),
    )


def test_v07_a_quoted_number() -> None:
    check_fix(HEADER.replace("task: 1", 'task: "¦3"  # three'), HEADER.replace("task: 1", "task: 3  # three"))


@pytest.mark.parametrize(
    "value",
    ["1.10", "001", "0x1F", "1_000", "1e3", ".5", "0o17", ".inf", "true", "True", "1.0", "-0", "+1.10"],
)
@pytest.mark.parametrize(
    ("name", "rest"),
    [("eval.yaml", f"{HEADER}version: "), ("tasks/a.yaml", "name: a\ninputs: {prompt: b}\nid: ")],
)
def test_v09_quotes_keep_the_characters(name: str, rest: str, value: str) -> None:
    snapshot, actions = actions_at(f"{rest}¦{value}\n", name)
    found = [it for it in actions if it.title == "Add quotes"]
    assert [apply_action(snapshot, it) for it in found] == [f"{rest}'{value}'\n"]
    assert found[0].is_preferred


def test_v09_a_format_version_keeps_its_characters() -> None:
    assert "Change to '010.0'" in _titles(f"{HEADER}schemaVersion: ¦010\n")


@pytest.mark.parametrize(("before", "after"), [("&v 1.10", "&v '1.10'"), ("1.10 # new", "'1.10' # new")])
def test_v09_quotes_go_around_the_value_alone(before: str, after: str) -> None:
    check_fix(f"{HEADER}version: ¦{before}\n", f"{HEADER}version: {after}\n", "Add quotes")


def test_v09_a_tag_that_wants_a_number_keeps_it() -> None:
    assert "Add quotes" not in _titles(f"{HEADER}version: ¦!!float 1.10\n")


def test_a_number_out_of_range() -> None:
    check_fix(HEADER.replace("task: 1", "task: ¦0"), HEADER)


def test_a_setting_at_the_top_moves_under_config() -> None:
    setting = "  # slow machines\n  judge_model: gpt-5.2  # really\n"
    check_fix(
        HEADER + "# slow machines\njudge_¦model: gpt-5.2  # really\nversion: '1'\n",
        HEADER.removesuffix("\n") + "\n" + setting + "version: '1'\n",
    )


def test_options_beside_config_move_below_it() -> None:
    _check(
        "graders:\n  - type: text\n    name: a\n    cont¦ains:\n      - b  # bee\n    weight: 2\n",
        "graders:\n  - type: text\n    name: a\n    weight: 2\n    config:\n      contains:\n        - b  # bee\n",
    )
    _check(
        "graders:\n  - {type: text, name: a, cont¦ains: [b]}\n",
        "graders:\n  - {type: text, name: a, config: {contains: [b]}}\n",
    )


def test_v10_either_of_two_equal_keys_can_go() -> None:
    before = HEADER + "# the other\nski¦ll: other\n"
    check_fix(before, HEADER, "Remove this one")
    check_fix(
        before, HEADER.replace("skill: notes\n", "") + "# the other\nskill: other\n", "Remove the first one"
    )


def test_an_unknown_key_without_a_better_name_can_go() -> None:
    assert "Remove 'zzz'" in _titles(HEADER + "zz¦z: 1\n")
    _check("# what\nzz¦z:\n  - a\n  # b\nversion: '1'\n", "version: '1'\n", "Remove 'zzz'")


def test_lines_keep_their_ends_and_the_byte_order_mark_stays() -> None:
    before, after = HEADER.replace("executor", "exe¦uctor"), HEADER
    check_fix("\ufeff" + before.replace("\n", "\r\n"), "\ufeff" + after.replace("\n", "\r\n"))
    missing = HEADER.replace("  timeout_seconds: 60\n", "").replace("config", "conf¦ig").replace("\n", "\r\n")
    check_fix(missing, HEADER.replace("timeout_seconds: 60", "timeout_seconds: 300").replace("\n", "\r\n"))


def test_columns_count_as_the_editor_counts() -> None:
    _check(
        "graders:\n  - {type: text, name: '𝄞𝄞', config: {cont¦ians: [é]}}\n",
        "graders:\n  - {type: text, name: '𝄞𝄞', config: {contains: [é]}}\n",
    )


def test_a_good_place_has_no_fixes() -> None:
    assert quick_fixes(HEADER.replace("skill", "sk¦ill")) == []


def test_a_finding_can_be_ignored() -> None:
    before = HEADER + "  zz¦z: 1\n"
    check_fix(
        before, HEADER + "  # waza-lsp: ignore[unknown-key]\n  zzz: 1\n", "Ignore 'unknown-key' on this line"
    )
    before = HEADER + "  # waza-lsp: ignore[wrong-type]\n  zz¦z: 1\n"
    after = HEADER + "  # waza-lsp: ignore[wrong-type, unknown-key]\n  zzz: 1\n"
    check_fix(before, after, "Ignore 'unknown-key' on this line")
