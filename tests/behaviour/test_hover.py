"""Hover: the meaning of a key or value."""

import pytest
from lsprotocol import types

from tests.behaviour.harness import marked, snapshot_of
from tests.behaviour.reading_harness import check_hover, hover_at
from waza_lsp.features.hover import hover
from waza_lsp.workspace.workspace import WorkspaceFiles

TEXT_GRADER = """
graders:
  - type: text
    name: says-where
    config:
      contains: [deployed]
tasks: [tasks/*.yaml]
"""


def test_h01_an_option_shows_type_description_and_example() -> None:
    check_hover(
        """
        graders:
          - type: text
            config:
              cont¦ains_cs: [README.md]
        """,
        """
        **contains_cs** · list of strings

        Strings that must appear in the output (case-sensitive).

        Example: `contains_cs: ['README.md']`
        """,
        on="contains_cs",
    )


def test_h01_a_required_key_with_a_bound() -> None:
    found = hover_at("graders: []\nconfig:\n  trials_¦per_task: 1\n")
    assert found is not None
    assert found.heading == "**trials_per_task** · whole number · required"
    assert "\n\nAt least 1.\n\n" in found.text


def test_h01_a_default_and_a_version() -> None:
    found = hover_at("graders: []\nconfig:\n  work¦ers: 1\n")
    assert found is not None
    assert found.heading == "**workers** · whole number · since 0.24"
    assert "Default: `0`." in found.text


def test_h01_an_old_key_says_what_replaces_it() -> None:
    found = hover_at(TEXT_GRADER.replace("name: says", "rub¦ric: says"))
    assert found is not None
    assert found.heading == "**rubric** · string · deprecated"
    assert "\n\nUse `config.prompt` instead.\n\n" in found.text


def test_h01_a_key_that_does_nothing_says_so() -> None:
    found = hover_at("id: a\ninputs:\n  prompt: x\n  environ¦ment: {A: b}\n", "tasks/a.yaml")
    assert found is not None
    assert "This key has no effect." in found.text


def test_h01_a_key_that_is_required_unless_another_is_given() -> None:
    required = hover_at(TEXT_GRADER.replace("name:", "na¦me:"))
    not_required = hover_at(TEXT_GRADER.replace("name:", "ref: a/b/c@v1\n    na¦me:"))
    assert required is not None
    assert not_required is not None
    assert required.heading == "**name** · string · required"
    assert not_required.heading == "**name** · string"


def test_h02_an_optional_key_is_described_once() -> None:
    found = hover_at("id: a\ninputs: {prompt: x}\ntimeout_¦seconds: 1\n", "tasks/a.yaml")
    assert found is not None
    assert found.heading == "**timeout_seconds** · whole number"
    assert found.text.count("Time limit for each turn") == 1


def test_h03_a_value_of_a_list_of_values_has_its_own_meaning() -> None:
    check_hover(
        """
        skill: notes
        should_trigger_prompts:
          - prompt: take notes
            confidence: med¦ium
        """,
        """
        **confidence: medium**

        Half weight.

        Other values: `high`
        """,
        on="medium",
        name="trigger_tests.yaml",
    )


def test_h03_a_key_lists_its_values() -> None:
    found = hover_at("should_trigger_prompts:\n  - prompt: x\n    confid¦ence: high\n", "trigger_tests.yaml")
    assert found is not None
    assert found.heading == "**confidence** · one of `high`, `medium`"
    assert "\n\n- `high`: Full weight.\n- `medium`: Half weight.\n\n" in found.text


def test_h03_a_value_that_is_not_allowed_gets_the_text_of_the_key() -> None:
    found = hover_at("graders: []\nconfig:\n  executor: mo¦ch\n")
    assert found is not None
    assert found.heading.startswith("**executor**")
    assert found.on == "moch"


def test_h03_a_number_gets_the_text_of_its_key() -> None:
    found = hover_at("graders: []\nconfig:\n  timeout_seconds: 30¦0\n")
    assert found is not None
    assert found.heading == "**timeout_seconds** · whole number · required"
    assert found.on == "300"


def test_h03_a_boolean_gets_the_text_of_its_key() -> None:
    found = hover_at("graders: []\nconfig:\n  parallel: tr¦ue\n")
    assert found is not None
    assert found.heading == "**parallel** · true or false"
    assert "Default: `false`." in found.text


def test_h04_a_grader_type_shows_what_it_does_its_options_and_its_score() -> None:
    found = hover_at(TEXT_GRADER.replace("type: text", "type: te¦xt"))
    assert found is not None
    assert found.on == "text"
    assert found.heading.startswith("**type: text**")
    assert "Checks that the output contains, or does not contain, given strings and patterns." in found.text
    assert "| `contains` | list of strings | Strings that must appear" in found.text
    assert "**Score:** Each list item is one check" in found.text
    assert "docs/graders/text.md)" in found.text


def test_h04_required_options_are_marked_and_come_first() -> None:
    found = hover_at("graders:\n  - type: di¦ff\n    name: x\ntasks: [a]\n")
    assert found is not None
    rows = [it for it in found.text.split("\n") if it.startswith("| `")]
    assert rows[0].startswith("| `expected_files` | list of mappings, required |")


