"""Findings while typing: one mistake, one finding, on the smallest token."""

import pytest

from tests.behaviour.findings_harness import HEADER, findings_in, only_finding

GRADER = """\
graders:
  - type: {type}
    name: first
    config:
      {options}
"""


def _suite(options: str, kind: str = "text") -> str:
    return HEADER + GRADER.format(type=kind, options=options)


def test_a_good_suite_has_no_findings() -> None:
    assert findings_in(_suite("contains: [a]")) == []


def test_v01_an_item_without_type() -> None:
    found = only_finding(HEADER + "graders:\n  - name: first\n    config:\n      contains: [a]\n")
    assert (found.underlined, found.code) == ("name", "missing-key")
    assert found.message.startswith("Missing 'type'. Known types: action_sequence, behavior, code, ")
    assert "keyword" not in found.message


def test_only_grader_findings_list_the_types() -> None:
    task = "id: a\nname: A\ninputs:\n  prompt: hi\n  repos: [{source: ., dest: x}]\n"
    found = [it for it in findings_in(task, "tasks/a.yaml") if it.code == "missing-key"]
    assert [it.message for it in found] == ["Missing 'type'"]


def test_v02_an_unknown_type() -> None:
    found = only_finding(_suite("whatever: 1", kind="txt"))
    assert (found.underlined, found.code) == ("txt", "unknown-grader-type")
    assert found.message == "Unknown grader type 'txt'. Did you mean 'text'?"


def test_v03_an_option_of_the_wrong_type() -> None:
    found = only_finding(_suite("contains: [a]\n      must_exist: [b]"))
    assert (found.underlined, found.code) == ("must_exist", "unknown-key")
    assert found.message == "Unknown key 'must_exist'. It is an option of file"


def test_v04_a_misspelt_required_key_is_not_also_missing() -> None:
    found = only_finding(_suite('asertions: ["True"]', kind="code"))
    assert (found.underlined, found.code) == ("asertions", "unknown-key")
    assert found.message == "Unknown key 'asertions'. Did you mean 'assertions'?"


def test_v05_a_group_of_which_one_is_needed_names_all_members() -> None:
    found = only_finding(HEADER + "graders:\n  - type: file\n    name: first\n    config: {}\n")
    assert (found.underlined, found.code) == ("config", "missing-key")
    assert found.message == "Give at least one of 'must_exist', 'must_not_exist', 'content_patterns'"


def test_v06_a_text_for_a_list() -> None:
    found = only_finding(_suite("contains: hello"))
    assert (found.underlined, found.code) == ("hello", "wrong-type")
    assert found.message == "Expected a list of strings, found the string 'hello'"


@pytest.mark.parametrize("value", ['"3"', "'3'"])
def test_v07_a_quoted_number(value: str) -> None:
    found = only_finding(HEADER.replace("trials_per_task: 1", f"trials_per_task: {value}"))
    assert (found.underlined, found.code) == (value, "wrong-type")
    assert found.message == "Expected a whole number, found the string '3'; remove the quotes"


@pytest.mark.parametrize(("value", "word"), [("yes", "true"), ("on", "true"), ("off", "false")])
def test_v08_the_words_that_waza_takes_for_booleans_are_fine(value: str, word: str) -> None:
    found = only_finding(HEADER.replace("executor: mock", f"executor: mock\n  parallel: {value}"))
    assert (found.underlined, found.code, found.severity) == (value, "refused-by-check", "hint")
    assert found.message == f"Runs read '{value}' as {word}, but `waza check` reports it. Write {word}"


def test_v08_a_boolean_of_yaml_itself() -> None:
    assert findings_in(HEADER.replace("executor: mock", "executor: mock\n  parallel: True")) == []


def test_v09_a_number_for_a_text_keeps_its_text() -> None:
    found = only_finding(HEADER + "version: 1.0\n")
    assert (found.underlined, found.code, found.severity) == ("1.0", "refused-by-check", "hint")


@pytest.mark.parametrize("value", ["foo", "[a]", "3", "true", "'{}'"])
def test_a_config_of_the_wrong_type_is_one_mistake(value: str) -> None:
    found = only_finding(HEADER + f"graders:\n  - type: text\n    name: a\n    config: {value}\n")
    assert (found.underlined, found.code) == (value, "wrong-type")


