"""Completion beside unfinished text: the rest of the document keeps its structure."""

import pytest

from tests.behaviour.completion_harness import check_accepted, check_labels, check_nothing

UNFINISHED = [
    "trials_per_task:1",
    "exec",
    "exec mock",
    '"open',
    "'open",
    "@x",
    "`x",
    "%x",
    "*nope",
    "{{name}}",
    "<<<<<<< HEAD",
    "- x",
    "[open",
    "{open: 1",
]
TEXTS = [it for it in UNFINISHED if it[0] not in "[{-" or it == "{{name}}"]


def _document(*lines: str) -> str:
    return "\n".join(["name: demo", "skill: demo", *lines, "tasks: [a.yaml]", ""])


@pytest.mark.parametrize("first", UNFINISHED)
def test_c42_an_unfinished_first_line_leaves_the_map_its_keys(first: str) -> None:
    check_labels(
        _document("config:", f"  {first}", "  executor: mock", "  ¦"),
        has=["model", "parallel"],
        lacks=["executor", "graders", "config"],
    )
    check_accepted(
        _document("config:", f"  {first}", "  executor: mock", "  mod¦"),
        "model",
        _document("config:", f"  {first}", "  executor: mock", "  model: claude-sonnet-4.6"),
    )
    check_labels(_document("config:", f"  {first}", "  parallel: ¦"), only=["true", "false"])


@pytest.mark.parametrize("first", [*TEXTS, "- x"])
def test_c42_below_nothing_but_an_unfinished_line_the_map_gets_its_keys(first: str) -> None:
    check_labels(_document("config:", f"  {first}", "  ¦"), has=["executor", "model"], lacks=["graders"])
    check_labels(
        _document("config:", f"  {first}", "  ¦", "  executor: mock"), has=["model"], lacks=["graders"]
    )
    check_accepted(
        _document("config:", f"  {first}", "  mod¦"),
        "model",
        _document("config:", f"  {first}", "  model: claude-sonnet-4.6"),
    )


def test_c42_two_unfinished_lines_are_borne() -> None:
    check_labels(_document("config:", "  exec", "  tri", "  ¦"), has=["model"], lacks=["graders"])
    check_labels(
        _document("config:", "  exec", "  tri", "  executor: mock", "  ¦"), has=["model"], lacks=["executor"]
    )


@pytest.mark.parametrize("first", TEXTS)
def test_c24_an_unfinished_first_line_of_an_item_leaves_it_its_keys(first: str) -> None:
    check_accepted(
        _document("graders:", f"  - {first}", "    type: text", "    ¦"),
        "name",
        _document("graders:", f"  - {first}", "    type: text", "    name: says-where"),
    )
    check_labels(_document("graders:", f"  - {first}", "    type: ¦"), has=["text", "file"])
    check_labels(
        _document("graders:", f"  - {first}", "    type: file", "    config:", "      ¦"),
        only=["must_exist", "must_not_exist", "content_patterns"],
    )
    check_labels(
        _document("graders:", f"  - {first}", "    ¦"), has=["type", "config"], lacks=["- type: text"]
    )


def test_c28_an_unfinished_first_option_leaves_the_others() -> None:
    check_accepted(
        _document(
            "graders:",
            "  - type: text",
            "    config:",
            "      cont",
            "      regex_match: [a]",
            "      ¦",
        ),
        "contains_cs",
        _document(
            "graders:",
            "  - type: text",
            "    config:",
            "      cont",
            "      regex_match: [a]",
            "      contains_cs:",
            "        - README.md",
        ),
    )


@pytest.mark.parametrize(
    ("name", "document", "key"),
    [
        ("tasks/a.yaml", "id: a\nname: b\ninputs:\n  prom\n  files: []\n  ¦\n", "prompt"),
        (
            "trigger_tests.yaml",
            "skill: x\nshould_trigger_prompts:\n  - pro\n    prompt: x\n    ¦\n",
            "reason",
        ),
        (".waza.yaml", "paths:\n  skil\n  evals: x\n  ¦\n", "skills"),
        ("eval.yaml", "name: x\ndefaults:\n  exec\n  runs: 1\n  ¦\nstimuli: []\n", "timeout"),
        ("eval.yaml", "name: x\nskill: y\nmetrics:\n  - name:x\n    ¦\n", "weight"),
    ],
)
def test_c42_an_unfinished_first_line_disturbs_in_no_kind_of_file(name: str, document: str, key: str) -> None:
    check_labels(document, name, has=[key], lacks=["name: x", "graders"])


