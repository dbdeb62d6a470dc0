"""Recovery sequences in mocks and mocks of a task: what a run refuses is an error at the right place, the rest is not."""

import json
from pathlib import Path

import pytest

from tests.behaviour.as_runs_harness import errors, is_refused
from tests.behaviour.rules_harness import EVAL, TASK, findings_at, write
from waza_engine.model.suite import LoadError
from waza_engine.project.load_suite import load_suite

SCENARIO = 'schemaVersion: "2.0"\nscenario: the tracker is down\n'
COMMAND = "command_mocks: [{{name: gh, responses: [{{args: [a], {}}}]}}]\n"
TOOL = "mcp_mocks: [{{name: tracker, tools: {{t: {{responses: [{{{}}}]}}}}}}]\n"
STEPS = "sequence: [{error: down}, {return: {id: 7}, delay_ms: 20}]"

ANSWERS = [
    (COMMAND, "sequence: [{stderr: busy, exit_code: 1}, {stdout: [], delay_ms: 0}]", None),
    (COMMAND, "sequence: [{fixture: eval.yaml}, {stdout: ~}]", None),
    (COMMAND, "sequence: []", "[]"),
    (COMMAND, "sequence: ", "sequence"),
    (COMMAND, "sequence: {stdout: x}", "{stdout: x}"),
    (COMMAND, "sequence: [~]", "[~]"),
    (COMMAND, "sequence: [{stdout: x}, ~]", "~"),
    (COMMAND, "sequence: [{}]", "{}"),
    (COMMAND, "sequence: [{delay_ms: 5}]", "{delay_ms: 5}"),
    (COMMAND, "stdout: '', sequence: [{stdout: x}]", "stdout"),
    (COMMAND, "exit_code: 0, sequence: [{stdout: x}]", "exit_code"),
    (COMMAND, "stderr: , sequence: [{stdout: x}]", "stderr"),
    (COMMAND, "sequence: [{stdout: x, fixture: eval.yaml}]", "stdout"),
    (COMMAND, "sequence: [{stdout: x, stderr: }]", "stderr"),
    (COMMAND, "sequence: [{fixture: ~}]", "fixture"),
    (COMMAND, "sequence: [{exit_code: }]", "exit_code"),
    (COMMAND, "sequence: [{exit_code: 1.0}]", "1.0"),
    (COMMAND, "sequence: [{exit_code: 300}]", "300"),
    (COMMAND, "sequence: [{exit_code: true}]", "true"),
    (COMMAND, "sequence: [{stdout: x, args: [b]}]", "args"),
    (COMMAND, "sequence: [{stdout: x, sequence: []}]", "sequence"),
    (COMMAND, "sequence: [{stdout: x, bogus: 1}]", "bogus"),
    (COMMAND, "sequence: [{stdout: x, delay_ms: 1.0}]", "1.0"),
    (COMMAND, "sequence: [{stdout: x, delay_ms: -1}]", "-1"),
    (COMMAND, "sequence: [{stdout: x, delay_ms: }]", "delay_ms"),
    (COMMAND, "sequence: [{stdout: x, delay_ms: '5'}]", "'5'"),
    (COMMAND, "sequence: [{stdout: x, delay_ms: 9223372036855}]", "9223372036855"),
    (COMMAND, "sequence: [{stdout: x, delay_ms: 9223372036854}]", None),
    (COMMAND, "stdout: x, delay_ms: 5", "delay_ms"),
    (TOOL, STEPS, None),
    (TOOL, f"match: {{a: 1}}, {STEPS}", None),
    (TOOL, "sequence: [{return: ~}]", None),
    (TOOL, "sequence: [{error: down, return: 1}]", "error"),
    (TOOL, "sequence: [{error: ''}]", "''"),
    (TOOL, "sequence: [{error: ' '}]", "' '"),
    (TOOL, "sequence: [{error: }]", "error"),
    (TOOL, "sequence: [{delay_ms: 5}]", "{delay_ms: 5}"),
    (TOOL, "return: , sequence: [{return: 1}]", "return"),
    (TOOL, "sequence: [{match: {a: 1}, return: 1}]", "match"),
    (TOOL, "return: 1, delay_ms: 5", "delay_ms"),
    (TOOL, "sequence: [{error: a, error: b}]", "error"),
    (TOOL, "sequence: [{stdout: a}]", "stdout"),
    (TOOL, "sequence: [&a {error: down}, *a]", None),
    (TOOL, "sequence: [&a {error: down}, {<<: *a, delay_ms: 3}]", None),
]


@pytest.mark.parametrize(("mock", "answer", "underlined"), ANSWERS)
def test_an_answer_of_the_eval(mock: str, answer: str, underlined: str | None, tmp_path: Path) -> None:
    write(tmp_path, {"eval.yaml": EVAL + SCENARIO + mock.format(answer), "tasks/a.yaml": TASK})
    assert errors(tmp_path, "eval.yaml") == ([] if underlined is None else [underlined])
    assert is_refused(tmp_path) is (underlined is not None)


@pytest.mark.parametrize(("mock", "answer", "underlined"), ANSWERS)
def test_an_answer_of_a_task(mock: str, answer: str, underlined: str | None, tmp_path: Path) -> None:
    """The version of the eval does not matter to the sequences of a task."""
    write(tmp_path, {"eval.yaml": EVAL, "tasks/a.yaml": TASK + mock.format(answer)})
    assert errors(tmp_path, "tasks/a.yaml") == ([] if underlined is None else [underlined])
    assert is_refused(tmp_path) is (underlined is not None)