@pytest.mark.parametrize("value", ["[text]", "{a: b}"])
def test_a_type_of_the_wrong_type_is_one_mistake(value: str) -> None:
    text = HEADER + f"graders:\n  - type: {value}\n    name: a\n    config: {{contains: [a]}}\n"
    assert only_finding(text).code == "wrong-type"


@pytest.mark.parametrize("options", ["contains:[a]", "contains:[a]\n      not_contains:[b]", "contains:a"])
def test_v15_in_the_only_line_of_a_config(options: str) -> None:
    text = HEADER + f"graders:\n  - type: text\n    name: a\n    config:\n      {options}\n"
    assert only_finding(text).message.endswith("missing space after ':'")


@pytest.mark.parametrize("value", ["0.5", "-0.5", "'0'", "-1.5", "[0]"])
@pytest.mark.parametrize("entry", ["timeout_seconds: 60", "trials_per_task: 1"])
def test_a_number_of_the_wrong_type_is_not_also_out_of_range(entry: str, value: str) -> None:
    assert entry in HEADER
    found = only_finding(HEADER.replace(entry, f"{entry.partition(':')[0]}: {value}"))
    assert (found.underlined, found.code) == (value, "wrong-type")


@pytest.mark.parametrize("value", ["foo", "[a]"])
def test_a_config_of_vally_of_the_wrong_type(value: str) -> None:
    text = "name: a\nstimuli:\n  - name: s\n    prompt: hi\n    graders:\n      - type: output-contains\n"
    assert only_finding(text + f"        config: {value}\n").code == "wrong-type"


def test_v10_a_duplicate_key_is_reported_at_its_second_place() -> None:
    found = only_finding(_suite("contains: [a]\n      contains: [b]"))
    assert (found.line, found.underlined, found.code) == (14, "contains", "duplicate-key")


def test_v10_a_duplicate_top_level_key() -> None:
    found = only_finding(HEADER + "skill: other\n")
    assert (found.line, found.underlined, found.code) == (9, "skill", "duplicate-key")


def test_v11_a_tab() -> None:
    found = only_finding(HEADER.replace("  timeout_seconds", "\ttimeout_seconds"))
    assert (found.underlined, found.code) == ("\t", "syntax-error")
    assert found.message == "YAML does not allow tabs for indentation; use spaces"


def test_v12_bad_indentation() -> None:
    found = only_finding(HEADER.replace("  timeout_seconds", "   timeout_seconds"))
    assert (found.line, found.code) == (6, "syntax-error")


def test_v13_an_unclosed_quote_is_reported_where_it_opens() -> None:
    found = only_finding(
        HEADER + 'graders:\n  - type: text\n    name: "first\n    config:\n      contains: [a]\n'
    )
    assert (found.line, found.underlined, found.code) == (11, '"', "syntax-error")


def test_v14_an_unclosed_bracket_is_reported_where_it_opens() -> None:
    found = only_finding(
        _suite("contains: [a, b") + "  - type: text\n    name: b\n    config: {contains: [c]}\n"
    )
    assert (found.line, found.underlined, found.code) == (13, "[", "syntax-error")


def test_v15_a_missing_blank_after_a_colon() -> None:
    found = only_finding(_suite("contains: [a]").replace("name: first", "name:first"))
    assert (found.underlined, found.message) == ("name:first", "Missing space after ':'")


def test_v16_a_missing_blank_after_a_dash() -> None:
    found = only_finding(HEADER + "graders:\n  -type: text\n    name: first\n")
    assert (found.underlined[:6], found.message) == ("-type:", "Missing space after '-'")


@pytest.mark.parametrize("blanks", ["\u00a0 ", "\u00a0\u00a0", " \u00a0", "\u2003"])
def test_v12_spaces_that_yaml_does_not_know(blanks: str) -> None:
    found = only_finding(HEADER.replace("  executor", f"{blanks}executor"))
    assert (found.underlined, found.code) == (blanks.lstrip(" "), "syntax-error")
    assert found.message.endswith("indent with ordinary spaces")


_GRADERS = "graders:\n  - type: text\n    name: n\n    config:\n      contains:\n        - a\n"


@pytest.mark.parametrize("before", ["    name", "    config", "      contains", "        - a", "  - type"])
def test_v12_what_an_item_lacks_by_such_blanks_is_no_mistake_of_its_own(before: str) -> None:
    indent = before[: len(before) - len(before.lstrip())]
    found = only_finding(HEADER + _GRADERS.replace(before, "\u00a0" * len(indent) + before.lstrip()))
    assert (found.underlined, found.code) == ("\u00a0" * len(indent), "syntax-error")


