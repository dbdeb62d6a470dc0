"""Mistakes that break several things but are one finding."""

from pathlib import Path

import pytest

from tests.behaviour.completion_harness import completions_at
from tests.behaviour.findings_harness import HEADER, findings_in, only_finding
from tests.behaviour.fixes_harness import check_fix
from waza_engine.analysis.pipeline import check_file

GRADER = "graders:\n  - type: text\n    name: a\n    config:\n      contains: [a]\n"


@pytest.mark.parametrize(
    "config",
    [
        "config:\n  trials_per_task: 1\n  timeout_seconds: 60\nexecutor: mock\n  model: m\n",
        "config:\n  trials_per_task: 1\n  timeout_seconds: 60\nexecutor: mock\n  # about it\n\n  model: m\n",
        "config:\n    trials_per_task: 1\n    timeout_seconds: 60\nexecutor: mock\n    model: m\n",
        "config:\n  trials_per_task: 1\n  mcp_servers:\n    a: {command: x}\nexecutor:\n    b: {command: x}\n  model: m\n",
    ],
)
def test_v12_a_line_of_a_mapping_in_column_0(config: str) -> None:
    found = only_finding("name: x\nskill: y\ntasks: [a]\n" + config + "version: '1'\n")
    assert (found.underlined, found.code) == ("executor", "syntax-error")
    assert found.message == "This line is indented differently from its neighbours; align it with them"


def test_v12_a_line_too_deep_below_a_key_of_the_top_level_is_blamed_itself() -> None:
    found = only_finding(HEADER + "version: x\n  description: y\n")
    assert (found.line, found.underlined, found.code) == (10, "description", "syntax-error")


def test_v12_nothing_is_kept_back_where_the_moved_line_is_not_known() -> None:
    config = "config:\n  trials_per_task: 1\n  timeout_seconds: 60\ndescription: x\n  executor: mock\n  workers: 2\n"
    found = findings_in("name: x\nskill: y\ntasks: [a]\n" + config)
    assert [(it.underlined, it.code) for it in found] == [
        ("config", "missing-key"),
        ("executor", "syntax-error"),
    ]


def test_v12_other_missing_keys_in_the_section_above_are_reported() -> None:
    hooks = "hooks:\n  before_run:\n    - working_directory: x\nfoo: bar\n  after_run: []\n"
    found = findings_in(HEADER + hooks)
    assert [it.code for it in found] == ["missing-key", "syntax-error"]
    assert "'command'" in found[0].message


@pytest.mark.parametrize("line", ["{{x}}: 1", "{{ x }}: [1]", "{{x}}:"])
def test_v17_a_template_as_a_key(line: str) -> None:
    found = only_finding(f"{HEADER}{line}\n")
    assert (found.underlined, found.code) == (line.partition(":")[0], "unquoted-template")
    check_fix(f"{HEADER}¦{line}\n", HEADER + line.replace("{{", '"{{').replace("}}", '}}"') + "\n")


def test_v17_other_brackets_in_column_0_are_no_entry() -> None:
    assert only_finding(f"{HEADER}{{a: 1}}: 1\n").code == "syntax-error"


@pytest.mark.parametrize(
    ("start", "line"),
    [
        ("---\n---\n", 2),
        ("---\n\n# about it\n--- # here\n", 4),
        ("# about it\n---\n---\n", 3),
        ("%YAML 1.2\n---\n---\n", 3),
        ("---\n---\n---\n", 2),
    ],
)
def test_v21_an_empty_document_before_the_eval(start: str, line: int) -> None:
    found = only_finding(start + HEADER)
    assert (found.line, found.underlined, found.code, found.severity) == (
        line,
        "---",
        "second-document",
        "error",
    )
    assert (
        found.message == "Only the first YAML document of a file is read, and it is empty. Remove this line"
    )


def test_v21_keys_are_offered_in_the_second_document_all_the_same() -> None:
    assert "config" in completions_at("---\n---\nname: x\n¦").labels


@pytest.mark.parametrize("start", ["---\n", "# a\n---\n# b\n", "%YAML 1.2\n---\n", "\n---\n\n"])
def test_v21_one_separator_begins_the_document(start: str) -> None:
    assert findings_in(start + HEADER) == []


@pytest.mark.parametrize("value", ["*", "@x", "%x", "&"])
def test_a_key_whose_value_cannot_be_read_is_there(value: str) -> None:
    found = only_finding(f"name: x\nskill: y\ntasks: [a]\nconfig: {value}\n")
    assert (found.line, found.code) == (4, "syntax-error")
    [found] = findings_in(HEADER.replace("executor: mock", f"executor: {value}"))
    assert (found.line, found.code) == (7, "syntax-error")


