"""Completion of keys."""

import pytest

from tests.behaviour.completion_harness import check_accepted, check_labels, check_nothing, completions_at

ITEM = """
    name: demo
    graders:
      - type: text
        name: first
"""


def test_c01_an_empty_file_gets_the_root_keys_and_a_skeleton() -> None:
    found = check_labels("¦", first=["name", "config", "tasks"], has=["graders", "waza eval"])
    result = found.applied(found.item("waza eval"))
    assert result.startswith("name: ")
    assert "\nconfig:\n  trials_per_task: " in result
    assert "\ntasks:\n  - " in result
    assert "null" not in result
    assert not any(it in result for it in ("baseline", "description", "hooks"))


def test_c01_an_empty_trigger_file_gets_a_skeleton_of_its_own() -> None:
    check_labels(
        "¦", "trigger_tests.yaml", first=["skill"], has=["should_trigger_prompts", "waza trigger tests"]
    )


def test_c02_a_blank_last_line_gets_the_root_keys_that_are_missing() -> None:
    check_labels(
        """
        name: demo
        tasks: [a.yaml]
        ¦""",
        first=["config"],
        has=["skill", "graders"],
        lacks=["name", "tasks", "waza eval"],
    )


def test_c03_a_blank_line_between_root_entries_gets_root_keys() -> None:
    before = """
        name: demo
        ¦
        tasks: [a.yaml]
        """
    check_labels(before, first=["config"], lacks=["name", "tasks"])
    check_accepted(
        before,
        "baseline",
        """
        name: demo
        baseline: true
        tasks: [a.yaml]
        """,
    )


def test_c04_half_a_root_key_is_replaced() -> None:
    before = """
        name: demo
        gra¦
        tasks: [a.yaml]
        skill: other
        """
    check_labels(before, only=["graders"])
    check_accepted(
        before.replace("gra", "bas"),
        "baseline",
        """
        name: demo
        baseline: true
        tasks: [a.yaml]
        skill: other
        """,
    )


def test_c05_inside_a_key_only_the_key_is_written() -> None:
    before = """
        name: demo
        ski¦ll: other
        tasks: [a.yaml]
        """
    found = check_labels(before, has=["skill", "graders"], lacks=["name", "tasks"])
    for item in found.items:
        assert found.applied(item) == f"name: demo\n{item.label}: other\ntasks: [a.yaml]\n"


def test_c06_right_after_the_colon_a_blank_comes_with_the_value() -> None:
    check_accepted(
        """
        name: demo
        graders:
          - type:¦
        """,
        "file",
        """
        name: demo
        graders:
          - type: file
        """,
    )


def test_c14_a_map_without_entries_gets_its_keys() -> None:
    check_labels(
        """
        name: demo
        config:
          ¦
        tasks: [a.yaml]
        """,
        first=["trials_per_task", "timeout_seconds", "executor", "model"],
        lacks=["name", "tasks"],
    )


def test_c15_a_nested_blank_line_gets_the_remaining_keys() -> None:
    check_labels(
        """
        name: demo
        config:
          trials_per_task: 1
          ¦
        tasks: [a.yaml]
        """,
        first=["timeout_seconds"],
        lacks=["trials_per_task", "name"],
    )


def test_c16_a_comment_above_changes_nothing() -> None:
    check_labels(
        """
        name: demo
        config:
          trials_per_task: 1
          # how long
          ¦
        """,
        first=["timeout_seconds"],
        lacks=["trials_per_task", "graders"],
    )


def test_c17_a_column_too_deep_is_corrected() -> None:
    check_accepted(
        """
        name: demo
        config:
          trials_per_task: 1
           ¦
        """,
        "fail_fast",
        """
        name: demo
        config:
          trials_per_task: 1
          fail_fast: true
        """,
    )


def test_c18_below_a_scalar_the_siblings_are_offered_in_their_column() -> None:
    before = """
        name: demo
        config:
          trials_per_task: 1
              ¦
        """
    check_labels(before, first=["timeout_seconds"], lacks=["graders"])
    check_accepted(
        before,
        "fail_fast",
        """
        name: demo
        config:
          trials_per_task: 1
          fail_fast: true
        """,
    )


