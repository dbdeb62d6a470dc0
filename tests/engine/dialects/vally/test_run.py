"""A vally suite from the spec to the result files: executors, set-up, `results.jsonl`, JUnit.

See docs/reference/vally.md, sections 4 and 10.2.
"""

import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from waza_engine.executors.base import Executor, ExecutorOptions
from waza_engine.executors.command import CommandExecutor
from waza_engine.executors.mock import MockExecutor
from waza_engine.executors.replay import ReplayExecutor
from waza_engine.model.results.records import RunRecord
from waza_engine.project.load_suite import load_suite
from waza_engine.reports.junit import junit_xml
from waza_engine.reports.results.read_jsonl import read_jsonl
from waza_engine.reports.results.write_jsonl import results_lines
from waza_engine.runs.live import RunOutputs
from waza_engine.runs.planning.plan import Overrides, make_plan
from waza_engine.runs.run import run_suite
from waza_engine.runs.trial.grade import Bench

SPEC = """\
name: demo
defaults: {runs: 2, executor: mock}
scoring: {threshold: 0.75}
stimuli:
  - name: greets
    prompt: Say hello
    constraints: {max_turns: 5}
    graders:
      - {type: output-contains, config: {substring: hello}}
      - {type: output-contains, config: {substring: hello}}
  - name: fails half
    prompt: Say hello
    graders:
      - {type: output-contains, config: {substring: hello}}
      - {type: output-contains, name: bye, config: {substring: goodbye}}
"""


async def _run(folder: Path, spec: str, executor: type[Executor] = MockExecutor, **options: Any) -> RunRecord:
    path = folder / "eval.yaml"
    path.write_text(spec, encoding="utf-8")
    suite = load_suite(path, process_dir=folder)
    return await run_suite(
        Bench(
            make_plan(suite, Overrides(executor=executor.name)),
            executor(ExecutorOptions(folder, **options)),
            folder,
        ),
        RunOutputs(lambda _: None, folder),
        "r",
    )


def _lines(record: RunRecord) -> list[dict[str, Any]]:
    return [json.loads(it) for it in results_lines(record)]


async def test_the_results_have_a_line_for_each_trial_and_one_for_the_run(tmp_path: Path) -> None:
    record = await _run(tmp_path, SPEC)
    *trials, summary = _lines(record)
    assert [(it["type"], it["stimulus"], it["trialIndex"], it["status"]) for it in trials] == [
        ("trial-result", "greets", 0, "success"),
        ("trial-result", "greets", 1, "success"),
        ("trial-result", "fails half", 0, "success"),
        ("trial-result", "fails half", 1, "success"),
    ]
    assert trials[0]["evalName"] == "demo"
    assert trials[0]["evalFilePath"] == str(tmp_path / "eval.yaml")
    assert summary["type"] == "run-summary"
    assert (summary["passed"], summary["hadExecutionErrors"]) == (True, False)
    [told] = summary["evals"]
    expected = {"name": "demo", "overallScore": 0.75, "threshold": 0.75, "stimuliRun": 2, "stimuliTotal": 2}
    assert expected.items() <= told.items()
    assert [(it["passAtK"], it["passToTheK"]) for it in told["stimuli"]] == [(1.0, 1.0), (0.0, 0.0)]
    assert record.status == "passed"


async def test_a_grade_result_lists_every_grader(tmp_path: Path) -> None:
    first, _, third, *_ = _lines(await _run(tmp_path, SPEC))
    grades = first["gradeResult"]
    assert (grades["passed"], grades["score"], grades["evidence"]) == (True, 1.0, "2/2 graders passed")
    assert [(it["name"], it["kind"], it["passed"]) for it in grades["details"]] == [
        ("output-contains", "code", True),
        ("output-contains", "code", True),
        ("constraint:max_turns", "code", True),
    ]
    assert (third["gradeResult"]["passed"], third["gradeResult"]["score"]) == (False, 0.5)
    assert third["gradeResult"]["details"][1]["name"] == "bye"


async def test_trajectories_have_vallys_format(tmp_path: Path) -> None:
    told = _lines(await _run(tmp_path, SPEC))[0]["trajectory"]
    assert [it["type"] for it in told["events"]] == ["assistant_message", "turn_end"]
    assert told["output"].startswith("Mock response for: Say hello")
    assert {"wallTimeMs", "turnCount", "toolCallCount", "errorCount"} <= told["metrics"].keys()
    assert told["metadata"]["executor"] == "mock"


async def test_junit_has_a_case_for_each_trial(tmp_path: Path) -> None:
    suite = ET.fromstring(junit_xml(await _run(tmp_path, SPEC))).find("testsuite")  # noqa: S314  # our own
    assert suite is not None
    assert [it.get("name") for it in suite.iter("testcase")] == [
        "greets (trial 1)",
        "greets (trial 2)",
        "fails half (trial 1)",
        "fails half (trial 2)",
    ]
    assert (suite.get("tests"), suite.get("failures")) == ("4", "2")
    properties = {it.get("name"): it.get("value") for it in suite.iter("property")}
    assert properties["threshold"] == "0.75"


