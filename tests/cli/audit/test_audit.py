"""`waza-lsp audit`: counter examples, and what is said when something cannot be read or reached."""

import errno
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner, Result

from tests.engine.audit.evals import recording, text_grader, write_eval
from waza_engine.audit.run import audit_suite
from waza_engine.audit.score import TaskAudit
from waza_engine.lib.files.spill import Spill
from waza_engine.model.trajectory import Trajectory
from waza_lsp.cli import main
from waza_lsp.cli.audit import perform
from waza_lsp.snapshot import Snapshot


def audit(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["audit", *arguments])


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An eval in the working directory with the tasks `a` and `b:c`, and a recording of each."""
    graders = [text_grader(contains=["Version"])]
    tasks = [{"id": "a", "graders": graders}, {"id": "b:c", "graders": graders}]
    trials = [recording(it, "Version 2.0 is out") for it in ("a", "b:c")]
    monkeypatch.chdir(tmp_path)
    return write_eval(tmp_path / "e", tasks, recordings=trials)


def test_a_mutant_is_kept_and_fails_ci_until_a_grader_notices_it(suite: Path) -> None:
    before = audit("e")
    assert before.exit_code == 0
    assert "passes with a negated sentence [negate-sentence]" in before.stdout
    kept = audit("e", "--keep", "b:c:negate-sentence", "--keep", "a:negate-sentence", "--keep", "a:silence")
    assert kept.stdout == (
        "Kept e/recordings/counter/b:c.json: with a negated sentence. From now on it must fail\n"
        "Kept e/recordings/counter/a.json: with a negated sentence. From now on it must fail\n"
        "Kept e/recordings/counter/a.2.json: an agent that says nothing. From now on it must fail\n"
    )
    assert kept.exit_code == 0
    weak = audit("e")
    assert weak.exit_code == 1
    assert "must fail, but passes: recordings/counter/b:c.json" in weak.stdout
    assert weak.stderr == "FAILED: 2 counter examples pass, but must fail\n"
    data = json.loads(audit("e", "--format", "json").stdout)
    assert data["evals"][0]["tasks"][0]["counter_examples"] == [
        {"path": "recordings/counter/a.json", "status": "passed"},
        {"path": "recordings/counter/a.2.json", "status": "failed"},
    ]
    assert "counter-example-passes" in audit("e", "--format", "junit").stdout
    for it in (suite.parent / "tasks").iterdir():
        it.write_text(it.read_text().replace("- Version", "- Version 2.0 is out"))
    assert audit("e").exit_code == 0


@pytest.mark.parametrize(
    ("wanted", "problem"),
    [
        ("silence", "--keep needs TASK:MUTANT, not 'silence'"),
        ("z:silence", "No task has the id 'z'"),
        ("a:no-such", "Task 'a' has no mutant 'no-such'"),
        ("a:negate-sentence.7", "Task 'a' has no mutant 'negate-sentence.7'"),
    ],
)
def test_what_cannot_be_kept_is_said(wanted: str, problem: str, suite: Path) -> None:
    result = audit("e", "--keep", wanted)
    assert (result.exit_code, problem in result.stderr) == (2, True), result.stderr
    assert not (suite.parent / "recordings" / "counter").exists()


def test_damaged_files_and_evals_without_tasks_are_named_and_the_rest_is_audited(suite: Path) -> None:
    (suite.parent / "recordings" / "a.json").write_text("{")
    for name, tasks in [("none", "\n- none/*.yaml"), ("empty", " []")]:
        (suite.parent.parent / name).mkdir()
        text = suite.read_text().replace("\n- tasks/*.yaml", tasks)
        (suite.parent.parent / name / "eval.yaml").write_text(text)
    (suite.parent / "tasks" / "a.yaml").write_text(
        "id: a\nname: a\ninputs: {prompt: p}\ngraders: [{type: nonsense, name: n}]\n"
    )
    (suite.parent.parent / "other").mkdir()
    result = audit("other", "none", "empty/eval.yaml", "e")
    assert result.exit_code == 2
    assert "none/eval.yaml:9:1: error: No file matches any pattern under 'tasks'" in result.stderr
    assert "empty/eval.yaml" in result.stderr
    assert "other: error: No eval file in this folder" in result.stderr
    assert "a: not audited:" in result.stdout
    assert "skipped: The recording recordings/a.json is not valid JSON" in result.stdout
    assert "mutation score" in result.stdout
    for form in ("github", "sarif"):
        said = audit("e", "--format", form)
        assert "error: Task 'a' was not audited: grader 'n': Unknown grader type" in said.stderr
        assert "unreadable-recording" in said.stdout


def test_a_broken_grader_of_the_eval_is_told_once(suite: Path) -> None:
    suite.write_text(suite.read_text().replace("graders: []", "graders: [{type: nonsense, name: n}]"))
    reason = "grader 'n': Unknown grader type"
    text = audit("e").stdout
    assert (text.count(reason), text.count("not audited for the same reason")) == (1, 1)
    said = audit("e", "--format", "sarif").stderr
    assert f"error: Task 'a' and 1 more task were not audited: {reason}" in said
    assert said.count(reason) == 1


def test_time_that_is_over_says_what_is_left(suite: Path) -> None:
    (suite.parent.parent / "f").mkdir()
    (suite.parent.parent / "f" / "eval.yaml").write_text(suite.read_text())
    (suite.parent / "tasks").rename(suite.parent.parent / "f" / "tasks")
    (suite.parent.parent / "f" / "tasks" / "a.yaml").rename(suite.parent / "a.yaml")
    suite.write_text(suite.read_text().replace("tasks/*.yaml", "a.yaml"))
    result = audit("e", "f", "--max-seconds", "0.000001")
    assert "1 task audited" in result.stdout
    assert result.stdout.endswith("out of time after 1 of 1 task\nnot reached: f/eval.yaml\n")
    assert audit("e", "f", "--max-seconds", "1000").stdout.count("out of time") == 0
    assert result.exit_code == 0


@pytest.mark.usefixtures("suite")
def test_what_was_not_reached_is_not_above_the_limit() -> None:
    late = ("e", "--max-seconds", "0.000001", "--fail-under")
    partial = audit(*late, "0")
    assert partial.exit_code == 3
    assert partial.stderr == "UNDECIDED: out of time before all tasks were audited\n"
    case = ET.fromstring(audit(*late, "0", "--format", "junit").stdout)[-1][-1]  # noqa: S314  # our own
    assert [(it.tag, it.get("message")) for it in case] == [
        ("error", "out of time before all tasks were audited")
    ]
    # What fails already fails whatever comes.
    failed = audit(*late, "99")
    assert (failed.exit_code, failed.stderr.partition(":")[0]) == (1, "FAILED")
    assert audit("e", "--fail-under", "0").exit_code == 0


def test_a_full_disk_ends_the_audit_with_what_was_found(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (suite.parent / "tasks" / "a.yaml").rename(suite.parent.parent / "a.yaml")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Spill, "append", full)
    result = audit("e")
    assert result.exit_code == 2
    assert "e/eval.yaml: error: The temporary folder cannot be written: No space left" in result.stderr
    assert "out of space after 0 of 1 task" in result.stdout


def test_a_file_with_many_tasks_is_parsed_once_for_their_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grader = "{type: output-contains, name: g, config: {value: x}}"
    stimuli = "".join(f"- {{name: s{it}, prompt: p, graders: [{grader}]}}\n" for it in range(20))
    (tmp_path / "eval.yaml").write_text(
        f"name: e\ntype: capability\ndefaults: {{executor: mock}}\nstimuli:\n{stimuli}"
    )
    monkeypatch.chdir(tmp_path)
    parsed: list[str] = []
    of = Snapshot.of

    def noting(uri: str, *rest: Any) -> Snapshot:
        parsed.append(uri)
        return of(uri, *rest)

    monkeypatch.setattr(Snapshot, "of", noting)
    tasks = json.loads(audit("eval.yaml", "--format", "json").stdout)["evals"][0]["tasks"]
    assert [it["line"] for it in tasks] == list(range(4, 24))
    assert len(parsed) <= 2


@pytest.mark.usefixtures("suite")
def test_ctrl_c_shows_what_was_found_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: object) -> Iterator[TaskAudit]:
        yield next(audit_suite(*arguments))  # type: ignore[arg-type]
        raise KeyboardInterrupt

    monkeypatch.setattr(perform, "audit_suite", interrupted)
    result = audit("e", "--format", "json")
    assert result.exit_code == 130
    summary = json.loads(result.stdout)["summary"]
    assert (summary["tasks"], summary["stopped"]) == (1, "cancelled")
    assert "cancelled after 1 of 2 tasks" in audit("e").stdout


@pytest.mark.usefixtures("suite")
def test_a_run_of_the_mock_hides_no_recording() -> None:
    before = json.loads(audit("e", "--format", "json").stdout)
    for number in (2, 3):
        run = CliRunner().invoke(main, ["run", "e/eval.yaml", "--executor", "mock"])
        assert "FAIL" in run.stdout, run.output
        after = json.loads(audit("e", "--format", "json").stdout)
        for it in after["evals"][0]["tasks"]:
            # The trials of the mock are recorded, too.
            assert it["recorded_trials"] == number
            it["recorded_trials"] = 1
        assert after == before


def test_a_counter_example_may_come_from_elsewhere(suite: Path) -> None:
    folder = suite.parent / "recordings" / "counter"
    folder.mkdir()
    (folder / "a.json").write_text(Trajectory(output="Version").model_dump_json())
    assert audit("e").exit_code == 1


def test_reports_for_ci_name_the_place_and_follow_the_levels_of_the_project(suite: Path) -> None:
    for it in (suite.parent / "tasks").iterdir():
        it.write_text(it.read_text().replace("contains:", "not_contains:"))
    (suite.parent / ".waza-lsp.toml").write_text(
        '[rules]\nsurviving-mutant = "off"\npasses-without-work = "error"\n'
    )
    task = f"e{os.sep}tasks{os.sep}a.yaml"
    report = audit("e")
    assert report.exit_code == 0
    assert f"! a: no mutants, because no recorded trial passes (1 recorded)  {task}:1\n" in report.stdout
    assert '    passes for an agent that says nothing; says only "Done."; ' in report.stdout
    lines = audit("e", "--format", "github").stdout.splitlines()
    assert [it.partition(" file=")[0] for it in lines] == ["::error", "::error"]
    assert f"file={task},line=2," in lines[0]
    failing = audit("e", "--format", "junit", "--fail-under", "50")
    suites = ET.fromstring(failing.stdout)  # noqa: S314  # our own
    assert failing.exit_code == 1
    assert [it.get("name") for it in suites.iterfind(".//testcase[failure]")] == ["a", "b:c", "conclusion"]
    assert 'failures="0"' in audit("e", "--format", "junit").stdout.splitlines()[1]


def test_a_judge_that_was_not_asked_is_no_accusation(suite: Path) -> None:
    judge = {"type": "prompt", "name": "judge", "config": {"prompt": "Good?"}}
    task = {
        "id": "a",
        "name": "a",
        "inputs": {"prompt": "p"},
        "graders": [text_grader(not_contains=["x"]), judge],
    }
    (suite.parent / "tasks" / "a.yaml").write_text(json.dumps(task))
    result = audit("e", "--task", "a", "--fail-under", "0")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "Only 'judge' keeps an agent that does no work from passing this task" in result.stdout
    assert "none pass for an agent that does no work" in result.stdout
    assert result.stdout.endswith("not asked, because they run programs or ask a model: judge\n")


def test_negative_tests_have_no_score(suite: Path) -> None:
    task = suite.parent / "tasks" / "a.yaml"
    task.write_text(task.read_text() + "tags: [negative]\n")
    result = audit("e", "--task", "a")
    assert "  a: negative test\n" in result.stdout
    assert "mutation score" not in result.stdout


@pytest.mark.usefixtures("suite")
def test_what_nothing_checks_passes_without_work_and_missing_recordings_are_counted(tmp_path: Path) -> None:
    unchecked = write_eval(tmp_path / "f", [{"id": "x"}])
    result = audit("f", "--fail-under", "0")
    task = f"f{os.sep}tasks{os.sep}x.yaml"
    assert result.exit_code == 1
    assert f"! x: nothing checks this task, so every agent passes  {task}:1\n" in result.stdout
    assert result.stderr == "FAILED: 1 task passes for an agent that does no work\n"
    grader = text_grader(contains=["zebra"])
    unchecked.write_text(unchecked.read_text().replace("graders: []", f"graders: {json.dumps([grader])}"))
    failed = audit("f", "--fail-under", "80")
    assert failed.exit_code == 1
    assert failed.stderr.startswith("FAILED: there is no mutation score")
    text = audit("f").stdout
    assert "  x: not recorded\n" in text
    assert text.endswith("1 task is not recorded: run it, and the audit breaks the recorded work, too\n")


def test_a_comment_suppresses_a_finding_of_the_audit(suite: Path) -> None:
    task = suite.parent / "tasks" / "a.yaml"
    text = task.read_text()
    comment = "# waza-lsp: ignore[surviving-mutant] the wording is free\n"
    task.write_text(text.replace("- config:", f"{comment}- config:"))
    assert "surviving-mutant" not in audit("e", "--task", "a", "--format", "github").stdout
    assert "surviving-mutant" in audit("e", "--format", "github").stdout
    assert "unused-suppression" not in CliRunner().invoke(main, ["check", str(task)]).stdout


def test_a_run_with_recordings_grades_counter_examples_too(suite: Path) -> None:
    def run(*options: str) -> Result:
        return CliRunner().invoke(main, ["run", "e/eval.yaml", "--executor", "replay", "--quiet", *options])

    assert run().exit_code == 0
    assert audit("e", "--keep", "a:negate-sentence").exit_code == 0
    (suite.parent / "recordings" / "counter" / "b:c.json").write_text("{")
    failed = run()
    assert failed.exit_code == 1
    assert "FAILED: recordings/counter/a.json must fail, but passes (task 'a')" in failed.stderr
    assert "recordings/counter/b:c.json is not valid JSON" in failed.stderr
    assert "counter" not in run("--executor", "mock").stderr
    (suite.parent / "recordings" / "counter" / "b:c.json").unlink()
    path = suite.parent / "tasks" / "a.yaml"
    path.write_text(path.read_text().replace("- Version", "- Version 2.0 is out"))
    assert run().exit_code == 0


def test_one_that_a_judge_could_notice_is_not_accused(suite: Path) -> None:
    path = suite.parent / "tasks" / "a.yaml"
    judged = "graders:\n- {type: prompt, name: good, config: {prompt: Is it good?}}\n"
    path.write_text(path.read_text().replace("graders:\n", judged))
    assert audit("e", "--keep", "a:negate-sentence").exit_code == 0
    result = audit("e")
    assert result.exit_code == 0
    assert "must fail" not in result.stdout


def test_a_long_audit_shows_on_a_terminal_how_far_it_is(
    suite: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(perform, "_PROGRESS_AFTER_SECONDS", -1.0)
    perform.Audits(perform.Request(use_cache=False)).perform([suite])
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    perform.Audits(perform.Request(use_cache=False)).perform([suite])
    clear = "\r\x1b[K"
    lines = [f"{clear}e/eval.yaml: {number} of 2 tasks audited" for number in (1, 2)]
    assert capsys.readouterr().err == "".join(lines) + clear