def test_c19_a_tab_is_replaced() -> None:
    check_accepted(
        """
        name: demo
        config:
          trials_per_task: 1
        \t¦
        """,
        "fail_fast",
        """
        name: demo
        config:
          trials_per_task: 1
          fail_fast: true
        """,
    )


def test_c24_inside_an_item_its_missing_keys_are_offered() -> None:
    check_labels(
        """
        name: demo
        graders:
          - type: text
            ¦
            name: first
          - type: file
        """,
        has=["config", "weight"],
        lacks=["type", "name", "type: text"],
    )


def test_c28_the_options_are_those_of_the_type_above() -> None:
    check_labels(
        """
        name: demo
        graders:
          - type: program
            name: first
            config:
              ¦
        """,
        first=["command"],
        has=["args", "timeout"],
        lacks=["contains"],
    )


def test_c29_the_type_may_stand_below() -> None:
    check_labels(
        """
        name: demo
        graders:
          - config:
              ¦
            name: first
            type: program
        """,
        first=["command"],
        lacks=["contains"],
    )


@pytest.mark.parametrize(
    "graders",
    [
        "\n  - {config: {¦}, type: file}",
        "\n  - {config: {m¦}, type: file}",
        "\n  - {config: {¦}, name: a, type: file}\n  - {type: text}",
        "\n  - {\n    config: {¦},\n    # below\n    type: file\n  }",
        " [{config: {¦}, type: file}, {type: text}]",
        " [{type: text}, {config: {must_exist: [a], ¦}, name: {x: y}, type: file}]",
        " [{'config':{¦},'type':'file'}]",
    ],
)
def test_c29_in_brackets_the_type_may_stand_behind_those_of_the_cursor(graders: str) -> None:
    check_labels(f"name: demo\ngraders:{graders}\n", has=["must_not_exist"], lacks=["contains", "command"])


def test_c29_in_json_and_in_the_other_dialect_the_type_may_stand_behind() -> None:
    json = '{"name": "x", "skill": "y", "graders": [{"config": {"¦"}, "type": "file"}]}'
    check_labels(json, has=["must_exist"], lacks=["contains"])
    check_labels(json.replace(": ", ":").replace(", ", ","), has=["must_exist"], lacks=["contains"])
    stimuli = "name: x\nstimuli:\n  - {prompt: a, graders: [{config: {¦}, type: file-exists}]}\n"
    check_labels(stimuli, has=["path"], lacks=["substring", "pattern"])


def test_c30_without_a_type_the_options_are_grouped_by_type() -> None:
    found = check_labels(
        """
        name: demo
        graders:
          - type: txt
            name: first
            config:
              ¦
        """,
        has=["contains", "command"],
    )
    notes = {it.label: it.label_details.description for it in found.items if it.label_details}
    assert notes["contains"] == "text"
    assert notes["command"] == "program"
    assert len(notes) == len(found.items)


def test_c30_the_options_that_are_there_leave_the_types_that_have_them() -> None:
    check_labels(
        """
        name: demo
        graders:
          - name: first
            config:
              command: make
              ¦
        """,
        has=["args", "timeout"],
        lacks=["contains"],
    )


def test_c31_an_item_starts_with_type_and_name() -> None:
    check_labels(
        """
        name: demo
        graders:
          - ¦
        """,
        first=["type", "name"],
    )


def test_c32_in_brackets_everything_stays_on_one_line() -> None:
    before = """
        name: demo
        graders:
          - {¦}
        """
    check_labels(before, first=["type", "name"], has=["weight", "type: text"])
    check_accepted(
        before,
        "type: program",
        """
        name: demo
        graders:
          - {type: program, name: says-where, config: {command: python3}}
        """,
    )


def test_c33_nested_brackets_get_the_keys_of_their_map() -> None:
    before = """
        name: demo
        graders:
          - {type: program, name: first, config: {timeout: 3, ¦}}
        """
    check_labels(before, first=["command"], has=["args"], lacks=["timeout", "type"])
    check_accepted(
        before,
        "command",
        """
        name: demo
        graders:
          - {type: program, name: first, config: {timeout: 3, command: python3}}
        """,
    )


