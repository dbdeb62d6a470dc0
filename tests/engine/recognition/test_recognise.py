"""Which files are ours, by content and then by name; look-alikes of other tools are not."""

from pathlib import Path, PurePath
from typing import Any

import pytest

from tests.each import check_each
from waza_engine.analysis.schema.files import read_schema
from waza_engine.lib.yaml.reader import read_yaml
from waza_engine.recognition.dialect import Kind
from waza_engine.recognition.recognise import dialects, load_object, recognise


def _kind(keys: str | None, path: str = "some/file.yaml") -> str | None:
    found = recognise(None if keys is None else keys.split(), PurePath(path))
    return f"{found[0].name} {found[1].name}" if found else None


@pytest.mark.parametrize(
    ("keys", "kind"),
    [
        ("name skill config metrics tasks", "waza eval"),
        ("name scenario schemaVersion config tasks", "waza eval"),
        ("name agent graders", "waza eval"),
        ("description graders tasks", "waza eval"),
        ("graders tasks_from inputs", "waza eval"),
        ("skill config tasks", "waza eval"),
        ("name skill config graders taskz metrcs", "waza eval"),
        ("id name inputs", "waza task"),
        ("id inputs", "waza task"),
        ("inputs expected name", "waza task"),
        ("id name graders", "waza task"),
        ("id inputs prompt", "waza task"),
        ("id name inputs graders config", "waza task"),
        ("name skill config graders tasks id inputs", "waza eval"),
        ("skill should_trigger_prompts", "waza triggers"),
        ("should_not_trigger_prompts", "waza triggers"),
    ],
)
def test_the_keys_say_what_a_file_is_whatever_its_name(keys: str, kind: str) -> None:
    assert _kind(keys) == kind
    assert _kind(keys, "eval.yaml") == kind
    assert _kind(keys, "trigger_tests.yaml") == kind


@pytest.mark.parametrize(
    ("keys", "path"),
    [
        pytest.param(None, "tasks/main.yml", id="Ansible tasks"),
        pytest.param(None, "eval.yaml", id="a list in eval.yaml"),
        pytest.param("hosts roles vars tasks", "tasks/site.yaml", id="Ansible play"),
        pytest.param("description prompts providers tests", "eval.yaml", id="promptfoo"),
        pytest.param("name description evaluation_framework tasks", "eval.yaml", id="Hugging Face benchmark"),
        pytest.param(
            "title description arxiv group contributors tasks version", "eval.yaml", id="inspect_evals"
        ),
        pytest.param(
            "task dataset_path output_type doc_to_text metric_list", "tasks/arc.yaml", id="lm-eval-harness"
        ),
        pytest.param("id namespace inputs tasks", "flows/a.yaml", id="Kestra flow"),
        pytest.param("id namespace description inputs tasks", "tasks/a.yaml", id="Kestra flow among tasks"),
        pytest.param("cwlVersion class id inputs outputs steps", "eval.yaml", id="Common Workflow Language"),
        pytest.param("name description inputs outputs runs", "action.yml", id="GitHub action"),
        pytest.param("name on jobs", "tasks/ci.yaml", id="GitHub workflow"),
        pytest.param("version tasks vars", "Taskfile.yml", id="Taskfile"),
        pytest.param("name services volumes", "compose.yaml", id="Compose"),
        pytest.param("apiVersion kind metadata spec", "tasks/job.yaml", id="Kubernetes"),
        pytest.param("model dataset batch_size", "eval.yaml", id="Hydra"),
        pytest.param("name stimuli graders config", "eval.yaml", id="the sibling dialect"),
        pytest.param("name tasks config", "some/file.yaml", id="too little without a name"),
        pytest.param("", "tasks/new.yaml", id="an empty file among tasks"),
        pytest.param("", "values.yaml", id="any empty file"),
        pytest.param("cases data", "trigger_tests.yaml", id="trigger tests of another tool"),
        pytest.param("schema_version environment skills engine cases report", "eval.yaml", id="skill-up"),
        pytest.param("version defaults tasks", "eval.yaml", id="skillgrade"),
        pytest.param("skill version classification evals parity_test", "eval.yaml", id="skills with evals"),
        pytest.param("name agent dataset evaluators options", "eval.yaml", id="Foundry"),
        pytest.param("run arms evaluators aggregators", "eval.yaml", id="arms of an experiment"),
        pytest.param("name skill runner dataset outputs judges", "eval.yaml", id="agent-eval-harness"),
        pytest.param("target_skill positive negative", "triggers.yaml", id="other triggers"),
    ],
)
def test_files_of_other_tools_are_left_alone(keys: str | None, path: str) -> None:
    found = _kind(keys, path)
    assert found is None or not found.startswith("waza")


