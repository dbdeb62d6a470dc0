"""`waza-lsp plan`: tasks and trials for an effect, from the last run."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from waza_lsp.cli import main

EVAL = """
name: demo
skill: demo-skill
config: {trials_per_task: 2, timeout_seconds: 30, executor: mock, model: m}
graders: [{type: text, name: answers, config: {contains: [mock response]}}]
tasks: [tasks/*.yaml]
"""


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "eval.yaml").write_text(EVAL, encoding="utf-8")
    for number in range(8):
        path = tmp_path / "tasks" / f"{number}.yaml"
        path.parent.mkdir(exist_ok=True)
        broken = "graders: [{type: text, name: polite, config: {contains: [please]}}]\n" if number > 5 else ""
        path.write_text(f"id: t{number}\nname: T\ninputs: {{prompt: hello}}\n{broken}", encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def test_pass_without_a_run_usual_values_are_assumed() -> None:
    lines = invoke("plan", "eval.yaml", "--effect", "0.3").stdout.splitlines()
    assert lines[0] == "eval.yaml: 8 tasks, 2 trials of each"
    assert "pass rate 70%, 30% of the variance between tasks (no run is stored" in lines[1]
    assert lines[2] == (
        "now: a run knows the pass rate to ±23 points, and a comparison shows changes of 62 points or more with a "
        "probability of 80%"
    )
    assert "To show a drop from 70% to 40% with a probability of 80%, each run needs:" in lines
    assert "trials of each  tasks  trials" in lines
    assert len([it for it in lines if it.strip()[:2] in {"1 ", "2 ", "3 ", "5 ", "10"}]) == 5


def test_pass_the_last_run_gives_rate_and_time() -> None:
    assert invoke("run", "eval.yaml", "-q").exit_code == 1
    data = json.loads(invoke("plan", "eval.yaml", "--effect", "0.3", "--format", "json").stdout)
    assert data["run"]
    assert data["assumed"] == {"pass_rate": pytest.approx(6.5 / 9), "between_tasks": 0.95}
    assert [it["trials"] for it in data["choices"]] == [1, 2, 3, 5, 10]
    tasks = [it["tasks"] for it in data["choices"]]
    assert tasks == sorted(tasks, reverse=True)
    assert all(it["total_trials"] == it["trials"] * it["tasks"] for it in data["choices"])
    assert data["effect"] == -0.3


def test_pass_a_given_rate_wins() -> None:
    data = json.loads(invoke("plan", "eval.yaml", "--rate", "0.2", "--format", "json").stdout)
    assert (data["assumed"]["pass_rate"], data["effect"]) == (0.2, 0.1)


def test_pass_too_few_tasks_show_nothing() -> None:
    for number in range(3, 8):
        Path(f"tasks/{number}.yaml").unlink()
    assert "with so few tasks shows no change reliably" in invoke("plan", "eval.yaml").stdout


def test_pass_an_effect_that_no_eval_can_show_costs_no_number() -> None:
    lines = invoke("plan", "eval.yaml", "--effect", "0.0001").stdout.splitlines()
    assert [it.split() for it in lines if "too many" in it] == [
        [str(it), "too", "many", "-"] for it in (1, 2, 3, 5, 10)
    ]


def test_fail_a_file_that_is_no_eval() -> None:
    Path("other.yaml").write_text("a: 1\n", encoding="utf-8")
    for name in ("other.yaml", "missing.yaml"):
        result = invoke("plan", name)
        assert (result.exit_code, "Traceback" in result.output) == (2, False)
        assert name in result.stderr
