"""Arms of an experiment, their settings and their differences, on plain data."""

from typing import Any

import pytest

from waza_engine.dialects.vally.experiments.arms import (
    SETTINGS,
    arms_of,
    baseline_name,
    differences,
    may_differ,
    merge_patch,
    path_of,
    settings_in,
    varied_paths,
)
from waza_engine.dialects.vally.experiments.problems import (
    arm_problems,
    baseline_problems,
    matrix_problems,
    path_problems,
    undeclared_differences,
)
from waza_engine.lib.yaml.reader import read_yaml

MATRIX = """
baseline: {model: b, skill: off}
matrix:
  skill: {path: /environment/skills, values: [off: [], on: [../s]]}
  model: {path: /defaults/model, values: [a, b]}
"""


def data(text: str) -> dict[str, Any]:
    found = read_yaml(text)
    assert isinstance(found, dict)
    return found


def test_a_matrix_has_an_arm_for_every_combination() -> None:
    arms = arms_of(data(MATRIX))
    assert [it.name for it in arms] == [
        "skill=off,model=a",
        "skill=off,model=b",
        "skill=on,model=a",
        "skill=on,model=b",
    ]
    assert arms[2].over == {"environment": {"skills": ["../s"]}, "defaults": {"model": "a"}}


def test_the_baseline_of_a_matrix_may_name_its_axes_in_any_order() -> None:
    assert baseline_name(data(MATRIX)) == "skill=off,model=b"
    assert varied_paths(data(MATRIX)) == [("environment", "skills"), ("defaults", "model")]


def test_two_axes_of_one_section_both_apply() -> None:
    source = (
        "matrix:\n  m: {path: /defaults/model, values: [a]}\n  r: {path: /defaults/runs, values: [3.0, 5]}\n"
    )
    arms = arms_of(data(source))
    assert [it.name for it in arms] == ["m=a,r=3.0", "m=a,r=5"]
    assert {*arms[0].over["defaults"]} == {"model", "runs"}


@pytest.mark.parametrize(
    ("below", "above", "result"),
    [
        ({"skills": ["a"]}, {"skills": ["b"]}, {"skills": ["b"]}),
        ({"skills": ["a"], "env": {"A": "1"}}, {"skills": []}, {"skills": [], "env": {"A": "1"}}),
        ({"mcpServers": {"x": {}, "y": {}}}, {"mcpServers": {"x": None}}, {"mcpServers": {"y": {}}}),
        ({"mcpServers": {"x": {}}}, {"mcpServers": None}, {}),
        ({"env": {"A": "1"}}, {"env": {"B": "2"}}, {"env": {"A": "1", "B": "2"}}),
        ({"skills": ["a"]}, {}, {"skills": ["a"]}),
        (None, {"skills": ["a"]}, {"skills": ["a"]}),
        ("node-app", {"skills": ["a"]}, {"skills": ["a"]}),
    ],
)
def test_merge_patch(below: Any, above: Any, result: Any) -> None:
    assert merge_patch(below, above) == result


def test_arm_overrides_experiment_overrides_spec() -> None:
    experiment = data("overrides: {runs: 5, timeout: 1m}\nvariants: {a: {overrides: {runs: 7}}}\n")
    spec = data("config: {runs: 1, timeout: 9m, model: m}\nenvironment: {skills: [s]}\n")
    [arm] = arms_of(experiment)
    found = settings_in(spec, experiment, arm)
    assert found["environment"] == {"skills": ["s"]}
    assert {key: str(getattr(it, "value", it)) for key, it in found["defaults"].items()} == {
        "runs": "7",
        "timeout": "1m",
        "model": "m",
    }


@pytest.mark.parametrize(
    ("one", "other", "paths"),
    [
        ({"a": {"b": 1}}, {"a": {"b": 2}}, [("a", "b")]),
        ({"a": [1, 2]}, {"a": [1, 3]}, [("a",)]),
        ({"a": {}}, {}, []),
        ({"a": []}, {}, []),
        ({"a": 0}, {}, [("a",)]),
        ({"a": False}, {}, [("a",)]),
        ({"a": {"b": {"c": 1}}}, {}, [("a", "b", "c")]),
        ({"a": "x"}, {"a": {"b": 1}}, [("a",)]),
    ],
)
def test_differences(one: Any, other: Any, paths: list[tuple[str, ...]]) -> None:
    assert list(differences(one, other)) == paths
    assert list(differences(other, one)) == paths


def test_paths() -> None:
    assert path_of("/environment/mcpServers/a~1b~0c") == ("environment", "mcpServers", "a/b~c")
    assert path_of("/agent_environment/skills") == ("environment", "skills")
    assert path_of("defaults/model") == ()
    assert may_differ(("environment", "skills"), [("environment",)])
    assert not may_differ(("environment",), [("environment", "skills")])
    assert not may_differ(("environment", "skillset"), [("environment", "skills")])


