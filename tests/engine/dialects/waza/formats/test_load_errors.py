"""What cannot be loaded: one clear message, and where."""

import os
from pathlib import Path

import pytest

from tests.engine.dialects.waza.suite_files import CONFIG, EVAL, TASK, load, refused, write
from waza_engine.model.suite import LoadError
from waza_engine.project.load_suite import load_suite


@pytest.mark.parametrize(
    ("change", "pointer", "message"),
    [
        (("name: demo", "nam: demo"), ("nam",), "'nam' is not a key that waza knows at this place"),
        (("trials_per_task: 1, ", ""), ("config", "trials_per_task"), "'config.trials_per_task' is missing"),
        (
            ("trials_per_task: 1", "trials_per_task: 0"),
            ("config", "trials_per_task"),
            "'config.trials_per_task' must be 1 or more, not 0",
        ),
        (
            ("timeout_seconds: 60", 'timeout_seconds: "60"'),
            ("config", "timeout_seconds"),
            "'config.timeout_seconds' must be a whole number, not a string; remove the quotes",
        ),
        (
            ("tasks: [tasks/*.yaml]", "tasks: tasks/*.yaml"),
            ("tasks",),
            "'tasks' must be a list, not 'tasks/*.yaml'",
        ),
        (("tasks: [tasks/*.yaml]", "tasks: [[a]]"), ("tasks", 0), "'tasks[0]' must be a string, not a list"),
        (
            ("tasks: [tasks/*.yaml]", "tasks: [{id: a, inputs: {promt: x}}]"),
            ("tasks", 0, "inputs", "promt"),
            "'tasks[0].inputs.promt' is not a key that waza knows at this place",
        ),
        (("name: demo", "name: [a]"), ("name",), "'name' must be a string, not a list"),
        (
            ("executor: mock", "executor: mock, verbos: true"),
            ("config", "verbos"),
            "is not a key that waza knows at this place",
        ),
        (
            ("name: demo", "name: demo\ngraders: [{type: text, name: x, contains: [a]}]"),
            ("graders", 0, "contains"),
            "'graders[0].contains' is not a key that waza knows at this place",
        ),
        (("tasks: [tasks/*.yaml]", "tasks: ['tasks/[.yaml']"), ("tasks", 0), "'tasks/[.yaml' is malformed"),
        (("tasks: [tasks/*.yaml]", "tasks: [no/*.yaml, ne/*]"), ("tasks",), "No file matches any pattern"),
        (("tasks: [tasks/*.yaml]", "tasks: []"), ("tasks",), "The eval has no tasks"),
        (
            ("model: m", "model: m, reasoning_effort: huge"),
            ("config", "reasoning_effort"),
            "must be one of low,",
        ),
        (
            ("model: m", "model: m, reasoning_effort: low"),
            ("config", "reasoning_effort"),
            "executor: copilot-sdk",
        ),
        (("skill: demo", 'schemaVersion: "2.0"'), ("schemaVersion",), "only for evals with 'scenario'"),
        (("skill: demo", "schemaVersion: 1"), ("schemaVersion",), "two numbers with a dot"),
        (("skill: demo", "schemaVersion: 3.1"), ("schemaVersion",), "3.1 is not supported"),
        (("skill: demo", "scenario: s"), ("scenario",), "needs 'schemaVersion: \"2.0\"'"),
        (
            ("skill: demo", "schemaVersion: 1.0\nmcp_mocks: [{name: a, fixtures: f}]"),
            ("mcp_mocks",),
            "needs schemaVersion 1.1",
        ),
        (("skill: demo", "mcp_mocks: [{name: a}]"), ("mcp_mocks", 0), "needs 'fixtures' or 'tools'"),
        (
            ("skill: demo", "hooks: {after_run: [{command: ' '}]}"),
            ("hooks", "after_run", 0, "command"),
            "is blank",
        ),
        (("[tasks/*.yaml]", "[~]"), ("tasks",), "The eval has no tasks"),
        (("tasks: [tasks/*.yaml]", ""), (), "The eval has no tasks"),
        (("skill: demo", "graders: [{ref: a/b@v1}]"), ("graders", 0, "ref"), "Shared graders"),
    ],
)
def test_an_eval_that_waza_would_not_run(
    tmp_path: Path, change: tuple[str, str], pointer: tuple[str | int, ...], message: str
) -> None:
    error = refused(tmp_path, eval=EVAL.replace(*change))
    assert message in error.message
    assert error.pointer == pointer
    assert error.path == tmp_path / "eval.yaml"


