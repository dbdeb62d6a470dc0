"""vally's newer grader types and options: what `check` says about each form, and that grading refuses the same ones.

See docs/reference/vally-newest.md, sections 3 and 4.
"""

import pytest

from tests.behaviour.completion_harness import check_labels
from tests.behaviour.findings_harness import findings_in
from tests.behaviour.reading_harness import hover_at
from waza_engine.graders.base import ConfigError, GradingContext
from waza_engine.graders.result import GraderFailure, GraderVerdict
from waza_engine.grading.batch import graders_from_yaml
from waza_engine.grading.grade import build, grade_entry

SPEC = """\
name: notes
type: capability
defaults: {runs: 1, timeout: 2m}
scoring: {threshold: 0.8}
stimuli:
  - name: writes-notes
    prompt: Summarise the meeting for the archive.
    graders:
"""

VALID = {
    "max-repeat": [
        "{max: 1}",
        "{max: 3, max_cycle_period: 4}",
        "{max: 3, max_cycle_period: 10, match: observation}",
        "{max: 2, match: name-args, tools: ['^(bash|powershell)$', edit]}",
        "{max: 2, match: name, tools: null}",
    ],
    "loop-outcome": [
        "{max_acceptable_retries: 0}",
        "{max_acceptable_retries: 2, should_loop: true}",
        "{max_acceptable_retries: 2, match: observation}",
        "{max_acceptable_retries: 2, tools: [bash]}",
        "{max_acceptable_retries: 2, max_cycle_period: 1, should_loop: false}",
    ],
    "custom-metrics": [
        "{assertions: [{metric: failed, equals: 0}]}",
        "{path: out/metrics.json, assertions: [{metric: ok, equals: true}]}",
        "{assertions: [{metric: state, equals: done}, {metric: p95, min: 0.5, max: 1}]}",
        "{path: '${DIR}/metrics.json', assertions: [{metric: failed, equals: 0}]}",
        "{path: ./metrics.json, assertions: [{metric: coverage, min: 80}]}",
    ],
    "assistant-contains-tool-output": [
        "{tools: [get_order], pattern: 'order (\\d+)'}",
        "{tools: ['^a$', b], pattern: x}",
        "{tools: ['${TOOL}'], pattern: '(${WORD}'}",
        "{pattern: '(?i)id', tools: [.*_order]}",
        "{tools: [größe], pattern: '(\\S+) €'}",
    ],
    "system-event": [
        "{required: [compaction]}",
        "{disallowed: [compaction]}",
        "{required: [a], disallowed: [A]}",
        "{required: [a, b]}",
        "{required: [], disallowed: [compaction]}",
    ],
    "transcript-contains": ["{substring: a}", "{value: a}", "{value: a, case_sensitive: true, negate: true}"],
    "transcript-not-contains": ["{substring: a}", "{value: a, negate: false}"],
    "transcript-matches": ["{pattern: '(?i)decision'}", "{pattern: a, negate: true}"],
    "transcript-not-matches": ["{pattern: '\\bskip\\b'}"],
    "step-count": ["{max: 0}", "{max: 12, tools: [bash]}"],
    "tool-call-count": ["{max: 2, tools: [web_search]}", "{max: 2, tools: ['^a', 'b$']}"],
    "tool-calls": [
        "{required: [{name: '.*', read_only: true}]}",
        "{disallowed: [{name: edit, write_only: true}]}",
        "{sequence: [{name: view, pattern: a}, edit]}",
        "{parallel: [view, grep]}",
        "{parallel: [{name: view, path: a}, {name: view, path: b}]}",
        "{required: [{name: edit, command: a}], disallowed: [{name: edit, command: b}]}",
    ],
    "run-command": [
        "{command: npm test, stdout_contains: ['0 failing', passed]}",
        "{command: npm test, stderr_contains: [a]}",
        "{command: npm test, stdout_matches: ['^a', 'b$']}",
        "{command: npm test, stdout_contains: x, stdout_not_matches: ['(?i)error', warn]}",
        "{command: npm test, stdout_contains: passed}",
    ],
    "prompt": [
        "{evidence: [trajectory, diff, golden_patch, repo]}",
        "{reasoning_effort: xhigh}",
        "{evidence: [repo]}",
    ],
    "panel": [
        *(f"{{models: [a, b], aggregation: {it}}}" for it in ("majority", "mean", "median", "min")),
        "{models: [a, b], overall_threshold: 0.7, criteria: [{name: safe, description: d, weight: 2, required: true, pass_threshold: 1}]}",
    ],
    "diff-contains": ["{value: a}", "{pattern: a}"],
    "diff-not-contains": ["{value: +a}", "{pattern: a, negate: false}"],
    "diff-empty": ["{}"],
}