def test_h05_config_is_the_config_of_that_type() -> None:
    found = hover_at(TEXT_GRADER.replace("config:", "con¦fig:"))
    assert found is not None
    assert found.heading.startswith("**config** · mapping")
    assert "Checks that the output contains, or does not contain, given strings and patterns." in found.text
    assert "| `contains` |" in found.text


def test_h05_the_type_may_stand_below() -> None:
    found = hover_at("graders:\n  - con¦fig:\n      command: x\n    type: program\ntasks: [a]\n")
    assert found is not None
    assert "| `command` |" in found.text


@pytest.mark.parametrize("line", ["executor¦:", "exec¦utor:", "executor: ¦", "executor:¦", "executor: ¦  "])
def test_h06_a_key_without_a_value(line: str) -> None:
    found = hover_at(f"graders: []\nconfig:\n  {line}\n  model: x\n")
    assert found is not None
    assert found.heading.startswith("**executor** · one of")
    assert found.on == "executor"


@pytest.mark.parametrize(
    "document",
    [
        "graders: []\nwhat¦ever: 1\ntasks: [a]\n",
        "graders: []\nconfig:\n  whatever: va¦lue\n",
        "graders: []\ntasks: [a]\ninputs:\n  a_free_na¦me: value\n",
    ],
    ids=["unknown key", "value of an unknown key", "free name"],
)
def test_h07_what_is_not_known_has_no_hover(document: str) -> None:
    assert hover_at(document) is None


@pytest.mark.parametrize(
    "document",
    [
        "# a com¦ment\ngraders: []\ntasks: [a]\n",
        "graders: []  # a com¦ment\ntasks: [a]\n",
        "graders: []\n¦\ntasks: [a]\n",
        "graders: []\nconfig:\n  executor:  # on¦e of\n",
        "graders: []\nconfig:\n ¦ executor: mock\n",
    ],
    ids=["comment", "comment behind a value", "blank line", "comment for a missing value", "indentation"],
)
def test_h08_comments_and_blanks_have_no_hover(document: str) -> None:
    assert hover_at(document) is None


def test_h08_text_of_several_lines_has_no_hover() -> None:
    assert hover_at("id: a\ninputs:\n  prompt: |\n    Sum¦marize\n    it.\n", "tasks/a.yaml") is None


def test_h09_an_alias_shows_what_it_stands_for_and_the_field() -> None:
    found = hover_at(
        """
        shared: &shared
          trials_per_task: 3
          executor: mock
        config: *sha¦red
        graders: []
        """
    )
    assert found is not None
    assert found.on == "*shared"
    assert found.heading == "**config** · mapping · required"
    assert found.text.endswith("```yaml\ntrials_per_task: 3\nexecutor: mock\n```")


def test_h09_an_alias_of_a_scalar_and_of_a_list() -> None:
    document = "x: &one first\ny: &list\n  - a\n  - b\nskill: s\ngraders: []\nname: {0}\ntags: {1}\n"
    scalar = hover_at(document.format("*on¦e", "x"))
    items = hover_at(document.format("x", "*li¦st"))
    assert scalar is not None
    assert items is not None
    assert scalar.text.endswith("```yaml\nfirst\n```")
    assert items.text == "```yaml\n- a\n- b\n```"


def test_h09_a_merge_key_shows_the_block() -> None:
    found = hover_at("x: &base\n  type: text\ngraders:\n  - <<: *ba¦se\n    name: y\ntasks: [a]\n")
    assert found is not None
    assert found.text == "```yaml\ntype: text\n```"


def test_h09_the_anchor_meant_is_the_last_one_above() -> None:
    found = hover_at("a: &x 1\nb: &x 2\nname: *¦x\nc: &x 3\nskill: s\ngraders: []\ntasks: [a]\n")
    assert found is not None
    assert found.text.endswith("```yaml\n2\n```")


def test_h09_an_alias_without_an_anchor_has_the_text_of_the_field() -> None:
    found = hover_at("name: *no¦pe\ngraders: []\ntasks: [a]\n")
    assert found is not None
    assert found.heading == "**name** · string · required"


BROKEN = [
    "rege",
    '"open',
    "regex_match: [open",
    "regex_match: {open",
    "\tx: 1",
    "- x",
    "a: b: c",
    "@x",
    '"bad\\q": 1',
    "key:value",
    "*",
    "<<<<<<< HEAD",
    ": x",
    "{{name}}: x",
]


@pytest.mark.parametrize("line", BROKEN)
def test_h10_a_broken_line_in_the_same_item_takes_nothing_away(line: str) -> None:
    document = TEXT_GRADER.replace("deployed]", f"deployed]\n      {line}")
    whole = hover_at(TEXT_GRADER.replace("contains", "cont¦ains"))
    assert whole is not None
    assert hover_at(document.replace("contains", "cont¦ains")) == whole


