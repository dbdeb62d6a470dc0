"""Mistakes that break several things but are one finding."""

from pathlib import Path

import pytest

from tests.behaviour.completion_harness import completions_at
from tests.behaviour.findings_harness import HEADER, findings_in, only_finding
from tests.behaviour.fixes_harness import apply_action, check_fix, quick_fixes
from tests.behaviour.harness import snapshot_of
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


@pytest.mark.parametrize(
    ("entry", "severity", "fixes"),
    [
        ("ref: github.com/octo/graders@v1", "error", 0),
        ("ref: ./shared.yaml\n        name: a", "error", 0),
        ("ref: ./shared.yaml\n        type: completed", "warning", 1),
    ],
)
def test_a_shared_grader_in_vally(entry: str, severity: str, fixes: int) -> None:
    source = f"name: x\nstimuli:\n  - name: a\n    prompt: b\n    graders:\n      - {entry}\n"
    found = only_finding(source)
    assert (found.underlined, found.code, found.severity) == ("ref", "unknown-key", severity)
    assert "vally has no shared graders" in found.message
    assert len(quick_fixes(source.replace("ref", "r¦ef", 1))) == fixes


def test_a_shared_grader_in_a_task() -> None:
    found = only_finding(
        "id: a\nname: a\ninputs: {prompt: hi}\ngraders:\n  - ref: a.com/b/c@v1\n", "tasks/a.yaml"
    )
    assert (found.underlined, found.code, found.severity) == ("ref", "unknown-key", "error")
    assert "only under 'graders' of the eval" in found.message


def test_a_shared_grader_needs_a_lock_file(tmp_path: Path) -> None:
    source = HEADER + "graders: [{ref: github.com/octo/graders/tone#polite@v1.2.0}]\n"
    found = next(it for it in findings_in(source, folder=tmp_path) if it.code == "shared-grader")
    assert (found.code, found.severity) == ("shared-grader", "error")
    assert found.message.startswith("No waza.lock next to this file")
    (tmp_path / "waza.lock").write_text("")
    assert "shared-grader" not in {it.code for it in findings_in(source, folder=tmp_path)}


@pytest.mark.parametrize(
    ("item", "value"),
    [
        ("- {prompt: Be good: yes}", "Be good: yes"),
        ("- {prompt: Good: yes, or no: maybe, name: a}", "Good: yes, or no: maybe"),
        ("- {name: a,\n     prompt: S\u00e9: yes,  # why\n     tags: {}}", "S\u00e9: yes"),
        ("- {name: a, tags: [x, y: z: 1, b]}", "z: 1"),
        ("- {name: a, tags: [x, y], prompt: z: 1, b}", "z: 1, b"),
    ],
)
@pytest.mark.parametrize("new", ["\n", "\r\n"])
def test_a_second_colon_in_brackets(item: str, value: str, new: str) -> None:
    source = (
        f"name: x\nstimuli:\n  {item}\n  - {{name: b, prompt: c, graders: [{{type: completed}}]}}\n".replace(
            "\n", new
        )
    )
    found = only_finding(source)
    assert (found.message, found.underlined) == ("Second ': ' on one line; quote the value", value)
    check_fix(source.replace(value, f"¦{value}"), source.replace(value, f"'{value}'"), "Quote the value")


def test_each_second_colon_of_a_line_is_quoted() -> None:
    before = "name: x\nstimuli: [{name: a, prompt: ¦b: c}, {name: b, prompt: c: d}]\n"
    check_fix(before, before.replace("¦b: c", "'b: c'"), "Quote the value")


def test_an_item_without_braces() -> None:
    before = HEADER.replace("[tasks/*.yaml]", '[a.yaml, "¦x": y]')
    check_fix(before, HEADER.replace("[tasks/*.yaml]", "[a.yaml]"), "Remove 'x'")
    missing = next(it for it in quick_fixes(before) if it.title.startswith("Add 'id'"))
    snapshot = snapshot_of(before.replace("¦", ""))
    assert "[a.yaml, {id: " in apply_action(snapshot, missing)
    assert ', "x": y}]' in apply_action(snapshot, missing)


@pytest.mark.parametrize("new", ["\n", "\r\n"])
def test_a_key_that_exists_above_stays(new: str) -> None:
    before = "name: x\nconfig:\n  n¦ame: y\n  executor: mock\n  trials_per_task: 2\n  timeout_seconds: 60\n  tasks: [a]\n"
    after = "name: x\nconfig:\n  name: y\n  executor: mock\n  trials_per_task: 2\n  timeout_seconds: 60\ntasks: [a]\n"
    check_fix(before.replace("\n", new), after.replace("\n", new), "Move 'tasks' one level up")
    last = after.replace("  name", "  n¦ame")
    check_fix(last.replace("\n", new), after.replace("  name: y\n", "").replace("\n", new), "Remove 'name'")


