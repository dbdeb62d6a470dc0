"""Loading eval specs: environments, weights, constraints, placeholders (docs/reference/vally.md, sections 2 to 5)."""

import re
from pathlib import Path

import pytest

from tests.engine.dialects.vally.vally_files import STIMULUS, load, load_error
from waza_engine.model.suite import Constraint, InputFile, Repository


def test_defaults_equal_those_of_vally(tmp_path: Path) -> None:
    suite = load(tmp_path, STIMULUS)
    settings = suite.settings
    assert (suite.dialect, suite.name, settings.trials, settings.timeout_seconds, settings.executor) == (
        "vally",
        "eval",
        1,
        120,
        "copilot-sdk",
    )
    assert suite.scoring is not None
    assert suite.scoring.threshold is None
    assert not settings.inject_skill_body
    [task] = suite.tasks
    assert (task.id, task.prompt, task.skill_directories, task.pointer) == (
        "a",
        "Say hello",
        (),
        ("stimuli", 0),
    )


def test_the_old_name_of_defaults_is_read(tmp_path: Path) -> None:
    suite = load(tmp_path, f"config: {{runs: 3, timeout: 1h}}\n{STIMULUS}")
    assert (suite.settings.trials, suite.settings.timeout_seconds) == (3, 3600)


def test_both_names_of_defaults_are_an_error(tmp_path: Path) -> None:
    error = load_error(tmp_path, f"config: {{runs: 3}}\ndefaults: {{runs: 3}}\n{STIMULUS}")
    assert error.pointer == ("config",)


@pytest.mark.parametrize("timeout", ["120", "2m40s", "1.5m", "fast"])
def test_a_duration_needs_one_unit(tmp_path: Path, timeout: str) -> None:
    error = load_error(tmp_path, f"defaults: {{timeout: {timeout}}}\n{STIMULUS}")
    assert error.pointer == ("defaults", "timeout")
    assert "unit" in error.message


def test_turns_become_follow_up_prompts(tmp_path: Path) -> None:
    [task] = load(tmp_path, "stimuli:\n  - {name: a, turns: [one, {prompt: two}, three]}\n").tasks
    assert (task.prompt, task.follow_ups) == ("one", ("two", "three"))


@pytest.mark.parametrize(
    ("spec", "pointer"),
    [
        ("stimuli: []", ("stimuli",)),
        ("name: x\nstimuli:", ("stimuli",)),
        ("stimuli: [{prompt: p}]", ("stimuli", 0, "name")),
        ("stimuli: [{name: a}]", ("stimuli", 0)),
        ("stimuli: [{name: a, prompt: p}, {name: a, prompt: q}]", ("stimuli", 1, "name")),
        ("environment: nowhere\nstimuli: [{name: a, prompt: p}]", ("environment",)),
    ],
)
def test_an_invalid_spec_is_an_error_at_its_location(
    tmp_path: Path, spec: str, pointer: tuple[str | int, ...]
) -> None:
    assert load_error(tmp_path, spec).pointer == pointer


def test_unknown_keys_are_ignored(tmp_path: Path) -> None:
    suite = load(tmp_path, f"area: x\n{STIMULUS}    expect_activation: true\n    timeout: 5\n")
    assert len(suite.tasks) == 1


SPEC = """\
environment:
  skills: [skills/one]
  files: [{src: fix, dest: .}]
  commands: [make a]
  env: {A: spec, B: spec}
  git: {type: worktree, source: .., ref: main}
  mcpServers: {one: {command: x, timeout: 30s}, two: {command: y}}
stimuli:
  - name: a
    prompt: p
    environment:
      skills: [skills/two/SKILL.md]
      files: [{src: fix/a.txt, dest: sub/}, {src: fix/a.txt, dest: b.txt}]
      commands: [make b]
      env: {B: own}
      git: {type: worktree, source: ., ref: dev}
      mcpServers: {two: {command: z}}
"""


def test_environments_are_merged(tmp_path: Path) -> None:
    [task] = load(tmp_path, SPEC, **{"fix/a.txt": "A", "fix/deep/c.txt": "C"}).tasks
    assert task.skill_directories == (str(tmp_path / "skills/one"), str(tmp_path / "skills/two"))
    assert task.files == (
        InputFile("a.txt", b"A"),
        InputFile("deep/c.txt", b"C"),
        InputFile("sub/a.txt", b"A"),
        InputFile("b.txt", b"A"),
    )
    assert task.setup == ("make a", "make b")
    assert task.environment == {"A": "spec", "B": "own"}
    assert task.repos == (Repository(tmp_path, "", "dev", is_workspace=True),)
    assert task.mcp_servers == {"one": {"command": "x", "timeout": 30_000}, "two": {"command": "z"}}


