"""Graders and vally evals that a run refuses have an error in the editor, at the right place. Others do not."""

import textwrap
from pathlib import Path

import pytest

from tests.behaviour.as_runs_harness import errors, is_refused
from tests.behaviour.rules_harness import EVAL, TASK, findings_at, write

TOOL = "type: tool_calls\nname: g\nconfig:\n  expect:\n    - tool: a\n      args:\n        cmd:"
DIFF = "{{type: diff, name: g, config: {{expected_files: [{{path: p, contains: {}}}]}}}}"
METRIC = "{{type: metric-threshold, name: g, config: {{metric: {}, max: {}}}}}"
CONTAINS = "{{type: output-contains, name: g, config: {{substring: {}}}}}"
VALLY = "name: v\nstimuli:\n  - name: a\n    prompt: hi\n    graders: []\n"


def said(folder: Path, underlined: str | None) -> bool:
    """Check that the editor and a run refuse exactly this text."""
    found = errors(folder, "eval.yaml")
    assert found == ([] if underlined is None else [underlined])
    return is_refused(folder) is (underlined is not None)


@pytest.mark.parametrize(
    ("grader", "underlined"),
    [
        (TOOL, "cmd"),
        (TOOL + " ~", "~"),
        (TOOL + "\n          regex:", "regex"),
        (TOOL + "\n          regex: ^a", None),
        (TOOL + "\n          contains: ''", "''"),
        (TOOL + "\n          json_schema:", "json_schema"),
        (TOOL + "\n          range: {gte: ~}", "{gte: ~}"),
        (TOOL + "\n          range: {gte: 1}", None),
        (TOOL + "\n          equals:", None),
        ("{type: tool_calls, name: g, config: {expect: [{tool: a, args: {cmd: }}]}}", "cmd"),
        (DIFF.format("[~]"), "[~]"),
        (DIFF.format("[]"), "[]"),
        (DIFF.format("[~, a]"), None),
        ("{type: tool_constraint, name: g, config: {allow_only: [bash]}}", "bash"),
        ("{type: tool_constraint, name: g, config: {allow_only: [{tool: bash}]}}", None),
        ("{type: code, name: g, config: {language: '', assertions: ['True']}}", None),
        ("{type: action_sequence, name: g, config: {matching_mode: '', expected_actions: [a]}}", "''"),
        ("{type: skill_invocation, name: g, config: {required_skills: [~], forbidden_skills: [z]}}", None),
        ("{type: skill_invocation, name: g, config: {required_skills: [~, a]}}", "required_skills"),
        ("{type: text, name: g, config: {<<: {contains: [a]}, not_contains: [b]}}", None),
        ("{type: text, name: g, config: {<<: {contains: a}, not_contains: [b]}}", "a"),
        ("{type: file, name: g, config: {must_exist: [a], <<: [{must_not_exist: b}]}}", "b"),
    ],
)
def test_a_grader(grader: str, underlined: str | None, tmp_path: Path) -> None:
    text = EVAL + "graders:\n  - " + textwrap.indent(grader, "    ").lstrip() + "\n"
    write(tmp_path, {"eval.yaml": text, "tasks/a.yaml": TASK})
    assert said(tmp_path, underlined)


@pytest.mark.parametrize(
    ("grader", "underlined"),
    [
        (METRIC.format("turn-count", "120s"), "120s"),
        (METRIC.format("turn-count", "10"), None),
        (METRIC.format("turn-count", "1e3"), None),
        (METRIC.format("turn-count", "1.5"), "1.5"),
        (METRIC.format("turn-count", "1e400"), "1e400"),
        (METRIC.format("turn-count", "99999999999999999999999"), "99999999999999999999999"),
        (METRIC.format("wall-time", "5"), "5"),
        (METRIC.format("wall-time", "5s"), None),
        (METRIC.format("turn-count", "${MOST=5}"), None),
        ("{type: turn-count, name: g, config: {max: 99999999999999999999999}}", "99999999999999999999999"),
        (CONTAINS.format("2024-01-01"), "2024-01-01"),
        (CONTAINS.format("'2024-01-01'"), None),
        (CONTAINS.format("5"), "5"),
        (CONTAINS.format("a, <<: {negate: true}"), None),
        (CONTAINS.format("a}, turn: -1, x: {"), "-1"),
        ("{type: ''}", "''"),
        ("{type: tool-calls, name: g, config: {required: []}}", "required"),
        ("{type: tool-calls, name: g, config: {sequence: []}}", "sequence"),
        ("{type: tool-calls, name: g, config: {required: [~]}}", "~"),
        ("{type: tool-calls, name: g, config: {required: [a], disallowed: []}}", None),
        ("{type: tool-calls, name: g, config: {required: [a], disallowed: [a]}}", None),
        ("{type: skill-invocation, name: g, config: {required: [], disallowed: []}}", "required"),
        ("{type: skill-invocation, name: g, config: {required: [a], disallowed: [a]}}", "a"),
        ("{type: output-contains, name: g, config: {substring: ''}}", None),
        ("{type: panel, name: g, config: {prompt: a, models: [b, c], aggregation: ''}}", None),
    ],
)
def test_a_grader_of_vally(grader: str, underlined: str | None, tmp_path: Path) -> None:
    write(tmp_path, {"eval.yaml": VALLY.replace("[]", f"[{grader}]")})
    assert said(tmp_path, underlined)


