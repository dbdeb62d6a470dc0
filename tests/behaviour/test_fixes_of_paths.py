"""Fixes for paths that do not exist: backslashes, the repository's root as the base, new files."""

from pathlib import Path
from typing import Any

import pytest

from tests.behaviour.fixes_harness import draft_of
from tests.behaviour.harness import snapshot_of
from waza_engine.analysis.pipeline import CheckContext
from waza_engine.lib.yaml.reader import read_yaml
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.findings import Scope
from waza_lsp.features.diagnostics import findings
from waza_lsp.fixes.fixes import Solution, safe_solution, solutions

_EVAL = """
name: notes-eval
skill: notes
config: {trials_per_task: 1, timeout_seconds: 60, executor: copilot-sdk, model: gpt-4o}
tasks: ['TASKS']
graders:
  - {type: json_schema, name: shape, config: {schema_file: 'SCHEMA'}}
"""
_TASK = "id: a\nname: a\ninputs: {INPUTS}\n"
_SPEC = """
name: notes
scoring: {threshold: 1}
stimuli:
  - name: a
    prompt: x
    environment: {ENVIRONMENT}
    graders: [{type: completed}]
"""
_FILES = ("suite/fixtures/sub/a.txt", "suite/tasks/p/q.md", "suite/schemas/a.json", "skills/notes/SKILL.md")


@pytest.fixture(autouse=True)
def repository(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    for it in _FILES:
        (tmp_path / it).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / it).write_text("{}", "utf-8")
    (tmp_path / "suite/tasks/t.yaml").write_text(_TASK.replace("INPUTS", "prompt: x"), "utf-8")
    eval_text = _EVAL.replace("TASKS", "tasks/*.yaml").replace("SCHEMA", "suite/schemas/a.json")
    (tmp_path / "suite/eval.yaml").write_text(eval_text, "utf-8")
    return tmp_path


def _solutions(repository: Path, name: str, source: str, code: str) -> tuple[list[Solution], str, Any]:
    """Return the solutions of the only finding of a code, its message, and the data after the best one."""
    path = repository / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(source, "utf-8")
    snapshot = snapshot_of(source, path.name, path.parent)
    assert snapshot.form is not None
    found = findings(snapshot, CheckContext(path, Scope(path.parent, repository)))
    [finding] = [it for it in found if it.finding.code == code]
    draft = draft_of(snapshot)
    offered = solutions(finding, draft, snapshot.form.schema)
    safe = safe_solution(finding, draft, snapshot.form.schema)
    assert safe is None or not safe.files
    after = plain(read_yaml(str(draft.apply(offered[0].edits).text))) if offered else None
    return offered, finding.finding.message, after


@pytest.mark.parametrize(
    ("inputs", "code", "key", "right"),
    [
        (r"{prompt: x, files: [{path: sub\a.txt}]}", "missing-fixture", ("files", 0, "path"), "sub/a.txt"),
        (r"{prompt_file: p\q.md}", "missing-prompt-file", ("prompt_file",), "p/q.md"),
        ("{prompt_file: suite/tasks/p/q.md}", "missing-prompt-file", ("prompt_file",), "p/q.md"),
        (
            r"{prompt: x, context: {fixture: fixtures\sub}}",
            "missing-fixture",
            ("context", "fixture"),
            "fixtures/sub",
        ),
    ],
)
def test_paths_of_tasks(repository: Path, inputs: str, code: str, key: tuple[Any, ...], right: str) -> None:
    source = _TASK.replace("{INPUTS}", inputs)
    [best, *_], message, data = _solutions(repository, "suite/tasks/t.yaml", source, code)
    value = data["inputs"]
    for it in key:
        value = value[it]
    assert (value, best.preferred) == (right, True)
    assert ("Write '/' instead of '\\'" in message) == ("\\" in inputs)
    assert best.safe == ("\\" in inputs)  # Only the same path with other separators is surely meant.


@pytest.mark.parametrize(
    ("tasks", "right"), [(r"tasks\*.yaml", "tasks/*.yaml"), ("suite/tasks/t.yaml", "tasks/t.yaml")]
)
def test_globs_of_tasks(repository: Path, tasks: str, right: str) -> None:
    source = _EVAL.replace("TASKS", tasks).replace("SCHEMA", "suite/schemas/a.json")
    _, _, data = _solutions(repository, "suite/eval.yaml", source, "glob-without-match")
    assert data["tasks"] == [right]


@pytest.mark.parametrize(
    ("tasks", "meant"),
    [
        ("task/*.yaml", "tasks/*.yaml"),
        ("Tasks/*.yaml", "tasks/*.yaml"),
        ("tasks/*.yml", "tasks/*.yaml"),
        ("tasks/*.YAML", "tasks/*.yaml"),
        ("./taks/t*.yml", "./tasks/t*.yaml"),
        ("Tasks/T.yaml", "tasks/t.yaml"),
        ("tasks/more/*.yaml", None),
        ("tasks/x*.yaml", None),
        ("*.yml", None),  # Only the eval itself would match.
    ],
)
def test_a_glob_that_was_meant(repository: Path, tasks: str, meant: str | None) -> None:
    source = _EVAL.replace("TASKS", tasks).replace("SCHEMA", "suite/schemas/a.json")
    [best, *_], message, data = _solutions(repository, "suite/eval.yaml", source, "glob-without-match")
    advice = f". Did you mean '{meant}'?" if meant else ""
    assert message == f"No file matches '{tasks}' in suite/{advice}"
    assert best.preferred is (meant is not None)
    assert not meant or data["tasks"] == [meant]


