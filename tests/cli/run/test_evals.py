"""`waza-lsp run FOLDER` and `--suite NAME`: which evals and tasks run, and how they end."""

import json
from pathlib import Path
from textwrap import dedent

import pytest
from click.testing import CliRunner, Result

from waza_engine.runs.store.store import RunStore
from waza_lsp.cli import main

SPEC = """
name: {name}
type: capability
defaults: {{runs: 1, timeout: 1m, executor: mock}}
scoring: {{threshold: 0.9}}
tags: {{area: {name}}}
stimuli:
  - name: first
    prompt: Write {name}
    tags: {{tier: ci}}
    graders:
      - type: output-contains
        config: {{substring: {expected}}}
  - name: second[x]
    prompt: Write {name} again
    tags: {{tier: [nightly, slow]}}
    graders:
      - type: output-contains
        config: {{substring: Write}}
"""
PROJECT = """
paths: {evals: evals/}
suites:
  ci: {filter: {tier: ci}}
  nightly: {filter: {tier: [nightly, weekly]}, evals: ["**/eval.yaml", "!evals/b/**"]}
  nested: {filter: {tags: {area: b}}}
  files: {evals: [b/eval.yaml]}
  all: {filter: {}}
  nobody: {filter: {tier: never}}
  no-file: {evals: [c/eval.yaml]}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    _write(tmp_path / "evals/a/eval.yaml", SPEC.format(name="a", expected="Write a"))
    _write(tmp_path / "evals/b/eval.yaml", SPEC.format(name="b", expected="moon"))
    _write(tmp_path / "evals/a/notes.yaml", "name: no eval\n")
    _write(tmp_path / ".vally.yaml", PROJECT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(text), encoding="utf-8")


def _invoke(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["run", *arguments])


def _planned(*arguments: str) -> dict[str, list[str]]:
    """Return the task names of each planned eval, by the eval's name."""
    result = _invoke(*arguments, "--dry-run", "--format", "json")
    assert result.exit_code == 0, result.output
    return {it["eval"]: it["tasks"] for it in json.loads(result.stdout)["plans"]}


def test_a_folder_runs_all_its_evals(folder: Path) -> None:
    result = _invoke("evals")
    assert result.exit_code == 1, result.output
    assert result.stdout.splitlines()[-1] == "FAILED: 1 of 2 evals passed; not passed: evals/b/eval.yaml"
    quiet = _invoke("evals", "-q").stdout
    assert "evals/a/eval.yaml" not in quiet
    assert quiet.splitlines()[1] == "evals/b/eval.yaml"
    with RunStore(folder / ".waza-lsp", for_reading=True) as store:
        assert {Path(it.eval_path).parent.name for it in store.find_runs("")} == {"a", "b"}


@pytest.mark.parametrize(
    ("suite", "expected"),
    [
        ("ci", {"a": ["first"], "b": ["first"]}),
        ("nightly", {"a": ["second[x]"]}),
        ("nested", {"b": ["first", "second[x]"]}),
        ("files", {"b": ["first", "second[x]"]}),
        ("all", {"a": ["first", "second[x]"], "b": ["first", "second[x]"]}),
    ],
)
def test_a_suite_selects_files_then_stimuli(suite: str, expected: dict[str, list[str]]) -> None:
    assert _planned("--suite", suite) == expected
    assert _planned("evals/a", "--suite", suite) == expected


def test_only_the_stimuli_of_the_suite_run() -> None:
    result = _invoke("--suite", "nightly")
    assert (result.exit_code, "second[x]" in result.stdout, "first" in result.stdout) == (0, True, False)
    assert result.stdout.splitlines()[-1] == "PASSED: 1 of 1 evals passed"
    assert _invoke("--suite", "nightly", "-q").stdout == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--suite", "nobody"], "No stimulus has the tags of the suite 'nobody'"),
        (["--suite", "no-file"], "The suite 'no-file' matches no eval"),
        (["--suite", "unheard"], "Known suites: ci, nightly, nested"),
        (["--suite", "ci", "--task", "first"], "--suite selects the tasks"),
        (["evals", "--resume"], "--resume continues the run of one eval"),
        (["evals", "--model", "x", "--model", "y"], "Several evals take one --model"),
        ([], "Missing argument 'EVAL'"),
    ],
)
def test_refusals(arguments: list[str], message: str) -> None:
    result = _invoke(*arguments)
    assert (result.exit_code, message in result.output) == (2, True), result.output


def test_a_folder_without_evals_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    result = _invoke("empty")
    assert (result.exit_code, "No eval file in this folder" in result.output) == (2, True)


@pytest.mark.parametrize("text", [SPEC.format(name="c", expected="x").replace("1m", "soon"), "name: ["])
def test_a_broken_eval_is_refused_before_any_other_starts(text: str, folder: Path) -> None:
    _write(folder / "evals/c/eval.yaml", text)
    result = _invoke("evals")
    assert (result.exit_code, "PASS" in result.output) == (2, False), result.output
    assert not (folder / ".waza-lsp").exists()


def test_each_eval_has_report_files_of_its_own(folder: Path) -> None:
    _invoke("evals", "--junit", "out.xml", "--output-dir", "results")
    assert {it.name for it in folder.glob("out*.xml")} == {"out_evals-a-eval.xml", "out_evals-b-eval.xml"}
    assert len([*folder.glob("results/*/evals/*/eval/*.json")]) == 2