def test_newer_shapes_of_real_specs(tmp_path: Path) -> None:
    spec = """\
    agent_environment: {skills: [skills/a]}
    artifacts: {include: ["**/*.md"]}
    defaults: {executor: {name: mock, config: {provider: {type: openai}}}}
    scoring: {weights: {}}
    stimuli:
      - name: a
        prompt: p
        environment: {mcpServers: null}
        agent_environment: {env: {A: b}}
        constraints: {max_agent_duration: 90s}
    """
    suite = load(tmp_path, spec)
    [task] = suite.tasks
    assert suite.settings.executor == "mock"
    assert (task.skill_directories, task.environment) == ((str(tmp_path / "skills/a"),), {"A": "b"})
    assert [(it.key, it.value) for it in task.constraints] == [("max_agent_duration", 90_000)]


def test_paths_of_a_named_environment_are_relative_to_the_spec(tmp_path: Path) -> None:
    (tmp_path / ".vally.yaml").write_text("environments:\n  app:\n    files: [{src: fix, dest: .}]\n")
    folder = tmp_path / "evals" / "one"
    folder.mkdir(parents=True)
    spec = "environment: app\nstimuli:\n  - {name: a, prompt: p, environment: {env: {A: b}}}\n"
    [task] = load(folder, spec, **{"fix/a.txt": "A"}).tasks
    assert [it.target for it in task.files] == ["a.txt"]
    assert task.environment == {"A": "b"}


def test_agent_environment_can_be_a_name(tmp_path: Path) -> None:
    (tmp_path / ".vally.yaml").write_text("environments: {app: {commands: [npm ci], env: {A: named}}}\n")
    spec = f"agent_environment: app\nenvironment: {{commands: [ls], env: {{A: inline}}}}\n{STIMULUS}"
    [task] = load(tmp_path, spec).tasks
    assert task.setup == ("ls", "npm ci")
    assert task.environment == {"A": "named"}
    error = load_error(tmp_path, f"{STIMULUS}    agent_environment: nothing\n")
    assert error.pointer == ("stimuli", 0, "agent_environment")


@pytest.mark.parametrize(
    ("file", "said"),
    [("{src: gone, dest: .}", "not found"), ("{src: eval.yaml, dest: ../x}", "relative path without '..'")],
)
def test_files_that_cannot_be_staged_block_the_trial(tmp_path: Path, file: str, said: str) -> None:
    [task] = load(tmp_path, f"environment:\n  files: [{file}]\n{STIMULUS}").tasks
    assert said in task.blocked


@pytest.mark.parametrize("limit", ["_MAX_FILES", "_MAX_BYTES"])
def test_reading_of_a_huge_folder_stops_at_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    for name in "abcdefgh":
        (tmp_path / "many" / name).mkdir(parents=True)
        (tmp_path / "many" / name / "text.txt").write_text("0123456789")
    monkeypatch.setattr(f"waza_engine.dialects.vally.formats.surroundings.{limit}", 12)
    [task] = load(tmp_path, "environment:\n  files: [{src: many, dest: .}]\n" + STIMULUS).tasks
    assert "many is too big" in task.blocked
    assert not task.files


def test_weights_apply_by_type_and_names_become_unique(tmp_path: Path) -> None:
    spec = """\
    scoring: {weights: {completed: 0.7, exit-success: 0.3}, threshold: 0.8}
    stimuli:
      - name: a
        prompt: p
        graders:
          - type: completed
          - type: completed
          - {type: exit-success, name: said-something, turn: 1}
          - type: error-count
    """
    suite = load(tmp_path, spec)
    assert suite.scoring is not None
    assert suite.scoring.threshold == 0.8
    assert [(it.name, it.weight, it.turn, it.dialect) for it in suite.tasks[0].graders] == [
        ("completed", 0.7, None, "vally"),
        ("completed (2)", 0.7, None, "vally"),
        ("said-something", 0.3, 1, "vally"),
        ("error-count", 0.0, None, "vally"),
    ]


def test_graders_of_the_spec_come_first(tmp_path: Path) -> None:
    spec = f"graders: [{{type: completed}}]\n{STIMULUS}    graders: [{{type: exit-success}}]\n"
    [task] = load(tmp_path, spec).tasks
    assert [(it.type, it.pointer) for it in task.graders] == [
        ("completed", ("graders", 0)),
        ("exit-success", ("stimuli", 0, "graders", 0)),
    ]


def test_constraints_and_tags(tmp_path: Path) -> None:
    spec = """\
    tags: {area: x, tier: ci}
    stimuli:
      - name: a
        prompt: p
        tags: {tier: [nightly, weekly]}
        constraints: {max_turns: 0, max_duration: 2m, expect_tools: [bash], reject_skills: ["*"]}
        environment: {skills: [skills/one]}
    """
    [task] = load(tmp_path, spec).tasks
    place = ("stimuli", 0, "constraints")
    assert task.constraints == (
        Constraint("max_turns", 0, (*place, "max_turns")),
        Constraint("max_duration", 120_000, (*place, "max_duration")),
        Constraint("expect_tools", ("bash",), (*place, "expect_tools")),
        Constraint("reject_skills", ("*",), (*place, "reject_skills")),
    )
    assert task.skill_directories == ()
    assert task.tags == ("area=x", "tier=nightly", "tier=weekly")


