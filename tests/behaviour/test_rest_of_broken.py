"""A syntax error is reported once, and other findings in the file are still reported."""

from pathlib import Path

import pytest

from tests.behaviour.findings_harness import HEADER, findings_in
from tests.behaviour.rules_harness import EVAL, findings_at, write

SPEC = """\
name: v
description: d
scoring:
  weights:
    prompt: 0.5
    wall-time: 0.5
stimuli:
  - name: a
    prompt: Do it
    rubric: [Is it good?]
    graders:
      - type: prompt
        config: {scoring: binary}
      - type: wall-time
        config: {max: 30s}
"""


def _codes(source: str, name: str = "eval.yaml") -> list[str]:
    return [it.code for it in findings_in(source, name)]


@pytest.mark.parametrize(
    ("good", "bad", "code"),
    [
        ("    prompt: 0.5", "    prompt:0.5", "syntax-error"),
        ("    prompt: 0.5", '    "prompt: 0.5', "syntax-error"),
        ("- type: wall-time", '- type: "wall-time', "syntax-error"),
        ("- type: wall-time", "- type: {{x}}", "unquoted-template"),
        ("- type: prompt", "-type: prompt", "syntax-error"),
        ("- type: prompt", "- type prompt", "syntax-error"),
    ],
)
def test_what_a_broken_line_may_hold_is_not_missing(good: str, bad: str, code: str) -> None:
    assert _codes(SPEC) == []
    assert _codes(SPEC.replace(good, bad)) == [code]


def test_missing_keys_elsewhere_are_reported() -> None:
    assert _codes(SPEC.replace("wall-time: 0.5", "wall-time: 0.6")) == ["scoring-weight-sum"]
    broken = SPEC.replace("wall-time: 0.5", "wall-time: 0.6").replace("- type: prompt", "-type: prompt")
    assert sorted(_codes(broken)) == ["scoring-weight-sum", "syntax-error"]


def test_a_text_on_one_line_lacks_nothing_while_it_is_broken(tmp_path: Path) -> None:
    whole = "{skill: a, should_trigger_prompts: []}"
    write(tmp_path, {"trigger_tests.yaml": whole})
    assert "no-trigger-prompts" in [it.code for it in findings_at(tmp_path / "trigger_tests.yaml", tmp_path)]
    write(tmp_path, {"trigger_tests.yaml": f"{whole[:-2]}\n"})
    [it] = findings_at(tmp_path / "trigger_tests.yaml", tmp_path)
    assert it.code == "syntax-error"


@pytest.mark.parametrize(
    "line",
    ["description:d", "descr", '"description: d', "'description: d", "description: >- [", "*a", "*a : b"],
)
def test_a_broken_key_holds_back_nothing_about_the_others(line: str) -> None:
    sums = SPEC.replace("wall-time: 0.5", "wall-time: 0.6").replace("description: d", line)
    assert _codes(sums) == ["syntax-error", "scoring-weight-sum"]


@pytest.mark.parametrize("line", ["!x", "?", "*a"])
def test_a_line_without_a_meaning_is_one_mistake(line: str) -> None:
    assert _codes(f"{HEADER}{line}\n") == ["syntax-error"]


def test_a_key_that_was_moved_to_the_top_level_is_one_mistake() -> None:
    for key in ("trials_per_task: 1", "timeout_seconds: 60", "executor: mock"):
        [it] = findings_in(HEADER.replace(f"  {key}", key))
        assert (it.underlined, it.code) == (key.partition(":")[0], "syntax-error")


_LISTS = """\
name: notes
skill: notes
config: {trials_per_task: 1, timeout_seconds: 60, executor: mock, model: gpt-4o}
graders:
  - {type: text, name: g, config: {contains: [q]}}
tasks:
  - tasks/*.yaml
metrics:
  - {name: correctness, weight: 1, threshold: 0.8}
"""


@pytest.mark.parametrize("blanks", [" ", "  ", "    "])
@pytest.mark.parametrize("key", ["tasks", "metrics"])
def test_items_below_a_key_in_the_list_above_are_not_checked_as_its_items(key: str, blanks: str) -> None:
    usual = findings_in(_LISTS)
    found = [it for it in findings_in(_LISTS.replace(f"{key}:", f"{blanks}{key}:")) if it not in usual]
    assert [(it.underlined, it.code) for it in found] == [(key, "syntax-error")]
    assert "indented differently" in found[0].message


