"""Completion of values, files and list items."""

import pytest
from lsprotocol import types

from tests.behaviour.completion_harness import check_accepted, check_labels, check_nothing, completions_at

SUITE = """
        name: demo
        config:
          {}
        tasks: [a.yaml]
        """


def test_c07_values_are_offered_and_the_default_is_marked() -> None:
    found = check_labels(SUITE.format("parallel: ¦"), only=["true", "false"])
    assert [it.label for it in found.items if it.preselect] == ["false"]
    found = check_labels(SUITE.format("executor: ¦"), has=["copilot-sdk", "mock"])
    check_accepted(SUITE.format("executor: ¦"), "mock", SUITE.format("executor: mock"))


@pytest.mark.parametrize("value", ["mo¦", "m¦ock", "¦mock"])
def test_c08_the_whole_token_is_replaced(value: str) -> None:
    check_accepted(SUITE.format(f"executor: {value}"), "copilot-sdk", SUITE.format("executor: copilot-sdk"))


@pytest.mark.parametrize("quote", ['"', "'"])
def test_c09_between_quotes_only_the_text_is_replaced(quote: str) -> None:
    wanted = SUITE.format(f"executor: {quote}copilot-sdk{quote}")
    check_accepted(SUITE.format(f"executor: {quote}¦{quote}"), "copilot-sdk", wanted)
    check_accepted(SUITE.format(f"executor: {quote}mo¦ck{quote}"), "copilot-sdk", wanted)


@pytest.mark.parametrize("quote", ['"', "'"])
def test_c10_an_open_quote_is_closed(quote: str) -> None:
    check_accepted(SUITE.format(f"executor: {quote}¦"), "mock", SUITE.format(f"executor: {quote}mock{quote}"))
    check_accepted(
        SUITE.format(f"executor: {quote}mo¦"), "mock", SUITE.format(f"executor: {quote}mock{quote}")
    )


def test_c11_a_comment_behind_the_value_stays() -> None:
    check_accepted(SUITE.format("executor: ¦ # who"), "mock", SUITE.format("executor: mock # who"))
    check_accepted(SUITE.format("executor: ¦# who"), "mock", SUITE.format("executor: mock # who"))


def test_c12_a_value_may_stand_on_the_next_line() -> None:
    check_accepted(
        SUITE.format("executor:\n            ¦"), "mock", SUITE.format("executor:\n            mock")
    )
    check_accepted(
        SUITE.format("executor:\n            mo¦"), "mock", SUITE.format("executor:\n            mock")
    )


def test_c13_two_blanks_after_the_colon_are_fine() -> None:
    check_accepted(SUITE.format("executor:  ¦"), "mock", SUITE.format("executor:  mock"))


def test_c20_a_dash_gets_type_first_and_a_skeleton_for_each_type() -> None:
    before = """
        name: demo
        graders:
          - ¦
        tasks: [a.yaml]
        """
    found = check_labels(before, first=["type", "name"], has=["type: text", "type: program", "weight"])
    assert "type: regex" not in found.labels  # of a generation that is gone
    check_accepted(
        before,
        "type: program",
        """
        name: demo
        graders:
          - type: program
            name: says-where
            config:
              command: python3
        tasks: [a.yaml]
        """,
    )


@pytest.mark.parametrize("typed", ["\t", " \t", "\tty"])
def test_c21_a_tab_behind_a_dash_becomes_a_blank(typed: str) -> None:
    start = "name: demo\ngraders:\n  -"
    check_accepted(f"{start}{typed}¦\n", "type", f"{start} type: action_sequence\n")


def test_c21_a_dash_without_a_blank_gets_one() -> None:
    check_accepted(
        """
        name: demo
        graders:
          -¦
        """,
        "type",
        """
        name: demo
        graders:
          - type: action_sequence
        """,
    )


def test_c22_an_empty_list_gets_its_first_item_with_the_dash() -> None:
    before = """
        name: demo
        graders:
          ¦
        tasks: [a.yaml]
        """
    found = check_labels(before, has=["- type: text", "- type: program"])
    assert all(it.startswith("- ") for it in found.labels)
    check_accepted(
        before,
        "- type: program",
        """
        name: demo
        graders:
          - type: program
            name: says-where
            config:
              command: python3
        tasks: [a.yaml]
        """,
    )


