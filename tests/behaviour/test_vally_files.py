"""Spec files with the shapes that occur in public repositories, in our own words, with their findings."""

from pathlib import Path

import pytest

from tests.behaviour.findings_harness import findings_in
from tests.behaviour.rules_harness import findings_at, write

STIMULUS = "stimuli:\n  - name: a\n    prompt: p\n"
GRADED = f"{STIMULUS}    graders:\n"


def said(source: str, name: str = "eval.yaml") -> list[tuple[int, str, str]]:
    return [(it.line, it.underlined, it.code) for it in findings_in(source, name)]


@pytest.mark.parametrize(
    "top",
    [
        "version: 1\n",
        "scoring: {weights: {}}\n",
        "scoring: {weights: {}, threshold: 1}\n",
        "agent_environment: node-app\n",
        "grading_environment:\n  files:\n    - {src: checks/a.mjs, dest: .checks/a.mjs}\n",
        "artifacts: {include: ['**/*.ts'], exclude: ['**/.*/**']}\n",
        "executionShard: b\narea: dataplane\n",
        "defaults:\n  executor: {name: copilot-sdk, config: {provider: {type: openai}}}\n",
        "defaults: {judge_reasoning_effort: high, executor: team-runner}\n",
        "defaults: {timeout: 2m, max_retries: 0}\n",
        "tags: {category: [negative, guardrail], advisory: 'true'}\n",
    ],
)
def test_the_top_of_a_spec(top: str) -> None:
    assert said(f"{top}{GRADED}      - type: completed\n") == []


@pytest.mark.parametrize(
    "keys",
    [
        "    agent_environment: node-app\n",
        "    simulation: {tool_overrides: {bash: {patterns: [{match: 'a\\.py', output: done}]}}}\n",
        "    constraints: {max_turns: 5, max_duration: 2m, max_agent_duration: 90s, reject_tools: [edit]}\n",
        '    environment:\n      commands:\n      - node -e "const a={b:[1]};if(!a){process.exit(1)}"\n',
        '    tags: {stopEarly: \'[{"type":"tool-call-count","count":6}]\'}\n',
    ],
)
def test_a_stimulus(keys: str) -> None:
    assert said(f"{STIMULUS}{keys}    graders: [{{type: completed}}]\n") == []


@pytest.mark.parametrize(
    "entry",
    [
        "{type: diff-contains, config: {value: MapPost(}}",
        "{type: diff-empty, turn: 0, name: no-write-yet}",
        "{type: transcript-matches, config: {pattern: '(?is)(?=.*new)(?=.*old)'}}",
        "{type: prompt, weight: 1, config: {scoring: scale_1_10, threshold: 0.77, evidence: [trajectory]}}",
        "{type: output-matches, config: {pattern: x, negate: true}}",
        "{type: tool-calls, config: {required: ['^(edit|bash)$'], disallowed: [{name: '^bash$', command: '^(?!ls$).*'}]}}",
        "{type: tool-calls, config: {required: [{name: a, args: {resource-group: '^rg$'}, result: 'x.*y'}]}}",
        "{type: run-command, config: {command: pwsh, args: [-NoProfile], expected_exit_code: 0, stdout_contains: ok}}",
        "{type: program, config: {program: node, args: [--quiet, ${ROOT=.}/graders/valid.ts, --no-frontend]}}",
        "{type: file-not-exists, config: {path: '.tracking/new/state.md'}}",
    ],
)
def test_a_grader(entry: str) -> None:
    turns = entry.find("turn:") >= 0
    source = f"{GRADED}      - {entry}\n"
    assert said(source.replace("    prompt: p\n", "    turns: [p, q]\n") if turns else source) == []


@pytest.mark.parametrize(
    "pattern",
    [
        "(DateTime\\.UtcNow|DateTime\\.Now)",
        "\\.cs",
        "\\d+[\\s\\S]{0,200}(call|site)|([Cc]ount)[\\s\\S]{0,200}\\d+",
        "(?i)(\\b0\\b|zero|nothing (still )?needs (a )?seam)",
        "/plugin (marketplace add|install)",
        "(Python|not.*(C#|\\.NET)|different)",
        "https://example\\.com/a-b/c",
        "2025-05-04-preview",
    ],
)
def test_a_pattern_without_quotes(pattern: str) -> None:
    assert (
        said(f"{GRADED}      - type: output-matches\n        config:\n          pattern: {pattern}\n") == []
    )