def test_c18_a_text_on_its_own_lines_is_no_unfinished_map() -> None:
    check_nothing(_document("description:", "  Does it", "  wor¦"))
    check_labels(_document("config:", "  model:", "    gpt-5", "    ¦"), lacks=["gpt-5.2"])
    stimuli = "name: x\nstimuli:\n  - name: a\n    turns:\n      - Read it.\n        ¦\n      - Tell me.\n"
    check_labels(stimuli, lacks=["prompt"])
    check_labels(_document("graders:", "  - exec", "  - ¦"), has=["type: text"])


def test_c22_below_an_unfinished_line_a_list_gets_its_items() -> None:
    check_labels(_document("graders:", "  exec", "  ¦"), has=["- type: text"], lacks=["config", "type"])
    check_labels(
        _document("graders:", "  exec", "  - type: text", "    ¦"), has=["name"], lacks=["- type: text"]
    )


def test_c42_a_quote_that_another_line_seems_to_close_is_still_open() -> None:
    check_labels(
        _document("config:", '  "open', '  executor: "mock"', "  ¦"), has=["model"], lacks=["executor"]
    )


@pytest.mark.parametrize(
    ("lines", "has", "lacks"),
    [
        (["config: {¦"], ["executor", "model"], ["graders"]),
        (["config: {executor: mock, ¦"], ["model"], ["executor"]),
        (["config: {executor: ¦"], ["mock"], ["true"]),
        (["config: {", "  executor: mock,", "  ¦"], ["model"], ["executor"]),
        (["graders:", "  - {type: text, ¦"], ["name", "config"], ["type"]),
        (["graders:", "  - {type: text, ¦", "  - {type: file}"], ["name", "config"], ["type"]),
        (
            ["graders:", "  - {type: text, config: {¦", "  - {type: file}"],
            ["contains", "regex_match"],
            ["must_exist"],
        ),
        (["graders: [{type: text}, {¦"], ["type", "name"], []),
    ],
)
def test_c33_open_brackets_at_the_cursor_end_with_their_lines(
    lines: list[str], has: list[str], lacks: list[str]
) -> None:
    check_labels(_document(*lines), has=has, lacks=lacks)


def test_c33_an_open_list_at_the_cursor_gets_its_items() -> None:
    files = ["tasks/a.yaml"]
    check_labels(
        "name: x\nskill: y\ntasks: [¦\nconfig:\n  executor: mock\n", has=["tasks/*.yaml"], files=files
    )
    check_labels(
        "name: x\nskill: y\ntasks: [\n  ¦\nconfig:\n  executor: mock\n", has=["tasks/*.yaml"], files=files
    )


@pytest.mark.parametrize(
    ("before", "label", "after"),
    [
        ("config: {¦ executor: mock}", "model", "config: {model: claude-sonnet-4.6, executor: mock}"),
        ("config: {¦", "model", "config: {model: claude-sonnet-4.6"),
        (
            "config: {\n  ¦\n  executor: mock\n}",
            "model",
            "config: {\n  model: claude-sonnet-4.6,\n  executor: mock\n}",
        ),
        (
            "config: {exec¦\n  model: x\n}",
            "executor",
            "config: {executor: copilot-sdk,\n  model: x\n}",
        ),
        (
            'config: {"exec¦"\n  "model": x\n}',
            "executor",
            'config: {"executor": copilot-sdk,\n  "model": x\n}',
        ),
        (
            "config: {executor: mock, # c\n  ¦ # d\n  model: x}",
            "parallel",
            "config: {executor: mock, # c\n  parallel: true, # d\n  model: x}",
        ),
        ("config: {\n  executor: ¦\n  model: x\n}", "mock", "config: {\n  executor: mock,\n  model: x\n}"),
        ("config: {\n  executor: mo¦\n  model: x\n}", "mock", "config: {\n  executor: mock,\n  model: x\n}"),
        (
            'config: {\n  executor: "mo¦"\n  model: x\n}',
            "mock",
            'config: {\n  executor: "mock"\n  model: x\n}',
        ),
        (
            'config: {\n  "exec¦\n  model: x\n}',
            "executor",
            'config: {\n  "executor": copilot-sdk,\n  model: x\n}',
        ),
    ],
)
def test_c32_before_another_entry_the_comma_is_written(before: str, label: str, after: str) -> None:
    check_accepted(_document(before), label, _document(after))