def test_items_below_a_key_with_a_value_are_checked() -> None:
    source = _LISTS.replace("tasks:\n", " version: '1'\n").replace("metrics", "tasks_from: a.csv\nmetrics")
    assert [it.code for it in findings_in(source)][:2] == ["syntax-error", "wrong-type"]


@pytest.mark.parametrize("line", ["t", "task", "tasks", "tasks;", "tasks =", "tasks::"])
def test_items_below_half_a_key_are_not_checked_as_those_above(line: str) -> None:
    above = HEADER.replace("tasks: [tasks/*.yaml]\n", "")
    graders = "graders:\n  - {type: text, name: g, config: {contains: [q]}}\n"
    codes = _codes(f"{above}{graders}{line}\n  - tasks/*.yaml\n")
    assert codes == ["syntax-error"]
    assert "wrong-type" in _codes(f"{HEADER}{graders}foo\n  - tasks/*.yaml\n")
    assert "wrong-type" in _codes(f"{HEADER}{graders}  - tasks/*.yaml\n")


def _grader(rest: str) -> str:
    return f"{HEADER}graders:\n  - type: text\n    name: z\n{rest}"


def test_an_unknown_key_hides_nothing_beside_it() -> None:
    config = '    config: {regex_match: ["("]}'
    assert _codes(_grader(f"    foo: 1\n{config}\n")) == ["unknown-key", "invalid-regex"]
    assert _codes(_grader("    config: {contian: [a]}\n")) == ["unknown-key"]
    assert _codes(_grader("    contains: [a]\n    config: {}\n"))[-1] != "cannot-fail"


@pytest.mark.parametrize("wrong", ["    foo: 1\n    config:\n", "    config:\n      contains: {a: b}\n"])
def test_a_comment_may_be_of_use_beside_another_mistake(wrong: str) -> None:
    line = '      regex_match: ["("] # waza-lsp: ignore[invalid-regex]\n'
    assert "unused-suppression" not in _codes(_grader(f"{wrong}{line}"))
    assert "unused-suppression" in _codes(
        _grader(f"{wrong}{line}".replace('"("', "a")).replace("{a: b}", "[b]")
    )


TASK = "id: a\nname: A\ninputs:\n  prompt: read notes.txt\n  files:\n"
GRADERS = "graders: [{type: text, name: q, config: {contains: [a]}}]\n"


@pytest.mark.parametrize(
    ("item", "codes"),
    [
        ("path:notes.txt", ["wrong-type"]),
        ("{path:notes.txt}", ["unknown-key"]),
        ("notes.txt", ["legacy-shape"]),
        ("C:/x", ["unlisted-fixture", "legacy-shape", "missing-fixture"]),
        ("path: notes.txt", []),
    ],
)
def test_a_file_whose_colon_lacks_its_blank(item: str, codes: list[str], tmp_path: Path) -> None:
    files = {"eval.yaml": EVAL + GRADERS, "fixtures/notes.txt": "n", "tasks/a.yaml": f"{TASK}    - {item}\n"}
    write(tmp_path, files)
    assert [it.code for it in findings_at(tmp_path / "tasks/a.yaml", tmp_path)] == codes


def test_a_task_on_one_line_is_unchecked_too(tmp_path: Path) -> None:
    for text in ("{id: a, name: b, inputs: {prompt: x}}", "{tags: [b]}", "  tags: [b]\n"):
        write(tmp_path, {"eval.yaml": EVAL, "tasks/a.yaml": text})
        assert "unchecked-task" in [it.code for it in findings_at(tmp_path / "tasks/a.yaml", tmp_path)]
    write(tmp_path, {"tasks/a.yaml": "[a]"})
    assert "unchecked-task" not in [it.code for it in findings_at(tmp_path / "tasks/a.yaml", tmp_path)]


@pytest.mark.parametrize(
    ("command", "is_told"),
    [("X=1 make", True), ("'./x.sh # all'", True), ("make X=1", False), ("./a=b x", False)],
)
def test_hook_commands_with_an_assignment(command: str, is_told: bool) -> None:  # a column of the table
    text = f"{HEADER}hooks:\n  before_run:\n    - command: {command}\n"
    assert ("shell-syntax-in-hook" in _codes(text)) is is_told


def test_a_baseline_without_skills() -> None:
    more = HEADER.replace("  executor: mock\n", "  executor: copilot-sdk\n") + "baseline: true\n"
    assert "pointless-baseline" not in _codes(more)
    off = more.replace("config:\n", "config:\n  skill_directories: [none]\n")
    assert "pointless-baseline" in _codes(off)
    assert "pointless-baseline" in _codes(off.replace("skill_directories: [none]", "disabled_skills: ['*']"))
    assert "pointless-baseline" not in _codes(off.replace("[none]", "[skills]"))