@pytest.mark.parametrize(
    ("keys", "path", "kind"),
    [
        ("", "evals/demo/eval.yaml", "waza eval"),
        ("name", "eval.yaml", "waza eval"),
        ("name config tasks", "eval.yml", "waza eval"),
        ("skill confg taskz name", "eval.yaml", None),
        ("name skill confg", "eval.yaml", "waza eval"),
        ("name tasks", "note-taker.eval.yaml", "waza eval"),
        ("", "trigger_tests.yaml", "waza triggers"),
        ("skill", "trigger_tests.yaml", "waza triggers"),
        ("", "a/.waza.yaml", "waza project"),
        ("pathz", ".waza.yaml", "waza project"),
        (None, ".waza.yaml", "waza project"),
        ("paths defaults", "config.yaml", None),
        ("id name", "evals/demo/tasks/a.yaml", "waza task"),
        ("id name", "eval/tasks/a.yml", "waza task"),
        ("id name", "tasks/a.yaml", None),
        ("id name enabled tags", "tasks/wash.yaml", None),
        ("id expected", "tasks/a.yaml", "waza task"),
        ("version", "eval.yaml", None),
        ("description version", "eval.yaml", None),
        ("metrics", "eval.yaml", None),
        ("skill", "eval.yaml", "waza eval"),
        ("name description version", "eval.yaml", "waza eval"),
        ("id name prompt", "evals/demo/tasks/a.yaml", "waza task"),
        ("id name", "other/a.yaml", None),
    ],
)
def test_the_name_decides_when_the_keys_do_not(keys: str | None, path: str, kind: str | None) -> None:
    assert _kind(keys, path) == kind


def test_the_reason_is_for_people() -> None:
    content = recognise(["name", "skill", "tasks"])
    name = recognise([], PurePath("evals/eval.yaml"))
    assert content is not None
    assert name is not None
    assert content[2] == "top-level keys name, skill, tasks"
    assert name[2] == "file name eval.yaml"


@pytest.mark.parametrize("kind", [kind for it in dialects() for kind in it.kinds], ids=lambda it: it.model)
def test_the_known_keys_are_those_of_the_model(kind: Kind) -> None:
    fields = load_object(kind.model).model_fields
    assert kind.keys == {field.alias or name for name, field in fields.items()}


def _kind_of_text(text: str, path: str) -> str | None:
    found = recognise(read_yaml(text), PurePath(path))
    return f"{found[0].name} {found[1].name}" if found else None