def test_a_panel_of_one_that_needs_what_only_panels_have() -> None:
    panel = f"{GRADED}      - type: panel\n        config:\n          models: [gpt-5.2]\n"
    assert [it.code for it in findings_in(panel)] == ["panel-of-one"]
    criteria = "          criteria:\n            - {name: builds, description: It builds., weight: 1, required: false}\n"
    assert said(panel + criteria + "          evidence: [trajectory, repo]\n") == []
    assert said(panel + "          overall_threshold: 0\n          aggregation: unanimous\n") == []
    assert (
        said(panel.replace("[gpt-5.2]", "\n            - {model: gpt-5.2, reasoning_effort: medium}")) != []
    )


@pytest.mark.parametrize(
    "where",
    [
        "agent_environment: {skills: [../skills/deploy]}\n",
        "agent_environment: node-app\n",
        "environment: node-app\n",
        "environment: {skills: ['..']}\n",
        "defaults: {executor: team-runner}\n",
        "config: {executor: {name: team-runner}}\n",
    ],
)
def test_a_skill_that_may_well_be_loaded(where: str) -> None:
    source = f"{where}{GRADED}      - {{type: skill-invocation, config: {{required: [deploy]}}}}\n"
    assert "skill-never-loaded" not in [it.code for it in findings_in(source)]


def test_a_skill_of_an_environment_that_is_used_again() -> None:
    entry = "    graders:\n      - {type: skill-invocation, config: {required: [deploy]}}\n"
    source = (
        "stimuli:\n  - name: a\n    prompt: p\n    agent_environment: &app {skills: [../skills/deploy]}\n"
        f"{entry}  - name: b\n    prompt: p\n    agent_environment: *app\n{entry}"
    )
    assert said(source) == []


def test_what_an_alias_brings_is_said_where_it_is_written(tmp_path: Path) -> None:
    spec = (
        "stimuli:\n  - name: a\n    prompt: p\n    environment: {files: &app [{src: app, dest: .}]}\n"
        "  - name: b\n    prompt: p\n    environment: {files: *app}\n"
    )
    write(tmp_path, {"eval.yaml": spec})
    found = findings_at(tmp_path / "eval.yaml", tmp_path)
    found = [it for it in found if it.code != "unchecked-stimulus"]
    assert [(it.line, it.underlined, it.code) for it in found] == [(4, "app", "environment-file-not-found")]


def test_what_only_the_alias_makes_wrong_is_said_at_the_alias() -> None:
    grader = "{type: prompt, turn: 1}"
    source = (
        f"stimuli:\n  - name: a\n    turns: [p, q]\n    graders: &g [{grader}]\n"
        "  - name: b\n    prompt: p\n    graders: *g\n"
    )
    assert said(source) == [(7, "*g", "turn-out-of-range")]


def test_an_experiment_that_takes_servers_away() -> None:
    source = (
        "name: x\nevals: [eval.yaml]\nvary: [/environment/mcpServers]\nbaseline: without\nvariants:\n"
        "  without: {environment: {mcpServers: {docs: null}}}\n  none: {environment: {mcpServers: null}}\n  with: {}\n"
    )
    found = findings_in(source, "a.experiment.yaml")
    assert [it for it in found if it.severity in {"error", "warning"}] == []


def test_a_matrix_with_names_for_its_values() -> None:
    source = (
        "name: x\nevals: ['*.yaml']\nbaseline: {skill: off, model: gpt-5.2}\nmatrix:\n"
        "  skill: {path: /environment/skills, values: [{off: []}, {on: [../skills/a]}]}\n"
        "  model: {path: /defaults/model, values: [gpt-5.2, claude-sonnet-4.6]}\n"
    )
    assert [it for it in findings_in(source, "a.experiment.yaml") if it.severity == "error"] == []


