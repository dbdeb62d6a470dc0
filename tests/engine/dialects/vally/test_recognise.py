"""Recognition of vally's files and of look-alikes (docs/reference/vally.md, section 1)."""

from pathlib import Path, PurePath

import pytest

from waza_engine.lib.yaml.reader import read_yaml
from waza_engine.recognition.recognise import recognise


def _kind(text: str, path: str | Path = "some/file.yaml") -> str | None:
    found = recognise(read_yaml(text) if text else {}, PurePath(path))
    return f"{found[0].name} {found[1].name}" if found else None


@pytest.mark.parametrize(
    ("text", "path", "kind"),
    [
        ("stimuli: [{name: a, prompt: b}]", "x.yaml", "vally eval"),
        ("name: x\nstimuli:", "eval.yaml", "vally eval"),
        ("name: x\nconfig: {runs: 1}\nstimuli: [{name: a, turns: [b]}]", "eval.yaml", "vally eval"),
        ("name: x\nstimuli: [{name: a, promt: b}]", "eval.yaml", "vally eval"),
        ("name: x\nmoderation: 1\narea: 2\nstimuli: [{prompt: b}]\ndefaults: {}", "x.yaml", "vally eval"),
        ("name: x\nstimuli: [na]", "eval.yaml", "vally eval"),
        ("name: s\ntype: capability", "eval.yaml", "vally eval"),
        ("type: capability\nname:", "a.eval.yaml", "vally eval"),
        ("type: regression\ndefaults: {runs: 3, executor: e}", "a.eval.yaml", "vally eval"),
        ("name: s\ndefaults: {runs: 1}", "evals/a/eval.yml", "vally eval"),
        ("name: s\ndefaults: {judge_model: m, modle: }", "eval.yaml", "vally eval"),
        ("type: capability\nconfig: {executor: e}\nscoring: {threshold: 1}", "eval.yaml", "vally eval"),
        ("environment: {skills: []}", "eval.yaml", "vally eval"),
        ("type: capability\nenvironment: shared", "eval.yaml", "vally eval"),
        ("", "smoke.vally.yaml", "vally eval"),
        ("name: x", "eval.smoke.vally.yaml", "vally eval"),
        ("pathz: {}", ".vally.yaml", "vally project"),
        ("name: x\nevals: [a]\nvary: [/defaults/model]\nvariants: {}", "x.yaml", "vally experiment"),
        ("name: x\nevals: [a]\nmatrix: {}", "x.yaml", "vally experiment"),
        ("name: x\nevals: [a]", "skill.experiment.yaml", "vally experiment"),
        ("name: x\nevals: [a]", "experiment.yaml", "vally experiment"),
    ],
)
def test_files_of_vally(text: str, path: str, kind: str) -> None:
    assert _kind(text, path) == kind


@pytest.mark.parametrize(
    ("text", "path"),
    [
        pytest.param("stimuli: [a.png, b.png]\ntrials: 5", "task.yaml", id="pictures for people"),
        pytest.param(
            "name: stroop\nstimuli: [{name: red, file: red.png, ms: 500}]", "x.yaml", id="an experiment"
        ),
        pytest.param("stimuli: words.csv\nblocks: 3", "experiment.yaml", id="a table of words"),
        pytest.param("apiVersion: v1\nkind: Experiment\nname: x", "experiment.yaml", id="Kubernetes"),
        pytest.param("name: x", "experiment.yaml", id="a name alone"),
        pytest.param("", "experiment.yaml", id="an empty file"),
        pytest.param("name: x\ntype: capability", "models.yaml", id="a type in another file"),
        pytest.param("name: x\ntype: classification", "eval.yaml", id="another type"),
        pytest.param("type: regression\nmodel: {}", "eval.yaml", id="a model that is trained"),
        pytest.param("type: regression\nname: housing", "eval.yaml", id="the kind of a task"),
        pytest.param(
            "type: regression\nscoring: {threshold: 0.3}", "ml.eval.yaml", id="a task that is measured"
        ),
        pytest.param("type: capability\nconfig: {lr: 0.1}", "eval.yaml", id="settings of a training"),
        pytest.param("type: capability\nscoring: {metric: f1}", "eval.yaml", id="a metric"),
        pytest.param("name: x\nscoring: {threshold: 0.5}", "eval.yaml", id="a threshold"),
        pytest.param(
            "name: x\nscoring: {weights: {a: 1}}\ndefaults: {executor: local}", "eval.yaml", id="weights"
        ),
        pytest.param("name: x\nenvironment: {commands: [make]}", "eval.yaml", id="commands"),
        pytest.param(
            "name: x\ndefaults: {runs: 3, warmup: 1, cores: 2}", "eval.yaml", id="a benchmark's runs"
        ),
        pytest.param("type: regression\nscoring: rmse", "eval.yaml", id="how a model is measured"),
        pytest.param("name: x\ndefaults: {model: m, timeout: 3}", "eval.yaml", id="defaults of any tool"),
        pytest.param("name: x\nenvironment: {python: '3.12'}", "eval.yaml", id="an interpreter"),
        pytest.param("name: x\nenvironment: prod", "eval.yaml", id="the name of an environment"),
        pytest.param("name: x\nvariants: {a: 50, b: 50}", "x.experiment.yaml", id="shares of visitors"),
        pytest.param("name: x\nbaseline: a\nvariants: [{name: a, weight: 1}]", "x.yaml", id="arms in a list"),
        pytest.param("baseline: a\nname: b", "perf.yaml", id="a benchmark"),
        pytest.param("paths: {}\nsuites: {}", "vally.yaml", id="no project file"),
    ],
)
def test_look_alikes_are_not_recognised(text: str, path: str) -> None:
    assert _kind(text, path) is None


def test_the_nearest_project_file_decides_if_the_keys_do_not(tmp_path: Path) -> None:
    path = tmp_path / "evals" / "eval.yaml"
    (tmp_path / ".vally.yaml").touch()
    assert _kind("name: x", path) == "vally eval"
    assert _kind("", path.with_name("ab.experiment.yaml")) == "vally experiment"
    assert _kind("name: x\nscoring: {}\nstimulus: [{name: a}]", path) == "vally eval"
    assert _kind("name: x\nservices: {}\nvolumes: {}", path) is None
    assert _kind("name: x\nskill: a\ntasks: [t.yaml]", path) == "waza eval"
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals" / ".waza.yaml").touch()
    assert _kind("name: x", path) == "waza eval"