@pytest.mark.parametrize(
    ("text", "path"),
    [
        pytest.param(
            "name: notes\nskill: ../SKILL.md\ntasks: [{id: short, file: tasks/short.yaml}]",
            "evals/eval.yaml",
            id="a list of cases with their files",
        ),
        pytest.param(
            "version: '1'\nskill: ../skills/notes\ndefaults: {trials: 5}\n"
            "tasks: [{name: short, instruction: Be short, graders: [{type: deterministic, run: ./check}]}]",
            "evals/eval.yaml",
            id="a runner with instructions in the eval",
        ),
        pytest.param(
            "name: notes\nskill: notes\ntasks: [{id: short, prompt: Be short, assertions: [is short]}]",
            "evals/eval.yaml",
            id="prompts and assertions in the eval",
        ),
        pytest.param(
            "name: answers\nconfig: {model: small, temperature: 0}\nmetrics: [faithfulness]\ntasks: [qa]",
            "eval.yaml",
            id="metrics and tasks by name",
        ),
        pytest.param(
            "name: notes\nskill: notes\ndescription: Short notes\nrunner: cli\ndataset: cases.jsonl",
            "eval.yaml",
            id="a runner with a dataset",
        ),
        pytest.param(
            "name: add\ninputs: {a: 1, b: 2}\nexpected: {sum: 3}", "tasks/add.yaml", id="a unit test as data"
        ),
        pytest.param("id: q7\ninputs: {question: How many?}\nexpected: four", "q7.yaml", id="a question"),
        pytest.param(
            "id: t1\nname: A puzzle\ndescription: Hard\nprompt: Solve it\nexpected: '42'\ntags: [maths]",
            "tasks/t1.yaml",
            id="a puzzle with its answer",
        ),
        pytest.param(
            "id: t1\ngraders: [{type: deterministic, run: ./check}]\ntags: [a]",
            "tasks/t1.yaml",
            id="other graders",
        ),
        pytest.param("name: sum\ninputs: [1, 2]\nexpected: [3]", "tasks/sum.yaml", id="numbers"),
        pytest.param(
            "name: b\ngraders: [exact]\ntasks: [{name: a, prompt: b}]", "b.yaml", id="graders by name"
        ),
    ],
)
def test_values_of_other_tools_speak_against_keys_that_are_ours(text: str, path: str) -> None:
    data = read_yaml(text)
    assert _kind(" ".join(data), path) is not None or "runner" in data
    assert _kind_of_text(text, path) is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        pytest.param(
            "name: a\nskill: b\nconfig: {tria: 1, executor: mock}", "waza eval", id="a misspelt setting"
        ),
        pytest.param("name: a\nskill: b\nconfig:\ntasks:\ngraders:", "waza eval", id="nothing written yet"),
        pytest.param(
            "name: a\nskill: b\nconfig: {trials: 3, timeout: 60}", "waza eval", id="settings of old guides"
        ),
        pytest.param(
            "name: a\nskill: ./skills/b\nconfig: {trials_per_task: 1}",
            "waza eval",
            id="a path where a name belongs",
        ),
        pytest.param(
            "name: a\nskill: b\nexecutor: mock\ntasks: [{id: t, prompt: hi, validators: [{type: text}]}]",
            "waza eval",
            id="the oldest guide",
        ),
        pytest.param(
            "name: a\nskill: b\ngraders: [{}, {type: txt, config: {contains: [a]}}]",
            "waza eval",
            id="a misspelt type",
        ),
        pytest.param(
            "id: a\ninputs: {prompt: hi}\nexpected: a greeting", "waza task", id="a text for a mapping"
        ),
        pytest.param(
            "id: a\nname: b\nprompt: hi\ngraders: [{type: text, name: c}]", "waza task", id="a stray prompt"
        ),
    ],
)
def test_mistakes_do_not_make_a_file_another_tools(text: str, kind: str) -> None:
    assert _kind_of_text(text, "tasks/a.yaml") == kind


_EVAL = "name: a\nskill: b\n"


_STRANGE_VALUES = pytest.mark.parametrize(
    ("text", "kind"),
    [
        (f"{_EVAL}config: {{zz: 1, exec: mock}}", "waza eval"),
        (f"{_EVAL}config: {{}}\nmetrics: [{{foo: 1, bar: 2}}]", "waza eval"),
        (f"{_EVAL}graders: [{{foo: 1, bar: 2}}]", "waza eval"),
        (
            f"{_EVAL}graders: [{{foo: 1, bar: 2}}, {{foo: 3, bar: 4}}]\nconfig: {{zz: 1, exec: mock}}",
            "waza eval",
        ),
        (f"{_EVAL}tasks: [{{name: foo, prompt: x}}]", "waza eval"),
        (f"{_EVAL}tasks_from: a.csv\nconfig: {{a: 1, b: 2}}", "waza eval"),
        ("name: a\nscenario: b\nconfig: {zz: 1, exec: mock}", "waza eval"),
        ("id: a\nname: b\ninputs: {text: x, context_files: [a]}", "waza task"),
        ("id: a\nname: b\ntags: [c]\ninputs: {text: x, context_files: [a]}", "waza task"),
    ],
)


