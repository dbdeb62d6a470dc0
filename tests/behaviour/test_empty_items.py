"""Empty list items: a run ignores them, and the editor reports them."""

import pytest
from pydantic import ValidationError

from tests.behaviour.findings_harness import findings_in
from tests.behaviour.fixes_harness import check_fix
from waza_engine.graders.registry import graders
from waza_engine.lib.yaml.reader import read_yaml

EVAL = """\
name: notes
skill: notes
tasks: [tasks/*.yaml]
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
graders:
  - type: text
    name: greets
    config:
      contains: [hello]
"""
TASK = "id: a\nname: A\ninputs:\n  prompt: Say hello.\n"
VALLY = """\
name: s
stimuli:
  - name: a
    prompt: b
    graders:
      - type: output-contains
        config: {substring: x}
"""


def _lines(text: str, name: str = "eval.yaml") -> list[int]:
    return [it.line for it in findings_in(text, name) if it.code == "empty-item"]


@pytest.mark.parametrize(
    ("text", "name", "line"),
    [
        (EVAL + "  -\n", "eval.yaml", 14),
        (EVAL + "  - ~\n", "eval.yaml", 14),
        (EVAL.replace("graders:\n", "graders:\n  -\n"), "eval.yaml", 10),
        (EVAL.replace("[tasks/*.yaml]", "[tasks/*.yaml, null]"), "eval.yaml", 3),
        (EVAL.replace("[hello]", "[hello, ~]"), "eval.yaml", 13),
        (TASK + "  files:\n    -\n    - {path: a.txt, content: b}\n", "tasks/a.yaml", 6),
        (VALLY + "      -\n", "eval.vally.yaml", 8),
        (VALLY + "  -\n", "eval.vally.yaml", 8),
    ],
)
def test_an_empty_item_is_reported(text: str, name: str, line: int) -> None:
    assert _lines(text, name) == [line]


@pytest.mark.parametrize("item", ["*.yaml", "'abc", "[", "a: b: c", "''", "0", "{}"])
def test_what_is_something_or_cannot_be_read_is_no_empty_item(item: str) -> None:
    assert _lines(f"{EVAL}  - {item}\n") == []


def test_of_a_list_without_any_item_others_speak() -> None:
    assert _lines(EVAL.replace("[tasks/*.yaml]", "[~]")) == []


def test_an_empty_item_is_taken_out() -> None:
    check_fix(f"{EVAL}  -¦\n", EVAL, "Remove the empty item")
    check_fix(EVAL.replace("[hello]", "[hello, ~¦]"), EVAL, "Remove the empty item")


@pytest.mark.parametrize("kind", ["regex", "keyword", "my-own"])
def test_only_the_graders_of_today_leave_items_out(kind: str) -> None:
    graders = f"  - {{type: {kind}, name: g, config: {{must_not_match: [~, a], must_not_contain: [~, a]}}}}\n"
    assert _lines(EVAL + graders) == []


@pytest.mark.parametrize(
    "config",
    [
        "type: tool-calls, config: {required: [~, {name: bash}]}",
        "type: tool-calls, config: {disallowed: [bash, ~]}",
        "type: skill-invocation, config: {required: [~]}",
        "type: run-command, config: {command: ls, args: [~, a]}",
    ],
)
def test_a_vally_grader_leaves_no_item_out(config: str) -> None:
    found = findings_in(VALLY + f"      - {{{config}}}\n", "eval.vally.yaml")
    assert [it.code for it in found if it.severity == "error"] == ["empty-item"]
    entry = read_yaml(f"{{{config}}}")
    with pytest.raises(ValidationError):
        graders("vally")[entry["type"]].model_validate(entry["config"])


def test_stimuli_are_not_empty_while_one_cannot_be_read() -> None:
    broken = "name: s\nstimuli:\n  - *a.b\n"
    assert [it.code for it in findings_in(broken, "eval.vally.yaml")] == ["syntax-error"]
    assert [it.code for it in findings_in(VALLY, "eval.vally.yaml")] == []
