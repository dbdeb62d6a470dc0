"""`waza-lsp run --until-decided`: questions, limits, exit statuses, resuming."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from waza_lsp.cli import main

EVAL = """name: demo
skill: demo-skill
config: {trials_per_task: 2, timeout_seconds: 30, executor: mock}
graders: [{type: text, name: answers, config: {contains: [mock response]}}]
tasks: [tasks/*.yaml]
"""
VALLY = """name: demo
config: {runs: 1, timeout: 30s, executor: mock}
scoring: {threshold: 0.5}
stimuli:
  - name: a
    prompt: hello
    graders: [{type: output-contains, config: {substring: mock response}}]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "eval.yaml").write_text(EVAL, encoding="utf-8")
    (tmp_path / "tasks").mkdir()
    for name in ("a", "b"):
        text = f"id: {name}\nname: {name}\ninputs: {{prompt: hello}}\n"
        (tmp_path / "tasks" / f"{name}.yaml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str, eval_file: str = "eval.yaml") -> Result:
    result = CliRunner().invoke(main, ["run", eval_file, *arguments])
    assert "Traceback" not in result.output
    return result


def test_a_threshold_is_decided_and_an_open_one_is_continued() -> None:
    decided = run("--until-decided", "--threshold", "0.5")
    assert decided.exit_code == 0, decided.output
    assert "at most 50 trials each" in decided.stderr
    assert decided.stderr.count("ABOVE") == 2
    assert "PASSED: 2 tasks above 50 %" in decided.stdout
    left = run("--until-decided", "--threshold", "0.5", "--max-trials", "3")
    assert left.exit_code == 3
    advice = "Continue with a higher limit: --resume --until-decided --max-trials N"
    assert f"OPEN: Not decided: 2 open (--max-trials). {advice}; 2 of 2 tasks passed" in left.stdout
    listed = CliRunner().invoke(main, ["runs", "list"]).stdout
    assert [it.split()[3] for it in listed.splitlines()] == ["open", "passed"]
    assert "it takes --max-trials" in left.stderr
    assert run("--resume", "--until-decided", "--threshold", "0.4").exit_code == 2
    more = run("--resume", "--until-decided", "--max-trials", "20")
    assert (more.exit_code, more.stderr.count("ABOVE")) == (0, 2)


def test_a_comparison_with_the_last_run() -> None:
    assert run().exit_code == 0
    compared = run("--until-decided", "--against", "last")
    assert compared.exit_code == 3
    assert "all tasks that both runs have are used" in compared.stdout
    assert run("--until-decided", "--against", "nothing").exit_code == 2


def test_the_threshold_of_a_vally_eval(folder: Path) -> None:
    (folder / "vally.eval.yaml").write_text(VALLY, encoding="utf-8")
    result = run("--until-decided", eval_file="vally.eval.yaml")
    assert result.exit_code == 0, result.output
    assert "1 task above 50 %" in result.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--until-decided"], "needs a question"),
        (["--max-tokens", "5"], "--max-tokens needs --until-decided"),
        (["--until-decided", "--threshold", "0.5", "--against", "last"], "two questions"),
        (["--until-decided", "--threshold", "0.5", "--trials", "3"], "Remove --trials"),
    ],
)
def test_contradictions_exit_with_2(options: list[str], message: str) -> None:
    result = run(*options)
    assert result.exit_code == 2
    assert message in result.stderr


EXPERIMENT = """name: two
evals: [vally.eval.yaml]
vary: [/defaults/model]
baseline: one
variants:
  one: {defaults: {model: m}}
  two: {defaults: {model: n}}
"""


def test_each_arm_of_an_experiment_is_decided_and_continued(folder: Path) -> None:
    (folder / "vally.eval.yaml").write_text(VALLY, encoding="utf-8")
    (folder / "two.experiment.yaml").write_text(EXPERIMENT, encoding="utf-8")
    options = ("--until-decided", "--threshold", "0.5", "--max-trials", "3")
    left = run(*options, eval_file="two.experiment.yaml")
    assert (left.exit_code, left.stderr.count("OPEN")) == (3, 2), left.output
    assert "OPEN: 0 of 2 arms passed; not passed: one, two" in left.stdout
    wrong = run("--resume", "--until-decided", "--threshold", "0.4", eval_file="two.experiment.yaml")
    assert (wrong.exit_code, "continues with the same question" in wrong.stderr) == (2, True)
    more = run("--resume", "--until-decided", "--max-trials", "20", eval_file="two.experiment.yaml")
    assert (more.exit_code, more.stderr.count("ABOVE")) == (0, 2), more.output
    assert "PASSED: 2 of 2 arms passed" in more.stdout