@_STRANGE_VALUES
def test_the_signals_of_the_content_are_enough_where_the_name_is_ours(text: str, kind: str) -> None:
    assert _kind_of_text(text, "eval.yaml") == kind
    assert _kind_of_text(text, "demo/eval.yml") == kind
    if kind == "waza task":
        assert _kind_of_text(text, "evals/demo/tasks/a.yaml") == kind
    else:
        assert _kind_of_text(text, "demo.eval.yaml") == kind


@_STRANGE_VALUES
def test_strange_values_elsewhere_are_those_of_another_tool(text: str, kind: str) -> None:
    assert _kind_of_text(text, "some/file.yaml") is None
    assert _kind_of_text(text, "tasks/a.yaml") is None
    assert _kind(" ".join(read_yaml(text))) == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("name: a\nskill: b\nconfig: {executor: mock, zz: 1}", "waza eval"),
        ("name: a\nscenario: b\ntasks: [tasks/*.yaml]\nconfig: {zz: 1}", "waza eval"),
        ("name: a\nskill: b\ntasks_from: a.csv", "waza eval"),
        ("name: a\nskill: b\ngraders: [{type: text, config: {foo: 1}}]", "waza eval"),
        ("id: a\ninputs: {prompt: hi, foo: 1}", "waza task"),
        ("skill: a\nshould_trigger_prompts: 3", "waza triggers"),
    ],
)
def test_the_signals_of_the_content_hold_anywhere(text: str, kind: str) -> None:
    assert _kind_of_text(text, "/x/y/foo.yaml") == kind


@pytest.mark.parametrize(
    "text",
    [
        "name: a\nconfig: {zz: 1, exec: mock}",
        "name: a\nagent: b\nconfig: {temperature: 0, tools: []}",
        f"{_EVAL}tasks: [{{id: foo, prompt: x, assertions: [y]}}]\nconfig: {{zz: 1, exec: mock}}",
        "name: a\nskill: ../b\nconfig: {zz: 1, exec: mock}",
        "id: a\nname: b\ninputs: {text: x, lang: en}\nexpected: c",
        "id: a\nname: b\ninputs: {text: x, lang: en}\nsteps: []",
        "id: a\nname: b\ninputs: {text: x, lang: en}\non_error: c",
        "name: b\ninputs: {text: x, lang: en}",
    ],
)
def test_less_than_these_signals_is_not(text: str) -> None:
    assert _kind_of_text(text, "some/file.yaml") is None


def test_settings_and_globs_of_ours_speak_for_a_file_whose_other_keys_are_misspelt() -> None:
    text = "name: a\nskil: b\nconfig: {trials_per_task: 1}\ntasks: ['tasks/*.yaml']"
    assert _kind_of_text(text, "eval.yaml") == "waza eval"
    assert _kind_of_text(text, "mock.yaml") == "waza eval"
    assert _kind_of_text(f"{text}\nrunner: cli", "eval.yaml") is None


