"""Test that the committed schemas are current, valid, and give good messages in other tools."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from waza_engine.analysis.schema.files import published_schema, read_schema, schema_names
from waza_engine.analysis.schema.tolerance import Schema, widen
from waza_engine.executors.registry import built_in_executors
from waza_engine.generate.schemas.export import as_text, export
from waza_engine.generate.schemas.shape import subschemas
from waza_engine.lib.yaml.reader import read_yaml
from waza_engine.lib.yaml.scalars import plain
from waza_engine.recognition.recognise import recognise

ROOT = Path(__file__).parents[3]
COMMAND = "run: waza-lsp schema export --out schemas"


def test_the_committed_schemas_are_those_of_the_models() -> None:
    made = {f"{name}.schema.json": as_text(it) for name, it in export().items()}
    folder = ROOT / "schemas"
    committed = {
        it.relative_to(folder).as_posix(): it.read_text("utf-8") for it in folder.rglob("*.schema.json")
    }
    assert sorted(committed) == sorted(made), COMMAND
    stale = [name for name, text in made.items() if committed[name] != text]
    assert not stale, COMMAND


@pytest.mark.parametrize("name", schema_names())
def test_a_schema_is_valid_and_says_what_every_key_means(name: str) -> None:
    schema = read_schema(name)
    Draft202012Validator.check_schema(schema)
    assert "$id" not in schema
    assert schema["title"]
    for path, it in _options(schema):
        assert it.get("description") or "$ref" in it, path
        assert not it.keys() & {"ge", "gt", "le", "lt", "title", "oneOf", "x-required"}, path


def _options(schema: Schema) -> Iterator[tuple[str, Schema]]:
    for it in subschemas(schema):
        # Only what was made from a described model; old graders have shapes without words.
        if "description" in it:
            yield from it.get("properties", {}).items()


def test_unknown_names_have_no_schema() -> None:
    for name in ("nope", "graders/nope", "../pyproject"):
        with pytest.raises(KeyError):
            read_schema(name)


def _errors(name: str, text: str) -> list[str]:
    errors = Draft202012Validator(published_schema(name)).iter_errors(plain(read_yaml(text)))
    return [f"{'.'.join(str(part) for part in it.absolute_path)}: {it.message}" for it in errors]


@pytest.mark.parametrize(
    "path", sorted(ROOT.glob("examples/**/*.yaml")), ids=lambda it: "/".join(it.parts[-3:])
)
def test_the_examples_are_valid(path: Path) -> None:
    text = path.read_text("utf-8")
    found = recognise(read_yaml(text), path)
    if found is None:
        pytest.skip("no file of a suite")
    assert _errors(found[1].schema, text) == []


CONFIG = "config: {trials_per_task: 1, timeout_seconds: 9}\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "name: x\ntasks: [a]\nversion: 1.0\n" + CONFIG, id="no skill, metrics, executor or model"
        ),
        pytest.param("name: x\ntasks_from: a.csv\nrange: [1, 2]\n" + CONFIG, id="a dataset instead of tasks"),
        pytest.param("name: x\ntasks: [{id: a, inputs: {prompt: p}}]\n" + CONFIG, id="an inline task"),
        pytest.param(
            "name: x\ntasks: [{task_files: [a]}, {include: b}]\n" + CONFIG, id="old lists of task files"
        ),
        pytest.param("name: x\ntasks: [a]\ngraders: [{ref: a/b@v1}]\n" + CONFIG, id="a shared grader"),
        pytest.param("name: x\ntasks: [a]\nmetrics: []\n" + CONFIG, id="no metrics"),
        pytest.param(
            "name: x\ntasks: [a]\nmetrics: [{name: m, weight: 30, threshold: 0.5}]\n" + CONFIG,
            id="big weight",
        ),
        pytest.param(
            "name: x\ntasks: [a]\nconfig: {trials_per_task: 1, timeout_seconds: 9, max_workers: 3, verbose: true}\n",
            id="old settings",
        ),
        pytest.param(
            "name: x\ntasks: [a]\ngraders: [{type: llm, name: a, model: m, rubric: r, config: {threshold: 0.5}}]\n"
            + CONFIG,
            id="a grader of the first generation",
        ),
        pytest.param(
            "name: x\ntasks: [a]\ngraders: [{type: tool_calls, name: a, config: {required: [{pattern: x}, y]}}]\n"
            + CONFIG,
            id="older options of a type of today",
        ),
        pytest.param(
            "name: x\ntasks: [a]\ngraders: [{type: tool_constraint, name: a, config: {expect_tools: [bash]}}]\n"
            + CONFIG,
            id="texts that became mappings",
        ),
        pytest.param(
            "name: x\ntasks: [a]\ngraders: [{type: prompt, name: a, config: {rubric: r, threshold: 0.5}}]\n"
            + CONFIG,
            id="a rubric-style prompt grader",
        ),
    ],
)
def test_what_the_engine_accepts_is_valid(text: str) -> None:
    assert _errors("eval", text) == []


def test_a_task_may_have_old_forms() -> None:
    text = """\
    id: a
    inputs: {prompt: p, files: [a.txt, {path: b.txt}]}
    expected: {graders: [x], outcomes: [{type: t}], output_contains_any: [a]}
    graders: [{type: code, name: c, assertions: ["True"]}]
    """
    assert _errors("task", text) == []


VALLY = "stimuli: [{name: a, prompt: p}]\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(VALLY + "area: x\nmoderation: {}\n", id="keys of a project"),
        pytest.param(VALLY + "defaults: {runs: '${RUNS}', timeout: '${TIME=5m}'}\n", id="placeholders"),
        pytest.param(VALLY + "environment: '${WHERE}'\ntags: '${TAGS}'\n", id="placeholders for mappings"),
        pytest.param(VALLY + "type: '${KIND=regression}'\ngraders: '${GRADERS}'\n", id="for lists, too"),
        pytest.param(VALLY + "graders: [{type: my-plug-in, config: {a: 1}}]\n", id="a type of a plug-in"),
        pytest.param(VALLY + "config: {executor: my-agent}\n", id="old name, own executor"),
        pytest.param(VALLY + "tags: {a: b, c: [d, e], f: true}\n", id="tags"),
    ],
)
def test_what_vally_accepts_is_valid(text: str) -> None:
    assert _errors("vally/eval", text) == []


@pytest.mark.parametrize("name", [it for it in schema_names() if it.startswith("vally/")])
def test_a_widened_schema_can_be_narrowed_again(name: str) -> None:
    published = published_schema(name)
    assert widen(read_schema(name)) == published
    assert (published != read_schema(name)) == ("x-widened" in published)


@pytest.mark.parametrize(
    ("name", "text", "error"),
    [
        ("vally/eval", "name: x\n", ": 'stimuli' is a required property"),
        ("vally/eval", "stimuli: []\n", "stimuli: [] should be non-empty"),
        ("vally/eval", VALLY + "defaults: {runs: three}\n", "defaults.runs: 'three' does not match"),
        ("vally/eval", VALLY + "defaults: {timeout: 2m40s}\n", "defaults.timeout: '2m40s' does not match"),
        ("vally/eval", VALLY + "scoring: {threshold: 2}\n", "scoring.threshold: 2 is greater than"),
        ("vally/eval", VALLY + "graders: [{type: wall-time}]\n", "graders.0: 'config' is a required"),
        (
            "vally/eval",
            VALLY + "graders: [{type: wall-time, config: {max: 5}}]\n",
            "config.max: 5 is not of type",
        ),
        ("vally/project", "suites: {ci: {}}\n", "suites.ci: {} is not valid under any"),
        ("eval", "name: x\ntasks: [a]\n", ": 'config' is a required property"),
        ("task", "id: a\ninputs: {}\n", "inputs: {} is not valid under any of the given schemas"),
        ("task", "id: ''\ninputs: {prompt: ''}\n", "id: '' should be non-empty"),
        (
            "task",
            "id: a\ninputs: {prompt: p}\ngraders: [{type: code, name: c}]\n",
            "graders.0: 'config' is a required",
        ),
        (
            "triggers",
            "skill: a\nshould_trigger_prompts: [{prompt: p, confidence: low}]\n",
            "'low' is not one of",
        ),
        ("project", "defaults: {workers: -1}\n", "defaults.workers: -1 is less than the minimum of 0"),
    ],
)
def test_one_mistake_is_one_error(name: str, text: str, error: str) -> None:
    [found] = _errors(name, text)
    assert error in found


def test_a_grader_entry_is_chosen_by_its_type() -> None:
    for name in ("EvalGrader", "TaskGrader"):
        entry = read_schema("eval")["$defs"][name]
        types = entry["properties"]["type"]
        branches = [it for it in entry["allOf"] if "type" in it["if"].get("properties", {})]
        assert entry["x-discriminator"] == "type"
        assert [it["if"]["properties"]["type"]["const"] for it in branches] == types["enum"]
        assert set(types["x-enum-descriptions"]) == set(types["enum"])
        assert {"text", "prompt", "trigger"} <= set(types["enum"])
        assert "llm" in types["x-enum-deprecated"]
        assert "text" not in types["x-enum-deprecated"]


def test_what_features_look_for_is_marked() -> None:
    spec, task = read_schema("eval"), read_schema("task")
    inline = spec["properties"]["tasks"]["items"]
    assert (spec["x-runnable"], task["x-runnable"], inline["x-runnable"]) == ("eval", "task", "task")
    assert (task["x-id-from"], inline["x-id-from"]) == ("id", "id")
    assert inline["x-path"] == {"base": "eval", "kind": "glob", "suffixes": [".yaml", ".yml"]}
    assert spec["$defs"]["Settings"]["x-recommended"] == ["executor", "model"]
    assert spec["$defs"]["EvalGrader"]["x-title-from"] == ["name"]
    assert spec["$defs"]["EvalGrader"]["x-detail-from"] == "type"
    assert spec["$defs"]["config-text"]["x-docs"] == "graders/text"
    assert "## Score" in read_schema("graders/text")["x-page"]


def test_every_executor_of_ours_may_be_written() -> None:
    executor: dict[str, Any] = read_schema("eval")["$defs"]["Settings"]["properties"]["executor"]
    assert set(built_in_executors()) <= set(executor["enum"])


def test_schemas_are_plain_json_with_a_final_newline() -> None:
    for path in (ROOT / "schemas").rglob("*.json"):
        text = path.read_text("utf-8")
        assert text == json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n"


def test_where_plug_ins_add_something_the_schemas_are_generated(monkeypatch: pytest.MonkeyPatch) -> None:
    generated = export()
    monkeypatch.setattr("waza_engine.analysis.schema.files.has_plugins", lambda: True)
    monkeypatch.setattr("waza_engine.analysis.schema.files.schema_folder", lambda: Path("/nowhere"))
    assert published_schema("eval") == generated["eval"]
    with pytest.raises(KeyError):
        published_schema("no such schema")
