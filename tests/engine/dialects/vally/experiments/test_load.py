"""Loading experiments: their specs, arms and the settings of each spec in an arm."""

from pathlib import Path
from textwrap import dedent

import pytest

from waza_engine.dialects.vally.experiments.load import Experiment, load_experiment
from waza_engine.model.suite import LoadError, Suite
from waza_engine.project.load_suite import suite_of_arm

SPEC = """
defaults: {model: of-the-spec, runs: 4}
environment:
  skills: [skills/own]
  files: [{src: fixtures, dest: .}]
stimuli:
  - name: one
    prompt: hello
    graders: [{type: completed}]
"""
HEAD = "name: demo\nevals: [evals/*/eval.yaml]\n"
SKILLS = HEAD + "vary: [/environment/skills]\nbaseline: without\nvariants:\n"


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_yaml", ".yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")


@pytest.fixture(autouse=True)
def spec(tmp_path: Path) -> Path:
    write(tmp_path, evals__first__eval_yaml=SPEC)
    (tmp_path / "evals/first/fixtures").mkdir()
    return tmp_path / "evals/first/eval.yaml"


def experiment_from(root: Path, text: str) -> Experiment:
    path = root / "demo.experiment.yaml"
    path.write_text(dedent(text), encoding="utf-8")
    return load_experiment(path)


def suites(experiment: Experiment) -> dict[str, Suite]:
    return {it.name: experiment.suite(it, experiment.evals[0], run_id="r") for it in experiment.arms}


def test_a_list_replaces_that_of_the_spec(tmp_path: Path, spec: Path) -> None:
    text = (
        SKILLS
        + "  without: {environment: {skills: []}}\n  other: {environment: {skills: [theirs]}}\n  own: {}\n"
    )
    found = suites(experiment_from(tmp_path, text))
    assert {name: it.tasks[0].skill_directories for name, it in found.items()} == {
        "without": (),
        # Paths in a variant are relative to the experiment, paths in a spec to the spec.
        "other": (str(tmp_path / "theirs"),),
        "own": (str(spec.parent / "skills/own"),),
    }
    assert all(it.settings.trials == 4 and it.path == spec for it in found.values())


def test_folder_names_of_the_eval_are_placeholders(tmp_path: Path) -> None:
    text = (
        SKILLS
        + "  without: {environment: {skills: []}}\n  with: {environment: {skills: ['${eval.grandparent}/s/${eval.parent}']}}\n"
    )
    assert suites(experiment_from(tmp_path, text))["with"].tasks[0].skill_directories == (
        str(tmp_path / "evals/s/first"),
    )


def test_skills_of_a_newer_spec_are_under_agent_environment(tmp_path: Path) -> None:
    write(tmp_path, evals__first__eval_yaml=SPEC.replace("environment:", "agent_environment:"))
    text = SKILLS + "  without: {environment: {skills: []}}\n  with: {}\n"
    found = suites(experiment_from(tmp_path, text))
    assert found["without"].tasks[0].skill_directories == ()
    assert found["with"].tasks[0].skill_directories != ()


def test_a_named_environment_is_resolved(tmp_path: Path) -> None:
    named = "environments:\n  app: {skills: [s], env: {A: '1'}}\n"
    (tmp_path / ".vally.yaml").write_text(named, encoding="utf-8")
    write(tmp_path, evals__first__eval_yaml="environment: app\n" + SPEC[SPEC.index("stimuli") :])
    text = SKILLS + "  without: {environment: {skills: []}}\n  with: {}\n"
    found = suites(experiment_from(tmp_path, text))
    assert found["without"].tasks[0].skill_directories == ()
    assert found["without"].tasks[0].environment == {"A": "1"}
    assert len(found["with"].tasks[0].skill_directories or ()) == 1