def test_c32_before_another_item_the_comma_is_written() -> None:
    for following, after in [(" a", ", a"), ('"a"', ', "a"'), ("\n      a", ",\n      a")]:
        grader = f"graders:\n  - type: file\n    config: {{must_exist: [¦{following}]}}"
        check_accepted(
            _document(grader),
            "b.txt",
            _document(grader.replace(f"¦{following}", f"b.txt{after}")),
            files=["fixtures/b.txt"],
        )


@pytest.mark.parametrize(
    ("before", "label", "after"),
    [
        (["config:", '  "exec¦"'], "executor", ["config:", '  "executor": copilot-sdk']),
        (["config:", '  "exec¦'], "executor", ["config:", '  "executor": copilot-sdk']),
        (["config:", "  'exec¦'"], "executor", ["config:", "  'executor': copilot-sdk"]),
        (["graders:", '  - "ty¦"'], "type", ["graders:", '  - "type": action_sequence']),
        (["graders:", "  - 'ty¦"], "type", ["graders:", "  - 'type': action_sequence"]),
        (
            ["graders:", '  - "ty¦"', "    name: x"],
            "type",
            ["graders:", '  - "type": action_sequence', "    name: x"],
        ),
        (
            ["graders:", "  - type: text", "    config:", '      "contains_c¦"'],
            "contains_cs",
            ["graders:", "  - type: text", "    config:", '      "contains_cs":', "        - README.md"],
        ),
    ],
)
def test_c09_half_a_key_in_quotes_may_be_the_first_of_its_map(
    before: list[str], label: str, after: list[str]
) -> None:
    check_accepted(_document(*before), label, _document(*after))


def test_c09_no_whole_entries_are_offered_inside_quotes() -> None:
    check_labels(_document("graders:", '  - "¦"'), has=["type", "name"], lacks=["type: text"])
    check_nothing(_document('config: "ex¦"'))
    check_nothing(_document('graders: ["ty¦"]'))
    check_labels(_document("config:", "  executor:", '    "mo¦"'), has=["mock"], lacks=["type"])


@pytest.mark.parametrize(
    "document",
    ["{name: x,\n skill: y,\n ¦\n}\n", "{\nname: x,\nskill: y,\n¦\n}\n", "{\nname: x,\nskill: y,\n¦"],
)
def test_c32_a_whole_file_in_brackets_stays_in_them(document: str) -> None:
    check_labels(document, has=["config", "tasks"], lacks=["name", "skill"])
    check_accepted(document, "baseline", document.replace("¦", "baseline: true"))


def test_c42_an_open_bracket_on_the_first_line_takes_nothing_from_the_lines_below() -> None:
    check_labels("[open\nname: x\nskill: y\n¦", has=["tasks", "config"], lacks=["name", "skill"])
    check_labels("{open\nname: x\nskill: y\nconfig:\n  ¦", has=["executor"], lacks=["tasks"])


@pytest.mark.parametrize("alone", ["!", "!x", "&a", "&a ", "! &a"])
def test_behind_a_tag_or_an_anchor_alone_nothing_is_offered(alone: str) -> None:
    check_nothing(f"name: demo\n{alone}¦\nconfig:\n  executor: mock\n")
    check_nothing(_document("config:", "  executor: mock", f"  {alone}¦"))