@pytest.mark.parametrize("line", BROKEN)
def test_h10_a_broken_line_above_takes_nothing_away(line: str) -> None:
    document = TEXT_GRADER.replace("    config:", f"    {line}\n    config:")
    whole = hover_at(TEXT_GRADER.replace("contains", "cont¦ains"))
    assert whole is not None
    assert hover_at(document.replace("contains", "cont¦ains")) == whole


@pytest.mark.parametrize(
    "key",
    [
        "\tmcp_servers:",
        "  mcp_servers",
        "   mcp_servers:",
        "  mcp_servers;",
        "  mcp_servers =",
        "\t mcp_servers:",
    ],
)
def test_h10_a_broken_key_with_lines_below_it_takes_nothing_away(key: str) -> None:
    lines = [
        "graders: []",
        "config:",
        "  trials_per_task: 1",
        "{}",
        "    # why",
        "    a:",
        "      type: http",
        "",
    ]
    below = "\n  exe¦cutor: mock\n"
    whole = hover_at("\n".join(lines).format("  mcp_servers:") + below)
    assert whole is not None
    assert hover_at("\n".join(lines).format(key) + below) == whole


@pytest.mark.parametrize("key", ["\ttags:", "   tags:", "     tags:", "    tags"])
def test_h10_such_a_key_below_another_value_takes_nothing_away(key: str) -> None:
    stimulus = "stimuli:\n  - name: a\n    rubric:\n      - good?\n{}\n      area: x\n    constr¦aints:\n      max_turns: 2\n"
    whole = hover_at(stimulus.format("    tags:"), "v.vally.yaml")
    assert whole is not None
    assert hover_at(stimulus.format(key), "v.vally.yaml") == whole


def test_h10_what_was_known_beside_such_a_key_still_is() -> None:
    broken = TEXT_GRADER.replace("    config", "\tconfig") + "config:\n  executor: mock\n"
    assert hover_at(broken.replace("name: says", "na¦me: says")) == hover_at(
        TEXT_GRADER.replace("name: says", "na¦me: says")
    )
    assert hover_at(broken.replace("  contains", "  cont¦ains")) is None
    assert hover_at(broken.replace("executor", "exe¦cutor")) is not None


def test_windows_line_ends() -> None:
    document = TEXT_GRADER.replace("contains", "cont¦ains")
    assert hover_at(document, line_end="\r\n") == hover_at(document)


def test_characters_outside_the_basic_plane() -> None:
    found = hover_at('graders:\n  - {name: "🎉🎉", type: te¦xt}\ntasks: [a]\n')
    assert found is not None
    assert found.on == "text"
    assert found.heading.startswith("**type: text**")


def test_a_file_that_is_no_eval_has_no_hover() -> None:
    assert hover_at("na¦me: x\non: push\njobs: {}\n", "ci.yaml") is None


def test_an_empty_document_has_no_hover() -> None:
    assert hover_at("¦") is None


def test_an_editor_without_markdown_gets_a_hover_without_marks() -> None:
    document = marked("name: a\nskill: b\nconfig:\n  execu¦tor: mock\n")
    assert document.cursor is not None
    found = hover(snapshot_of(document.source), document.cursor, WorkspaceFiles(), markdown=False)
    assert found is not None
    assert isinstance(found.contents, types.MarkupContent)
    assert found.contents.kind is types.MarkupKind.PlainText
    assert found.contents.value.startswith("executor · one of ")


@pytest.mark.parametrize(
    ("document", "title"),
    [
        ("name : ¦", "name"),
        ("name: ¦", "name"),
        ("name:¦", "name"),
        ("? name\n: ¦", "name"),
        ("config:\n  ? executor\n  : ¦", "executor"),
    ],
)
def test_h06_a_missing_value_however_its_key_is_written(document: str, title: str) -> None:
    found = hover_at(f"graders: []\n{document}\n")
    assert found is not None
    assert found.heading.startswith(f"**{title}**")


@pytest.mark.parametrize("document", [": ¦", "skill: s\n: ¦", "config:\n  ? executor\n: ¦"])
def test_h06_a_colon_alone_means_nothing(document: str) -> None:
    assert hover_at(f"graders: []\n{document}\n") is None


@pytest.mark.parametrize(
    "text",
    [
        "type: co¦de",
        "type: code\n    config: {asser¦tions: ['True']}",
        "type: code\n    config: {assertions: [len(out¦put) > 0]}",
    ],
)
def test_a_hover_of_code_lists_the_names_with_types(text: str) -> None:
    found = hover_at(f"name: demo\nskill: s\ngraders:\n  - name: g\n    {text}\n")
    assert "`output` (str)" in str(found)
    assert "`tool_calls` (list of dict)" in str(found)


def test_h12_a_key_links_to_its_place_on_the_page_about_the_file() -> None:
    places = {
        "name: a\nconfig:\n  mod¦el: x\n": "eval.md#config.model",
        "hooks:\n  after_task:\n    - com¦mand: x\ntasks: [a]\ngraders: []\n": "eval.md#hooks.before_run.command",
        "tasks:\n  - id: a\n    inp¦uts: {prompt: x}\ngraders: []\n": "task.md#inputs",
    }
    for document, place in places.items():
        found = hover_at(document)
        assert found is not None
        assert f"/docs/formats/{place})" in found.text
