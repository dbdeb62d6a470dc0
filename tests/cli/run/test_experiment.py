"""`waza-lsp run X.experiment.yaml`: arms, comparison, files, going on, what is refused."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from click.testing import CliRunner, Result

from waza_engine.runs.store.store import RunStore
from waza_lsp.cli.grade.command import grade
from waza_lsp.cli.run.command import run
from waza_lsp.cli.stored.runs import runs

SPEC = """
stimuli:
  - name: greets
    prompt: Say hello.
    graders:
      - {type: output-contains, config: {substring: howdy}}
  - name: explains
    prompt: Explain it.
    graders:
      - {type: output-contains, config: {substring: Explain}}
"""
MODELS = """
name: models
evals: [evals/*/eval.yaml]
baseline: {model: small}
matrix:
  model: {path: /defaults/model, values: [large, small]}
"""


@pytest.fixture(autouse=True)
def experiment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An experiment over one spec: two models, played by an echo of the prompt."""
    write(tmp_path / "evals" / "first" / "eval.yaml", SPEC)
    monkeypatch.chdir(tmp_path)
    return write(tmp_path / "models.experiment.yaml", MODELS)


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(text).lstrip(), encoding="utf-8")
    return path


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(run, ["models.experiment.yaml", *arguments])


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(it) for it in path.read_text(encoding="utf-8").splitlines()]


def stored() -> dict[str, tuple[str, str | None, str]]:
    """The runs in the store: what their ids end with, their status and arm."""
    with RunStore(Path(".waza-lsp"), for_reading=True) as store:
        found = store.runs()
        return {
            it.run_id[-2:]: (str(it.status), it.frame.arm.variant, it.eval_path.name)
            for it in found
            if it.frame.arm
        }


def test_every_arm_is_a_run_and_compared_with_the_baseline() -> None:
    result = invoke("--executor", "mock")
    assert result.exit_code == 1, result.output
    shown = result.stdout[result.stdout.index("Experiment models") :]
    assert [it.split() for it in shown.splitlines()[:3]] == [
        ["Experiment", "models"],
        ["model=small", "(baseline)", "1", "of", "2", "passed", "score", "0.50"],
        ["model=large", "1", "of", "2", "passed", "score", "0.50", "+0.00"],
    ]
    assert "1: model=small (small)" in shown
    # The runs belong to the experiment, not to the eval.
    assert stored() == {
        "-1": ("failed", "model=small", "models.experiment.yaml"),
        "-2": ("failed", "model=large", "models.experiment.yaml"),
    }


def test_files_for_each_arm_and_for_all() -> None:
    result = invoke(
        *("--executor", "mock", "--output", "out", "--html", "page.html", "--junit", "units.xml"),
        *("--github", "comment.md", "--record", "recorded"),
    )
    assert result.exit_code == 1, result.output
    trials = lines(Path("out/model=large/results.jsonl"))
    assert [(it["type"], it["stimulus"]) for it in trials] == [
        ("trial-result", "greets"),
        ("trial-result", "explains"),
    ]
    about = trials[0]["experiment"]
    assert {key: about[key] for key in ("name", "variant", "baseline")} == {
        "name": "models",
        "variant": "model=large",
        "baseline": "model=small",
    }
    assert about["evalFile"] == str(Path("evals/first/eval.yaml").absolute())
    assert len(about["evalHash"]) == len(about["configHash"]) == 16
    [summary] = lines(Path("out/model=small/run-summary.jsonl"))
    assert (summary["type"], summary["passed"]) == ("run-summary", False)
    report = Path("out/report.md").read_text(encoding="utf-8")
    assert report == Path("comment.md").read_text(encoding="utf-8")
    assert "**model=small** (baseline)" in report
    assert "| greets | 0.00 | 0.00 | +0.00 |" in report
    for name in (
        "page.html",
        "page_model=large.html",
        "units_model=small.xml",
        "recorded/model=large/greets.json",
    ):
        assert Path(name).is_file(), name


def test_what_is_written_is_of_one_run(tmp_path: Path) -> None:
    write(tmp_path / "models.experiment.yaml", MODELS.replace("[large, small]", "[large, small, tiny]"))
    invoke("--executor", "mock", "--output", "out")
    before = {it: it.read_bytes() for it in Path("out").rglob("*") if it.is_file()}
    assert len(before) == 7
    # Nothing is performed: everything stays as it was.
    assert invoke("--executor", "command", "--agent-command", "/no/agent", "--output", "out").exit_code == 2
    assert {it: it.read_bytes() for it in Path("out").rglob("*") if it.is_file()} == before
    # The first arm is performed, the second cannot be, the third is not come to.
    agent = write(tmp_path / "agent", f"#!/bin/sh\nrm -f {tmp_path}/agent\necho howdy\n")
    agent.chmod(0o755)
    ended = invoke("--executor", "command", "--agent-command", "./agent", "--output", "out")
    assert ended.exit_code == 2, ended.output
    [summary] = lines(Path("out/model=large/run-summary.jsonl"))
    assert (summary["passed"], summary["hadExecutionErrors"]) == (False, True)
    assert lines(Path("out/model=small/results.jsonl"))[0]["gradeResult"]["passed"]
    assert list(Path("out/model=tiny").iterdir()) == []


def test_recordings_of_arms_are_played_again() -> None:
    invoke("--executor", "mock", "--record", "recorded")
    path = Path("recorded/model=large/greets.json")
    path.write_text(
        path.read_text(encoding="utf-8").replace('"output": "', '"output": "howdy '), encoding="utf-8"
    )
    result = invoke("--executor", "replay", "--recordings", "recorded", "--output", "again")
    assert result.exit_code == 1
    passed = {
        arm: [it["gradeResult"]["passed"] for it in lines(Path(f"again/{arm}/results.jsonl"))]
        for arm in ("model=small", "model=large")
    }
    assert passed == {"model=small": [False, True], "model=large": [True, True]}


def test_one_variant_alone() -> None:
    result = invoke("--executor", "mock", "--variant", "model=large", "--task", "explains")
    assert result.exit_code == 0, result.output
    assert [it[1] for it in stored().values()] == ["model=large"]


def test_the_plan_is_printed_and_nothing_done() -> None:
    result = invoke("--dry-run", "--trials", "3")
    assert result.exit_code == 0
    assert "Baseline:   model=small" in result.stdout
    assert result.stdout.index("model=small (baseline)") < result.stdout.index("model=large\n")
    assert "6, 3 of each task" in result.stdout
    plans = json.loads(invoke("--dry-run", "--format", "json").stdout)["plans"]
    assert [(it["variant"], it["model"], it["tasks"]) for it in plans] == [
        ("model=small", "small", ["greets", "explains"]),
        ("model=large", "large", ["greets", "explains"]),
    ]
    assert not Path(".waza-lsp").exists()


def test_the_plan_of_an_eval() -> None:
    result = CliRunner().invoke(run, ["evals/first/eval.yaml", "--dry-run", "--executor", "mock"])
    assert result.exit_code == 0
    assert "Tasks:       greets, explains" in result.stdout
    assert not Path("evals/first/.waza-lsp").exists()


def test_events_tell_the_arms_as_tasks() -> None:
    result = invoke("--executor", "mock", "--events", "jsonl")
    events = [json.loads(it) for it in result.stdout.splitlines()]
    assert [(it["event"], it.get("task", "")) for it in events if it["event"] != "arm"] == [
        ("run_started", ""),
        ("task_started", "model=small"),
        ("task_finished", "model=small"),
        ("task_started", "model=large"),
        ("task_finished", "model=large"),
        ("run_finished", ""),
    ]
    assert {it["run_id"] for it in events} == {events[0]["run_id"]}
    inner = [it["told"]["event"] for it in events if it["event"] == "arm" and it["task"] == "model=large"]
    assert (inner[0], inner[-1], inner.count("trial_finished")) == ("run_started", "run_finished", 2)
    assert (events[-1]["status"], events[-1]["total"], events[-1]["failed"]) == ("failed", 2, 2)


def test_several_evals_count_together() -> None:
    write(Path("evals/second/eval.yaml"), SPEC.replace("substring: howdy", "substring: Say"))
    result = invoke("--executor", "mock", "--output", "out")
    assert "model=large             3 of 4 passed" in result.stdout
    assert "second/eval.yaml: greets" in result.stdout
    assert len(lines(Path("out/model=large/results.jsonl"))) == 4
    assert len(lines(Path("out/model=large/run-summary.jsonl"))) == 2


def test_what_was_recorded_is_taken_and_graded_again() -> None:
    invoke("--executor", "mock")
    write(Path("evals/first/eval.yaml"), SPEC.replace("substring: howdy", "substring: Say"))
    result = invoke("--replay-from", "last")
    assert result.exit_code == 0, result.output
    assert "2 of 2 passed" in result.stdout
    assert result.stdout.splitlines()[-1] == "PASSED: 2 of 2 arms passed"
    listed = CliRunner().invoke(runs, ["list"]).stdout.splitlines()
    assert len(listed) == 4
    assert "[model=large]" in listed[0]
    again = CliRunner().invoke(grade, ["--run", listed[-1].split()[0]])
    assert again.exit_code == 0, again.output
    missing = invoke("--replay-from", "nothing")
    assert missing.exit_code == 2
    assert "No run" in missing.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--model", "x"], "--model would make the arms equal: they differ in /defaults/model"),
        (["--variant", "huge"], "No variant is named 'huge'. Known variants: model=large, model=small"),
        (["--no-skills"], "Remove --baseline and --no-skills"),
        (["--model", "x", "--model", "y"], "An experiment takes one --model"),
        (["--resume"], "No run"),
    ],
)
def test_what_is_refused(arguments: list[str], message: str) -> None:
    if arguments == ["--resume"]:
        RunStore(Path(".waza-lsp").absolute()).close()
    result = invoke("--executor", "mock", *arguments) if arguments != ["--resume"] else invoke(*arguments)
    assert result.exit_code == 2
    assert message in result.output


def test_a_mistake_is_said_where_it_stands() -> None:
    write(Path("models.experiment.yaml"), MODELS.replace("{model: small}", "{model: tiny}"))
    result = invoke("--executor", "mock")
    assert result.exit_code == 2
    assert result.stderr.startswith("models.experiment.yaml:3:19: error: 'model' has no value 'tiny'")


def test_a_mistake_in_a_spec_is_said_before_anything_is_run() -> None:
    write(Path("evals/second/eval.yaml"), SPEC.replace("substring: Explain", "substrin: Explain"))
    result = invoke("--executor", "mock")
    assert result.exit_code == 2
    assert "second/eval.yaml:" in result.stderr
    assert not Path(".waza-lsp").exists()


def test_the_json_of_all_arms_is_one_object() -> None:
    for more, models in (((), ["small", "large"]), (("--variant", "model=large"), ["large"])):
        done = invoke("--executor", "mock", "--format", "json", "--quiet", *more)
        assert [it["config"]["model_id"] for it in json.loads(done.stdout)["runs"]] == models


def test_variants_are_for_experiments() -> None:
    result = CliRunner().invoke(run, ["evals/first/eval.yaml", "--variant", "a"])
    assert (result.exit_code, "--variant selects arms of an experiment" in result.output) == (2, True)


def test_a_cancelled_experiment_is_gone_on_with(tmp_path: Path) -> None:
    gate = tmp_path / "open"
    agent = write(
        tmp_path / "agent.sh",
        f"""
        if [ "$1" = large ] && ! [ -e {gate} ]; then sleep 120; fi
        echo "$1 says howdy"
        """,
    )
    command = [sys.executable, "-P", "-m", "waza_lsp", "run", "models.experiment.yaml", "--events", "jsonl"]
    options = ["--executor", "command", "--agent-command", f"sh {agent} {{model}}", "--task", "greets"]
    with subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        events = []
        for line in process.stdout:
            events.append(json.loads(line))
            told = events[-1].get("told", {})
            if (told.get("event"), events[-1].get("task")) == ("trial_started", "model=large"):
                process.send_signal(signal.SIGTERM)
    assert process.returncode == 130
    assert [(it["event"], it["status"]) for it in events[-2:]] == [
        ("task_finished", "skipped"),
        ("run_finished", "cancelled"),
    ]
    assert {end: it[0] for end, it in stored().items()} == {"-1": "passed", "-2": "cancelled"}

    gate.touch()
    result = invoke("--resume")
    assert result.exit_code == 0, result.output
    assert "model=small (baseline)  1 of 1 passed" in result.stdout
    assert "model=large             1 of 1 passed" in result.stdout
    assert {end: it[0] for end, it in stored().items()} == {"-1": "passed", "-2": "passed"}
    over = invoke("--resume")
    assert over.exit_code == 2
    assert "nothing is left to do" in over.output


def test_an_outage_makes_no_arm_worse() -> None:
    write(
        Path("evals/first/eval.yaml"),
        SPEC.replace("Explain}", "Explain}").replace("name: greets", "name: asks"),
    )
    agent = """sh -c 'test "$0" = large && { echo "{\\"type\\": \\"session.error\\", \\"data\\": {\\"errorType\\": \\"rate_limit\\"}}"; exit; }; \
        echo "{\\"type\\": \\"assistant.message\\", \\"data\\": {\\"content\\": \\"howdy Explain\\"}}"' {model}"""
    result = invoke("--agent-command", agent, "--agent-format", "copilot-jsonl")
    assert result.exit_code == 3, result.output
    assert "0 of 2 passed, 2 could not be judged" in result.stdout
    assert "-1.00" not in result.stdout
    assert {it[0] for it in stored().values()} == {"passed", "error"}
    again = invoke(
        "--agent-command", agent.replace("= large", "= none"), "--agent-format", "copilot-jsonl", "--resume"
    )
    assert again.exit_code == 0, again.output
    assert {it[0] for it in stored().values()} == {"passed"}
    assert len(stored()) == 2