def test_c35_comments_get_nothing() -> None:
    check_nothing(
        """
        name: demo
        # conf¦
        """
    )
    check_nothing("name: demo # ta¦\n")


def test_c36_block_scalars_get_nothing() -> None:
    task = """
        id: one
        name: One
        inputs:
          prompt: |
            Say
            {}
            something
        """
    check_nothing(task.format("na¦"), "tasks/one.yaml")
    check_nothing(task.format("¦"), "tasks/one.yaml")
    check_nothing("id: one\ninputs:\n  prompt: >-\n    Say\n    ¦\n", "tasks/one.yaml")


def test_c37_a_second_document_gets_its_own_root_keys() -> None:
    check_labels(
        """
        name: demo
        graders: []
        tasks: [a.yaml]
        ---
        ¦
        """,
        first=["name", "config", "tasks"],
    )


def test_c38_behind_the_end_of_a_document_there_is_nothing() -> None:
    check_nothing(
        """
        name: demo
        graders: []
        tasks: [a.yaml]
        ...
        ¦
        """
    )


def test_c39_a_directive_does_not_disturb() -> None:
    check_labels(
        """
        %YAML 1.2
        ---
        ¦
        """,
        first=["name"],
    )


def test_c40_merged_keys_are_not_offered_again() -> None:
    check_labels(
        """
        name: demo
        graders:
          - &base
            type: text
            weight: 2
          - <<: *base
            ¦
        """,
        first=["name"],
        has=["config"],
        lacks=["type", "weight"],
    )


@pytest.mark.parametrize(
    "config",
    ["{<<: *base, ¦}", "{¦, <<: *base}", "{<<: [*other, *base], ¦}", "{<<: *base,\n  ¦}", "{<<: *base, ¦"],
)
def test_c40_in_brackets_merged_keys_are_not_offered_again(config: str) -> None:
    check_labels(
        f"x: &base {{executor: mock, model: m}}\nname: demo\nskill: demo\nconfig: {config}\n",
        has=["parallel"],
        lacks=["executor", "model"],
    )


@pytest.mark.parametrize(
    "grader",
    [
        "{<<: *base, config: {¦}}",
        "{config: {¦}, <<: *base}",
        "{<<: [*base, *other], config: {¦}}",
        "{type: *kind, config: {¦}}",
        "{<<: *other, type: file, config: {¦}}",
        "{type: file, config: {¦}, <<: *other}",
    ],
)
def test_c40_a_merged_type_tells_the_options_in_brackets(grader: str) -> None:
    check_labels(
        f"x: [&base {{type: file}}, &other {{type: text}}, &kind file]\nname: demo\ngraders:\n  - {grader}\n",
        only=["must_exist", "must_not_exist", "content_patterns"],
    )


@pytest.mark.parametrize(
    "lines",
    [
        "config:\n  *¦",
        "config:\n  *ba¦",
        "config:\n  *¦ # all of it",
        "config:\n  model:\n    *¦",
        "config:\n  executor: mock\n  *¦",
        "graders:\n  *¦",
        "config: {<<: *¦",
        "? config\n: *¦",
    ],
)
def test_c41_an_alias_may_stand_on_a_line_of_its_own(lines: str) -> None:
    before = f"x: &base {{executor: mock}}\nname: demo\nskill: demo\n{lines}\n"
    check_labels(before, only=["base"])
    check_accepted(before, "base", before.replace("*ba¦", "*¦").replace("*¦", "*base"))


@pytest.mark.parametrize("lines", ["config:\n  <<: ¦", "config:\n  <<:¦", "config:\n  <<: ¦\n  model: m"])
def test_c41_a_merge_key_takes_an_alias(lines: str) -> None:
    before = f"x: &base {{executor: mock}}\nname: demo\nskill: demo\n{lines}\n"
    check_labels(before, only=["base"])
    check_accepted(before, "base", before.replace("<<:¦", "<<: ¦").replace("¦", "*base"))