@pytest.mark.parametrize(
    ("tool", "reason"),
    [
        ({"responses": [{"sequence": [{"error": "down"}, {"return": 1, "delay_ms": 2}]}]}, ""),
        ({"responses": [{"sequence": []}]}, "at least one step"),
        ({"responses": [{"sequence": [{"delay_ms": 1}]}]}, "This step has no output"),
        ({"responses": [{"return": 1, "sequence": [{"return": 1}]}]}, "together with 'sequence'"),
        ({"responses": [{"sequence": [{"return": 1, "delay_ms": 1.0}]}]}, "whole number"),
        ('{"responses": [{"sequence": [{"error": "a", "error": "b"}]}]}', "'error' occurs twice"),
        ('{"responses": [{"return": 1, "return": 2}]}', ""),
        (
            '{"tools": {"other": {"responses": [{"sequence": [{}]}]}}}',
            "'tools.other.responses[0].sequence[0]'",
        ),
        ("{", "not valid JSON"),
    ],
)
@pytest.mark.parametrize("place", ["eval.yaml", "tasks/a.yaml"])
def test_a_fixture_file(tool: object, reason: str, place: str, tmp_path: Path) -> None:
    mock = "mcp_mocks: [{name: tracker, fixtures: mocks}]\n"
    files = {"eval.yaml": EVAL + SCENARIO, "tasks/a.yaml": TASK}
    files[place] += mock
    files["mocks/create.json"] = tool if isinstance(tool, str) else json.dumps(tool)
    write(tmp_path, files)
    found = [it for it in findings_at(tmp_path / place, tmp_path) if it.severity == "error"]
    assert [it.underlined for it in found] == (["mocks"] if reason else [])
    assert all(reason in it.message for it in found)
    assert is_refused(tmp_path) is bool(reason)


def test_an_inline_tool_replaces_that_of_a_fixture_before_the_check(tmp_path: Path) -> None:
    mock = "mcp_mocks: [{name: tracker, fixtures: mocks, tools: {create: {responses: [{return: 1}]}}}]\n"
    bad = json.dumps({"responses": [{"sequence": []}]})
    write(tmp_path, {"eval.yaml": EVAL + mock, "tasks/a.yaml": TASK, "mocks/create.json": bad})
    assert errors(tmp_path, "eval.yaml") == []
    assert not is_refused(tmp_path)


@pytest.mark.parametrize(
    ("keys", "underlined"),
    [
        (TOOL.format(STEPS), "sequence"),
        ('schemaVersion: "1.8"\n' + TOOL.format(STEPS), "sequence"),
        (COMMAND.format("sequence: [{stdout: x}]"), "sequence"),
        ("mcp_mocks: [{name: tracker, fixtures: mocks}]\n", "mocks"),
    ],
)
def test_a_sequence_of_the_eval_needs_a_scenario(keys: str, underlined: str, tmp_path: Path) -> None:
    fixture = json.dumps({"responses": [{"sequence": [{"return": 1}]}]})
    write(tmp_path, {"eval.yaml": EVAL + keys, "tasks/a.yaml": TASK, "mocks/create.json": fixture})
    assert errors(tmp_path, "eval.yaml") == [underlined]
    with pytest.raises(LoadError, match="scenario"):
        load_suite(tmp_path / "eval.yaml", process_dir=tmp_path)


@pytest.mark.parametrize(
    ("keys", "underlined"),
    [
        ("mcp_mocks: []\n", None),
        ("mcp_mocks: [{name: a, tools: {t: {responses: [{return: 1}]}}}]\n", None),
        ("mcp_mocks: [{name: a}]\n", "name"),
        ("mcp_mocks: [{name: a, fixtures: nowhere}]\n", "nowhere"),
        ("mcp_mocks: [{name: a, tools: {t: {responses: [{match_regex: {q: '('}, return: 1}]}}}]\n", "("),
        ("mcp_mocks: [{name: ' ', tools: {t: {responses: [{return: 1}]}}}]\n", "' '"),
    ],
)
def test_mocked_servers_of_a_task(keys: str, underlined: str | None, tmp_path: Path) -> None:
    write(tmp_path, {"eval.yaml": EVAL, "tasks/a.yaml": TASK + keys})
    assert errors(tmp_path, "tasks/a.yaml") == ([] if underlined is None else [underlined])
    assert is_refused(tmp_path) is (underlined is not None)


def test_a_response_with_a_sequence_is_not_empty(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"eval.yaml": EVAL + SCENARIO + TOOL.format(STEPS), "tasks/a.yaml": TASK + TOOL.format("match: {}")},
    )
    assert [it.code for it in findings_at(tmp_path / "eval.yaml", tmp_path) if "mock" in it.code] == []
    found = findings_at(tmp_path / "tasks/a.yaml", tmp_path)
    assert [it.code for it in found if "mock" in it.code] == ["empty-mock-response"]


def test_unknown_keys_of_a_responder_are_reported_only_if_they_look_misspelt(tmp_path: Path) -> None:
    responder = "  responder: {instructions: i, max_followups: 1, script: [a], modle: m}\n"
    write(tmp_path, {"eval.yaml": EVAL, "tasks/a.yaml": TASK.replace("inputs:\n", f"inputs:\n{responder}")})
    found = findings_at(tmp_path / "tasks/a.yaml", tmp_path)
    assert [(it.severity, it.underlined) for it in found if it.code == "unknown-key"] == [
        ("warning", "modle")
    ]
    assert not is_refused(tmp_path)
