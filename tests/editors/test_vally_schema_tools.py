"""The exported schema of vally eval specs in other tools: valid files pass, and one mistake is one error."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.editors.yaml_server import YamlServer, running_yaml_server

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "schemas" / "vally" / "eval.schema.json"
VALID = """\
name: demo
area: billing
defaults:
  runs: ${RUNS}
  timeout: 5m
  executor: my-own
stimuli:
  - name: talk
    turns: [one, two]
    tags: {tier: [ci, nightly], owner: me}
    graders:
      - type: wall-time
        config:
          max: 30s
      - type: my-plugin
        config: {anything: 1}
scoring:
  threshold: 0.8
"""
MISTAKES = [
    ("timeout: 5m", "timeout: 2m40s", ["5: a duration is a whole number with a unit: 500ms, 30s, 5m, 1h"]),
    ("threshold: 0.8", "threshold: 8", ["18: Value is above the maximum of 1."]),
    ("max: 30s\n", "maxx: 30s\n", ['13: Missing property "max".', "14: Property maxx is not allowed."]),
    (
        "type: wall-time\n        config:\n          max: 30s\n",
        "type: wall-time\n",
        ['12: Missing property "config".'],
    ),
]


@pytest.fixture(scope="module")
def yaml_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[YamlServer]:
    with running_yaml_server(tmp_path_factory.mktemp("yaml")) as server:
        yield server


@pytest.mark.editor
def test_the_yaml_server_accepts_what_vally_accepts(yaml_server: YamlServer) -> None:
    assert yaml_server.findings(VALID, SCHEMA) == []
    for name in ("release-notes", "support-desk"):
        text = (ROOT / "examples" / name / "eval.yaml").read_text("utf-8")
        assert yaml_server.findings(text, SCHEMA) == []


@pytest.mark.editor
@pytest.mark.parametrize(("right", "wrong", "said"), MISTAKES)
def test_the_yaml_server_marks_the_mistake(
    yaml_server: YamlServer, right: str, wrong: str, said: list[str]
) -> None:
    assert VALID.count(right) == 1
    assert yaml_server.findings(VALID.replace(right, wrong), SCHEMA) == said