def test_v12_an_item_beside_one_with_such_spaces_is_checked() -> None:
    text = _GRADERS.replace("    name", "\u00a0\u00a0\u00a0\u00a0name")
    found = findings_in(HEADER + text + "  - type: text\n    config: {contains: [b]}\n")
    assert [it.code for it in found] == ["syntax-error", "missing-key"]


def test_v12_a_list_that_is_empty_by_such_blanks() -> None:
    text = "name: v\nstimuli:\n\u00a0\u00a0- name: a\n    prompt: p\n"
    assert only_finding(text).code == "syntax-error"


@pytest.mark.parametrize("blank", ["\u00a0", "\u3000", "\u00a0 "])
@pytest.mark.parametrize(
    "mark", ["- type", "name: n", "config:", "skill: ", "tasks: ", "graders:", "executor: "]
)
def test_spaces_behind_a_dash_or_a_colon_that_yaml_does_not_know(mark: str, blank: str) -> None:
    glued = mark.replace(" ", "", 1).replace("-", f"-{blank}").replace(":", f":{blank}")
    found = only_finding((HEADER + _GRADERS).replace(mark, glued, 1))
    assert (found.underlined, found.code) == (blank, "syntax-error")
    assert found.message.endswith("replace it with an ordinary space")


def test_such_a_blank_behind_a_dash_in_column_0() -> None:
    graders = "graders:\n- type: text\n  name: n\n  config: {contains: [a]}\n"
    found = only_finding(HEADER + graders.replace("- type", "-\u00a0type"))
    assert (found.line, found.underlined, found.code) == (10, "\u00a0", "syntax-error")


def test_such_a_blank_behind_the_dash_of_a_later_item() -> None:
    found = only_finding(HEADER + _GRADERS + "  -\u00a0type: text\n    name: m\n")
    assert (found.line, found.underlined, found.code) == (15, "\u00a0", "syntax-error")


def test_a_line_of_such_blanks_above_a_list() -> None:
    found = only_finding(HEADER + _GRADERS.replace("graders:\n", "graders:\n  \u00a0\n"))
    assert (found.line, found.underlined, found.code) == (10, "\u00a0", "syntax-error")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (": c", "Missing key before ':'"),
        ("x" * 1025 + ": c", "Key too long; YAML allows at most 1024 characters"),
        ("*n : c", "An alias cannot be used as a key; write the key itself"),
    ],
)
def test_v12_an_invalid_key(line: str, message: str) -> None:
    found = only_finding(HEADER.replace("name: ", "name: &n ", 1) + line + "\n")
    assert (found.line, found.message) == (9, message)


def test_v25_a_tag_in_the_place_of_a_value_is_one_mistake() -> None:
    assert only_finding(HEADER.replace("name: ", "name: !", 1)).code == "unknown-tag"
    assert only_finding(HEADER.replace("executor: ", "executor: !", 1)).code == "unknown-tag"


def test_v18_conflict_markers() -> None:
    found = only_finding(HEADER + "<<<<<<< ours\nversion: '1'\n=======\nversion: '2'\n>>>>>>> theirs\n")
    assert (found.line, found.underlined) == (9, "<<<<<<<")
    assert found.message == "Merge conflict. Choose a side and remove the markers"


def test_v21_a_second_document_is_not_checked() -> None:
    found = only_finding(HEADER + "---\nanything: goes\n")
    assert (found.line, found.underlined, found.code, found.severity) == (
        9,
        "---",
        "second-document",
        "warning",
    )


@pytest.mark.parametrize("end", ["...\n", "...", "---\n", "---\n# nothing\n\n...\n"])
def test_v21_a_separator_with_nothing_below_begins_no_document(end: str) -> None:
    assert findings_in(HEADER + end) == []


def test_v22_merged_keys_count_as_present() -> None:
    base = _suite("contains: [a]").replace("- type", "- &base\n    type")
    assert findings_in(base + "  - <<: *base\n    name: second\n") == []


def test_v22_findings_in_merged_values_from_elsewhere_are_at_the_merge_key() -> None:
    base = _suite("contains: [a]\n      regex_match: ['(']").replace("- type", "- &base\n    type")
    found = findings_in(base + "  - name: second\n    <<: *base\n")
    assert [(it.code, it.underlined) for it in found] == [("invalid-regex", "("), ("invalid-regex", "<<")]