def test_an_unknown_key_beside_a_type_is_a_warning_as_elsewhere() -> None:
    found = only_finding(HEADER + GRADER + "    owner: me\n")
    assert (found.underlined, found.code, found.severity) == ("owner", "unknown-key", "warning")
    near = only_finding(HEADER + GRADER + "    wieght: 2\n")
    assert (near.underlined, near.severity) == ("wieght", "error")


def test_options_beside_a_type_are_one_finding_and_one_fix() -> None:
    head = "graders:\n  - type: prompt\n    name: a\n"
    options = "    # the judge\n    ¦model: m   # best\n    prompt: Is it good?\n"
    found = only_finding(HEADER.replace("mock", "copilot-sdk") + (head + options).replace("¦", ""))
    assert (found.underlined, found.severity) == ("model", "error")
    assert found.message == "'model', 'prompt' belong under 'config'"
    moved = "    config:\n      # the judge\n      model: m   # best\n      prompt: Is it good?\n"
    check_fix(HEADER + head + options, HEADER + head + moved)


@pytest.mark.parametrize("key", ["max_tokens", "maxTokens"])
def test_an_option_beside_a_type_may_be_in_camel_case(key: str) -> None:
    head = "graders:\n  - type: behavior\n    name: a\n"
    check_fix(f"{HEADER}{head}    ¦{key}: 9000\n", f"{HEADER}{head}    config:\n      max_tokens: 9000\n")


def test_a_key_of_the_entry_among_the_options_moves_up() -> None:
    before = GRADER + "      ¦weight: 2\n"
    assert "one level up" in only_finding(HEADER + before.replace("¦", "")).message
    check_fix(HEADER + before, HEADER + GRADER + "    weight: 2\n")


def test_settings_at_the_top_of_a_project_file_are_one_finding() -> None:
    text = "engine: mock\nmodel: m\ntimeout_seconds: 9\n"
    found = only_finding(text, ".waza.yaml")
    assert found.message == (
        "'engine', 'model', 'timeout_seconds' belong under 'defaults', 'timeout_seconds' as 'timeout'"
    )


def test_keys_below_one_without_effect_are_not_reported() -> None:
    task = "id: a\nname: a\ninputs: {prompt: hi}\nexpected:\n  output_contains: [a]\n"
    found = only_finding(task + "  behavior: {max_tool_cals: 3, other: 1}\n")
    assert (found.underlined, found.code) == ("behavior", "never-applied")


@pytest.mark.parametrize(("limit", "severity"), [(3, "hint"), (4, "warning")])
def test_limits_that_a_grader_has_as_well_are_a_hint(limit: int, severity: str) -> None:
    task = "id: a\nname: a\ninputs: {prompt: hi}\nexpected:\n  behavior: {max_tool_calls: 3, max_response_time_ms: 9000}\n"
    grader = f"graders:\n  - {{type: behavior, name: b, config: {{max_tool_calls: {limit}, max_duration_ms: 9000}}}}\n"
    found = only_finding(task + grader)
    assert (found.underlined, found.code, found.severity) == ("behavior", "never-applied", severity)


def test_limits_without_effect_become_a_grader() -> None:
    task = "id: a\nname: a\ninputs: {prompt: hi}\nexpected:\n  outcomes: []\n"
    check_fix(
        f"{task}  # short\n  ¦behavior:\n    max_tool_calls: 3\n    max_response_time_ms: 9000\n",
        task.replace("  outcomes", "  # short\n  outcomes")
        + "graders:\n  - type: behavior\n    name: within-limits\n    config:\n"
        + "      max_tool_calls: 3\n      max_duration_ms: 9000\n",
    )


@pytest.mark.parametrize("name", [".waza.yml", "waza.yaml", "waza.yml"])
def test_project_settings_under_a_name_that_waza_does_not_read(name: str, tmp_path: Path) -> None:
    text = "defaults:\n  judgeModel: m\n"
    (tmp_path / name).write_text(text)
    assert [it.code for it in check_file(tmp_path / name)] == ["misnamed-project-file"]
    (tmp_path / ".waza.yaml").write_text(text)
    assert "which exists" in check_file(tmp_path / name)[0].message
    (tmp_path / name).write_text("server: x\nname: of another tool\n")
    assert check_file(tmp_path / name) == []