@pytest.mark.parametrize(
    "source",
    [
        "scenarios:\n  - name: a\n    prompt: p\n    assertions: [{type: output_matches, pattern: x}]\n",
        "has_output: {type: completed}\nno_crash: {type: output-not-matches, config: {pattern: panic}}\n",
    ],
)
def test_look_alikes(source: str) -> None:
    assert said(source) == []


# Mistakes that authors repaired: found before, and not after.


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        # An entry that lost its options when a comment was put between them.
        (
            "      - type: output-matches\n        config:\n      # As a table.\n      - {type: completed}\n",
            "      # As a table.\n      - type: output-matches\n        config: {pattern: a}\n      - {type: completed}\n",
            "empty-value",
        ),
        (
            "      - type: output-contains\n        config:\n        substring: a\n",
            "      - type: output-contains\n        config:\n          substring: a\n",
            "empty-value",
        ),
        (
            "      - {type: prompt, model: m, prompt: Does it compile?}\n",
            "      - {type: prompt, config: {model: m, prompt: Does it compile?}}\n",
            "unknown-key",
        ),
        (
            "      - {type: prompt}\n      - {type: pairwise}\n",
            "      - {type: prompt}\n",
            "removed-grader-type",
        ),
        (
            "      - {type: wall-time, config: {max: 2m40s}}\n",
            "      - {type: wall-time, config: {max: 160s}}\n",
            "bad-format",
        ),
        (
            "      - {type: output-matches, config: {pattern: }}\n",
            "      - {type: output-matches, config: {pattern: a}}\n",
            "empty-value",
        ),
    ],
)
def test_repaired_graders(before: str, after: str, code: str) -> None:
    assert code in [it.code for it in findings_in(GRADED + before)]
    assert said(GRADED + after) == []


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        ("config: {timeout: 660s}\n", "defaults: {timeout: 660s}\n", "legacy-shape"),
        ("defaults: {timeout: 1800}\n", "defaults: {timeout: 1800s}\n", "bad-format"),
        (
            "scoring: {weights: {prompt: 1, wall-time: 4}}\n",
            "scoring: {weights: {prompt: 0.2, wall-time: 0.8}}\n",
            "scoring-weight-sum",
        ),
        (
            "scoring: {weights: {prompt: 0.2, wall-time: 0.4, program: 0.4}}\n",
            "scoring: {weights: {prompt: 0.2, wall-time: 0.8}}\n",
            "invalid-scoring-weight-key",
        ),
        ("defaults: {workers: 2}\n", "defaults: {runs: 2}\n", "unknown-key"),
        ("name:\nconstraints: {max_turns: 4}\n", "name: x\n", "misplaced-constraints"),
    ],
)
def test_repaired_settings(before: str, after: str, code: str) -> None:
    graders = "      - {type: prompt}\n      - {type: wall-time, config: {max: 5s}}\n"
    assert code in [it.code for it in findings_in(before + GRADED + graders)]
    assert [it for it in findings_in(after + GRADED + graders) if it.severity in {"error", "warning"}] == []


@pytest.mark.parametrize("pattern", [r"(?i)\\bteh\\b", r'"words"\\s*:\\s*x', r"v\\d+\\.x", r"a\\w"])
def test_backslashes_doubled_where_one_is_meant(pattern: str) -> None:
    source = f"{GRADED}      - {{type: file-matches, config: {{path: a, pattern: '{pattern}'}}}}\n"
    found = [it for it in findings_in(source) if it.code != "invalid-regex"]
    assert [it.code for it in found] == ["non-portable-regex"]
    assert "non-portable-regex" not in [it.code for it in findings_in(source.replace("\\\\", "\\"))]


@pytest.mark.parametrize(
    "pattern", [r"C:\\Users\\dev", r"src[/\\]b", r"bin\\debug", r"a\\b\\c", r"\\\\server", r"[\\s]"]
)
def test_backslashes_that_are_looked_for(pattern: str) -> None:
    assert said(f"{GRADED}      - {{type: output-matches, config: {{pattern: '{pattern}'}}}}\n") == []