def test_the_other_suffix_of_task_files(repository: Path) -> None:
    (repository / "suite/tasks/t.yaml").rename(repository / "suite/tasks/t.yml")
    source = _EVAL.replace("TASKS", "tasks/*.yaml").replace("SCHEMA", "suite/schemas/a.json")
    _, message, data = _solutions(repository, "suite/eval.yaml", source, "glob-without-match")
    assert (data["tasks"], "Did you mean 'tasks/*.yml'?" in message) == (["tasks/*.yml"], True)


_EXPERIMENT = """
name: x
evals: ['EVALS']
vary: [/environment/skills]
baseline: without
variants: {without: {environment: {skills: []}}, with: {}}
"""


@pytest.mark.parametrize(
    ("evals", "meant"),
    [("eval/*.yaml", "evals/*.yaml"), ("evals/*.yml", "evals/*.yaml"), ("suite/*/*.yml", None)],
)
@pytest.mark.parametrize("name", ["ab.experiment.yaml", ".vally.yaml"])
def test_globs_of_evals(repository: Path, name: str, evals: str, meant: str | None) -> None:
    (repository / "evals").mkdir()
    spec = _SPEC.replace("{ENVIRONMENT}", "{}")
    (repository / "evals/a.eval.yaml").write_text(spec, "utf-8")
    source = f"suites: {{all: {{evals: ['{evals}']}}}}\n"
    source = source if name == ".vally.yaml" else _EXPERIMENT.replace("EVALS", evals)
    offered, message, data = _solutions(repository, name, source, "unmatched-evals")
    assert ("Did you mean" in message) is bool(offered) is (meant is not None)
    if meant:
        assert message.endswith(f". Did you mean '{meant}'?")
        assert (data["evals"] if name != ".vally.yaml" else data["suites"]["all"]["evals"]) == [meant]


def test_a_schema_with_backslashes(repository: Path) -> None:
    source = _EVAL.replace("TASKS", "tasks/*.yaml").replace("SCHEMA", r"suite\schemas\a.json")
    _, _, data = _solutions(repository, "suite/eval.yaml", source, "missing-file")
    assert data["graders"][0]["config"]["schema_file"] == "suite/schemas/a.json"


@pytest.mark.parametrize(
    ("environment", "code", "key", "right"),
    [
        (
            r"{files: [{src: fixtures\sub\a.txt, dest: a}]}",
            "environment-file-not-found",
            "files",
            [{"src": "fixtures/sub/a.txt", "dest": "a"}],
        ),
        (
            "{files: [{src: suite/fixtures/sub/a.txt, dest: a}]}",
            "environment-file-not-found",
            "files",
            [{"src": "fixtures/sub/a.txt", "dest": "a"}],
        ),
        (r"{skills: ['..\skills\notes']}", "skill-without-file", "skills", ["../skills/notes"]),
        ("{skills: [skills/notes]}", "skill-without-file", "skills", ["../skills/notes"]),
    ],
)
def test_paths_of_specs(repository: Path, environment: str, code: str, key: str, right: Any) -> None:
    source = _SPEC.replace("{ENVIRONMENT}", environment)
    _, _, data = _solutions(repository, "suite/v.eval.yaml", source, code)
    assert data["stimuli"][0]["environment"][key] == right


@pytest.mark.parametrize(
    ("name", "source", "code", "created"),
    [
        (
            "suite/eval.yaml",
            _EVAL.replace("TASKS", "new/b.yaml").replace("SCHEMA", "suite/schemas/a.json"),
            "glob-without-match",
            "suite/new/b.yaml",
        ),
        (
            "suite/eval.yaml",
            _EVAL.replace("TASKS", "tasks/*.yaml").replace("SCHEMA", "schemas/b.json"),
            "missing-file",
            "schemas/b.json",
        ),
        (
            "suite/tasks/t.yaml",
            _TASK.replace("INPUTS", "prompt: x, files: [{path: new.md}]"),
            "missing-fixture",
            "suite/fixtures/new.md",
        ),
        (
            "suite/tasks/t.yaml",
            _TASK.replace("INPUTS", "prompt_file: new.md"),
            "missing-prompt-file",
            "suite/tasks/new.md",
        ),
        (
            "suite/v.eval.yaml",
            _SPEC.replace("ENVIRONMENT", "files: [{src: fixtures/b.md, dest: b}]"),
            "environment-file-not-found",
            "suite/fixtures/b.md",
        ),
    ],
)
def test_files_are_created(repository: Path, name: str, source: str, code: str, created: str) -> None:
    offered, _, _ = _solutions(repository, name, source, code)
    [[(path, text)]] = [it.files for it in offered if it.files]
    assert path == repository / created
    if code == "glob-without-match":
        assert plain(read_yaml(text))["inputs"]["prompt"]
    assert not any(it.safe for it in offered if it.files)


@pytest.mark.parametrize(
    "path", ["../../outside.md", "/outside.md", "folder", "~/x.md", r"C:\x.md", "b/*.md"]
)
def test_nothing_is_created_outside_or_without_a_suffix(repository: Path, path: str) -> None:
    source = _SPEC.replace("{ENVIRONMENT}", f"{{files: [{{src: '{path}', dest: b}}]}}")
    offered, _, _ = _solutions(repository, "suite/v.eval.yaml", source, "environment-file-not-found")
    assert not any(it.files for it in offered)