def test_c23_between_two_items_a_new_item_is_offered() -> None:
    before = """
        name: demo
        graders:
          - type: text
            name: first
          ¦
          - type: file
            name: second
        """
    found = check_labels(before, has=["- type: program"])
    assert all(it.startswith("- ") for it in found.labels)
    check_accepted(
        before,
        "- type: program",
        """
        name: demo
        graders:
          - type: text
            name: first
          - type: program
            name: says-where
            config:
              command: python3
          - type: file
            name: second
        """,
    )


def test_c25_lists_in_the_column_of_their_parent_stay_there() -> None:
    check_accepted(
        """
        name: demo
        graders:
        - ¦
        tasks:
        - a.yaml
        """,
        "type: code",
        """
        name: demo
        graders:
        - type: code
          name: says-where
          config:
            assertions:
            - len(output) > 0
        tasks:
        - a.yaml
        """,
    )


def test_c25_below_such_a_list_both_items_and_keys_fit() -> None:
    check_labels(
        """
        name: demo
        graders:
        - type: text
          name: first
        ¦
        """,
        has=["config", "tasks", "- type: text"],
        lacks=["graders"],
    )


def test_c26_steps_of_four_are_kept() -> None:
    check_accepted(
        """
        name: demo
        config:
            trials_per_task: 1
        graders:
            - ¦
        """,
        "type: code",
        """
        name: demo
        config:
            trials_per_task: 1
        graders:
            - type: code
              name: says-where
              config:
                  assertions:
                      - len(output) > 0
        """,
    )


def test_c26_steps_of_three_and_wide_dashes_are_kept() -> None:
    check_accepted(
        """
        name: demo
        config:
           trials_per_task: 1
        tasks:
        -  a.yaml
        graders:
        -  type: text
           name: first
        ¦
        """,
        "- type: code",
        """
        name: demo
        config:
           trials_per_task: 1
        tasks:
        -  a.yaml
        graders:
        -  type: text
           name: first
        -  type: code
           name: says-where
           config:
              assertions:
              -  len(output) > 0
        """,
    )


def test_c27_every_type_has_a_text_of_its_own() -> None:
    found = completions_at(
        """
        name: demo
        graders:
          - type: ¦
        """
    )
    details = [it.detail for it in found.items]
    assert {"text", "file", "code", "program"} <= set(found.labels)
    assert all(details)
    assert len(set(details)) == len(details)
    assert "regex" not in found.labels


def test_c34_values_in_brackets() -> None:
    before = """
        name: demo
        graders:
          - {type: te¦, name: first}
        """
    check_labels(before, has=["text", "file"])
    check_accepted(
        before,
        "file",
        """
        name: demo
        graders:
          - {type: file, name: first}
        """,
    )


FILES = [
    "tasks/one.yaml",
    "tasks/two.yaml",
    "notes.txt",
    "fixtures/src/app.py",
    "eval.yaml",
    "checks/tidy.py",
]


def test_c47_paths_are_offered_directories_first() -> None:
    before = """
        name: demo
        config: {}
        tasks:
          - ¦
        """
    found = check_labels(
        before, first=["checks/", "fixtures/", "tasks/", "tasks/*.yaml"], lacks=["notes.txt"], files=FILES
    )
    check_accepted(
        before,
        "tasks/*.yaml",
        """
        name: demo
        config: {}
        tasks:
          - tasks/*.yaml
        """,
        files=FILES,
    )
    assert "eval.yaml" not in found.labels
    assert found.item("tasks/*.yaml").preselect


def test_c47_the_folder_typed_so_far_is_listed() -> None:
    before = """
        name: demo
        tasks:
          - "tasks/o¦"
        """
    check_labels(
        before, has=["tasks/*.yaml", "tasks/one.yaml", "tasks/two.yaml"], lacks=["notes.txt"], files=FILES
    )
    check_accepted(
        before,
        "tasks/one.yaml",
        """
        name: demo
        tasks:
          - "tasks/one.yaml"
        """,
        files=FILES,
    )