_TEMPLATE = "id: greet\nname: Greet\ndescription: d\ntags: [x]\n"
_FOREIGN = {
    "prompt template": f"{_TEMPLATE}inputs: {{person: {{type: string, required: true}}}}",
    "prompt template, two inputs": f"{_TEMPLATE}inputs: {{person: {{type: string}}, tone: {{type: string}}}}",
    "prompt template, a list": f"{_TEMPLATE}inputs: [{{name: person, type: string}}]",
    "prompt template, names": f"{_TEMPLATE}inputs: [person, tone]",
    "prompt template in parts": f"{_TEMPLATE}template: 'Hello {{{{x}}}}'\ninputs: {{x: {{default: you}}}}",
    "network": "id: 3\nname: mnist\ninputs: 784",
    "network, two sizes": "id: 3\nname: mnist\ninputs: [784, 10]",
    "network with answers": "id: 3\nname: mnist\ninputs: [784, 10]\nexpected: [1]",
    "model card": "id: 7\nname: bert\ndescription: d\ntags: [nlp]\ninputs: {text: string, max_length: 512}",
    "model card, metrics": "name: bert\nskill: ner\nmetrics: [{type: f1, value: 0.9}]\nversion: '1'",
    "game data": "name: Fireball\nskill: magic\nconfig: {mana: 10, cooldown: 3}",
    "game data, a quest": "name: Dragon\nscenario: cave\ntasks: [{kill: dragon, reward: 100}, {find: gold, reward: 5}]",
    "game data, an item": "id: 12\nname: Forge\ninputs: {iron: 3, coal: 1}",
    "load test": "name: x\nscenario: [{get: /}]\nconfig: {target: 'http://x', phases: []}",
    "load test with a name": "name: x\nscenario: soak\nconfig: {users: 100, ramp_up: 30s}",
    "Artillery": "config: {target: 'http://x', phases: [{duration: 60}]}\nscenarios: [{flow: [{get: {url: /}}]}]",
    "Artillery, merged": "name: x\nscenario: {flow: [{get: /}]}\nconfig: {target: 'http://x', plugins: {}}",
    "chaos": "name: pod\nscenario: kill\nconfig: {kubeconfig: x, namespace: y}",
    "Ansible": "name: x\nskill: y\ntasks: [{name: a, shell: make}]",
    "Ansible with modules": "name: x\nscenario: y\ntasks: [{name: a, apt: {name: git}, become: true}]",
    "a list of jobs": "name: x\nscenario: soak\ntasks: [{name: a, run: make}, {name: b, run: make}]",
    "a list of jobs with ids": "name: x\nscenario: soak\ntasks: [{id: a, run: make}]",
    "agents": "name: x\nskill: writing\ntasks: [{name: t, description: d, agent: a, expected_output: z}]",
    "to-do": "name: x\nskill: writing\ntasks: [{name: t, description: d}]",
    "workflow_dispatch": "name: x\n'on': {workflow_dispatch: {inputs: {v: {type: string}}}}\njobs: {}",
    "its inputs alone": "id: release\nname: Release\ninputs: {version: {description: d, required: true}}",
    "action": "name: x\ndescription: d\ninputs: {v: {default: a}}\nruns: {using: node20}",
    "OpenAI evals": "x.dev.v0: {class: 'evals.elsuite.basic.match:Match', args: {samples_jsonl: a.jsonl}}",
    "OpenAI graders": (
        "name: x\nskill: z\ngraders: [{type: string_check, input: b, reference: c, operation: eq}]"
    ),
    "OpenAI graders with names": (
        "name: x\nskill: z\ngraders: [{type: string_check, name: a, input: b, reference: c, operation: eq}]"
    ),
}


