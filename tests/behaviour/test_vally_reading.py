"""Hover, outline and navigation in vally eval specs."""

from pathlib import Path

import pytest
from lsprotocol import types

from tests.behaviour.reading_harness import hover_at, outline
from tests.behaviour.rules_harness import write
from waza_lsp.features.definition import definition
from waza_lsp.features.references import references
from waza_lsp.snapshot import Snapshot
from waza_lsp.workspace.workspace import WorkspaceFiles

STIMULUS = "stimuli:\n  - name: a\n    prompt: p\n"
GRADERS = f"{STIMULUS}    graders:\n"


@pytest.mark.parametrize(
    ("document", "heading", "said"),
    [
        (
            f"{GRADERS}      - type: wall-¦time\n",
            "**type: wall-time**",
            "Limits the duration of the trial.",
        ),
        (
            f"{GRADERS}      - type: file-matches\n        con¦fig: {{}}\n",
            "**config** · mapping · required",
            "`path`",
        ),
        (
            f"{GRADERS}      - {{type: prompt, config: {{scoring: bin¦ary}}}}\n",
            "**scoring: binary**",
            "met or not",
        ),
        (f"{GRADERS}      - {{type: completed, tu¦rn: 0}}\n", "**turn** · whole number", "counted from 0"),
        (f"type: regres¦sion\n{STIMULUS}", "**type: regression**", "can still do"),
        (f"con¦fig: {{runs: 1}}\n{STIMULUS}", "**config** · mapping · deprecated", "Use `defaults` instead."),
        (f"{STIMULUS}    constraints:\n      max_dur¦ation:\n", "**max_duration** · string", "500ms, 30s"),
        (
            f"grading_environ¦ment: {{}}\n{STIMULUS}",
            "**grading_environment**",
            "Environment for graders only",
        ),
        (f"defaults: {{executor: mo¦ck}}\n{STIMULUS}", "**executor: mock**", "to try out graders"),
    ],
)
def test_what_stands_under_the_cursor_is_explained(document: str, heading: str, said: str) -> None:
    found = hover_at(document)
    assert found is not None
    assert found.heading.startswith(heading)
    assert said in found.text


@pytest.mark.parametrize(
    "document",
    [
        f"min¦e: 5\n{STIMULUS}",
        f"# tim¦eout\n{STIMULUS}",
    ],
)
def test_what_means_nothing_has_no_hover(document: str) -> None:
    assert hover_at(document) is None


def test_an_option_is_explained_below_broken_text() -> None:
    found = hover_at(
        f'description: "open\n{GRADERS}      - type: token-budget\n        config: {{ma¦x: 5}}\n'
    )
    assert found is not None
    assert found.heading == "**max** · whole number · required"


def test_the_outline_names_stimuli_and_graders() -> None:
    source = (
        f"{GRADERS}      - type: completed\n      - {{type: output-contains, name: says-hi, config: {{substring: hi}}}}\n"
        "  - prompt: q\nenvironment:\n  files: [{src: a, dest: b}]\n"
    )
    assert outline(source) == (
        "stimuli\n  a\n    graders\n      completed: completed\n      says-hi: output-contains\n  q\n"
        "environment\n  files\n    b"
    )


def test_the_outline_names_what_stands_under_names_of_the_writer() -> None:
    project = "suites:\n  ci: {filter: {}}\nenvironments:\n  app:\n    commands: [ls]\n    mcpServers: {docs: {command: a}}\n"
    assert outline(project, ".vally.yaml") == "suites\n  ci\nenvironments\n  app"
    experiment = "name: x\nevals: [a]\nvariants:\n  with: {}\n  without:\n    environment: {skills: []}\n"
    assert outline(experiment, "a.experiment.yaml") == "name: x\nevals\nvariants\n  with\n  without"


FILES = {
    ".vally.yaml": "environments:\n  node-app:\n    files: [{src: app, dest: .}]\n",
    "skills/deploy/SKILL.md": "---\nname: deploy\ndescription: Deploys.\n---\nDeploy.\n",
    "evals/app/a.txt": "a\n",
}
SPEC = """\
agent_environment: node-app
environment:
  skills: [../skills/deploy]
  files: [{src: app/a.txt, dest: a.txt}]
stimuli:
  - name: a
    prompt: p
    grading_environment: node-app
    constraints: {expect_skills: [deploy]}
    graders:
      - {type: skill-invocation, config: {required: [deploy]}}
      - &g {type: completed}
      - *g
"""


def _asked(root: Path, line: int, word: str) -> tuple[Snapshot, types.Position]:
    write(root, {**FILES, "evals/eval.yaml": SPEC})
    snapshot = Snapshot.of((root / "evals/eval.yaml").as_uri(), SPEC)
    return snapshot, types.Position(line, SPEC.split("\n")[line].index(word) + 1)


@pytest.mark.parametrize(
    ("line", "word", "expected"),
    [
        (0, "node-app", [".vally.yaml:2"]),
        (7, "node-app", [".vally.yaml:2"]),
        (8, "deploy", ["SKILL.md:2"]),
        (10, "deploy", ["SKILL.md:2"]),
        (3, "app/a.txt", ["a.txt:1"]),
        (12, "*g", ["eval.yaml:12"]),
    ],
)
def test_names_and_paths_lead_to_what_they_mean(
    tmp_path: Path, line: int, word: str, expected: list[str]
) -> None:
    found = definition(*_asked(tmp_path, line, word), WorkspaceFiles())
    assert [f"{it.uri.rpartition('/')[2]}:{it.range.start.line + 1}" for it in found] == expected


def test_a_skill_is_found_wherever_it_is_asked_for(tmp_path: Path) -> None:
    snapshot, position = _asked(tmp_path, 8, "deploy")
    found = references(snapshot, position, WorkspaceFiles())
    assert {8, 10} <= {it.range.start.line for it in found if it.uri.endswith("eval.yaml")}


def test_the_baseline_of_an_experiment_is_a_variant() -> None:
    source = "name: x\nevals: [a]\nbaseline: old\nvariants:\n  new: {}\n  old: {}\n"
    snapshot = Snapshot.of("file:///nowhere/a.experiment.yaml", source)
    found = definition(snapshot, types.Position(2, 11), WorkspaceFiles())
    assert [it.range.start.line for it in found] == [5]
    uses = references(snapshot, types.Position(5, 3), WorkspaceFiles())
    assert {it.range.start.line for it in uses} == {2, 5}