def test_placeholders_are_expanded_before_parsing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VF_RUNS", "4")
    spec = (
        "defaults: {runs: ${VF_RUNS}, timeout: ${VF_TIME=7s}}\nstimuli: [{name: a, prompt: 'x ${VF_NONE}'}]\n"
    )
    suite = load(tmp_path, spec)
    assert (suite.settings.trials, suite.settings.timeout_seconds) == (4, 7)
    assert suite.tasks[0].prompt == "x ${VF_NONE}"


@pytest.mark.parametrize("written", ["", "~", "1", "1.0"])
def test_runs_without_a_value_default_to_one(tmp_path: Path, written: str) -> None:
    assert load(tmp_path, f"defaults: {{runs: {written}}}\n{STIMULUS}").settings.trials == 1


@pytest.mark.parametrize(
    ("spec", "pointer"),
    [
        (f"defaults: {{runs: 1.5}}\n{STIMULUS}", ("defaults", "runs")),
        (f"defaults: {{runs: -1}}\n{STIMULUS}", ("defaults", "runs")),
        (f"scoring: {{threshold: 1.5}}\n{STIMULUS}", ("scoring", "threshold")),
        (f"scoring: {{weights: {{x: -1}}}}\n{STIMULUS}", ("scoring", "weights", "x")),
        (
            "stimuli: [{name: a, prompt: p, constraints: {max_turns: -1}}]",
            ("stimuli", 0, "constraints", "max_turns"),
        ),
        (
            "stimuli: [{name: a, prompt: p, constraints: {max_tokens: 0.5}}]",
            ("stimuli", 0, "constraints", "max_tokens"),
        ),
    ],
)
def test_numbers_out_of_range_are_an_error(tmp_path: Path, spec: str, pointer: tuple[str | int, ...]) -> None:
    assert load_error(tmp_path, spec).pointer == pointer


ATIF = (
    "{schema_version: ATIF-v1.4, session_id: s, agent: {name: a, version: '1'}, "
    "steps: [{step_id: 1, source: agent, message: hello}]}"
)


def _golden(written: str) -> str:
    return f"stimuli:\n  - name: a\n    prompt: p\n    golden_trajectory: {written}\n"


def test_a_valid_golden_trajectory_loads(tmp_path: Path) -> None:
    (tmp_path / "good.json").write_text(
        '{"schema_version": "ATIF-v1.4", "session_id": "s", "agent": {"name": "a", "version": "1"}, "steps": []}',
        encoding="utf-8",
    )
    for it in ("~", "{path: good.json}", f"{{inline: {ATIF}}}"):
        assert len(load(tmp_path, _golden(it)).tasks) == 1


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("{}", "either"),
        (f"{{path: good.json, inline: {ATIF}}}", "either"),
        (f"{{path: '', inline: {ATIF}}}", "either"),
        ("{path: ''}", "either"),
        ("{path: missing.json}", "missing.json"),
        ("{path: eval.yaml}", "not valid JSON"),
        ("{path: costly.json}", "total_cost: must be a finite number"),
        ("{inline: {schema_version: X}}", "schema_version"),
        (f"{{inline: {ATIF.replace('source: agent', 'source: tool')}}}", "steps\\[0\\].source"),
        (f"{{inline: {ATIF.replace('message: hello', 'message: 1')}}}", "steps\\[0\\].message"),
        (f"{{inline: {ATIF.replace('hello', 'hello, metrics: {cached_tokens: 1.5}')}}}", "cached_tokens"),
        (f"{{inline: {ATIF.replace('hello', 'hello, tool_calls: [{function_name: x}]')}}}", "tool_call_id"),
    ],
)
def test_an_invalid_golden_trajectory_is_an_error(tmp_path: Path, written: str, told: str) -> None:
    (tmp_path / "costly.json").write_text(
        '{"steps": [], "final_metrics": {"total_cost": 1'
        + "0" * 400
        + '}, "agent": {"name": "a", "version": "1"}, '
        '"schema_version": "ATIF-v1.4", "session_id": "s"}',
        encoding="utf-8",
    )
    error = load_error(tmp_path, _golden(written))
    assert error.pointer[:3] == ("stimuli", 0, "golden_trajectory")
    assert re.search(told, error.message), error.message


@pytest.mark.parametrize("written", ["", "~"])
def test_a_timeout_without_a_value_is_the_default(tmp_path: Path, written: str) -> None:
    text = f"defaults:\n  timeout: {written}\nstimuli: [{{name: a, prompt: p}}]\n"
    assert load(tmp_path, text).settings.timeout_seconds == 120
