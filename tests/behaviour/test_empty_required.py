"""Required keys without a value. waza uses the zero value, as if they were missing."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.behaviour.findings_harness import Found, findings_in, only_finding
from tests.behaviour.fixes_harness import check_fix
from tests.behaviour.harness import snapshot_of
from tests.behaviour.rules_harness import write
from waza_engine.analysis.pipeline import check_file
from waza_engine.dialects.waza.formats.loading.load import load_suite
from waza_engine.model.suite import LoadError

EVAL = """\
name: notes
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
hooks:
  before_run:
    - command: make
graders:
  - type: action_sequence
    name: builds
    config:
      matching_mode: in_order_match
      expected_actions: [bash]
metrics:
  - name: task_completion
    weight: 1.0
tasks: ["tasks/*.yaml"]
"""
TASK = """\
id: first
name: First
inputs:
  prompt: Say hello.
  responder:
    instructions: Say yes.
    max_followups: 2
requirements:
  - id: R1
    category: outcome
    description: It greets.
    checks:
      - scope: eval
        grader: builds
checkpoints:
  - after_turn: 1
    graders:
      - type: text
        name: greets
        config:
          contains: [hello]
"""
NEEDED_IN_EVAL = {
    "trials_per_task: 1": "error",
    "timeout_seconds: 60": "error",
    "executor: copilot-sdk": "warning",
    "model: gpt-4o": "warning",
    "command: make": "error",
    "type: action_sequence": "error",
    "name: builds": "warning",
    "matching_mode: in_order_match": "error",
    "expected_actions: [bash]": "error",
    "name: task_completion": "warning",
    'tasks: ["tasks/*.yaml"]': "error",
    "name: notes": "warning",
}
NEEDED_IN_TASK = {
    "id: first": "warning",
    "prompt: Say hello.": "warning",
    "instructions: Say yes.": "error",
    "max_followups: 2": "error",
    "id: R1": "error",
    "category: outcome": "error",
    "description: It greets.": "error",
    "scope: eval": "error",
    "grader: builds": "error",
    "after_turn: 1": "error",
    "type: text": "error",
}
NEEDED = [("eval.yaml", EVAL, *it) for it in NEEDED_IN_EVAL.items()]
NEEDED += [("tasks/a.yaml", TASK, *it) for it in NEEDED_IN_TASK.items()]


def missing(text: str, name: str = "eval.yaml") -> list[Found]:
    return [it for it in findings_in(text, name) if it.code == "missing-key"]


@pytest.mark.parametrize("nothing", ["", " ~", " null"])
@pytest.mark.parametrize(("name", "text", "entry", "severity"), NEEDED, ids=[it[2] for it in NEEDED])
def test_missing_value_is_reported_at_the_key(
    name: str, text: str, entry: str, severity: str, nothing: str
) -> None:
    key = entry.partition(":")[0]
    before, after = text.split(entry, 1)
    [found] = missing(f"{before}{key}:{nothing}{after}", name)
    assert (found.underlined, found.severity, found.line) == (key, severity, before.count("\n") + 1)
    assert found.message.startswith(f"'{key}' needs a value")


@pytest.mark.parametrize(("name", "text", "entry", "severity"), NEEDED, ids=[it[2] for it in NEEDED])
def test_a_missing_value_is_as_severe_as_a_missing_key(
    name: str, text: str, entry: str, severity: str
) -> None:
    form = snapshot_of(text, name).form
    assert form is not None
    checks = []
    for absent in ("absent", "null"):
        data = yaml.safe_load(text)
        value = yaml.safe_load(entry)
        [key] = value
        [mapping] = [it for it in mappings(data) if it.get(key) == value[key]]
        mapping[key] = None
        if absent == "absent":
            del mapping[key]
        checks.append([(it.code, it.severity) for it in form.checker.check(data)])
    assert checks[0] == checks[1] == [("missing-key", severity)]


def mappings(data: Any) -> Iterator[dict[str, Any]]:
    if isinstance(data, dict):
        yield data
    for it in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        yield from mappings(it)


@pytest.mark.parametrize(("name", "text", "entry", "severity"), NEEDED, ids=[it[2] for it in NEEDED])
def test_checks_and_runs_agree(name: str, text: str, entry: str, severity: str, tmp_path: Path) -> None:
    files = {"eval.yaml": EVAL, "tasks/a.yaml": TASK}
    write(tmp_path, {**files, name: text.replace(entry, entry.partition(":")[0] + ": ~", 1)})
    found = [(it.code, it.severity.value) for it in check_file(tmp_path / name) if it.code == "missing-key"]
    assert found == [("missing-key", severity)]
    of_grader = "matching_mode", "expected_actions", "type"  # Graders are made later.
    if severity == "error" and not entry.startswith(of_grader):
        with pytest.raises(LoadError):
            load_suite(tmp_path / "eval.yaml", process_dir=tmp_path)
    else:
        load_suite(tmp_path / "eval.yaml", process_dir=tmp_path)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("name: a\nskill: b\nconfig:\ntasks: [a]\n", "config"),
        ("name: a\nskill: b\nconfig: ~\ntasks: [a]\n", "config"),
    ],
)
def test_a_section_without_anything(text: str, key: str) -> None:
    found = only_finding(text)
    assert (found.underlined, found.code, found.severity) == (key, "missing-key", "error")


def test_inputs_without_anything() -> None:
    found = only_finding("id: a\nname: b\ninputs:\n", "tasks/a.yaml")
    assert (found.underlined, found.code, found.severity) == ("inputs", "missing-key", "warning")


def test_an_empty_type_comes_with_the_types() -> None:
    text = EVAL.replace("type: action_sequence\n    name: builds", "type:\n    name: builds")
    [found] = missing(text)
    assert found.message.startswith("'type' needs a value. Known types: action_sequence, ")


def test_what_is_missing_and_what_is_empty_are_two_things() -> None:
    text = EVAL.replace("  trials_per_task: 1\n  timeout_seconds: 60\n", "  timeout_seconds:\n")
    assert [(it.underlined, it.message) for it in missing(text)] == [
        ("config", "Missing 'trials_per_task'"),
        ("timeout_seconds", "'timeout_seconds' needs a value"),
    ]


@pytest.mark.parametrize(
    "more",
    [
        "description:\n",
        "version: ~\n",
        "hooks:\n",
        "graders:\n",
        "inputs: null\n",
        "adversarial: ~\n",
        "mcp_mocks:\n",
    ],
)
def test_optional_keys_may_be_empty(more: str, tmp_path: Path) -> None:
    text = "name: a\nskill: b\nconfig: {trials_per_task: 1, timeout_seconds: 60, executor: copilot-sdk, model: m}\n"
    text += "tasks: [tasks/*.yaml]\n" + more
    assert findings_in(text) == []
    write(
        tmp_path, {"eval.yaml": text, "tasks/a.yaml": "id: a\nname: b\ninputs: {prompt: c, responder: ~}\n"}
    )
    load_suite(tmp_path / "eval.yaml", process_dir=tmp_path)


def test_one_of_a_group_is_enough() -> None:
    task = "id: a\nname: b\ninputs:\n  prompt:\n  prompt_file: a.md\n"
    assert [it.code for it in findings_in(task, "tasks/a.yaml")] == []
    assert missing(EVAL + "tasks_from:\n") == []


@pytest.mark.parametrize("nothing", ["", " ~", " null", " # later"])
def test_the_fix_fills_it_in(nothing: str) -> None:
    comment = nothing if "#" in nothing else ""
    check_fix(
        EVAL.replace("trials_per_task: 1", f"trials_per_task¦:{nothing}"),
        EVAL.replace("trials_per_task: 1", f"trials_per_task: 3{comment}"),
        "Fill in 'trials_per_task'",
    )


def test_the_type_is_read_off_the_options() -> None:
    check_fix(EVAL.replace("type: action_sequence", "type¦:"), EVAL, "Add 'type: action_sequence'")


def test_a_tool_of_a_mock_without_anything(tmp_path: Path) -> None:
    text = EVAL + "mcp_mocks:\n  - name: m\n    tools:\n      find:\n"
    [found] = missing(text)
    assert (found.underlined, found.code, found.severity) == ("find", "missing-key", "error")
    write(tmp_path, {"eval.yaml": text, "tasks/a.yaml": TASK})
    with pytest.raises(LoadError):
        load_suite(tmp_path / "eval.yaml", process_dir=tmp_path)