@pytest.mark.parametrize(
    ("task", "pointer", "message"),
    [
        (TASK.replace("name: A", "naem: A"), ("naem",), "'naem' is not a key that waza knows at this place"),
        (TASK + "enabled: false\ngraders: {}\n", ("graders",), "'graders' must be a list, not a mapping"),
        (TASK + "timeout_seconds: 0\n", ("timeout_seconds",), "'timeout_seconds' must be 1 or more, not 0"),
        ("- id: a\n", (), "The file must be a mapping of keys, not a list"),
        (
            "id: a\ninputs: {prompt: x, prompt_file: y}\n",
            ("inputs", "prompt_file"),
            "has both 'prompt' and 'prompt_file'; keep one",
        ),
        ("id: a\ninputs: {prompt_file: /abs.md}\n", ("inputs", "prompt_file"), "must be a relative path"),
        ("id: a\ninputs: {prompt_file: ../x.md}\n", ("inputs", "prompt_file"), "must be a relative path"),
        (
            "id: a\ninputs: {prompt_file: x.md}\n",
            ("inputs", "prompt_file"),
            "'x.md': The file cannot be read",
        ),
        (
            TASK + "command_mocks: [{name: k, responses: [{}]}]\n",
            ("command_mocks", 0, "responses", 0),
            "exactly one",
        ),
    ],
)
def test_a_task_that_waza_would_not_load(
    tmp_path: Path, task: str, pointer: tuple[str | int, ...], message: str
) -> None:
    error = refused(tmp_path, task=task)
    assert message in error.message
    assert (error.path, error.pointer) == (tmp_path / "tasks/a.yaml", pointer)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (EVAL + "name: again\n", 4, "Duplicate key 'name'"),
        (EVAL + "x: [1\n", 5, "expected"),
        ("name: a\n\tskill: b\n", 1, "tab character"),
    ],
)
def test_text_that_is_no_yaml_is_placed_by_its_line(
    tmp_path: Path, text: str, line: int, message: str
) -> None:
    error = refused(tmp_path, eval=text)
    assert (error.line, error.path) == (line, tmp_path / "eval.yaml")
    assert message in error.message


def test_an_empty_file_is_no_eval(tmp_path: Path) -> None:
    assert refused(tmp_path, eval="# nothing\n").message == "The file is empty"


def test_a_file_that_is_not_there_or_not_utf8(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="cannot be read: No such file"):
        load_suite(tmp_path / "eval.yaml", process_dir=tmp_path)
    with pytest.raises(LoadError, match="cannot be read: Is a directory"):
        load_suite(tmp_path, process_dir=tmp_path)
    (tmp_path / "eval.yaml").write_bytes(b"name: \xff\n")
    with pytest.raises(LoadError, match="not UTF-8"):
        load_suite(tmp_path / "eval.yaml", process_dir=tmp_path)


def test_a_directory_matched_by_a_pattern_is_no_task(tmp_path: Path) -> None:
    error = refused(tmp_path, eval=EVAL.replace("tasks/*.yaml", "tasks"))
    assert (error.path, error.message) == (tmp_path / "tasks", "The file cannot be read: Is a directory")


def test_another_kind_of_file_is_no_eval(tmp_path: Path) -> None:
    write(tmp_path, {"eval.yaml": EVAL, "tasks/a.yaml": TASK, "other.yaml": "a: 1\n"})
    with pytest.raises(LoadError, match="This is a task file of waza, not an eval"):
        load_suite(tmp_path / "tasks/a.yaml", process_dir=tmp_path)
    with pytest.raises(LoadError, match="This is not an eval file"):
        load_suite(tmp_path / "other.yaml", process_dir=tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("should_trigger_prompts: [{prompt: a}]", "'skill' is missing"),
        ("skill: a", "The file has no prompts"),
        ("skill: a\nshould_trigger_prompts: [{prompt: ''}]", "prompt' must not be empty"),
        (
            "skill: a\nshould_trigger_prompts: [{prompt: x, confidence: low}]",
            "must be high or medium, not 'low'",
        ),
        (
            "skill: a\nshould_trigger_prompts: [{prompt: x, why: y}]",
            "'should_trigger_prompts[0].why' is not a key",
        ),
    ],
)
def test_trigger_tests_with_a_mistake_stop_the_run_before_it_starts(
    tmp_path: Path, text: str, message: str
) -> None:
    error = refused(tmp_path, **{"trigger_tests.yaml": text})
    assert message in error.message
    assert error.path == tmp_path / "trigger_tests.yaml"


def test_command_mocks_need_the_real_agent(tmp_path: Path) -> None:
    mocks = "command_mocks: [{name: k, responses: [{args: [a]}]}, {name: K, responses: [{args: []}]}]"
    assert "executor: copilot-sdk" in refused(tmp_path, eval=EVAL + mocks).message
    text = EVAL.replace(CONFIG, CONFIG.replace("mock", "copilot-sdk")) + mocks
    assert refused(tmp_path, eval=text).pointer == ("command_mocks", 1, "name")


def test_a_document_of_zero_values_misses_what_it_needs(tmp_path: Path) -> None:
    assert load(tmp_path, eval=EVAL.replace("name: demo", "name:")).name == ""
    assert refused(tmp_path, eval="name: x\nskill: y\ntasks: [a]\n").message == "'config' is missing"


def test_named_pipes_are_no_files(tmp_path: Path) -> None:
    write(tmp_path, {"eval.yaml": EVAL})
    (tmp_path / "tasks").mkdir()
    os.mkfifo(tmp_path / "tasks" / "p.yaml")
    with pytest.raises(LoadError, match="cannot be read: it is not a regular file"):
        load_suite(tmp_path / "eval.yaml", process_dir=tmp_path)
