"""Vally files in the editor: the same requests as for waza, with other schemas."""

from pathlib import Path

import pytest

from tests.behaviour.completion_harness import check_accepted, check_labels
from tests.behaviour.findings_harness import findings_in
from tests.behaviour.harness import snapshot_of
from tests.behaviour.reading_harness import hover_at, lenses, outline
from waza_engine.analysis.pipeline import CheckContext
from waza_lsp.features.definition import definition
from waza_lsp.features.diagnostics import findings
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Place, Span
from waza_lsp.workspace.references import known_names
from waza_lsp.workspace.workspace import WorkspaceFiles

HEAD = "name: x\nstimuli:\n  - name: a\n    prompt: p\n    graders:\n"


def test_a_new_grader_begins_with_its_type() -> None:
    check_labels(f"{HEAD}      - ¦", first=["type"], has=["type: output-contains", "type: prompt"])
    check_labels(f"{HEAD}      - ¦", lacks=["type: pairwise"])
    check_accepted(
        f"{HEAD}      - ¦",
        "type: wall-time",
        f"{HEAD}      - type: wall-time\n        config:\n          max: 120s",
    )


def test_the_type_picks_the_options() -> None:
    check_labels(
        f"{HEAD}      - type: run-command\n        config:\n          ¦",
        first=["command"],
        has=["expected_exit_code", "stdout_matches", "timeout"],
        lacks=["substring"],
    )


def test_a_bare_grader_gets_the_config_that_it_needs() -> None:
    check_labels(f"{HEAD}      - type: output-contains\n        ¦", first=["config"], has=["turn", "name"])


@pytest.mark.parametrize(
    ("line", "has"),
    [
        ("type: ¦", ["capability", "regression"]),
        ("defaults:\n  timeout: 12¦", ["12s", "12m", "12h", "12ms"]),
        ("defaults:\n  executor: ¦", ["copilot-sdk", "mock"]),
        ("scoring:\n  weights:\n    ¦", ["output-contains", "prompt"]),
        ("environment:\n  ¦", ["skills", "files", "commands", "git", "mcpServers", "env"]),
    ],
)
def test_values_and_keys_of_the_spec(line: str, has: list[str]) -> None:
    check_labels(f"{line}\nstimuli:\n  - name: a\n    prompt: p\n", has=has)


GRADERS = """\
stimuli:
  - name: a
    prompt: p
    graders: [{type: prompt}, {type: our-check}, {type: prompt}]
"""


@pytest.mark.parametrize(
    ("scoring", "offered"),
    [
        ("scoring:\n  weights:\n    ¦\n", ["prompt", "our-check"]),
        ("scoring:\n  weights:\n    prompt: 0.5\n    ¦\n", ["our-check"]),
        ("scoring:\n  weights: {prompt: 0.5, ¦}\n", ["our-check"]),
    ],
)
def test_weights_are_offered_for_the_types_in_use(scoring: str, offered: list[str]) -> None:
    for document in (scoring + GRADERS, GRADERS + scoring, (GRADERS + scoring).replace("\n", "\r\n")):
        check_labels(document, only=offered)


def test_paths_start_at_the_spec() -> None:
    check_labels(
        "environment:\n  files:\n    - src: fix¦\nstimuli:\n  - name: a\n    prompt: p\n",
        only=["fixtures/"],
        files=["fixtures/app/a.txt", "eval.yaml"],
    )


def test_a_named_file_is_enough() -> None:
    check_labels("¦", "smoke.vally.yaml", first=["stimuli"], has=["defaults", "scoring"])
    check_labels("¦", ".vally.yaml", has=["paths", "suites", "environments"])


SPEC = """\
name: x
config: {runs: 1}
scorng: {threshold: 1}
moderation: {a: 1}
stimuli:
  - name: a
    prompt: p
    expect_activation: true
    timeout: 5
    constraints:
      max_turns: -1
    graders:
      - type: output-contain
      - type: my-plugin
      - type: wall-time
      - type: output-contains
        substring: x
        config: {substring: x}
"""


def test_findings_stand_on_the_token_at_fault() -> None:
    assert [(it.line, it.underlined, it.severity, it.code) for it in findings_in(SPEC)] == [
        (2, "config", "warning", "legacy-shape"),
        (3, "scorng", "warning", "unknown-key"),
        (8, "expect_activation", "error", "unknown-key"),
        (9, "timeout", "error", "unknown-key"),
        (11, "-1", "error", "out-of-range"),
        (13, "output-contain", "error", "unknown-grader-type"),
        (14, "my-plugin", "warning", "unknown-grader-type"),
        (15, "type", "error", "missing-key"),
        (17, "substring", "warning", "unknown-key"),
    ]


