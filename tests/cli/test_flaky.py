"""`waza-lsp runs flaky`: flaky tasks and flaky graders, from runs and replays of them."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from waza_engine.lib.process import run as processes
from waza_engine.runs.past import regraded
from waza_lsp.cli import main

EVAL = """
name: demo
skill: demo-skill
config: {trials_per_task: 2, timeout_seconds: 30, executor: mock}
graders:
  - {type: text, name: answers, config: {contains: [mock response]}}
  - {type: program, name: coin, config: {command: "true"}}
tasks: [tasks/*.yaml]
"""


def show(*arguments: str) -> str:
    done = CliRunner().invoke(main, list(arguments), catch_exceptions=False)
    return done.stdout


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "tasks").mkdir()
    for name in "ab":
        (tmp_path / f"tasks/{name}.yaml").write_text(
            f"id: {name}\nname: {name}\ninputs: {{prompt: {name}}}\n"
        )
    (tmp_path / "eval.yaml").write_text(EVAL)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def flaky(*arguments: str) -> list[dict[str, Any]]:
    [one] = json.loads(show("runs", "flaky", *arguments, "--format", "json"))["evals"]
    return list(one["tasks"])


@pytest.mark.usefixtures("folder")
def test_a_replay_tells_a_flaky_grader_from_a_flaky_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "No runs" in CliRunner().invoke(main, ["runs", "flaky", "eval.yaml"]).output
    show("run", "eval.yaml")
    assert show("runs", "flaky", "eval.yaml") == "2 tasks did not vary\n"
    first = json.loads(show("runs", "list", "--format", "json"))[0]["run_id"]
    started: list[int] = []
    real = processes.run

    def coin(*arguments: Any, **options: Any) -> Any:
        started.append(1)
        ended = real(*arguments, **options)
        # The first verdict of each replay on task a is another one.
        return ended if len(started) % 4 != 1 else type(ended)(1, b"", b"", timed_out=False)

    monkeypatch.setattr(processes, "run", coin)
    for _ in range(2):
        show("run", "eval.yaml", "--replay-from", first)
    assert len(started) == 8
    text = show("runs", "flaky", "eval.yaml")
    # The agent did its work twice, which was judged well.
    assert "a  passed 2 of 2 trials" in text
    assert "coin (program) flips" in text
    assert "got both verdicts" in text
    assert "1 task did not vary" in text
    assert text == show("runs", "flaky")
    a, b = flaky("eval.yaml")
    assert (a["task"], a["flaky"], a["cause"], a["trials"], a["passed"], a["runs"]) == (
        "a",
        True,
        "",
        2,
        2,
        1,
    )
    assert (b["flaky"], b["passed_runs_in_a_row"], a["passed_runs_in_a_row"]) == (False, 1, 1)
    by_name = {it["name"]: it for it in a["graders"]}
    assert [(it["flaky"], it["deterministic"]) for it in by_name.values()] == [(False, True), (True, False)]
    assert by_name["coin"]["same_work"]["mixed"] >= 1
    assert by_name["coin"]["same_work"]["flip_rate"] > 0
    # An eval of which only replays are known has the trials of these.
    monkeypatch.setattr(processes, "run", real)
    assert [it["trials"] for it in flaky("eval.yaml", "--limit", "2")] == [4, 4]


def test_runs_of_older_versions_tell_nothing_about_graders(folder: Path) -> None:
    show("run", "eval.yaml")
    with sqlite3.connect(folder / ".waza-lsp/runs.sqlite3") as sql:
        sql.execute("UPDATE trials SET work = ''")
        sql.execute("UPDATE runs SET frame = json_remove(frame, '$.dialect')")
        sql.execute("UPDATE trials SET status = 'failed' WHERE task_id = 'a' AND trial = 1")
        sql.execute("UPDATE results SET status = 'failed' WHERE trial_id = 1 AND name = 'coin'")
    sql.close()
    a, _ = flaky("eval.yaml")
    assert (a["cause"], a["graders"][1]["same_work"]["recordings"]) == ("agent or grader", 0)
    text = show("runs", "flaky", "eval.yaml")
    assert "--replay-from last" in text
    assert "\n    coin (program) flips 50% (" in text
    assert " over the trials\n" in text


@pytest.mark.usefixtures("folder")
def test_a_copy_of_the_cache_is_no_second_verdict() -> None:
    show("run", "eval.yaml")
    show("run", "eval.yaml", "--cache")
    assert [it["trials"] for it in flaky("eval.yaml")] == [2, 2]


def test_grading_a_run_again_tells_of_flaky_graders(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    show("run", "eval.yaml")
    show("grade", "--run", "last")
    assert show("runs", "flaky", "eval.yaml") == "2 tasks did not vary\n"
    real = processes.run

    def tails(*arguments: Any, **options: Any) -> Any:
        ended = real(*arguments, **options)
        return type(ended)(1, b"", b"", timed_out=False)

    monkeypatch.setattr(processes, "run", tails)
    show("grade", "--run", "last", "--task", "a")
    a, b = flaky("eval.yaml")
    coin = next(it for it in a["graders"] if it["name"] == "coin")
    assert (coin["flaky"], coin["same_work"]["mixed"], b["flaky"]) == (True, 1, False)
    # The run itself keeps its verdicts, and the task has only its own trials.
    assert (a["trials"], a["passed"]) == (2, 2)
    # Another text of the grader is no second verdict; neither are lines that somebody else wrote.
    (folder / "eval.yaml").write_text(EVAL.replace('"true"', '"false"'))
    kept = folder / ".waza-lsp/regraded.jsonl"
    kept.write_bytes(kept.read_bytes()[:-40] + b"\n{}\nno JSON\n")
    monkeypatch.setattr(processes, "run", real)
    show("grade", "--run", "last")
    a, _ = flaky("eval.yaml")
    assert not a["flaky"]
    kept.unlink()
    kept.mkdir()
    assert "'runs flaky' will not know" in CliRunner().invoke(main, ["grade", "--run", "last"]).stderr
    assert len(flaky("eval.yaml")) == 2


def test_regradings_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regraded, "_MOST_BYTES", 1000)
    one = regraded.Regraded(run="r", task="t", work="w", judging="j", graders=(("g", "program", True),))
    for number in range(20):
        noted = regraded.Regrading(lambda _: "", lambda _: True)
        noted.found.append(one.model_copy(update={"run": f"r{number}"}))
        noted.write(tmp_path)
    found = list(regraded.read_regraded(tmp_path))
    assert (found[-1].run, 3 < len(found) < 12) == ("r19", True)
    assert (tmp_path / "regraded.jsonl").stat().st_size <= 1000