REFUSED = {
    "max-repeat": [
        ("{max: 2, match: result}", "result"),
        ("{max: 0}", "0"),
        ("{match: name}", "max-repeat"),
        ("{max: 2, max_cycle_period: 11}", "11"),
        ("{max: 2, max_cycle_period: 0}", "max_cycle_period"),
        ("{max: 2, tools: []}", "tools"),
        ("{max: 2, tools: ['(']}", "'('"),
        ("{max: 2, tools: ['', ' ']}", "tools"),
        ("{max: '2'}", "'2'"),
        ("{max: 1.5}", "1.5"),
    ],
    "loop-outcome": [
        ("{should_loop: true}", "loop-outcome"),
        ("{max_acceptable_retries: -1}", "-1"),
        ("{max_acceptable_retries: 2, tools: ['bash(']}", "bash("),
        ("{max_acceptable_retries: 2, should_loop: maybe}", "maybe"),
        ("{max_acceptable_retries: 2, match: args}", "args"),
        ("{max_acceptable_retries: 2, tools: []}", "tools"),
    ],
    "custom-metrics": [
        ("{path: ../metrics.json, assertions: [{metric: a, equals: 0}]}", "../metrics.json"),
        ("{path: /out/metrics.json, assertions: [{metric: a, equals: 0}]}", "/out/metrics.json"),
        ("{path: a/../m.json, assertions: [{metric: a, equals: 0}]}", "a/../m.json"),
        ("{path: 'C:\\m.json', assertions: [{metric: a, equals: 0}]}", "m.json"),
        ("{path: m.json}", "custom-metrics"),
        ("{assertions: []}", "assertions"),
        ("{assertions: [{equals: 0}]}", "equals"),
        ("{assertions: [{metric: a, equals: [1]}]}", "[1]"),
        ("{assertions: [{metric: a, min: many}]}", "many"),
    ],
    "assistant-contains-tool-output": [
        ("{tools: ['^get_order$']}", "assistant-contains-tool-output"),
        ("{pattern: a}", "assistant-contains-tool-output"),
        ("{tools: [], pattern: a}", "tools"),
        ("{tools: [' '], pattern: a}", "tools"),
        ("{tools: ['['], pattern: a}", "tools"),
        ("{tools: [a], pattern: '(a'}", "(a"),
        ("{tools: [a], pattern: ''}", "pattern"),
    ],
    "system-event": [
        ("{required: [compaction], disallowed: [compaction]}", "compaction"),
        ("{required: [a, b], disallowed: [c, b]}", "disallowed"),
        ("{}", "system-event"),
        ("{required: compaction}", "compaction"),
        ("{required: [a], forbidden: [b]}", "forbidden"),
    ],
    "transcript-contains": [("{pattern: a}", "pattern"), ("{}", "transcript-contains")],
    "transcript-matches": [("{pattern: '('}", "'('"), ("{substring: a}", "substring")],
    "step-count": [
        ("{max: -1}", "-1"),
        ("{tools: [a]}", "step-count"),
        ("{max: 1, tools: ['(']}", "'('"),
        ("{max: 1, tools: []}", "tools"),
    ],
    "tool-call-count": [("{max: 1, tools: []}", "tools"), ("{max: 1, tools: ['*']}", "'*'")],
    "tool-calls": [
        ("{required: [a], read_only: true}", "read_only"),
        ("{required: [a], write_only: true}", "write_only"),
        ("{required: [a], pattern: b}", "pattern"),
        ("{required: [{name: a, read_only: yes please}]}", "read_only"),
        ("{required: [{read_only: true}]}", "read_only"),
    ],
    "run-command": [
        ("{command: npm test, stdout_matches: []}", "stdout_matches"),
        ("{command: npm test, stdout_contains: ''}", "stdout_contains"),
        ("{command: npm test, stderr_contains: [a, '']}", "stderr_contains"),
        ("{command: npm test, stdout_not_matches: [a, '(']}", "'('"),
        ("{command: npm test, stdout_matches: {a: b}}", "stdout_matches"),
        ("{command: npm test, stdout_contains: [8080]}", "8080"),
    ],
    "prompt": [
        ("{output_delivery: inline}", "inline"),
        ("{evidence: [files]}", "files"),
        ("{reasoning_effort: extreme}", "extreme"),
    ],
    "panel": [("{models: []}", "models"), ("{models: [a, b], overall_threshold: 2}", "2")],
    "diff-contains": [
        ("{value: a, pattern: b}", "value"),
        ("{}", "diff-contains"),
        ("{pattern: '('}", "'('"),
    ],
    "diff-not-contains": [("{value: a, pattern: b}", "value")],
    "diff-empty": [("{pattern: a}", "pattern")],
}
_VALID = [(name, it) for name, configs in VALID.items() for it in configs]
_REFUSED = [(name, *it) for name, configs in REFUSED.items() for it in configs]