@pytest.mark.parametrize("path", ["/x/y/foo.yaml", "/x/tasks/foo.yaml", "/x/prompts/eval/foo.yml"])
@pytest.mark.parametrize("schema", ["", "./workflow.schema.json", "https://example.org/workflow.json"])
def test_files_of_other_tools_stay_silent(path: str, schema: str) -> None:
    def check(text: str) -> None:
        assert recognise(read_yaml(text), PurePath(path), schema=schema) is None

    check_each(_FOREIGN.items(), check)


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ("server: {port: 1}\nlogging: {level: info}", "./schemas/config.schema.json"),
        ("server: {port: 1}\ncache: {enabled: true}", "./schemas/config.schema.json"),
        ("paths: {src: a}\nserver: {host: b}", "../schemas/config.schema.json"),
        ("defaults: {colour: red}", "schemas/config.schema.json"),
        ("version: 1\nservices: []", "../schemas/config.schema.json"),
        ("title: x\nmembers: []", "schemas/project.schema.json"),
        ("title: Buy milk\ndue: tomorrow", "./schemas/task.schema.json"),
        ("id: 3\nname: Milk\ndescription: Buy\ndue: tomorrow", "./schemas/task.schema.json"),
        ("config: {colour: red}", "./schemas/task.schema.json"),
        ("prompt: hi\nmodel: m", "./schemas/task.schema.json"),
        ("steps: [1]\nowner: me", "../schemas/task.schema.json"),
        (f"{_TEMPLATE}inputs: {{person: {{type: string}}}}", "./schemas/task.schema.json"),
        ("name: Fireball\nskill: magic\nconfig: {mana: 10, cooldown: 3}", "./schemas/eval.schema.json"),
        ("name: x\ndataset: y", "./schemas/eval.schema.json"),
        ("id: a\nname: b\ninputs: {prompt: c}", "./workflow.schema.json"),
    ],
)
@pytest.mark.parametrize("path", ["/x/y/foo.yaml", "/x/evals/tasks/foo.yaml"])
def test_a_schema_at_a_path_like_ours_does_not_make_a_file_ours(text: str, schema: str, path: str) -> None:
    data = read_yaml(text)
    if path == "/x/y/foo.yaml" or recognise(data, PurePath(path)) is None:
        assert recognise(data, PurePath(path), schema=schema) is None


@pytest.mark.parametrize(
    ("text", "schema", "kind"),
    [
        ("defaults: {engine: mock}\nserver: {port: 1}", "schemas/config.schema.json", "waza project"),
        ("id: a\nprompt: hi", "../schemas/task.schema.json", "waza task"),
        ("name: a\nconfig: {executor: mock}", "../schemas/eval.schema.json", "waza eval"),
        ("id: a\ninputs: {prompt: b}", "none", "waza task"),
    ],
)
def test_a_schema_at_a_path_like_ours_helps_where_the_rest_fits(text: str, schema: str, kind: str) -> None:
    found = recognise(read_yaml(text), PurePath("/x/y/foo.yaml"), schema=schema)
    assert (f"{found[0].name} {found[1].name}" if found else None) == kind


_WAZA = "https://raw.githubusercontent.com/microsoft/waza/main/schemas"


@pytest.mark.parametrize(
    ("keys", "schema", "kind"),
    [
        ("", f"{_WAZA}/task.schema.json", "waza task"),
        ("prompt", f"{_WAZA.replace('main', 'v0.23.0')}/task.schema.json", "waza task"),
        ("name tasks", f"{_WAZA}/eval.schema.json", "waza eval"),
        ("name skill tasks", f"{_WAZA}/task.schema.json", "waza eval"),
        ("defaults", f"{_WAZA}/config.schema.json", "waza project"),
        ("services volumes", f"{_WAZA}/eval.schema.json", None),
        ("", "../schemas/task.schema.json", "waza task"),
        ("prompt", "./schemas/task.schema.json", "waza task"),
        ("name tasks", "../../waza/schemas/eval.schema.json", "waza eval"),
        ("defaults", "schemas/config.schema.json", "waza project"),
        ("prompt", "path/to/schemas/task.schema.json", "waza task"),
        ("prompt", "/elsewhere/waza/schemas/task.schema.json", "waza task"),
        ("name", "../schemas/vally/experiment.schema.json", "vally experiment"),
        ("name", "none", "waza eval"),
        ("services volumes", "../schemas/eval.schema.json", None),
        ("name skill tasks", "../schemas/task.schema.json", "waza eval"),
        ("name", "../schemas/other.schema.json", "waza eval"),
        ("", "https://example.org/schemas/task.schema.json", None),
        ("name", "https://promptfoo.dev/config-schema.json", None),
        ("graders tasks", "https://example.org/eval.schema.json", None),
        ("name skill tasks", "https://example.org/eval.schema.json", "waza eval"),
        ("prompts stimuli", f"{_WAZA}/eval.schema.json", None),
    ],
)
def test_a_file_that_names_its_schema_is_believed_where_the_keys_leave_room(
    keys: str, schema: str, kind: str | None
) -> None:
    found = recognise(keys.split(), PurePath("eval.yaml"), schema=schema)
    assert (f"{found[0].name} {found[1].name}" if found else None) == kind