def test_v22_findings_in_merged_values_from_this_piece_are_at_the_values() -> None:
    base = _suite("contains: [a]\n      <<:\n        - {contains: [b]}\n        - regex_match: ['(']")
    found = only_finding(base)
    assert (found.code, found.underlined) == ("invalid-regex", "(")


def test_v23_an_alias_without_anchor() -> None:
    found = only_finding(HEADER.replace("gpt-4o", "*nowhere"))
    assert (found.underlined, found.code, found.severity) == ("*nowhere", "syntax-error", "error")
    assert found.message == "There is no anchor '&nowhere' above"


def test_v23_an_anchor_further_down_does_not_count() -> None:
    found = only_finding(HEADER.replace("gpt-4o", "*name") + "description: &name later\n")
    assert found.underlined == "*name"


_GRADER = "graders:\n  - type: text\n    name: a\n    config:\n      contains: "
_CONFIG = HEADER[HEADER.index("config:") :]


@pytest.mark.parametrize(
    "source",
    [
        HEADER.replace(_CONFIG, "config:\n  <<: *no\n"),
        HEADER.replace(_CONFIG, "config: {<<: *no}\n"),
        HEADER.replace(_CONFIG, "config:\n  <<: [*no]\n  executor: mock\n"),
        HEADER.replace(_CONFIG, "config: *no\n"),
        HEADER.replace("[tasks/*.yaml]", "*no"),
        HEADER.replace("trials_per_task: 1", "trials_per_task: *no"),
        f"{HEADER}{_GRADER}[*no]\n",
        f"{HEADER}{_GRADER}*no\n",
        HEADER + "graders:\n  - type: program\n    name: a\n    config: *no\n",
        HEADER + "graders:\n  - <<: *no\n    name: a\n",
        HEADER + "graders:\n  - name: a\n    <<: *no\n",
        HEADER + "graders:\n  - {<<: *no, name: a}\n",
        HEADER + "graders:\n  - type: *no\n    name: a\n    config: {contains: [a]}\n",
        HEADER + "graders:\n  - type: program\n    name: a\n    config: {<<: *no}\n",
        HEADER + "graders:\n  - type: file\n    name: a\n    config: {must_exist: *no}\n",
        HEADER + "graders:\n  - *no\n",
        HEADER + "graders: *no\n",
        f"{HEADER}{_GRADER}*no\nversion: &no x\n",
        HEADER.replace(_CONFIG, "config:\n  <<: *no\nversion: &no x\n"),
    ],
)
def test_v23_an_unknown_alias_has_no_cascade(source: str) -> None:
    found = only_finding(source)
    assert (found.underlined, found.code) == ("*no", "syntax-error")


def test_v23_other_mistakes_beside_an_unknown_alias_are_reported() -> None:
    text = HEADER.replace("model: gpt-4o", "<<: *no\n  modle: gpt-4o").replace("trials_per_task: 1\n  ", "")
    text = text.replace("skill: notes", "skil: notes") + f"{_GRADER}[]\n"
    assert [(it.underlined, it.code) for it in findings_in(text)] == [
        ("skil", "unknown-key"),
        ("*no", "syntax-error"),
        ("modle", "unknown-key"),
        ("config", "cannot-fail"),
    ]


@pytest.mark.parametrize(
    "source",
    [
        HEADER.replace("config:", "config: &no").replace("model: gpt-4o", "model: *no"),
        HEADER.replace("config:", "config: &no")
        .replace("model: gpt-4o", "model: m\n  mcp_servers: *no")
        .replace("mock", "copilot-sdk"),
        HEADER.replace("config:", "config: &no").replace("model: gpt-4o", "<<: *no"),
        HEADER + "graders: &no\n  - *no\n",
        HEADER + "graders:\n  - &no\n    type: text\n    name: n\n    config: {contains: [*no]}\n",
    ],
)
def test_v24_an_anchor_that_contains_itself_is_one_mistake(source: str) -> None:
    found = only_finding(source)
    assert (found.underlined, found.code) == ("*no", "syntax-error")


def test_v24_an_anchor_that_holds_itself() -> None:
    found = findings_in(HEADER + "description: &self [*self]\n")
    assert {("*self", "syntax-error")} < {(it.underlined, it.code) for it in found}
    assert {it.code for it in found} == {"syntax-error", "wrong-type"}


