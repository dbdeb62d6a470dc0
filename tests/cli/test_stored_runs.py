"""Recorded runs from the outside: resume, replay, report, compare, merge, list."""

import json
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.slow import examples
from waza_engine.reports.results.read import read_results
from waza_engine.runs.store.store import RunStore, StoredRun
from waza_lsp.cli import main

EVAL = """
name: demo
skill: demo-skill
config: {trials_per_task: 2, timeout_seconds: 30, executor: mock}
metrics: [{name: task_completion, weight: 1, threshold: 0.5}]
graders: [{type: text, name: answers, config: {contains: [mock response]}}]
tasks: [tasks/*.yaml]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write(tmp_path / "eval.yaml", EVAL)
    for name in ("a", "b", "c"):
        add_task(tmp_path, name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(text).lstrip(), encoding="utf-8")


def add_task(folder: Path, name: str, more: str = "") -> None:
    write(
        folder / "tasks" / f"{name}.yaml",
        f"id: {name}\nname: Task {name}\ninputs: {{prompt: hello}}\n{more}\n",
    )


def invoke(*arguments: str) -> Result:
    result = CliRunner().invoke(main, list(arguments))
    assert "Traceback" not in result.output
    return result


def run(*arguments: str) -> Result:
    return invoke("run", "eval.yaml", *arguments)


def data(*arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(invoke(*arguments).stdout)
    return found


def ids() -> list[str]:
    return [it["run_id"] for it in json.loads(invoke("runs", "list", "--format", "json").stdout)]


def test_runs_are_listed_and_shown() -> None:
    assert run().exit_code == 0
    assert run("--task", "a").exit_code == 0
    newest, oldest = ids()
    lines = invoke("runs", "list").stdout.splitlines()
    assert [it.split()[0] for it in lines] == [newest, oldest]
    assert "passed" in lines[0]
    assert "3 of 3 tasks passed" in invoke("runs", "show", oldest).stdout
    assert "1 of 1 tasks passed" in invoke("runs", "show").stdout
    assert invoke("runs", "list", "other.yaml").stdout == ""


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["runs", "list"], "No runs in"),
        (["report"], "No runs in"),
        (["report", "nowhere.json"], "cannot be read"),
        (["compare", "eval.yaml", "last"], "an eval, not a run"),
        (["merge", "tasks/a.yaml"], "not valid JSON"),
    ],
)
def test_what_is_not_there_is_said(arguments: list[str], told: str) -> None:
    result = invoke(*arguments)
    assert (result.exit_code, told in result.stderr, result.stdout) == (2, True, "")


def test_an_unknown_run_and_an_ambiguous_one() -> None:
    run("--task", "a")
    run("--task", "a")
    assert "No run named 'nope'" in invoke("report", "nope").stderr
    told = "eval.yaml: error: This is an eval, not a run. List its runs with: waza-lsp runs list eval.yaml\n"
    for command in (["report", "eval.yaml"], ["compare", "last", "eval.yaml"]):
        assert invoke(*command).stderr == told
    assert "matches 2 runs" in invoke("report", ids()[0][:4]).stderr


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999"])
def test_a_score_that_is_no_number_makes_no_regression(number: str) -> None:
    run("--task", "a", "--output", "good.json")
    text = Path("good.json").read_text()
    Path("bad.json").write_text(re.sub(r'("score": )[0-9.]+', rf"\g<1>{number}", text))
    result = invoke("compare", "good.json", "bad.json", "--fail-on-regression")
    assert (result.exit_code, f"not valid JSON: {number} is not a number" in result.stderr) == (2, True)


def test_a_report_of_a_stored_run_is_that_of_the_run_itself() -> None:
    add_task(Path(), "poor", "graders: [{type: text, name: polite, config: {contains: [please]}}]")
    said = run("--output", "direct.json", "--html", "direct.html", "--github", "direct.md").stdout
    result = invoke("report", "last", "--json", "later.json", "--html", "later.html", "--github", "later.md")
    assert (result.exit_code, result.stdout) == (0, "")
    for name in ("direct.json", "direct.html", "direct.md"):
        assert Path(name).read_text() == Path(name.replace("direct", "later")).read_text()
    assert invoke("report").stdout == said
    # waza's results have neither files nor what was found, so the evidence is shorter.
    shorter = re.sub(r"^(See more: | {10}).*\n|  tasks/poor.yaml:\d+$", "", said, flags=re.MULTILINE)
    assert invoke("report", "direct.json").stdout == shorter


def test_the_report_can_have_the_audit_of_its_eval() -> None:
    run("--task", "a")
    assert "add --html FILE" in invoke("report", "--audit").stderr
    assert invoke("report", "last", "--html", "page.html", "--audit").exit_code == 0
    page = Path("page.html").read_text(encoding="utf-8")
    assert "3 tasks audited" in page
    # The audit is one of the eval as it is now.
    Path("eval.yaml").rename("moved.yaml")
    result = invoke("report", "last", "--html", "page.html", "--audit")
    assert (result.exit_code, "eval.yaml: error: " in result.stderr) == (2, True)
    assert "tasks audited" not in Path("page.html").read_text(encoding="utf-8")


def test_a_report_shows_pass_at_k_with_k_to_choose() -> None:
    add_task(Path(), "poor", "graders: [{type: text, name: polite, config: {contains: [please]}}]")
    run()
    said = invoke("report", "last", "--k", "2").stdout
    assert (
        "pass@2 0.75 [0.30, 0.95] (one of 2 trials passes), pass^2 0.75 [0.30, 0.95] (all do), 4 of 4 tasks"
        in said
    )
    assert "pass@3: no task has 3 trials" in invoke("report", "last", "--k", "3").stdout
    assert "pass@" not in invoke("report", "last").stdout


def test_a_comparison_of_a_file_and_a_stored_run() -> None:
    run("--output", "before.json")
    add_task(Path(), "b", "graders: [{type: text, name: polite, config: {contains: [please]}}]")
    run("--task", "[ab]")
    found = data("compare", "before.json", "last", "--format", "json")
    assert list(found) == [
        *[
            "files",
            "models",
            "aggregate_scores",
            "success_rates",
            "aggregate_score_delta",
            "success_rate_delta",
        ],
        *["task_deltas", "total_tests", "durations_ms", "duration_delta_ms", "evidence"],
    ]
    assert [(it["task_id"], it["statuses"], it["score_delta"]) for it in found["task_deltas"]] == [
        ("a", ["passed", "passed"], 0.0),
        ("b", ["passed", "failed"], -0.5),
        ("c", ["passed", "n/a"], -1.0),
    ]
    table = invoke("compare", "before.json", "last").stdout
    assert "b            1.00    0.50   -0.50  passed -> failed" in table


def test_shards_make_a_whole_again() -> None:
    run("--output", "whole.json")
    for number in (1, 2):
        assert run("--shard", f"{number}/2", "--output", f"{number}.json").exit_code == 0
    assert [it["test_id"] for it in json.loads(Path("1.json").read_text())["tasks"]] == ["a", "c"]
    assert "Missing shards: 2/2" in invoke("merge", "1.json").stderr
    assert "twice" in invoke("merge", "1.json", "1.json").stderr
    result = invoke("merge", "2.json", "1.json", "--output", "merged.json")
    assert (result.exit_code, "3 of 3 tasks passed" in result.stdout) == (0, True)
    whole, merged = (json.loads(Path(it).read_text()) for it in ("whole.json", "merged.json"))
    assert [it["test_id"] for it in merged["tasks"]] == ["a", "b", "c"]
    timeless = {"duration_ms", "statistics"}
    assert {k: v for k, v in merged["summary"].items() if k not in timeless} == {
        k: v for k, v in whole["summary"].items() if k not in timeless
    }
    assert merged["metadata"]["measures"] == whole["metadata"]["measures"]


def test_merged_shards_are_judged_as_their_eval_says() -> None:
    stimuli = "".join(
        f"  - {{name: {it}, prompt: hello, graders: [{{type: output-contains, config: {{substring: {it}}}}}]}}\n"
        for it in ("hello", "nothing")
    )
    write(Path("v/eval.yaml"), f"name: v\nscoring: {{threshold: 0.4}}\nstimuli:\n{stimuli}")
    command = ("run", "v/eval.yaml", "--executor", "mock", "--output")
    assert invoke(*command, "whole.json").exit_code == 0
    for number in (1, 2):
        invoke(*command, f"{number}.json", "--shard", f"{number}/2")
    assert invoke("merge", "1.json", "2.json", "--output", "merged.json").exit_code == 0
    whole, merged = (read_results(Path(it)) for it in ("whole.json", "merged.json"))
    assert (merged.status, merged.scoring, merged.eval_path) == ("passed", whole.scoring, whole.eval_path)


@pytest.mark.parametrize("shard", ["0/2", "3/2", "x", "1", "9/9"])
def test_a_shard_that_makes_no_sense(shard: str) -> None:
    assert run("--shard", shard).exit_code == 2


def test_results_that_are_read_and_written_again_keep_their_moments() -> None:
    add_task(Path(), "a", "graders: [{type: text, name: new, config: {contains: [please]}}]")
    run("--output", "one.json")
    assert invoke("report", "one.json", "--json", "two.json").exit_code == 0
    first, second = (
        [it["runs"][0].get("failure_artifacts") for it in json.loads(Path(name).read_text("utf-8"))["tasks"]]
        for name in ("one.json", "two.json")
    )
    assert first[0] is not None
    assert first == second


def with_unknown_fields(value: Any) -> Any:
    """Return a value with one more field in each of its mappings, as a newer format may have them."""
    if isinstance(value, dict):
        return {
            **{key: with_unknown_fields(it) for key, it in value.items()},
            "since_1_8": {"kind": [1, None]},
        }
    return [with_unknown_fields(it) for it in value] if isinstance(value, list) else value


@pytest.mark.parametrize("version", ["1.0", "1.5", "1.7", "1.8", "1.99", "2.0", ""])
def test_results_of_any_version_with_the_same_major_are_read(version: str) -> None:
    assert run("--output", "r.json").exit_code == 0
    results = json.loads(Path("r.json").read_text("utf-8"))
    tasks = [with_unknown_fields(it) for it in results["tasks"]]
    newer = {**results, "schemaVersion": version, "tasks": tasks, "lineage": {"of": []}}
    Path("newer.json").write_text(json.dumps(newer), encoding="utf-8")
    assert [it.status for it in read_results(Path("newer.json")).tasks] == ["passed"] * 3
    for arguments in (("report", "newer.json"), ("compare", "r.json", "newer.json"), ("merge", "newer.json")):
        assert invoke(*arguments).exit_code == 0, arguments


@pytest.mark.parametrize("version", ["3.0", "2.1", "0.9"])
def test_results_of_another_major_version_are_refused(version: str) -> None:
    assert run("--output", "r.json").exit_code == 0
    results = json.loads(Path("r.json").read_text("utf-8"))
    Path("other.json").write_text(json.dumps({**results, "schemaVersion": version}), encoding="utf-8")
    result = invoke("report", "other.json")
    assert (result.exit_code, f"results of format {version} are not supported" in result.output) == (2, True)


def test_the_last_run_is_the_last_that_recorded_something() -> None:
    run("--task", "a")
    failed = invoke("run", "eval.yaml", "--executor", "command", "--agent-command", "/no/agent")
    assert failed.exit_code == 2
    assert invoke("grade", "--run", "last").exit_code == 0
    assert "PASS  a" in run("--replay-from", "last", "--task", "a").stdout
    listed = json.loads(invoke("runs", "list", "--format", "json").stdout)
    # An agent that cannot be started is refused before the run begins.
    assert "error" not in {it["status"] for it in listed}


def test_a_replay_takes_what_was_recorded() -> None:
    run("--task", "a", "--trials", "1")
    add_task(Path(), "a", "graders: [{type: text, name: new, config: {contains: [please]}}]")
    result = run("--replay-from", "last", "--trials", "1")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0] == "FAIL  a  score 0.50"
    assert any("has no trial 1 of task 'b'; it performed none" in it for it in lines)


def test_a_run_that_is_over_cannot_be_gone_on_with() -> None:
    run()
    assert "has finished (passed)" in run("--resume").stderr
    assert "Remove the options" in run("--resume", "--task", "a").stderr
    assert "No run named 'nope'" in run("--resume", "nope").stderr


SLOW_AGENT = """
import pathlib, sys, time
with open(sys.argv[1], "a") as log:
    log.write(sys.argv[2] + "\\n")