def undeclared_paths(experiment: str, spec: str = "stimuli: []") -> list[tuple[str, tuple[str, ...]]]:
    return [("/".join(it.path), it.pointer) for it in undeclared_differences(data(experiment), data(spec))]  # type: ignore[misc]  # keys only


def test_an_undeclared_difference_has_its_location() -> None:
    experiment = (
        "vary: [/defaults/model]\nbaseline: a\nvariants:\n  a: {overrides: {model: x}}\n"
        "  b: {overrides: {model: y, runs: 3}, environment: {env: {A: '1'}}}\n"
    )
    assert undeclared_paths(experiment) == [
        ("defaults/runs", ("variants", "b", "overrides", "runs")),
        ("environment/env/A", ("variants", "b", "environment", "env", "A")),
    ]


def test_a_setting_equal_to_the_spec_is_no_difference() -> None:
    experiment = "vary: [/environment/skills]\nbaseline: a\nvariants:\n  a: {}\n  b: {overrides: {runs: 3}}\n"
    assert undeclared_paths(experiment, "defaults: {runs: 3}") == []
    assert undeclared_paths(experiment, "defaults: {runs: 2}") == [
        ("defaults/runs", ("variants", "b", "overrides", "runs"))
    ]


def test_a_difference_that_only_the_baseline_has() -> None:
    experiment = "vary: []\nbaseline: a\nvariants:\n  a: {overrides: {runs: 3}}\n  b: {}\n"
    assert undeclared_paths(experiment) == [("defaults/runs", ("variants", "a", "overrides", "runs"))]


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("baseline: c\nvariants: {a: {}, b: {}}", ["No variant named 'c'. Known variants: a, b"]),
        (
            "baseline: {x: y}\nvariants: {a: {}, b: {}}",
            ["With 'variants', the baseline must be the name of a variant"],
        ),
        ("baseline: ${WHICH}\nvariants: {a: {}, b: {}}", []),
        ("variants: {a: {}, b: {}}", []),
        (MATRIX, []),
        (MATRIX.replace("model: b,", "modle: b,"), ["no axis 'modle'", "no value for model"]),
        (MATRIX.replace("model: b,", "model: c,"), ["'model' has no value 'c'. Known values: a, b"]),
        (
            MATRIX.replace("{model: b, skill: off}", "off"),
            ["With 'matrix', the baseline must have a value for each"],
        ),
        ("vary: []\n" + MATRIX, ["'vary' belongs to 'variants'"]),
        ("variants: {a: {}}\n" + MATRIX, ["The experiment has both 'variants' and 'matrix'"]),
        ("baseline: a\nvariants: {a: {}}", ["'a' is the only arm"]),
        (
            "baseline: {m: x}\nmatrix: {m: {path: /defaults/model, values: [x]}}",
            ["'m=x' is the only arm"],
        ),
        (
            "baseline: {m: x}\nmatrix: {m: {path: /defaults/model, values: [x, x, y]}}",
            ["the value 'x' twice"],
        ),
        ("vary: [/config/model]", ["Arms cannot differ in /config/model"]),
        ("vary: [/defaults/modle]", ["'defaults' has no setting 'modle'"]),
        ("vary: [/environment/mcpServers/a/args, /agent_environment/skills, /defaults]", []),
        ("vary: [defaults/model]", []),
        ("vary: ['/${WHAT}']", []),
    ],
)
def test_problems(text: str, messages: list[str]) -> None:
    given = data(text)
    found = [
        *matrix_problems(given),
        *path_problems(given, SETTINGS),
        *arm_problems(given),
        *baseline_problems(given),
    ]
    assert len(found) == len(messages), found
    for problem, message in zip(found, messages, strict=True):
        assert message in problem.message


def test_an_invalid_path_has_a_suggestion() -> None:
    given = data("vary: [/config/model, /model, /environment/mcpservers/x]")
    assert [it.instead for it in path_problems(given, SETTINGS)] == [
        ("/defaults/model",),
        ("/defaults/model",),
        ("/environment/mcpServers/x",),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "variants: []",
        "variants: {a: 1, b: [x]}",
        "matrix: {m: 1}",
        "matrix: {m: {path: [], values: {}}}",
        "vary: x",
    ],
)
def test_incomplete_data_has_no_problems(text: str) -> None:
    given = data(f"baseline: {{m: 1}}\n{text}")
    for find in (matrix_problems, arm_problems, baseline_problems):
        list(find(given))
    list(path_problems(given, SETTINGS))
    assert list(undeclared_differences(given, {})) == []