@pytest.mark.parametrize("tag", ["!env", "!!what", "!env &here"])
def test_v25_an_unknown_tag(tag: str) -> None:
    found = only_finding(HEADER.replace("gpt-4o", f"{tag} gpt-4o"))
    assert (found.underlined, found.code, found.severity) == (tag.partition(" ")[0], "unknown-tag", "warning")


def test_v25_a_text_behind_an_unknown_tag_lacks_no_quotes() -> None:
    assert only_finding(HEADER + 'version: !x "1.0"\n').code == "unknown-tag"


def test_v25_an_unknown_tag_that_makes_a_number_a_text_is_an_error() -> None:
    found = only_finding(HEADER.replace("timeout_seconds: 60", "timeout_seconds: !x 60"))
    assert (found.underlined, found.code, found.severity) == ("!x", "unknown-tag", "error")


def test_v25_known_tags_are_fine() -> None:
    source = HEADER.replace("gpt-4o", "!!str gpt-4o").replace("[tasks", "!!seq [!!str tasks")
    assert findings_in(source + "description: ! text\n") == []


def test_v26_ranges_after_astral_characters_and_with_crlf() -> None:
    source = _suite("contains: [𝄞𝄞, é]\n      contians: [b]").replace("\n", "\r\n")
    found = only_finding("\ufeff" + source)
    assert found.underlined == "contians"


def test_v27_missing_keys_at_the_root_are_one_finding() -> None:
    found = only_finding(HEADER.replace("name: notes\n", "").replace("tasks: [tasks/*.yaml]\n", ""))
    assert (found.line, found.underlined, found.code) == (1, "skill", "missing-key")
    assert found.message == "Give at least one of 'tasks', 'tasks_from'; missing 'name'"


def test_what_waza_does_without_is_a_warning() -> None:
    assert only_finding(HEADER.replace("name: notes\n", "")).severity == "warning"
    nameless = HEADER + "graders:\n  - type: {}\n    config: {}\n"
    text = only_finding(nameless.format("text", "{contains: [a]}"))
    assert (text.message, text.severity) == ("Missing 'name'", "warning")
    # The one type that is refused without a name.
    prompt = only_finding(nameless.replace("mock", "copilot-sdk").format("prompt", "{prompt: Is it short?}"))
    assert (prompt.message, prompt.severity) == ("Missing 'name'", "error")


def test_what_waza_needs_makes_the_one_finding_an_error() -> None:
    header = HEADER.replace("executor: mock", "executor: copilot-sdk")
    found = only_finding(header.replace("  trials_per_task: 1\n", "").replace("  model: gpt-4o\n", ""))
    assert (found.message, found.severity) == ("Missing 'trials_per_task', 'model'", "error")


def test_a_threshold_that_waza_never_looks_at_is_a_warning() -> None:
    found = findings_in(HEADER + "metrics:\n  - name: trigger_accuracy\n    weight: 1\n    threshold: 80\n")
    assert [it.severity for it in found if it.code == "out-of-range"] == ["warning"]


def test_a_missing_executor_is_a_warning() -> None:
    found = only_finding(HEADER.replace("  executor: mock\n", ""))
    assert (found.underlined, found.message, found.severity) == ("config", "Missing 'executor'", "warning")


def test_the_mock_executor_needs_no_model() -> None:
    assert findings_in(HEADER.replace("  model: gpt-4o\n", "")) == []
    copilot = HEADER.replace("  model: gpt-4o\n", "").replace("executor: mock", "executor: copilot-sdk")
    assert [it.message for it in findings_in(copilot)] == ["Missing 'model'"]


def test_a_key_that_belongs_elsewhere_says_where() -> None:
    found = only_finding(HEADER + "timeout_seconds: 5\n")
    assert found.message == "Unknown key 'timeout_seconds'; it belongs under 'config'"


def test_a_pattern_that_re2_cannot_read() -> None:
    found = only_finding(_suite("regex_match: ['(?=x)']"))
    assert (found.underlined, found.code) == ("(?=", "invalid-regex")


@pytest.mark.parametrize(
    "source",
    [
        "- hosts: all\n  tasks:\n    - name: x\n",
        "stimuli:\n  - image: x.png\n    seconds: 2\n",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\n",
        "just some text\n",
    ],
)
def test_files_that_are_no_evals_get_nothing(source: str) -> None:
    assert findings_in(source, "other.yaml") == []
