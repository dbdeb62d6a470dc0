"""The level of a finding follows its consequence: a run refuses the file if and only if `check` reports an error."""

import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.behaviour.rules_harness import findings_at, write
from waza_engine.graders.base import ConfigError
from waza_engine.model.suite import LoadError
from waza_engine.project.load_suite import experiment_at, load_suite
from waza_engine.runs.planning.plan import Overrides, PlanError, make_plan
from waza_engine.runs.planning.preflight import missing_skills_problem, refuse_unreadable_graders

WAZA = """\
name: notes
skill: notes
config: {trials_per_task: 1, timeout_seconds: 60, executor: mock, inject_skill_body: false}
tasks: ["tasks/*.yaml"]
"""
TASK = "id: a\nname: A\ninputs: {prompt: hi}\nexpected: {output_contains: [hi]}\n"
VALLY = """\
name: notes
stimuli:
  - name: a
    prompt: hi
    graders: [{type: output-contains, config: {substring: hello}}]
"""
EXPERIMENT = """\
name: models
evals: [eval.yaml]
vary: [/defaults/model]
baseline: a
variants:
  a: {overrides: {model: m}}
  b: {overrides: {model: n}}
"""
CHECKED = "graders: [{type: output-contains, config: {substring: hello}}]"

REFUSED = {
    "a glob that matches nothing": {"eval.yaml": WAZA.replace("tasks/", "task/"), "tasks/a.yaml": TASK},
    "no tasks at all": {"eval.yaml": WAZA},
    "only disabled tasks": {"eval.yaml": WAZA, "tasks/a.yaml": TASK + "enabled: false\n"},
    "a missing data set": {
        "eval.yaml": WAZA.replace('tasks: ["tasks/*.yaml"]', "tasks_from: no.csv\ngraders: []"),
    },
    "a required skill without directories": {
        "eval.yaml": WAZA.replace("executor:", "required_skills: [a], executor:"),
        "tasks/a.yaml": TASK,
    },
    "a required skill in no directory": {
        "eval.yaml": WAZA.replace("executor:", "required_skills: [a], skill_directories: [no], executor:"),
        "tasks/a.yaml": TASK,
    },
    "assertions beside the type": {
        "eval.yaml": WAZA,
        "tasks/a.yaml": TASK + "graders: [{type: code, name: c, assertions: ['True']}]\n",
    },
    "an environment without a project": {"eval.yaml": VALLY + "environment: prod\n"},
    "an environment in an empty project": {"eval.yaml": VALLY + "environment: prod\n", ".vally.yaml": ""},
    "an environment with a number as name": {"eval.yaml": VALLY + "environment: 3\n"},
    "an environment of a stimulus": {"eval.yaml": VALLY + "    environment: prod\n"},
    "a grader without config": {"eval.yaml": VALLY.replace(", config: {substring: hello}", "")},
    "a grader with an empty config": {"eval.yaml": VALLY.replace("{substring: hello}", "")},
    "a missing golden patch": {"eval.yaml": VALLY + "    golden_patch: {path: no.patch}\n"},
    "a missing golden trajectory": {"eval.yaml": VALLY + "    golden_trajectory: {path: no.json}\n"},
    "an experiment without evals": {"x.experiment.yaml": EXPERIMENT},
    "an experiment that runs itself": {
        "x.experiment.yaml": EXPERIMENT.replace("[eval.yaml]", "['*.yaml']"),
        "eval.yaml": VALLY,
    },
    "an experiment with another dialect's eval": {
        "x.experiment.yaml": EXPERIMENT,
        "eval.yaml": WAZA,
        "tasks/a.yaml": TASK,
    },
}
ACCEPTED = {
    "a waza eval": {"eval.yaml": WAZA, "tasks/a.yaml": TASK},
    "a second glob without a match": {
        "eval.yaml": WAZA.replace('"tasks/*.yaml"', '"tasks/*.yaml", "more/*.yaml"'),
        "tasks/a.yaml": TASK,
    },
    "one disabled task": {
        "eval.yaml": WAZA,
        "tasks/a.yaml": TASK,
        "tasks/b.yaml": TASK.replace("id: a", "id: b").replace("name: A", "name: B") + "enabled: false\n",
    },
    "two tasks with one id": {
        "eval.yaml": WAZA,
        "tasks/a.yaml": TASK,
        "tasks/b.yaml": TASK.replace("name: A", "name: B"),
    },
    "a key that waza does not know": {
        "eval.yaml": WAZA + "ownerTeam: a\n",
        "tasks/a.yaml": TASK + "quartz: 1\n",
    },
    "a working directory that nothing makes": {
        "eval.yaml": WAZA,
        "tasks/a.yaml": TASK.replace("{prompt: hi}", "{prompt: hi, workdir: nowhere}"),
    },
    "the first form of tool_constraint": {
        "eval.yaml": WAZA + "graders: [{type: tool_constraint, name: t, config: {max_turns: 3}}]\n",
        "tasks/a.yaml": TASK,
    },
    "a vally eval": {"eval.yaml": VALLY},
    "a grader type without options": {"eval.yaml": VALLY.replace(CHECKED, "graders: [{type: completed}]")},
    "a named environment": {
        "eval.yaml": VALLY + "environment: prod\n",
        ".vally.yaml": "environments: {prod: {env: {A: b}}}\n",
    },
    "an experiment": {"x.experiment.yaml": EXPERIMENT, "eval.yaml": VALLY},
    "an experiment with a second pattern": {
        "x.experiment.yaml": EXPERIMENT.replace("[eval.yaml]", "[eval.yaml, more.yaml]"),
        "eval.yaml": VALLY,
    },
}