def test_overrides_replace_settings_of_the_spec_also_under_the_old_name(tmp_path: Path) -> None:
    write(tmp_path, evals__first__eval_yaml=SPEC.replace("defaults:", "config:"))
    text = HEAD + (
        "overrides: {runs: 2, timeout: 9s}\nbaseline: {model: a}\nexecution: {workers: 3}\n"
        "matrix: {model: {path: /defaults/model, values: [a, b]}}\n"
    )
    experiment = experiment_from(tmp_path, text)
    found = suites(experiment)
    assert [it.settings.model for it in found.values()] == ["a", "b"]
    assert {(it.settings.trials, it.settings.timeout_seconds) for it in found.values()} == {(2, 9)}
    assert (experiment.workers, experiment.baseline) == (3, "model=a")


def test_config_hashes_differ_by_arm_and_eval_hashes_do_not(tmp_path: Path) -> None:
    text = HEAD + "baseline: {m: a}\nmatrix: {m: {path: /defaults/model, values: [a, b]}}\n"
    arms = [it.arm for it in suites(experiment_from(tmp_path, text)).values()]
    assert len({it.config_hash for it in arms if it}) == 2
    assert len({it.eval_hash for it in arms if it}) == 1


def test_an_arm_is_found_again(tmp_path: Path) -> None:
    text = SKILLS + "  without: {environment: {skills: []}}\n  with: {}\n"
    suite = suites(experiment_from(tmp_path, text))["without"]
    assert suite.arm is not None
    assert suite_of_arm(suite.arm).tasks == suite.tasks
    (tmp_path / "demo.experiment.yaml").write_text(text.replace("without", "none"), encoding="utf-8")
    with pytest.raises(LoadError, match="no longer has an arm 'without'"):
        suite_of_arm(suite.arm)


def test_a_pattern_without_a_match_is_skipped(tmp_path: Path, spec: Path) -> None:
    text = (
        SKILLS.replace("[evals", "[gone/eval.yaml, evals")
        + "  without: {}\n  with: {environment: {skills: []}}\n"
    )
    experiment = experiment_from(tmp_path, text)
    assert experiment.evals == (spec,)
    assert experiment.notes == ("No eval matches 'gone/eval.yaml'",)


def test_a_stimulus_that_adds_to_a_varied_setting_gives_a_note(tmp_path: Path) -> None:
    write(tmp_path, evals__first__eval_yaml=SPEC + "    environment: {skills: [more]}\n")
    experiment = experiment_from(tmp_path, SKILLS + "  without: {environment: {skills: []}}\n  with: {}\n")
    assert experiment.notes == ("eval.yaml: 'one' adds its own skills in every arm",)


TWO = "  without: {environment: {skills: []}}\n  with: {}\n"


@pytest.mark.parametrize(
    ("text", "message", "pointer"),
    [
        (SKILLS.replace("evals/*", "nix") + TWO, "No eval matches nix/eval.yaml", ("evals",)),
        (SKILLS.replace("baseline: without", "baseline: x") + TWO, "No variant named 'x'", ("baseline",)),
        (SKILLS + "  without: {}\n", "'without' is the only arm", ("variants",)),
        (HEAD + "baseline: x\n", "needs 'variants' or a 'matrix'", ()),
        (
            SKILLS + TWO.replace("with: {}", "with: {overrides: {runs: 9}}"),
            "'with' differs from the baseline in /defaults/runs",
            ("variants", "with", "overrides", "runs"),
        ),
        (
            SKILLS.replace("/environment/skills", "/skills") + TWO,
            "Arms cannot differ in /skills",
            ("vary", 0),
        ),
        (
            SKILLS + TWO.replace("{}", "{overrides: {runs: many}}"),
            "runs",
            ("variants", "with", "overrides", "runs"),
        ),
        (
            "name: x\nevals: ['*.yaml']\nbaseline: a\nvariants: {a: {}, b: {}}\n",
            "is not a vally eval spec",
            ("evals", 0),
        ),
    ],
)
def test_invalid_experiments(tmp_path: Path, text: str, message: str, pointer: tuple[str | int, ...]) -> None:
    with pytest.raises(LoadError) as caught:
        experiment_from(tmp_path, text)
    assert message in caught.value.message
    assert caught.value.pointer == pointer