@pytest.mark.parametrize(
    ("old", "new", "underlined"),
    [
        ("prompt: hi", "turns: [a, '']", "''"),
        ("prompt: hi", "turns: [a, {prompt: ''}]", "''"),
        ("prompt: hi", "turns: [a, b, {prompt: c}]", None),
        ("stimuli:", "tags: {a: {b: c}}\nstimuli:", "{b: c}"),
        ("stimuli:", "tags: {a: [b, {c: d}]}\nstimuli:", "{c: d}"),
        ("stimuli:", "tags: {a: [b, c], d: e, f: 5}\nstimuli:", None),
        ("stimuli:", "environment: {mcpServers: {a: ~}}\nstimuli:", None),
        ("stimuli:", "environment: {mcpServers: {a: b}}\nstimuli:", "b"),
        ("stimuli:", "defaults: {timeout: }\nstimuli:", None),
        # Others may add words here, and a run takes any.
        ("stimuli:", "environment: {git: {type: '', source: .}}\nstimuli:", None),
        ("stimuli:", "environment: {mcpServers: {a: {type: '', command: b}}}\nstimuli:", None),
    ],
)
def test_an_eval_of_vally(old: str, new: str, underlined: str | None, tmp_path: Path) -> None:
    write(tmp_path, {"eval.yaml": VALLY.replace(old, new)})
    assert said(tmp_path, underlined)


WHOLE = EVAL + "graders:\n  - {type: text, name: g, config: {contains: [hi]}}\n"
IN_BRACES = (
    "{name: a, skill: s, config: {trials_per_task: 1, timeout_seconds: 9, executor: mock, model: m}, "
    'tasks: ["tasks/*.yaml"], graders: [{type: text, name: g, config: {contains: [hi]}}]}\n'
)


@pytest.mark.parametrize(
    ("text", "underlined"),
    [
        (textwrap.indent(WHOLE, "  "), None),
        ("---\n" + textwrap.indent(WHOLE, " "), None),
        (textwrap.indent(WHOLE.replace("[hi]", "hi"), "  "), "hi"),
        (textwrap.indent(WHOLE.replace("name: notes-eval", "bogus: 1\nname: a"), "  "), None),
        (textwrap.indent(WHOLE.replace("name: notes-eval", "nmae: a"), "  "), "nmae"),
        ("--- " + IN_BRACES, None),
        ("--- !!map " + IN_BRACES, None),
        ("# a\n%YAML 1.2\n--- " + IN_BRACES, None),
        ("--- " + IN_BRACES.replace("timeout_seconds: 9", "timeout_seconds: x"), "x"),
        (
            "--- "
            + IN_BRACES.replace("text, name: g, config: {contains: [hi]}", "diff, name: g, config: {}"),
            "config",
        ),
        ("--- # a\n" + WHOLE, None),
        ("--- !!map\n" + WHOLE, None),
    ],
)
def test_a_text_that_does_not_begin_with_a_key(text: str, underlined: str | None, tmp_path: Path) -> None:
    write(tmp_path, {"eval.yaml": text, "tasks/a.yaml": TASK})
    assert said(tmp_path, underlined)
    assert "empty-file" not in [it.code for it in findings_at(tmp_path / "eval.yaml", tmp_path)]


@pytest.mark.parametrize("text", ["", "  # a\n", "---\n", "  \n\n"])
def test_a_text_with_nothing_in_it(text: str, tmp_path: Path) -> None:
    write(tmp_path, {"eval.yaml": text})
    assert [it.code for it in findings_at(tmp_path / "eval.yaml", tmp_path)] == ["empty-file"]


@pytest.mark.parametrize("items", ["\n  -\n  -", " [~, null]"])
def test_a_list_of_only_dashes_is_reported(items: str, tmp_path: Path) -> None:
    write(tmp_path, {"eval.yaml": f"{EVAL}graders:{items}\n", "tasks/a.yaml": TASK})
    found = [it.code for it in findings_at(tmp_path / "eval.yaml", tmp_path)]
    assert found.count("empty-item") == 2
    assert not is_refused(tmp_path)