def test_two_words_for_one_key() -> None:
    source = "timeout: 5\ntimeout_seconds: 7\nmodel: m\n"
    found = findings_in(source, ".waza.yaml")
    assert [it.message for it in found] == [
        "'timeout' and 'timeout_seconds' both mean 'timeout' under 'defaults'. Keep one",
        "Unknown key 'model'; it belongs under 'defaults'",
    ]
    title = "Move 'timeout_seconds' under 'defaults', remove 'timeout'"
    check_fix("¦" + source, "model: m\ndefaults:\n  timeout: 7\n", title, ".waza.yaml")


def test_a_name_is_not_taken_for_that_of_a_section() -> None:
    source = "name: x\nstimuli: [{name: a, prompt: b, graders: [{type: completed}]}]\ndefaults:\n  n¦ame: y\n  runs: 2\n"
    check_fix(source, source.replace("  n¦ame: y\n", ""), "Remove 'name'")


@pytest.mark.parametrize("key", ["stimulus", "stimuls", "stimulli", "stimuli"])
@pytest.mark.parametrize(
    "value",
    [
        " {name: a, prompt: b, graders: [{type: completed}]}",
        " {name: a, prompt: b}",
        "\n  name: a\n  prompt: b\n  graders: [{type: completed}]",
    ],
)
def test_one_stimulus_without_its_list_is_recognised(key: str, value: str) -> None:
    found = findings_in(f"name: x\n{key}:{value}\n")
    assert found
    assert found[0].code == ("wrong-type" if key == "stimuli" else "unknown-key")


def test_another_tools_mapping_is_not_taken_for_stimuli() -> None:
    assert findings_in("name: x\nstimulus: {volts: 3, shape: square}\n") == []


@pytest.mark.parametrize("new", ["\n", "\r\n"])
def test_items_by_name_are_not_made_one_item(new: str) -> None:
    item = "{prompt: b, graders: [{type: completed}]}"
    source = f"name: x\nstimuli:\n  first: {item}\n  second: {item}\n".replace("\n", new)
    found = only_finding(source)
    assert found.message.endswith("write each as an item of a list, such as '- name: first'")
    assert quick_fixes(source.replace("stimuli", "¦stimuli")) == []


def test_a_renamed_key_gets_the_list_that_it_needs() -> None:
    before = "name: x\nstimuli:\n  - name: a\n    prompt: b\n    graders:\n      - {type: tool-call-count, config: {t¦ool: bash, max: 3}}\n"
    check_fix(before, before.replace("t¦ool: bash", "tools: [bash]"))


def test_the_criteria_of_pairwise_are_kept() -> None:
    before = "name: x\nstimuli:\n  - name: a\n    prompt: b\n    graders:\n      - type: pairwise\n        config: {crit¦eria: Be good}\n"
    check_fix(before, before.replace("crit¦eria", "prompt"), "Change to 'prompt'")


def test_an_eval_is_not_offered_as_its_own_task(tmp_path: Path) -> None:
    source = HEADER.replace("tasks/*.yaml", "¦eval1.yaml")
    (tmp_path / "eval.yaml").write_text(source.replace("¦", ""))
    assert [it.title for it in quick_fixes(source, folder=tmp_path)] == ["Create eval1.yaml"]


MISPLACED = [
    (
        "name: x\nconfig:\n  executor: mock\n  trials_per_task: 2\n  timeout_seconds: 60\n  skill: z\n  tasks: [a]\n",
        1,
    ),
    ("name: x\nconfig: {executor: mock, trials_per_task: 2, timeout_seconds: 60, skill: z, tasks: [a]}\n", 1),
    (
        "name: x\nskill: z\ntrials_per_task: 3\nexecutor: mock\ntimeout_seconds: 60\nconfig:\n  model: y\ntasks: [a]\n",
        1,
    ),
    ("name: x\nskill: z\ntrials_per_task: 3\nexecutor: mock\nconfig:\n  model: y\ntasks: [a]\n", 2),
]


@pytest.mark.parametrize(("source", "count"), MISPLACED)
def test_misplaced_keys_are_not_also_missing(source: str, count: int, tmp_path: Path) -> None:
    found = findings_in(source)
    assert [it.code for it in found] == ["unknown-key", "missing-key"][:count]
    assert all(it.message == "Missing 'timeout_seconds'" for it in found if it.code == "missing-key")
    path = tmp_path / "eval.yaml"
    path.write_text(source)
    kept = [it.code for it in check_file(path) if it.code in {"unknown-key", "missing-key"}]
    assert sorted(kept) == sorted(it.code for it in found)