async def test_junit_has_the_score_that_is_compared_with_the_threshold(tmp_path: Path) -> None:
    record = await _run(tmp_path, SPEC)
    stats = record.tasks[0].stats
    assert stats is not None
    # Half of the trials have no grade, so they do not count.
    lost = replace(stats, total_runs=4, error_runs=2, avg_score=0.5)
    record = replace(record, tasks=(replace(record.tasks[0], stats=lost), record.tasks[1]))
    suite = ET.fromstring(junit_xml(record))[0]  # noqa: S314  # our own text
    told = {it.get("name"): it.get("value") for it in suite.iter("property")}
    assert (told["score"], told["threshold"]) == ("0.7500", "0.75")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("output-contains (strict)", "output-contains (strict)"),
        ("greeting", "greeting"),
        ("output-contains (2", "output-contains (2"),
        ("", "output-contains"),
    ],
)
async def test_a_grader_keeps_its_name(name: str, told: str, tmp_path: Path) -> None:
    grader = "{type: output-contains, config: {substring: hello}}"
    second = grader.replace(", config", f", name: '{name}', config") if name else grader
    spec = f"name: d\nstimuli:\n  - name: a\n    prompt: hello\n    graders: [{grader}, {second}]\n"
    trial, *_ = _lines(await _run(tmp_path, spec))
    assert [it["name"] for it in trial["gradeResult"]["details"]] == ["output-contains", told]


async def test_graders_with_the_same_name_keep_all_verdicts(tmp_path: Path) -> None:
    written = [("same", "hello"), ("same", "goodbye"), ("same (2)", "hello")]
    graders = [
        f"{{type: output-contains, name: {it}, config: {{substring: {text}}}}}" for it, text in written
    ]
    spec = f"name: d\nstimuli:\n  - name: a\n    prompt: hello\n    graders: [{', '.join(graders)}]\n"
    record = await _run(tmp_path, spec)
    [trial] = record.tasks[0].trials
    assert [(it.name, it.passed) for it in trial.graders] == [
        ("same", True),
        ("same (3)", False),
        ("same (2)", True),
    ]
    told = _lines(record)[0]
    names = [name for name, _ in written]
    assert [it["name"] for it in told["gradeResult"]["details"]] == names
    assert [it["name"] for it in told["trajectory"]["stimulus"]["graders"]] == names
    path = tmp_path / "results.jsonl"
    path.write_text("".join(results_lines(record)), encoding="utf-8")
    again = read_jsonl(path)
    assert [it.name for it in again.tasks[0].trials[0].graders] == ["same", "same (3)", "same (2)"]
    assert [it["name"] for it in _lines(again)[0]["gradeResult"]["details"]] == names


async def test_without_a_threshold_every_grader_has_to_pass(tmp_path: Path) -> None:
    record = await _run(tmp_path, SPEC.replace("threshold: 0.75", ""))
    assert record.status == "failed"
    assert _lines(record)[-1]["evals"][0]["scoringApplied"] is False


async def test_zero_trials(tmp_path: Path) -> None:
    record = await _run(tmp_path, SPEC.replace("runs: 2", "runs: 0"))
    assert (record.status, len(_lines(record))) == ("passed", 1)


SETUP = """\
environment:
  files: [{src: tool.sh, dest: .}]
  commands: [./tool.sh > made.txt, "COMMAND"]
  env: {WHO: moon}
stimuli:
  - name: a
    prompt: p
    graders:
      - {type: file-matches, config: {path: made.txt, pattern: "^hello moon$"}}
      - {type: output-contains, config: {substring: hello moon}}
      - {type: diff-empty}
"""


def _agent(folder: Path, text: str) -> dict[str, str]:
    path = folder / "agent.py"
    path.write_text(text, encoding="utf-8")
    return {"agent_command": f"{sys.executable} {path}"}


async def test_the_workspace_is_set_up_before_the_agent_starts(tmp_path: Path) -> None:
    script = tmp_path / "tool.sh"
    script.write_text("#!/bin/sh\nprintf 'hello %s' $WHO\n", encoding="utf-8")
    script.chmod(0o755)
    agent = _agent(tmp_path, "print(open('made.txt').read())")
    record = await _run(tmp_path, SETUP.replace("COMMAND", "true"), CommandExecutor, **agent)
    assert [it.status for it in record.tasks[0].trials[0].graders] == ["passed"] * 3


async def test_a_command_that_fails_ends_the_trial(tmp_path: Path) -> None:
    (tmp_path / "tool.sh").write_text("", encoding="utf-8")
    record = await _run(tmp_path, SETUP.replace("COMMAND", "echo no network >&2; exit 3"))
    [trial] = record.tasks[0].trials
    assert (trial.status, record.status) == ("error", "failed")
    assert "environment.commands" in trial.error
    told = _lines(record)[0]
    assert told["status"] == "error"
    assert "gradeResult" not in told