def _is_refused(folder: Path) -> bool:
    try:
        if (folder / "x.experiment.yaml").exists():
            experiment_at(folder / "x.experiment.yaml")
            return False
        suite = load_suite(folder / "eval.yaml", process_dir=folder)
        plan = make_plan(suite, Overrides(executor="mock"))
        refuse_unreadable_graders(suite)
        return bool(missing_skills_problem(suite, plan.settings.skill_directories))
    except (LoadError, PlanError, ConfigError):
        return True


def _has_error(folder: Path) -> bool:
    found = [it for path in folder.rglob("*.yaml") for it in findings_at(path, folder)]
    return "error" in {it.severity for it in found}


@pytest.mark.parametrize("case", REFUSED)
def test_what_a_run_refuses_is_an_error(case: str, tmp_path: Path) -> None:
    write(tmp_path, REFUSED[case])
    assert (_is_refused(tmp_path), _has_error(tmp_path)) == (True, True)


@pytest.mark.parametrize("case", ACCEPTED)
def test_what_a_run_accepts_is_no_error(case: str, tmp_path: Path) -> None:
    write(tmp_path, ACCEPTED[case])
    assert (_is_refused(tmp_path), _has_error(tmp_path)) == (False, False)


@pytest.mark.parametrize(
    "files",
    [
        {"eval.yaml": WAZA + "graders: [{type: json_schema, name: j, config: {schema_file: no.json}}]\n"},
        {
            "eval.yaml": WAZA
            + "graders: [{type: trigger, name: t, config: {mode: positive, skill_path: no}}]\n"
        },
        {"eval.yaml": WAZA.replace("executor:", "instruction_files: [no.md], executor:")},
        {
            "eval.yaml": VALLY + "environment: prod\n",
            ".vally.yaml": "environments: {prod: {files: [{src: no, dest: no}]}}\n",
        },
        {"eval.yaml": VALLY + "environment: {files: [{src: no, dest: no}]}\n"},
    ],
)
def test_a_missing_file_that_ends_every_trial_is_an_error(files: dict[str, str], tmp_path: Path) -> None:
    write(tmp_path, {"tasks/a.yaml": TASK, **files})
    errors = [it for it in findings_at(tmp_path / "eval.yaml", tmp_path) if it.severity == "error"]
    assert len(errors) == 1


def test_a_skill_of_a_named_environment_that_is_missing(tmp_path: Path) -> None:
    project = "environments: {prod: {skills: [skills/no, skills/notes]}}\n"
    write(tmp_path, {"eval.yaml": VALLY + "environment: prod\n", ".vally.yaml": project})
    [it] = findings_at(tmp_path / "eval.yaml", tmp_path)
    assert (it.code, it.underlined) == ("skill-without-file", "prod")


@pytest.mark.parametrize(
    ("suites", "underlined"),
    [
        ("{ci: {filter: {tier: ci}}}", []),
        ("{ci: {filter: {teir: ci}}}", ["teir"]),
        ("{ci: {filter: {tags: {teir: ci}}}}", ["teir"]),
        ("{ci: {filter: {}}, all: {evals: [evals/*.yaml]}}", []),
    ],
)
def test_a_filter_names_a_tag_of_a_stimulus(suites: str, underlined: list[str], tmp_path: Path) -> None:
    spec = VALLY.replace("    prompt: hi\n", "    prompt: hi\n    tags: {tier: ci}\n")
    write(
        tmp_path, {".vally.yaml": f"suites: {suites}\n", "evals/a/eval.yaml": spec, "evals/eval.yaml": spec}
    )
    found = findings_at(tmp_path / ".vally.yaml", tmp_path)
    assert [it.underlined for it in found if it.code == "unmatched-filter"] == underlined