def _spec(type_name: str, config: str) -> str:
    rubric = "    rubric: [Names every decision.]\n" if type_name in {"prompt", "panel"} else ""
    spec = SPEC.replace("    graders:", f"{rubric}    graders:")
    return f"{spec}      - type: {type_name}\n        config: {config}\n"


@pytest.mark.parametrize(("type_name", "config"), _VALID)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_valid_form_has_no_error_and_no_warning(type_name: str, config: str, line_end: str) -> None:
    found = findings_in(_spec(type_name, config).replace("\n", line_end))
    assert [it for it in found if it.severity in {"error", "warning"}] == []


@pytest.mark.parametrize(("type_name", "config"), [it for it in _VALID if "${" not in it[1]])
def test_a_valid_form_can_be_graded(type_name: str, config: str) -> None:
    [entry] = graders_from_yaml(f"[{{type: {type_name}, config: {config}}}]")
    assert build(entry, "VALLY").type == type_name


@pytest.mark.parametrize(("type_name", "config", "token"), _REFUSED)
def test_a_refused_form_has_an_error_at_its_place(type_name: str, config: str, token: str) -> None:
    source = _spec(type_name, config)
    errors = [it for it in findings_in(source) if it.severity == "error"]
    assert len(errors) == 1, errors
    lines = source.splitlines()
    [error] = errors
    touched = lines[error.line - 1 : error.line + error.underlined.count("\n")]
    assert any(token in it for it in touched), error
    assert error.code != "unknown-grader-type"


@pytest.mark.parametrize(
    ("type_name", "config", "token"), [it for it in _REFUSED if "output_delivery" not in it[1]]
)
def test_grading_refuses_the_same_forms(type_name: str, config: str, token: str) -> None:
    [entry] = graders_from_yaml(f"[{{type: {type_name}, config: {config}}}]")
    failed = grade_entry(entry, GradingContext(), "VALLY")
    assert isinstance(failed, GraderFailure), token
    assert failed.kind == "config"


@pytest.mark.parametrize(
    ("type_name", "config", "code", "severity"),
    [
        ("loop-outcome", "{max_acceptable_retries: 1, should_loop: true}", "expected-loop", "hint"),
        ("custom-metrics", "{assertions: [{metric: a}]}", "missing-companion", "warning"),
        ("custom-metrics", "{assertions: [{metric: a, less_than: 3}]}", "unknown-key", "warning"),
        ("custom-metrics", "{assertions: [{metric: a, min: 3, max: 2}]}", "contradictory-checks", "warning"),
        ("max-repeat", "{max: 1, tools: ['', bash]}", "empty-item", "warning"),
        ("tool-calls", "{sequence: [a, b], disallowed: [b]}", "contradictory-checks", "warning"),
        ("tool-calls", "{parallel: [a, b], disallowed: [a]}", "contradictory-checks", "warning"),
        (
            "tool-calls",
            "{required: [{name: a, read_only: true, write_only: true}]}",
            "contradictory-checks",
            "warning",
        ),
        ("panel", "{models: [a, b], aggregation: vibes}", "unknown-value", "warning"),
    ],
)
def test_a_doubtful_form_has_a_remark(type_name: str, config: str, code: str, severity: str) -> None:
    [found] = findings_in(_spec(type_name, config))
    assert (found.code, found.severity) == (code, severity)


@pytest.mark.parametrize("type_name", [*VALID])
def test_each_type_is_completed_and_explained(type_name: str) -> None:
    check_labels(f"{SPEC}      - type: ¦\n", has=[type_name])
    hover = hover_at(f"{SPEC}      - type: {type_name[:3]}¦{type_name[3:]}\n        config: {{}}\n")
    assert hover is not None
    assert "What it looks at" in hover.text or type_name in hover.text


def test_a_deprecated_value_of_output_delivery() -> None:
    found = findings_in(_spec("prompt", "{output_delivery: workspace}"))
    assert [it.severity for it in found if "output_delivery" in it.message or "workspace" in it.message]
    assert not [it for it in found if it.severity == "error"]


def test_a_bad_entry_is_a_config_error() -> None:
    with pytest.raises(ConfigError, match="turn: Expected a whole number"):
        build({"type": "exit-success", "turn": "first"}, "VALLY")


@pytest.mark.parametrize("delivery", ["inline", "workspace"])
def test_grading_ignores_output_delivery(delivery: str) -> None:
    """A recording may be of a version that accepted `inline`; grading does not know the version."""
    [entry] = graders_from_yaml(f"[{{type: prompt, config: {{prompt: Good?, output_delivery: {delivery}}}}}]")
    graded = grade_entry(entry, GradingContext(output="a"), "VALLY")
    plain = grade_entry(
        {"type": "prompt", "config": {"prompt": "Good?"}}, GradingContext(output="a"), "VALLY"
    )
    assert isinstance(graded, GraderVerdict)
    assert isinstance(plain, GraderVerdict)
    assert graded.result == plain.result