def test_types_of_plug_ins_are_known_by_a_setting() -> None:
    types = frozenset(["my-plugin", "output-contain"])
    found = findings(snapshot_of(SPEC), CheckContext(extra_types=types))
    assert [it.finding for it in found if it.finding.code == "unknown-grader-type"] == []
    found = findings(snapshot_of(SPEC), CheckContext(extra_types=frozenset(["another"])))
    said = [str(it.finding.severity) for it in found if it.finding.code == "unknown-grader-type"]
    assert said == ["error", "hint"]


@pytest.mark.parametrize(
    "lines",
    [
        "defaults:\n  runs: ${RUNS}\n  timeout: ${TIME=5m}\n  executor: ${AGENT}",
        "type: ${KIND}\nenvironment: ${WHERE}\ntags: ${TAGS}\nscoring: ${SCORING}",
        "scoring:\n  threshold: ${LIMIT=0.8}\n  weights:\n    prompt: ${WEIGHT}",
        "graders:\n  - type: ${TYPE}\n  - type: wall-time\n    config:\n      max: ${MAX}",
        "graders:\n  - type: tool-call-count\n    config:\n      max: ${MAX=7}",
        "graders: ${GRADERS}",
        "defaults: {runs: ${RUNS}, timeout: ${TIME=5m}}",
        "graders: [{type: wall-time, config: {max: ${MAX=1m}}}]",
        "description: ${ABOUT=a: b, {c}}",
    ],
)
def test_a_placeholder_is_never_of_the_wrong_type(lines: str) -> None:
    assert (
        findings_in(f"{lines}\nstimuli:\n  - name: a\n    prompt: p\n    constraints: {{max_turns: 9}}\n")
        == []
    )


def test_a_placeholder_stands_where_yaml_allows_none() -> None:
    # Only where placeholders are replaced before the text is read.
    lines = "config: {trials_per_task: ${TRIALS}, timeout_seconds: 9}\nname: x\nskill: s\ntasks: [a.yaml]\n"
    assert "syntax-error" in [it.code for it in findings_in(lines)]
    broken = "defaults: {runs: ${RUNS}\nname: x\nstimuli:\n  - name: a\n    prompt: p\n"
    assert "syntax-error" in [it.code for it in findings_in(broken)]


def test_the_outline_and_the_lenses_show_stimuli() -> None:
    source = "name: x\nstimuli:\n  - name: one\n    prompt: p\n    graders:\n      - type: completed\n"
    assert outline(source) == "name: x\nstimuli\n  one\n    graders\n      completed: completed"
    assert [(it[1], it[2]) for it in lenses(source)] == [
        ("▶ Run all waza.runEval", None),
        ("▶ Run task waza.runTask", "one"),
    ]


def test_an_option_is_explained() -> None:
    found = hover_at("name: x\ndefaults:\n  time¦out: 3m\nstimuli: []\n")
    assert found is not None
    assert found.heading == "**timeout** · string"
    assert "A duration is a whole number with a unit: 500ms, 30s, 5m, 1h." in found.text


def test_a_grader_type_has_a_page_in_the_manual() -> None:
    found = hover_at(f"{HEAD}      - type: completed¦\n")
    assert found is not None
    assert found.text.endswith("/docs/graders/vally/completed.md)")


EXAMPLE = Path(__file__).parents[2] / "examples" / "support-desk" / "eval.yaml"


def _targets(text: str) -> list[str]:
    """Return the file and line that define the last word of a line of the example."""
    snapshot = Snapshot.of(EXAMPLE.as_uri(), EXAMPLE.read_text(encoding="utf-8"))
    [line] = [number for number, it in enumerate(snapshot.text.lines) if text in it]
    column = snapshot.text.lines[line].index(text) + len(text) - 2
    position = snapshot.text.range(Span(Place(line, column), Place(line, column))).start
    found = definition(snapshot, position, WorkspaceFiles())
    return [f"{Path(it.uri.removeprefix('file://')).name}:{it.range.start.line + 1}" for it in found]


def test_names_lead_to_where_they_are_given() -> None:
    assert _targets("environment: ticket-desk") == [".vally.yaml:12"]
    assert _targets("required: [ticket-triage") == ["SKILL.md:2"]


def test_environments_of_the_project_are_offered() -> None:
    snapshot = Snapshot.of(EXAMPLE.as_uri(), EXAMPLE.read_text(encoding="utf-8"))
    assert [it for it, _ in known_names("environment", snapshot, WorkspaceFiles())] == ["ticket-desk"]


@pytest.mark.parametrize("key", ["path", "inline"])
def test_a_key_without_a_value_is_not_one_of_two(key: str) -> None:
    text = (
        f"name: s\nstimuli:\n  - name: a\n    prompt: b\n    golden_trajectory: {{{key}: }}\n"
        "    graders: [{type: output-contains, config: {substring: x}}]\n"
    )
    [found] = [it for it in findings_in(text, "eval.yaml") if it.code == "missing-key"]
    assert found.underlined == key
    assert found.message == f"'{key}' needs a value. Give at least one of 'path', 'inline'"