@pytest.mark.parametrize(
    "files",
    [
        {"eval.yaml": VALLY.replace("stimuli:", "stimulli:")},
        {"eval.yaml": VALLY.replace("stimuli:", "stimulus:")},
        {"a.eval.yaml": VALLY.replace("stimuli:", "Stimuli:").replace("\n", "\r\n")},
        {"eval.yaml": "stimuli:\n  a: {prompt: hi, graders: [{type: completed}]}\n"},
        {"trigger_tests.yaml": "shouldTriggerPrompts: [{prompt: a}]\n"},
        {"trigger_tests.yml": "should_triger_prompts: [{prompt: a}]\n"},
        {"trigger_tests.yaml": "should-trigger-prompts: [a]\n"},
        {"trigger_tests.yaml": "- {prompt: a}\n", "eval.yaml": WAZA, "tasks/a.yaml": TASK},
        {"trigger_tests.yaml": "prompts: [a]\n", "eval.yaml": WAZA, "tasks/a.yaml": TASK},
        {"evals/notes/eval.yaml": "- a\n", ".waza.yaml": "defaults: {parallel: true}\n"},
        {"evals/notes/eval.yaml": "title: a\nbody: b\n", ".vally.yaml": "suites: {}\n"},
        {"specs/eval.yaml": "title: a\nbody: b\n", ".vally.yaml": "paths: {evals: specs}\n"},
    ],
)
def test_a_file_that_a_run_loads_by_name_has_an_error(files: dict[str, str], tmp_path: Path) -> None:
    write(tmp_path, files)
    path = tmp_path / next(iter(files))
    assert "error" in {it.severity for it in findings_at(path, tmp_path)}


@pytest.mark.parametrize(
    "files",
    [
        {"eval.yaml": "title: a\nbody: b\n", ".vally.yaml": "suites: {}\n"},
        {"models/eval.yaml": "title: a\nbody: b\n", ".waza.yaml": "defaults: {}\n"},
        {"evals/a/eval.yaml": "services: {}\nsteps: []\n", ".vally.yaml": "suites: {}\n"},
        {"eval.yaml": "stimuli:\n  a: {duration: 3, image: a.png}\n"},
        {"eval.yaml": "stimulus: {duration: 3}\n"},
        {"eval.yaml": "task: configs/a.yaml\nmetric: accuracy\n"},
        {"trigger_tests.yaml": "- {prompt: a}\n"},
    ],
)
def test_a_file_that_no_run_loads_has_no_finding(files: dict[str, str], tmp_path: Path) -> None:
    write(tmp_path, files)
    assert findings_at(tmp_path / next(iter(files)), tmp_path) == []


@pytest.mark.parametrize("beside", [True, False])
def test_trigger_tests_that_waza_does_not_read(beside: bool, tmp_path: Path) -> None:
    text = "# ours\nskill: notes\nshould_trigger_prompts: [{prompt: a}]\n"
    write(tmp_path, {"eval.yaml": WAZA, "tasks/a.yaml": TASK, "trigger_tests.yml": text})
    if beside:
        write(tmp_path, {"trigger_tests.yaml": text})
    [it] = [
        it
        for it in findings_at(tmp_path / "trigger_tests.yml", tmp_path)
        if it.code == "misnamed-trigger-tests"
    ]
    assert (it.underlined, it.severity) == ("skill", "warning")
    assert ("Move the prompts" in it.message) is beside


def test_a_project_file_with_keys_of_other_files(tmp_path: Path) -> None:
    write(tmp_path, {".vally.yaml": "files: {evalFile: a}\ntokens: {limits: {}}\nplugins: [a]\nskill: a\n"})
    found = findings_at(tmp_path / ".vally.yaml", tmp_path)
    assert [(it.underlined, it.severity) for it in found] == [
        ("files", "warning"),
        ("tokens", "warning"),
        ("skill", "warning"),
    ]


PART = """\
stimuli:
  - name: a
    prompt: hi
    environment: {files: [{src: fixtures/a.txt, dest: a.txt}], skills: [skills/notes]}
    golden_patch: {path: fixtures/a.txt}
    graders: [{type: skill-invocation, config: {required: [notes]}}]
"""