def test_c41_behind_an_asterisk_the_anchors_above_are_offered() -> None:
    before = """
        name: demo
        graders:
          - &base
            type: text
          - *¦
          - &later {type: file}
        """
    check_labels(before, only=["base"])
    check_accepted(
        before,
        "base",
        """
        name: demo
        graders:
          - &base
            type: text
          - *base
          - &later {type: file}
        """,
    )


def test_c42_an_open_quote_above_does_not_disturb() -> None:
    check_labels(
        """
        name: "demo
        config:
          trials_per_task: 1
          ¦
        """,
        first=["timeout_seconds"],
        lacks=["trials_per_task", "graders"],
    )
    check_labels(
        """
        name: demo
        graders:
          - type: "text
            name: first
            config:
              ¦
        tasks: [a]
        """,
        has=["contains"],
        lacks=["graders"],
    )


def test_c43_an_open_bracket_below_does_not_disturb() -> None:
    check_labels(
        """
        name: demo
        graders:
          - type: text
            ¦
            config:
              contains: [a, b
        tasks: [a]
        """,
        first=["name"],
        lacks=["type", "config"],
    )


def test_c44_line_ends_stay_as_they_are() -> None:
    before = """
        name: demo
        graders:
          - ¦
        tasks: [a]
        """
    found = completions_at(before, line_end="\r\n")
    result = found.applied(found.item("type: program"))
    assert "\n" not in result.replace("\r\n", "")
    assert result.replace("\r\n", "\n") == completions_at(before).applied(
        completions_at(before).item("type: program")
    )


def test_c45_characters_beyond_the_basic_plane_count_right() -> None:
    check_accepted(
        """
        name: demo
        graders:
          - {name: "🎉🎉", ty¦}
        """,
        "type",
        """
        name: demo
        graders:
          - {name: "🎉🎉", type: action_sequence}
        """,
    )


def test_c46_an_explicit_key_has_no_colon() -> None:
    check_accepted(
        """
        name: demo
        skill: other
        config: {}
        ? gra¦
        : []
        """,
        "graders",
        """
        name: demo
        skill: other
        config: {}
        ? graders
        : []
        """,
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("config:\n  ? executor\n  : ¦", "config:\n  ? executor\n  : mock"),
        ("config:\n  ? executor\n  :¦", "config:\n  ? executor\n  : mock"),
        ("config:\n  ? executor\n  : mo¦", "config:\n  ? executor\n  : mock"),
        ('config:\n  ? "executor"\n  : "m¦o"', 'config:\n  ? "executor"\n  : "mock"'),
        ("config:\n  ? executor\n  : ¦ # which", "config:\n  ? executor\n  : mock # which"),
        ("config:\n  ? executor\n  :\n    ¦", "config:\n  ? executor\n  :\n    mock"),
        ("config: {? executor : ¦}", "config: {? executor : mock}"),
    ],
)
def test_c46_the_value_of_an_explicit_key_stands_behind_its_colon(before: str, after: str) -> None:
    document = f"name: demo\nskill: other\n{before}\n"
    check_labels(document, has=["mock", "acp"], lacks=["model", "tasks"])
    check_accepted(document, "mock", f"name: demo\nskill: other\n{after}\n")


@pytest.mark.parametrize(
    ("before", "label", "after"),
    [
        ("? config\n: ¦", "executor", "? config\n: executor: copilot-sdk"),
        ("? config\n: ¦\n  model: x", "executor", "? config\n: executor: copilot-sdk\n  model: x"),
        ("? config\n: model: x\n  ¦", "executor", "? config\n: model: x\n  executor: copilot-sdk"),
        ("config: {? ¦ : mock}", "executor", "config: {? executor : mock}"),
        ("config: {? exec¦}", "executor", "config: {? executor: copilot-sdk}"),
        (
            "config:\n  ? executor\n  : mock\n  ¦",
            "model",
            "config:\n  ? executor\n  : mock\n  model: claude-sonnet-4.6",
        ),
        ("graders:\n  - ? type\n    : ¦", "text", "graders:\n  - ? type\n    : text"),
    ],
)
def test_c46_explicit_keys_stand_in_the_column_of_their_mark(before: str, label: str, after: str) -> None:
    check_accepted(f"name: demo\nskill: other\n{before}\n", label, f"name: demo\nskill: other\n{after}\n")
