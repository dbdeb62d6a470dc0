"""Completion in and below lines that tabs indent among lines with blanks."""

import pytest

from tests.behaviour.completion_harness import check_accepted, check_labels

GRADER = "name: demo\ngraders:\n  - type: file\n    name: made\n"
SERVER = "name: demo\nconfig:\n  executor: mock\n  mcp_servers:\n    a:\n      type: http\n"


def test_below_a_tab_the_map_that_it_was_meant_for_goes_on() -> None:
    check_labels(
        GRADER + "    config:\n\tmust_exist: [a]\n      ¦\n",
        only=["must_not_exist", "content_patterns"],
    )
    check_labels(SERVER + "\turl: x\n      ¦\n", has=["command", "headers"], lacks=["url", "type", "model"])
    check_accepted(SERVER + "\turl: x\n      comm¦\n", "command", SERVER + "\turl: x\n      command: npx\n")


@pytest.mark.parametrize("tabbed", ["\tname: made\n", "\t# why\n\tname: made\n", "\t\tname: made\n"])
def test_a_tab_does_not_close_the_item_around_it(tabbed: str) -> None:
    check_labels(
        f"name: demo\ngraders:\n  - type: file\n{tabbed}    config:\n      ¦\n",
        only=["must_exist", "must_not_exist", "content_patterns"],
    )
    check_labels(f"name: demo\ngraders:\n  - type: file\n{tabbed}    ¦\n", has=["weight"], lacks=["name"])


def test_further_tabs_count_from_the_first() -> None:
    check_labels(
        "name: demo\ngraders:\n  - type: file\n\tname: made\n\tconfig:\n\t\t¦\n",
        only=["must_exist", "must_not_exist", "content_patterns"],
    )
    check_labels(
        "name: demo\ngraders:\n  - type: file\n\tconfig:\n\t\tmust_exist: [a]\n\t¦\n",
        has=["name", "weight"],
        lacks=["config", "must_not_exist"],
    )


@pytest.mark.parametrize("typed", ["", "must_no"])
def test_on_the_line_with_the_tab_the_key_that_waits_gets_its_value(typed: str) -> None:
    check_labels(
        GRADER + f"    config:\n\t{typed}¦\n",
        has=["must_not_exist"],
        lacks=["- type: text", "name"],
    )


def test_a_list_goes_on_below_an_item_with_a_tab() -> None:
    check_labels(
        "stimuli:\n  - name: a\n    graders:\n      - type: prompt\n\t- type: output-contains\n"
        "        config:\n          ¦\n",
        "v.vally.yaml",
        has=["substring"],
        lacks=["runs"],
    )
    check_labels(
        "stimuli:\n  - name: a\n    graders:\n      - type: prompt\n\tname: x\n"
        "      - type: output-contains\n        config:\n          ¦\n",
        "v.vally.yaml",
        has=["substring"],
        lacks=["runs"],
    )


def test_a_key_with_a_tab_belongs_where_its_value_is_deeper() -> None:
    stimulus = "stimuli:\n  - name: a\n    constraints:\n      max_turns: 3\n"
    check_labels(
        stimulus + "\tgraders:\n      - type: output-contains\n        config:\n          ¦\n",
        "v.vally.yaml",
        has=["substring"],
        lacks=["runs", "reject_tools"],
    )
    check_labels(stimulus + "\tgraders:\n    ¦\n", "v.vally.yaml", has=["prompt"], lacks=["name"])


def test_a_list_that_begins_with_a_tab_ends_where_its_key_does() -> None:
    config = "name: demo\nconfig:\n  skill_directories:\n\t- skills\n"
    check_labels(config + "  ¦\n", has=["model"], lacks=["skill_directories", "name"])
    check_labels("id: a\ninputs:\n  files:\n\t- path: x\n    - ¦\n", "tasks/a.yaml", has=["path", "content"])


def test_a_value_of_several_lines_that_starts_behind_a_tab_still_ends() -> None:
    check_labels(
        GRADER + "    config:\n\tmust_exist: [a,\n      b]\n      ¦\n",
        only=["must_not_exist", "content_patterns"],
    )


def test_where_everything_is_indented_with_tabs_they_count() -> None:
    text = "name: demo\nconfig:\n\texecutor: mock\n\tmcp_servers:\n\t\ta:\n\t\t\ttype: http\n"
    check_labels(text + "\t\t\t¦\n", has=["command"], lacks=["type", "model"])
    check_labels(text + "\t¦\n", has=["model"], lacks=["command", "executor"])
    check_labels(text + "\tmodel: m\n\t¦\n", has=["workers"], lacks=["model"])


def test_a_tab_in_a_column_of_blanks_is_still_that_column() -> None:
    check_labels(SERVER + "\t¦\n", has=["model"], lacks=["command", "executor"])
    check_labels(GRADER + "\t¦\n", has=["- type: text"])
    check_labels(SERVER + "\turl: x\n  ¦\n", has=["model"], lacks=["command", "executor"])


def test_among_lists_with_blanks_a_tab_that_fits_an_outer_one_is_of_that_one() -> None:
    graders = "stimuli:\n  - name: a\n    graders:\n      - type: tool-calls\n        config:\n          required:\n"
    item = "            - name: edit\n"
    more = "\t\t\t- type: skill-invocation\n\t\t\t\tconfig:\n\t\t\t\t\trequired: [a]\n"
    check_labels(
        graders + item + more + "\t\t\t- type: diff-¦\n", "v.vally.yaml", has=["diff-empty"], lacks=["name"]
    )
    check_labels(
        graders + item + more + "\t\t\t- type: diff-contains\n\t\t\t  ¦\n",
        "v.vally.yaml",
        has=["name", "config"],
    )


@pytest.mark.parametrize("rest", ["    turns:\n      - b\n    ¦\n", "\t\tturns: [b]\n\t\t¦\n"])
def test_what_stands_below_an_item_with_a_tab_tells_its_list(rest: str) -> None:
    graders = "stimuli:\n  - name: a\n    graders:\n      - type: skill-invocation\n        config:\n          required: [n]\n"
    check_labels(
        graders + "\t- name: b\n" + rest, "v.vally.yaml", has=["graders", "rubric"], lacks=["name", "weight"]
    )