def test_paths_in_a_part_of_a_spec_are_relative_to_the_spec_above(tmp_path: Path) -> None:
    files = {"parts/a.eval.yaml": PART, "fixtures/a.txt": "a", "skills/notes/SKILL.md": "# N\n"}
    write(tmp_path, {"eval.yaml": VALLY, ".git/HEAD": "", **files})
    assert findings_at(tmp_path / "parts/a.eval.yaml", tmp_path) == []
    # With other stimuli, or settings of its own, the file is a spec of its own.
    for other in (PART.replace("name: a", "name: b"), PART + "scoring: {threshold: 1}\n"):
        write(tmp_path, {"parts/a.eval.yaml": other})
        found = [it.code for it in findings_at(tmp_path / "parts/a.eval.yaml", tmp_path)]
        assert {"environment-file-not-found", "skill-without-file", "missing-golden-patch"} <= set(found)


@pytest.mark.parametrize("place", ["plugins/x/skills/other", "a/b/c/d/other", ".claude/skills/other"])
def test_skills_anywhere_in_the_repository_are_known(place: str, tmp_path: Path) -> None:
    skill = "---\nname: {}\ndescription: Takes notes.\n---\n"
    write(tmp_path, {".git/HEAD": "", "evals/skills/near/SKILL.md": skill.format("near")})
    write(
        tmp_path,
        {"evals/eval.yaml": WAZA.replace("skill: notes", "skill: other"), "evals/tasks/a.yaml": TASK},
    )
    [it] = findings_at(tmp_path / "evals/eval.yaml", tmp_path)
    assert it.code == "unknown-skill"
    write(tmp_path, {f"{place}/SKILL.md": skill.format("other")})
    assert findings_at(tmp_path / "evals/eval.yaml", tmp_path) == []


@pytest.mark.parametrize(
    ("expected", "severity"), [("output_contains", "warning"), ("output_not_contains", "information")]
)
def test_a_grader_of_the_eval_with_the_name_of_an_expectation(
    expected: str, severity: str, tmp_path: Path
) -> None:
    grader = "graders: [{type: text, name: _output_contains, config: {contains: [hi]}}]\n"
    write(tmp_path, {"eval.yaml": WAZA + grader, "tasks/a.yaml": TASK.replace("output_contains", expected)})
    [it] = findings_at(tmp_path / "eval.yaml", tmp_path)
    assert (it.code, it.severity) == ("duplicate-grader-name", severity)


def test_a_suite_may_name_folders_and_generated_ones(tmp_path: Path) -> None:
    evals = "[tools/a/tests/, 'tools/*/tests', .work/evals/, tools/b/]"
    write(
        tmp_path, {".vally.yaml": f"suites: {{all: {{evals: {evals}}}}}\n", "tools/a/tests/eval.yaml": VALLY}
    )
    found = findings_at(tmp_path / ".vally.yaml", tmp_path)
    assert [(it.code, it.underlined) for it in found] == [("unmatched-evals", "tools/b/")]


EXAMPLES = Path(__file__).parents[2] / "examples"
_OPEN = {"unknown-grader-type"}
"""A run refuses unknown grader types, but a plug-in may add them."""


@pytest.mark.parametrize("seed", range(60))
def test_what_a_run_refuses_in_a_broken_example_is_an_error(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)  # noqa: S311  # no secret
    name = chance.choice(["code-explainer", "file-editor", "release-notes", "support-desk"])
    folder = tmp_path / name
    shutil.copytree(EXAMPLES / name, folder, ignore=shutil.ignore_patterns("recordings", "*.experiment.yaml"))
    files = [
        it for it in folder.rglob("*.yaml") if "fixtures" not in it.parts and not it.name.startswith(".")
    ]
    path = chance.choice(sorted(files))
    data = yaml.safe_load(path.read_text("utf-8"))
    place = chance.choice([*_places(data)])
    _break(data, place, chance.choice(["remove", "null", "empty", "list", "number"]))
    path.write_text(yaml.safe_dump(data, allow_unicode=True, sort_keys=False), "utf-8")
    if _is_refused(folder):
        found = [it for each in files for it in findings_at(each, folder)]
        assert [it for it in found if it.severity == "error" or it.code in _OPEN], (path, place)


def _places(data: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    keys = data if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ()
    for key in keys:
        yield (*above, key)
        yield from _places(data[key], (*above, key))


def _break(data: Any, place: tuple[Any, ...], how: str) -> None:
    for part in place[:-1]:
        data = data[part]
    if how == "remove":
        del data[place[-1]]
    else:
        data[place[-1]] = {"null": None, "empty": "", "list": [1], "number": -3}[how]