def test_a_named_dialect_is_believed() -> None:
    data = {"name": "a", "skill": "../b", "tasks": [{"file": "c"}]}
    found = recognise(data, PurePath("eval.yaml"), dialect_name="waza")
    assert found is not None
    assert found[1].name == "eval"


@pytest.mark.parametrize("kind", [kind for it in dialects() for kind in it.kinds], ids=lambda it: it.model)
def test_the_shapes_name_keys_and_types_of_the_schema(kind: Kind) -> None:
    text = repr(read_schema(kind.schema))
    said: set[str] = {name for it in kind.shapes.values() for name in it.own | it.types}
    assert kind.shapes.keys() <= kind.keys
    assert [it for it in sorted(said) if f"'{it}'" not in text] == []


def test_every_grader_type_is_in_the_shapes() -> None:
    for kind in (
        it for waza in dialects() if waza.name == "waza" for it in waza.kinds if "graders" in it.shapes
    ):
        branches: list[Any] = next(
            it for it in read_schema(kind.schema)["$defs"].values() if "x-discriminator" in it
        )["allOf"]
        types = {
            it["if"]["properties"]["type"]["const"]
            for it in branches
            if "type" in it["if"].get("properties", {})
        }
        assert types == kind.shapes["graders"].types


_WAZA = "files:\n  evalFile: suite.yaml\n"
_VALLY = "paths:\n  evalFilenames: [spec.yaml, '*.sp.yaml', '*.yaml']\n"


@pytest.mark.parametrize(
    ("project", "path", "keys", "wanted"),
    [
        (_WAZA, "evals/notes/suite.yaml", "", "waza"),
        (_WAZA, "suite.yaml", "name config", "waza"),
        (_WAZA, "suite.yaml", "services volumes", ""),
        (_WAZA, "suite.yaml", "name jobs", ""),
        (_WAZA, "suite.yaml", None, "waza"),
        (_WAZA, "evals/other.yaml", "", ""),
        ("files: [", "suite.yaml", "", ""),
        ("files: suite.yaml", "suite.yaml", "", ""),
        (_VALLY, "evals/notes/spec.yaml", "", "vally"),
        (_VALLY, "evals/a.sp.yaml", "name type", "vally"),
        (_VALLY, "evals/a.sp.yaml", "steps", ""),
        (_VALLY, "elsewhere/spec.yaml", "", ""),
        (_VALLY.replace("paths:", "paths:\n  evals: [specs]"), "specs/spec.yaml", "", "vally"),
        # A pattern for all files says nothing of any.
        (_VALLY, "evals/data.yaml", "", ""),
    ],
)
def test_a_project_gives_its_evals_another_name(
    tmp_path: Path, project: str, path: str, keys: str | None, wanted: str
) -> None:
    name = ".waza.yaml" if project.startswith("files") else ".vally.yaml"
    (tmp_path / name).write_text(project)
    found = recognise(None if keys is None else keys.split(), tmp_path / path)
    assert (found[0].name if found else "") == wanted
    assert found is None or (found[1].name, found[2]) == ("eval", f"named in {name}")


def test_the_nearest_project_names_its_evals(tmp_path: Path) -> None:
    (tmp_path / ".waza.yaml").write_text(_WAZA)
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner/.vally.yaml").write_text("paths: {}\n")
    assert recognise([], tmp_path / "suite.yaml") is not None
    assert recognise([], tmp_path / "inner/evals/suite.yaml") is None


@pytest.mark.parametrize("path", ["/" + "a" * 300 + "/x.yaml", "/a\0b/x.yaml"])
def test_a_path_that_the_system_refuses_is_no_named_eval(path: str) -> None:
    assert recognise({"foo": 1}, Path(path)) is None