time.sleep(0.03)
print("mock response", sys.stdin.read())
"""


def start(agent: Path, log: Path, *arguments: str) -> "subprocess.Popen[bytes]":
    command = shlex.join([sys.executable, "-S", str(agent), str(log), "{turn}"])
    options = ["--executor", "command", "--agent-command", command] if "--resume" not in arguments else []
    environment = {**os.environ, "WAZA_LSP_AGENT_COMMAND": command}
    return subprocess.Popen(
        [sys.executable, "-m", "waza_lsp", "run", "eval.yaml", *options, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
    )


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 90
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def known_runs(folder: Path) -> list[StoredRun]:
    if not (folder / ".waza-lsp" / "runs.sqlite3").exists():
        return []
    with RunStore(folder / ".waza-lsp") as store:
        return store.runs()


def lines_in(log: Path) -> int:
    return len(log.read_text().splitlines()) if log.exists() else 0


def kill_and_resume(folder: Path, kills: int, trials: int) -> int:
    """Kill a run again and again at random instants; in the end every trial is there, exactly once.

    Every other kill comes at any time, also while the program starts; the rest when trials are being performed. How
    many kills there were before the run came to its end.
    """
    agent, log = folder / "agent.py", folder / "log"
    agent.write_text(SLOW_AGENT, encoding="utf-8")
    chance = random.Random(kills)  # noqa: S311  # instants, no secret
    done = 0
    for number in range(kills):
        before = lines_in(log)
        process = start(agent, log, *(["--resume"] if known_runs(folder) else ["--trials", str(trials)]))
        if number % 2:
            time.sleep(chance.uniform(0, 1.5))
        else:
            until(lambda: lines_in(log) > before or process.poll() is not None)  # noqa: B023  # at once
            time.sleep(chance.uniform(0, 0.1))
        process.send_signal(signal.SIGKILL)
        process.wait()
        done += 1
        if known_runs(folder) and known_runs(folder)[0].status is not None:
            break
    start(agent, log, *(["--resume"] if known_runs(folder) else ["--trials", str(trials)])).wait(120)
    [only] = known_runs(folder)
    assert only.status == "passed"
    with RunStore(folder / ".waza-lsp") as store:
        keys = [(it.record.task, it.record.trial) for it in store.trials(only.run_id)]
    assert keys == [(task, number) for task in "abc" for number in range(1, trials + 1)]
    # A kill costs the trial that was being performed, and nothing else.
    assert 3 * trials <= lines_in(log) <= 3 * trials + done
    return done


@pytest.mark.slow
def test_a_killed_run_goes_on_where_it_was(folder: Path) -> None:
    kill_and_resume(folder, kills=3, trials=6)


@pytest.mark.slow
def test_a_run_survives_kills_at_any_time(folder: Path) -> None:
    assert kill_and_resume(folder, kills=examples(20), trials=examples(80)) >= 2


@pytest.mark.slow
def test_a_changed_task_is_performed_again(folder: Path) -> None:
    agent, log = folder / "agent.py", folder / "log"
    agent.write_text(SLOW_AGENT, encoding="utf-8")
    process = start(agent, log, "--trials", "8")
    until(lambda: log.exists() and len(log.read_text().splitlines()) >= 3)
    process.send_signal(signal.SIGTERM)
    process.wait(20)
    add_task(folder, "a", "description: now another task")
    result = run("--resume", "--agent-command", shlex.join([sys.executable, str(agent), str(log), "again"]))
    assert "task a has changed" in result.stderr
    assert result.exit_code == 0
    assert log.read_text().splitlines().count("again") == 24


@pytest.mark.slow
def test_two_runs_at_once_share_the_store(folder: Path) -> None:
    agent, log = folder / "agent.py", folder / "log"
    agent.write_text(SLOW_AGENT, encoding="utf-8")
    processes = [start(agent, log, "--trials", "5", "--workers", "3") for _ in range(2)]
    assert [it.wait(60) for it in processes] == [0, 0]
    with RunStore(folder / ".waza-lsp") as store:
        found = store.runs()
        assert [it.status for it in found] == ["passed"] * 2
        assert [len(store.trials(it.run_id)) for it in found] == [15] * 2


def test_a_run_that_still_goes_on_is_left_alone(folder: Path) -> None:
    agent, log = folder / "agent.py", folder / "log"
    agent.write_text(SLOW_AGENT, encoding="utf-8")
    process = start(agent, log, "--trials", "60")
    until(log.exists)
    try:
        assert "is still running in process" in run("--resume").stderr
    finally:
        process.kill()
        process.wait()


def test_the_history_calls_no_task_flaky_whose_graders_changed(folder: Path) -> None:
    run("--task", "[ab]")
    add_task(folder, "b", "graders: [{type: text, name: polite, config: {contains: [please]}}]")
    run("--task", "[ab]")
    add_task(folder, "b")
    run("--task", "[ab]")
    lines = invoke("runs", "history").stdout.splitlines()
    assert lines[:2] == ["b   67%   (30% to 90%)  ++ -- ++", "a  100%  (61% to 100%)  ++ ++ ++"]
    assert lines[3].startswith("newest run against the one before: pass rate +50%")


def test_graders_can_be_skipped_and_workspaces_kept() -> None:
    result = run("--task", "a", "--trials", "1", "--skip-graders", "--keep-workspace")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == "SKIP  a  score 0.00"
    kept = next(it for it in result.stdout.splitlines() if it.startswith("workspace kept: "))
    assert Path(kept.removeprefix("workspace kept: ")).is_dir()


def test_runs_of_an_eval_in_no_repository_are_found_from_above(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    above = tmp_path_factory.mktemp("archive")
    for name in ("one", "two"):
        shutil.copytree(folder, above / "examples" / name)
    monkeypatch.chdir(above)
    assert invoke("run", "examples/one/eval.yaml").exit_code == 0
    assert "demo mock" in invoke("runs", "list").stdout
    assert invoke("grade", "--run", "last").exit_code == 0
    assert invoke("runs", "history", "examples/one/eval.yaml").exit_code == 0
    assert invoke("run", "examples/two/eval.yaml").exit_code == 0
    which = invoke("runs", "list")
    assert which.exit_code == 2
    assert "found stores in examples/one/.waza-lsp, examples/two/.waza-lsp" in which.stderr
    assert "demo mock" in invoke("runs", "list", "examples/two/eval.yaml").stdout
    missing = invoke("report", "nope", "--store", "examples/one/.waza-lsp")
    assert "runs list. Other stores are examples/two/.waza-lsp: add --store DIR\n" in missing.stderr


def test_an_eval_without_runs_is_said_to_have_none() -> None:
    run()
    shutil.copy("eval.yaml", "other.yaml")
    for command in ("list", "history"):
        done = invoke("runs", command, "other.yaml")
        assert (done.exit_code, done.stdout, done.stderr) == (0, "", "No runs of other.yaml\n")
        done = invoke("runs", command, "evl.yaml")
        problem = "No such file, and the store has no runs of it. Did you mean 'eval.yaml'?"
        assert (done.exit_code, done.stdout, done.stderr) == (2, "", f"evl.yaml: error: {problem}\n")


def test_a_narrow_terminal_shows_whole_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    run()
    [identifier] = (it["run_id"] for it in json.loads(invoke("runs", "list", "--format", "json").stdout))
    monkeypatch.setattr("waza_lsp.cli.stored.runs.is_terminal", lambda: True)
    for columns, has_dates in (("60", False), ("120", True)):
        monkeypatch.setenv("COLUMNS", columns)
        shown = invoke("runs", "list").stdout
        assert (identifier in shown, "started" in shown) == (True, has_dates)


def test_a_name_that_is_no_text_keeps_a_run_out_of_the_store_alone(folder: Path) -> None:
    odd = folder / "bad\udcff.eval.yaml"
    try:
        odd.write_text((folder / "eval.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    except OSError:
        pytest.skip("this file system takes text only")
    done = invoke("run", str(odd))
    assert (done.exit_code, "3 of 3 tasks passed" in done.stdout) == (0, True)
    [told] = [it for it in done.stderr.splitlines() if it.startswith("warning")]
    assert told.endswith("which is not UTF-8, so it is not stored. Rename the file or task with this name")


def test_a_comparison_names_the_last_run_by_its_id_and_warns_of_different_evals() -> None:
    run()
    write(Path("second.yaml"), EVAL.replace("demo\n", "second\n"))
    assert invoke("run", "second.yaml").exit_code == 0
    newest, oldest = (it["run_id"] for it in json.loads(invoke("runs", "list", "--format", "json").stdout))
    done = invoke("compare", oldest, "last")
    assert done.stdout.splitlines()[1] == f"2: {newest}"
    assert done.stderr == "warning: These are runs of different evals: demo, second\n"
    assert invoke("compare", "last", "last").stderr == ""


def test_columns_are_even_with_wide_characters(folder: Path) -> None:
    add_task(folder, "\u8a55\u4fa1")
    ends = {_width_before(line, "score") for line in run().stdout.splitlines() if line.startswith("PASS ")}
    assert len(ends) == 1
    shown = invoke("runs", "history").stdout.splitlines()[:-1]
    assert {_width_before(it, "100%") for it in shown} == {_width_before(shown[0], "100%")}


def _width_before(line: str, word: str) -> int:
    return sum(1 if it.isascii() else 2 for it in line.partition(word)[0])