def test_a_turn_of_a_prompt_says_nothing() -> None:
    with_turn = SPEC.replace("- type: wall-time\n", "- type: wall-time\n        turn: 0\n")
    assert _codes(with_turn) == ["turn-out-of-range"]
    assert _codes(with_turn.replace("prompt: Do it", "turns: [Do it]")) == []


def test_a_suite_whose_glob_matches_nothing(tmp_path: Path) -> None:
    write(tmp_path, {"evals/a/eval.yaml": SPEC})
    for globs, count in (
        ("['nope/*.yaml']", 1),
        ("['evals/**/eval.yaml', a/eval.yaml]", 0),
        ("['${X}/y']", 0),
        ("['evals/**/eval.yaml', '!old/**']", 0),
    ):
        write(tmp_path, {".vally.yaml": f"suites:\n  s: {{evals: {globs}}}\n"})
        found = findings_at(tmp_path / ".vally.yaml", tmp_path)
        assert [it.code for it in found] == ["unmatched-evals"] * count


def test_severities_of_vallys_own_checks() -> None:
    [it] = findings_in(f"type: regression\n{SPEC}")
    assert (it.code, it.severity) == ("regression-without-baseline", "information")
    both = "      - {type: skill-invocation, config: {required: [a], disallowed: [a]}}\n"
    found = [it for it in findings_in(f"{SPEC}{both}") if it.code == "contradictory-checks"]
    assert [it.severity for it in found] == ["error"]


def test_a_config_without_value_names_what_it_needs() -> None:
    text = SPEC.replace("config: {max: 30s}", "config:")
    [it] = findings_in(text)
    assert it.message == "'config' needs a value: 'max'"


_JSON = """\
{
  "name": "notes",
  "skill": "notes",
  "config": {"trials_per_task": 1, "timeout_seconds": 60, "executor": "mock", "model": "x"},
  "tasks": ["tasks/*.yaml"],
  "graders": [
    {"type": "text", "name": "a", "config": {"contains": ["a"]}}
  ]
}
"""


@pytest.mark.parametrize(
    ("good", "bad", "line", "underlined", "message"),
    [
        ('"notes",', '"notes,', 2, '"', 'This quote is never closed; add " at the end of the text'),
        ('"name": "notes",', '"nam', 2, '"', 'This quote is never closed; add " at the end of the text'),
        ('yaml"],', 'yaml",', 5, "[", "This bracket is never closed; add ]"),
        ('["a"]}}', '["a"]}', 7, "{", "This bracket is never closed; add }"),
    ],
)
def test_what_is_left_open_in_brackets(good: str, bad: str, line: int, underlined: str, message: str) -> None:
    assert findings_in(_JSON) == []
    [it] = findings_in(_JSON.replace(good, bad, 1))
    assert (it.line, it.underlined, it.message) == (line, underlined, message)


@pytest.mark.parametrize(
    "source",
    [
        "{\nname: notes\n, skill: notes\n, tasks: [a.yaml]\n}\n",
        "{\nname:\n notes,\nskill:\n notes\n}\n",
        '{\n"name": "n", "config": {\n"model": "x"\n}\n}\n',
    ],
)
def test_brackets_with_keys_in_column_0_are_read(source: str) -> None:
    assert "syntax-error" not in _codes(source)


def test_a_key_in_no_column_still_tells_what_the_file_is() -> None:
    [it] = findings_in("id: first\nname: First\n inputs:\n  prompt: Say hello.\n", name="greeting.yaml")
    assert (it.underlined, it.code) == ("inputs", "syntax-error")


def test_a_tag_above_the_first_key_may_be_indented() -> None:
    assert "syntax-error" not in _codes(f"  &a\n{HEADER}")


def test_an_item_whose_first_line_lacks_its_colon_is_still_one() -> None:
    [it] = findings_in("stimuli:\n  - name explains\n    prompt: hello\n")
    assert (it.line, it.code) == (2, "syntax-error")


def test_a_mock_of_which_not_all_is_read_may_have_tools() -> None:
    mocks = "mcp_mocks:\n  - name: tickets\n     tools:\n      close: {responses: [{result: done}]}\n"
    assert "bad-mock" not in _codes(HEADER + mocks)