async def test_a_recorded_agent_needs_no_commands(tmp_path: Path) -> None:
    (tmp_path / "tool.sh").write_text("", encoding="utf-8")
    (tmp_path / "recordings").mkdir()
    recording = {
        "task": "a",
        "output": "hello moon",
        "files": {"made.txt": "hello moon"},
        "session": {},
        "patch": "",
    }
    (tmp_path / "recordings" / "a.json").write_text(json.dumps(recording), encoding="utf-8")
    record = await _run(tmp_path, SETUP.replace("COMMAND", "touch should-not-be; exit 1"), ReplayExecutor)
    assert [it.status for it in record.tasks[0].trials[0].graders] == ["passed"] * 3


@pytest.mark.parametrize(("output", "status"), [("", "error"), ("half an answer", "failed")])
async def test_an_aborted_agent_is_graded_by_its_partial_work(
    tmp_path: Path, output: str, status: str
) -> None:
    agent = _agent(tmp_path, f"import sys; print({output!r}); sys.exit(1)")
    spec = (
        "stimuli:\n  - {name: a, prompt: p, graders: [{type: output-contains, config: {substring: all}}]}\n"
    )
    record = await _run(tmp_path, spec, CommandExecutor, **agent)
    assert record.tasks[0].trials[0].status == status


def _repository(folder: Path) -> None:
    folder.mkdir()
    (folder / "a.txt").write_text("old\n", encoding="utf-8")
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for arguments in (("init", "-q", "-b", "main"), ("add", "."), (*identity, "commit", "-qm", "one")):
        subprocess.run(["git", *arguments], cwd=folder, check=True)


async def test_the_workspace_can_be_a_repository(tmp_path: Path) -> None:
    _repository(tmp_path / "repo")
    spec = """\
environment:
  git: {type: worktree, source: repo, ref: main}
  files: [{src: extra.txt, dest: .}]
stimuli:
  - name: a
    prompt: p
    graders:
      - {type: file-contains, config: {path: a.txt, value: new}}
      - {type: file-exists, config: {path: extra.txt}}
      - {type: diff-contains, config: {pattern: '(?m)^-old$'}}
"""
    (tmp_path / "extra.txt").write_text("x", encoding="utf-8")
    agent = _agent(tmp_path, "open('a.txt', 'w').write('new\\n'); print('done')")
    record = await _run(tmp_path, spec, CommandExecutor, **agent)
    [trial] = record.tasks[0].trials
    assert [(it.name, it.status) for it in trial.graders] == [
        ("file-contains", "passed"),
        ("file-exists", "passed"),
        ("diff-contains", "passed"),
    ]


TURNS = """\
stimuli:
  - name: talks
    turns: [one, two]
    graders:
      - {type: output-contains, turn: 0, config: {substring: one}}
      - {type: output-contains, turn: 1, config: {substring: two}}
      - {type: output-not-contains, turn: 1, config: {substring: one}}
      - {type: completed, turn: 0}
      - {type: turn-count, turn: 1, config: {max: 1}}
      - {type: wall-time, turn: 0, config: {max: 30s}}
      - {type: turn-count, name: both, config: {max: 1}}
"""


async def test_each_turn_is_graded_by_itself(tmp_path: Path) -> None:
    record = await _run(tmp_path, TURNS)
    assert [it.passed for it in record.tasks[0].trials[0].graders] == [True] * 6 + [False]


async def test_unrecorded_data_is_also_unknown_for_single_turns(tmp_path: Path) -> None:
    spec = f"{TURNS}      - {{type: tool-calls, turn: 0, config: {{disallowed: [bash]}}}}\n"
    record = await _run(tmp_path, spec, CommandExecutor, agent_command="echo {prompt}")
    graders = record.tasks[0].trials[0].graders
    assert [it.passed for it in graders] == [True] * 6 + [False, False]
    assert "does not know tool calls" in graders[-1].feedback


async def test_stimuli_that_did_not_run_count_in_the_total(tmp_path: Path) -> None:
    [summary] = _lines(await _run(tmp_path, SPEC.replace("runs: 2", "runs: 0")))
    [told] = summary["evals"]
    assert (told["stimuliRun"], told["stimuliTotal"], summary["passed"]) == (0, 2, False)


async def test_a_missing_repository_is_reported_with_its_key(tmp_path: Path) -> None:
    record = await _run(
        tmp_path, SPEC.replace("prompt: Say", "environment: {git: {source: nope}}\n    prompt: Say")
    )
    told = record.tasks[0].trials[0].error
    assert told == f"environment.git: the directory {tmp_path / 'nope'} does not exist"


async def test_a_trajectory_contains_its_stimulus(tmp_path: Path) -> None:
    stimulus = (
        "  - name: told\n    prompt: Say hello\n    tags: {area: a, tier: [x, y]}\n    rubric: [Is polite]\n    graders:\n"
        "      - {type: output-contains, config: {substring: hello}}\n"
        "      - {type: completed, name: done}\n"
    )
    told, _ = _lines(await _run(tmp_path, f"stimuli:\n{stimulus}"))
    assert told["trajectory"]["stimulus"] == {
        "name": "told",
        "prompt": "Say hello",
        "tags": {"area": "a", "tier": ["x", "y"]},
        "graders": [
            {"type": "output-contains", "config": {"substring": "hello"}},
            {"type": "completed", "name": "done"},
        ],
        "rubric": ["Is polite"],
    }