def test_c47_each_path_starts_from_its_own_folder() -> None:
    task = """
        id: one
        inputs:
          files:
            - path: ¦
        """
    check_labels(task, "tasks/one.yaml", first=["src/"], lacks=["notes.txt"], files=FILES)
    check_labels(
        """
        id: one
        inputs:
          prompt_file: ¦
        """,
        "tasks/one.yaml",
        has=["two.yaml"],
        lacks=["tasks/", "one.yaml"],
        files=FILES,
    )


@pytest.mark.parametrize("typed", ["/etc/", "../../", "tasks/*/"])
def test_c47_nothing_outside_is_listed(typed: str) -> None:
    task = f"id: one\ncontext_dir: {typed}¦\n"
    assert not any(
        it.kind is types.CompletionItemKind.Folder
        for it in completions_at(task, "tasks/a.yaml", files=FILES).items
    )


def test_finished_values_get_nothing() -> None:
    check_nothing(SUITE.format("executor: mock ¦"))
    check_nothing(SUITE.format("executor: 'mock' ¦"))
    check_nothing(SUITE.format("skill_directories: [a] ¦"))


@pytest.mark.parametrize(
    "lines",
    [
        "tasks:\n  - tasks/a.yaml\n  - ¦\n",
        "tasks:\n  - tasks/¦\n  - tasks/a.yaml\n",
        "tasks: [tasks/a.yaml, tasks/¦]\n",
        "graders: []\ntasks:\n- tasks/a.yaml\n- tasks/¦\n",
    ],
)
def test_c47_a_file_that_is_listed_already_is_not_offered_again(lines: str) -> None:
    files = ["tasks/a.yaml", "tasks/b.yaml"]
    offered_ones = {
        it for it in completions_at(f"name: demo\n{lines}", files=files).labels if it.endswith("yaml")
    }
    assert "tasks/a.yaml" not in offered_ones
    check_labels("name: demo\ntasks:\n  - tasks/a.ya¦ml\n", has=files, files=files)


def test_c47_a_nested_list_does_not_get_the_same_file_twice() -> None:
    files = ["fixtures/a.txt", "fixtures/b.txt"]
    document = (
        "name: demo\ngraders:\n  - type: file\n    config:\n      must_exist:\n        - a.txt\n        {}\n"
    )
    check_labels(document.format("- ¦"), only=["b.txt"], files=files)
    check_labels(document.format("¦"), only=["- b.txt"], files=files)


def test_names_may_occur_twice_in_a_list() -> None:
    document = """
        name: demo
        graders:
          - type: action_sequence
            config:
              matching_mode: in_order_match
              expected_actions: [view, edit, ¦]
        """
    check_labels(document, has=["view"])


def test_c47_a_rubric_is_a_name_or_a_path() -> None:
    files = ["prompts/strict.md", "tasks/a.yaml"]
    before = "name: demo\ngraders:\n  - type: prompt\n    config:\n      rubric: {}\n"
    check_labels(before.format("¦"), first=["groundedness"], has=["prompts/", "tasks/"], files=files)
    check_accepted(
        before.format("prompts/¦"), "prompts/strict.md", before.format("prompts/strict.md"), files=files
    )


def test_the_grader_to_calibrate_is_one_of_the_file() -> None:
    check_labels(
        """
        name: demo
        graders:
          - type: text
            name: quality
          - type: human_calibration
            config:
              calibrate_grader: ¦
            name: calibration
        """,
        has=["quality"],
        lacks=["calibration"],
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{executor: "mo¦}', '{executor: "mock"}'),
        ("{executor: '¦}  # why", "{executor: 'mock'}  # why"),
        ('{executor: "mo¦ }', '{executor: "mock" }'),
        ('{executor: "mo¦, model: m}', '{executor: "mock", model: m}'),
        ('{executor: "mo¦', '{executor: "mock"'),
        ('{executor: "mo¦]', '{executor: "mock"'),
        ('{executor: "mo¦ck"}', '{executor: "mock"}'),
    ],
)
def test_c10_an_unclosed_quote_in_brackets_leaves_them_closed(before: str, after: str) -> None:
    check_accepted(f"name: demo\nconfig: {before}\n", "mock", f"name: demo\nconfig: {after}\n")
