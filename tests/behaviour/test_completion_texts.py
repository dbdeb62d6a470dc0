"""The text of items: layouts, quotes, brackets, and editors that can do less than others."""

import pytest
from lsprotocol import types

from tests.behaviour.completion_harness import check_accepted, check_labels, check_nothing, completions_at
from waza_lsp.features.completion import CompletionClient

PLAIN = CompletionClient(snippets=False)
ITEM = """
    name: demo
    graders:
      - ¦
    """


def test_without_snippets_nothing_but_text_is_written() -> None:
    found = completions_at(ITEM, client=PLAIN)
    assert not any("$" in it.text_edit.new_text for it in found.items if it.text_edit and it.label != "ref")
    assert all(it.insert_text_format is types.InsertTextFormat.PlainText for it in found.items)
    check_accepted(
        ITEM,
        "type: behavior",
        """
        name: demo
        graders:
          - type: behavior
            name:
            config:
              max_tool_calls: 10
        """,
        client=PLAIN,
    )


def test_an_editor_that_indents_by_itself_gets_relative_lines() -> None:
    item = completions_at(ITEM, client=CompletionClient(adjusts=True)).item("type: behavior")
    assert item.insert_text_mode is types.InsertTextMode.AdjustIndentation
    assert item.text_edit is not None
    assert item.text_edit.new_text.split("\n")[1].startswith("  name: ")


def test_what_an_editor_can_do_is_read_from_its_capabilities() -> None:
    item = types.ClientCompletionItemOptions(
        snippet_support=True,
        documentation_format=[types.MarkupKind.Markdown],
        insert_text_mode_support=types.ClientCompletionItemInsertTextModeOptions([types.InsertTextMode.AsIs]),
    )
    able = types.ClientCapabilities(
        text_document=types.TextDocumentClientCapabilities(
            completion=types.CompletionClientCapabilities(completion_item=item)
        )
    )
    assert CompletionClient.of(able, "Neovim") == CompletionClient(tags=False, label_details=False)
    assert CompletionClient.of(types.ClientCapabilities(), "Neovim").adjusts
    assert not CompletionClient.of(types.ClientCapabilities()).snippets


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("name: demo\nconfig:\n  ¦\n", "max_workers"),
        ("name: demo\nconfig:\n  ¦\n", "verbose"),
        ("id: a\ninputs: {prompt: hi}\nexpected:\n  ¦\n", "graders"),
        ("id: a\ninputs: {prompt: hi}\nexpected:\n  ¦\n", "should_trigger"),
        ("name: demo\ngraders:\n  - type: ¦\n", "regex"),
    ],
)
def test_what_the_checks_report_is_not_suggested(text: str, refused: str) -> None:
    found = completions_at(text).labels
    assert found
    assert refused not in found


def test_a_map_beside_its_key_starts_on_a_new_line() -> None:
    check_accepted("name: demo\nconfig: ¦\n", "fail_fast", "name: demo\nconfig:\n  fail_fast: true\n")


def test_a_list_beside_its_key_starts_on_a_new_line() -> None:
    check_accepted(
        "name: demo\nconfig: {}\ntasks: ¦\n", "- item", "name: demo\nconfig: {}\ntasks:\n  - tasks/*.yaml\n"
    )


def test_right_behind_a_colon_no_map_or_list_is_started() -> None:
    check_nothing("name: demo\nconfig:¦\n")
    check_nothing("name: demo\ngraders:¦\n")


def test_a_key_in_quotes_gets_its_colon_behind_them() -> None:
    suite = "name: demo\nskill: x\nconfig: {}\n"
    after = suite + '"baseline": true\n'
    for before in ('"base¦"\n', '"base¦\n', '"base¦": true\n'):
        check_accepted(suite + before, "baseline", after)


def test_a_value_glued_to_its_colon_gets_the_blank() -> None:
    check_accepted("name: demo\nconfig:\n  executor:mo¦\n", "mock", "name: demo\nconfig:\n  executor: mock\n")


def test_half_a_key_above_its_value_gets_only_the_colon() -> None:
    check_accepted(
        "name: demo\ngra¦\n  - type: text\n    name: first\n",
        "graders",
        "name: demo\ngraders:\n  - type: text\n    name: first\n",
    )


def test_a_first_key_goes_to_the_column_of_the_keys_below() -> None:
    before = "name: demo\ngraders:\n  - ¦\n    name: first\n"
    check_labels(before, first=["type"], lacks=["name", "type: text"])
    check_accepted(before, "weight", "name: demo\ngraders:\n  - weight: 2\n    name: first\n")
    check_accepted(
        "name: demo\ngraders:\n  -¦\n      name: first\n",
        "weight",
        "name: demo\ngraders:\n  -   weight: 2\n      name: first\n",
    )


def test_texts_that_are_no_plain_texts_are_quoted() -> None:
    check_accepted(
        "name: demo\nskill: x\nschemaVersion: ¦\n", "1.4", "name: demo\nskill: x\nschemaVersion: '1.4'\n"
    )
    check_accepted(
        'name: demo\nskill: x\nschemaVersion: "¦"\n', "1.4", 'name: demo\nskill: x\nschemaVersion: "1.4"\n'
    )
    files = ["tasks/a.yaml", "prompts/it's #1.yaml", "prompts/notes.txt"]
    check_accepted(
        "name: demo\nconfig: {}\ntasks:\n  - prompts/¦\n",
        "prompts/it's #1.yaml",
        "name: demo\nconfig: {}\ntasks:\n  - 'prompts/it''s #1.yaml'\n",
        files=files,
    )


def test_brackets_over_several_lines() -> None:
    before = "name: demo\ngraders:\n  - {\n      type: program,\n      ¦\n    }\n"
    check_labels(before, first=["name", "config"], lacks=["type"])
    check_accepted(
        before,
        "config",
        "name: demo\ngraders:\n  - {\n      type: program,\n      config: {command: python3}\n    }\n",
    )


def test_a_map_in_brackets_beside_its_key() -> None:
    check_accepted(
        "name: demo\ngraders:\n  - {type: program, config: ¦}\n",
        "timeout",
        "name: demo\ngraders:\n  - {type: program, config: {timeout: 60}}\n",
    )


def test_brackets_around_the_whole_document() -> None:
    check_labels("{name: demo, skill: x, ¦}", first=["config"], lacks=["name", "skill"])


def test_names_that_the_document_has_are_offered_where_they_are_meant() -> None:
    check_labels("name: demo\nconfig:\n  model: my-model\n  judge_model: ¦\n", has=["my-model"])


def test_suggested_values_are_offered() -> None:
    check_labels("name: demo\nmetrics:\n  - name: ¦\n", has=["trigger_accuracy"])
    check_labels("name: demo\nskill: x\nadversarial:\n  packs: [¦]\n", has=["prompt-injection"])


def test_project_and_trigger_files_have_their_own_keys() -> None:
    check_labels("defaults:\n  ¦\n", ".waza.yaml", has=["judgeModel", "parallel"])
    check_labels("dev:\n  target: ¦\n", ".waza.yaml", has=["low", "medium", "high"])
    check_labels(
        "skill: x\nshould_trigger_prompts:\n  - prompt: a\n    ¦\n", "trigger_tests.yaml", has=["confidence"]
    )
    check_labels(
        "skill: x\nshould_trigger_prompts:\n  - confidence: ¦\n",
        "trigger_tests.yaml",
        only=["high", "medium"],
    )
