"""Exported schemas in other tools: one mistake is one error in check-jsonschema and in VS Code's YAML server."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.editors.yaml_server import YamlServer, running_yaml_server
from waza_engine.analysis.schema.files import read_schema

SCHEMA = Path(__file__).parents[2] / "schemas" / "eval.schema.json"
VALID = """\
name: demo
skill: demo
config:
  trials_per_task: 1
  timeout_seconds: 300
  executor: mock
  model: m
graders:
  - type: text
    name: polite
    config:
      not_contains: [rude]
  - type: trigger
    name: relevant
    config:
      skill_path: skills/demo
      mode: positive
      threshold: 0.5
tasks:
  - tasks/*.yaml
"""
TYPES = read_schema("eval")["$defs"]["EvalGrader"]["properties"]["type"]["enum"]


@dataclass(frozen=True)
class Mistake:
    """A change of the valid file and the messages of each tool: `place: message` and `line: message`."""

    name: str
    right: str
    wrong: str
    check_jsonschema: str
    yaml_server: str


MISTAKES = [
    Mistake(
        "unknown top-level key",
        "skill: demo\n",
        "skil: demo\n",
        "$: Additional properties are not allowed ('skil' was unexpected)",
        "2: Property skil is not allowed.",
    ),
    Mistake(
        "unknown grader option",
        "not_contains:",
        "not_contain:",
        "$.graders[0].config: Additional properties are not allowed ('not_contain' was unexpected)",
        "12: Property not_contain is not allowed.",
    ),
    Mistake(
        "wrong type",
        "timeout_seconds: 300",
        "timeout_seconds: long",
        "$.config.timeout_seconds: 'long' is not of type 'integer'",
        '5: Incorrect type. Expected "integer".',
    ),
    Mistake(
        "value that is not listed",
        "mode: positive",
        "mode: optimistic",
        "$.graders[1].config.mode: 'optimistic' is not one of ['positive', 'negative']",
        '17: Value is not accepted. Valid values: "positive", "negative".',
    ),
    Mistake(
        "missing required option",
        "      skill_path: skills/demo\n",
        "",
        "$.graders[1].config: 'skill_path' is a required property",
        '15: Missing property "skill_path".',
    ),
    Mistake(
        "unknown grader type",
        "type: trigger",
        "type: triger",
        f"$.graders[1].type: 'triger' is not one of {TYPES}",
        f"13: Value is not accepted. Valid values: {', '.join(json.dumps(it) for it in TYPES)}.",
    ),
    Mistake(
        "text for a list",
        "not_contains: [rude]",
        "not_contains: rude",
        "$.graders[0].config.not_contains: 'rude' is not of type 'array'",
        '12: Incorrect type. Expected "array".',
    ),
    Mistake(
        "number out of range",
        "threshold: 0.5",
        "threshold: 5",
        "$.graders[1].config.threshold: 5 is greater than the maximum of 1",
        "18: Value is above the maximum of 1.",
    ),
    Mistake(
        "key at the wrong level",
        "      not_contains: [rude]\n",
        "      not_contains: [rude]\n      weight: 2\n",
        "$.graders[0].config: Additional properties are not allowed ('weight' was unexpected)",
        "13: Property weight is not allowed.",
    ),
    Mistake(
        "grader without a type",
        "  - type: text\n    name: polite\n",
        "  - name: polite\n",
        "$.graders[0]: 'type' is a required property",
        '9: Missing property "type".',
    ),
]
each_mistake = pytest.mark.parametrize("mistake", MISTAKES, ids=lambda it: it.name.replace(" ", "-"))


def _wrong(mistake: Mistake) -> str:
    assert VALID.count(mistake.right) == 1
    return VALID.replace(mistake.right, mistake.wrong)


@pytest.fixture(scope="module")
def said_by_check_jsonschema(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Return the messages of check-jsonschema for each file. It is started once because starting is slow."""
    folder = tmp_path_factory.mktemp("files")
    texts = {"valid": VALID, **{it.name: _wrong(it) for it in MISTAKES}}
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text)
    command = [
        sys.executable,
        "-m",
        "check_jsonschema",
        "--schemafile",
        str(SCHEMA),
        "--output-format",
        "json",
    ]
    files = [str(folder / f"{it}.yaml") for it in texts]
    result = subprocess.run([*command, *files], capture_output=True, text=True, check=False)
    assert result.returncode == 1, result.stderr
    said: dict[str, list[str]] = {it: [] for it in texts}
    for it in json.loads(result.stdout)["errors"]:
        said[Path(it["filename"]).stem].append(f"{it['path']}: {it['message']}")
    return said


@each_mistake
def test_check_jsonschema_says_one_thing(
    mistake: Mistake, said_by_check_jsonschema: dict[str, list[str]]
) -> None:
    assert said_by_check_jsonschema[mistake.name] == [mistake.check_jsonschema]


def test_check_jsonschema_says_nothing_about_a_valid_file(
    said_by_check_jsonschema: dict[str, list[str]],
) -> None:
    assert said_by_check_jsonschema["valid"] == []


@pytest.fixture(scope="module")
def yaml_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[YamlServer]:
    with running_yaml_server(tmp_path_factory.mktemp("yaml")) as server:
        yield server


@pytest.mark.editor
@each_mistake
def test_the_yaml_server_says_one_thing(mistake: Mistake, yaml_server: YamlServer) -> None:
    assert yaml_server.findings(_wrong(mistake), SCHEMA) == [mistake.yaml_server]


@pytest.mark.editor
def test_the_yaml_server_says_nothing_about_a_valid_file(yaml_server: YamlServer) -> None:
    assert yaml_server.findings(VALID, SCHEMA) == []
