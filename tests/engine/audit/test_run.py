"""An audit says which null agents and mutants a task lets pass, and which grader notices what."""

import sys
from pathlib import Path

import pytest

from tests.engine.audit.evals import audited, plan_of, recorded, recording, text_grader, write_eval
from waza_engine.audit.findings import audit_findings
from waza_engine.audit.intent import Intent
from waza_engine.audit.run import AuditOptions, audit_suite
from waza_engine.audit.score import AuditSums, TaskAudit, grader_powers
from waza_engine.model.judge import Judge, JudgeError, JudgeRequest, JudgeTurn
from waza_engine.model.trajectory import Trajectory
from waza_engine.runs.recordings.find import Recording

WRITES = [("view", {"path": "a.md"}), ("create", {"path": "NOTES.md"})]
FILE = {"type": "file", "name": "made", "config": {"must_exist": ["NOTES.md"]}}


def passing(audit: TaskAudit) -> set[str]:
    return {it.name for it in audit.passing_agents}


@pytest.mark.parametrize(
    ("graders", "names"),
    [
        ([text_grader(not_contains=["error"])], {"silence", "done", "refusal", "echo", "plan", "untouched"}),
        ([text_grader(contains=["sorry"])], {"refusal"}),
        ([text_grader(contains=["Do the-work"])], {"echo", "plan"}),
        ([text_grader(regex_match=["(?i)done"])], {"done"}),
        ([text_grader(regex_match=["(?i)completed"])], {"untouched"}),
        ([text_grader(contains=["Version 2.0"])], set()),
        ([FILE], set()),
    ],
)
def test_null_agents(graders: list[dict[str, object]], names: set[str], tmp_path: Path) -> None:
    path = write_eval(tmp_path / "e", [{"id": "the-work", "graders": graders}])
    assert passing(audited(path)["the-work"]) == names


def test_an_agent_that_empties_the_workspace(tmp_path: Path) -> None:
    task = {"id": "t", "inputs": {"prompt": "p", "files": [{"path": "a.md", "content": "a"}]}}
    gone = {"type": "file", "name": "gone", "config": {"must_not_exist": ["b.md"]}}
    kept = {"type": "file", "name": "kept", "config": {"must_exist": ["a.md"]}}
    path = write_eval(tmp_path / "e", [{**task, "graders": [gone]}, {**task, "id": "u", "graders": [kept]}])
    audits = audited(path)
    assert "emptied" in passing(audits["t"])
    assert "emptied" not in passing(audits["u"])
    assert "untouched" in passing(audits["u"])


def test_the_text_of_the_skill_is_recited(tmp_path: Path) -> None:
    path = write_eval(tmp_path / "e", [{"id": "t", "graders": [text_grader(contains=["semver"])]}])
    skill = tmp_path / "e" / "skills" / "s"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: s\ndescription: d\n---\nUse semver.\n")
    assert passing(audited(path)["t"]) == {"recital"}


def test_mutants_of_a_passing_trial(tmp_path: Path) -> None:
    trial = recording("t", "Version 2.0 is out.\n\nBye.", WRITES, files={"NOTES.md": "Version 2.0\n"})
    graders = [text_grader(contains=["Version"]), FILE]
    path = write_eval(tmp_path / "e", [{"id": "t", "graders": graders}], recordings=[trial])
    audit = audited(path)["t"]
    assert audit.trials == 1
    survivors = {it.change for it in audit.survivors}
    assert survivors == {
        "with only the first half of the output",
        "without the last paragraph of the output",
        "with a negated sentence",
        "with other numbers in the output",
        "with an empty file NOTES.md",
        "with only the first half of NOTES.md",
    }
    assert {it.change for it in audit.mutants} - survivors == {"without the file NOTES.md"}
    assert audit.mutation_score == pytest.approx(1 / 7)


def test_mutants_are_made_of_the_first_run_that_has_a_passing_trial(tmp_path: Path) -> None:
    path = write_eval(tmp_path / "e", [{"id": "t", "graders": [text_grader(contains=["Version"])]}])
    outputs = {"r3": ["No."], "r2": ["Version 2", "No."], "r1": ["Version 1"]}
    trials = [
        Recording("t", number, Trajectory(output=it), "command", run)
        for run, its in outputs.items()
        for number, it in enumerate(its, 1)
    ]
    plan = plan_of(path)
    [audit] = audit_suite(plan, {"t": trials}, tmp_path)
    [same] = audit_suite(plan, {"t": trials[1:2]}, tmp_path)
    assert (audit.recorded, audit.trials) == (4, 1)
    assert audit.mutants
    assert audit.mutants == same.mutants
    [none] = audit_suite(plan, {"t": trials[:1]}, tmp_path)
    assert (none.trials, none.mutants) == (0, same.mutants[:0])


def test_what_no_grader_looks_at_does_not_count(tmp_path: Path) -> None:
    trial = recording("t", "Version 2.0", WRITES, files={"NOTES.md": "Version 2.0\n"})
    path = write_eval(
        tmp_path / "e", [{"id": "t", "graders": [text_grader(contains=["Version 2.0"])]}], recordings=[trial]
    )
    audit = audited(path)["t"]
    assert {it.name for it in audit.mutants} == {"halve-output", "replace-numbers"}
    assert audit.mutation_score == 1.0
    assert {it.name for it in audit.unseen} >= {"delete-file", "drop-calls", "repeat-call"}


def test_a_failing_trial_is_not_broken_further(tmp_path: Path) -> None:
    path = write_eval(
        tmp_path / "e",
        [{"id": "t", "graders": [text_grader(contains=["Version"])]}],
        recordings=[recording("t", "nothing")],
    )
    audit = audited(path)["t"]
    assert (audit.trials, audit.mutants, audit.mutation_score) == (0, [], None)


def test_what_a_grader_notices(tmp_path: Path) -> None:
    trial = recording("t", "Version 2.0", WRITES, files={"NOTES.md": "Version 2.0\n"})
    graders = [text_grader(contains=["Version 2.0"]), FILE, text_grader("polite", not_contains=["damn"])]
    path = write_eval(tmp_path / "e", [{"id": "t", "graders": graders}], recordings=[trial])
    audit = audited(path)["t"]
    powers = {it.grader.name: it for it in grader_powers(audit)}
    assert "without the file NOTES.md" in powers["made"].only_kills
    assert "with other numbers in the output" in powers["words"].only_kills
    assert powers["polite"].kills == ()
    places = {it.name: (it.path and it.path.name, it.pointer) for it in audit.graders}
    assert places["made"] == ("t.yaml", ("graders", 1))


def test_output_expectations_count(tmp_path: Path) -> None:
    task = {"id": "t", "expected": {"output_contains": ["Version 2.0"]}}
    path = write_eval(tmp_path / "e", [task], recordings=[recording("t", "Version 2.0")])
    audit = audited(path)["t"]
    assert passing(audit) == set()
    assert audit.mutation_score == 1.0
    assert {it.failed_graders for it in audit.mutants} == {("_output_contains",)}


def test_programs_and_judges_are_left_out_and_named(tmp_path: Path) -> None:
    graders = [
        {"type": "prompt", "name": "judge", "config": {"prompt": "Is it good?"}},
        {
            "type": "program",
            "name": "tests",
            "config": {"command": sys.executable, "args": ["-c", "exit(1)"]},
        },
    ]
    path = write_eval(tmp_path / "e", [{"id": "t", "graders": graders}])
    audit = audited(path)["t"]
    assert [it.name for it in audit.left_out] == ["judge", "tests"]
    assert audit.attempts == ()
    assert audit.has_only_left_out
    asked = audited(path, AuditOptions(with_programs=True))["t"]
    assert [it.name for it in asked.left_out] == ["judge"]
    assert asked.attempts
    assert passing(asked) == set()


def test_a_grader_that_cannot_work_is_a_problem_and_the_rest_goes_on(tmp_path: Path) -> None:
    broken = text_grader(regex_match=["(unclosed"])
    path = write_eval(
        tmp_path / "e",
        [{"id": "a", "graders": [broken]}, {"id": "b", "graders": [text_grader(contains=["x y z"])]}],
    )
    audits = audited(path)
    assert "(unclosed" in audits["a"].problem
    assert audits["a"].attempts == ()
    assert len(audits["b"].attempts) == 6


def test_a_task_that_nothing_checks_passes_without_work(tmp_path: Path) -> None:
    audit = audited(write_eval(tmp_path / "e", [{"id": "t"}]))["t"]
    assert (audit.attempts, audit.problem, audit.has_only_left_out) == ((), "", False)
    assert audit.passes_without_work
    turn = {"after_turn": 1, "graders": [text_grader(contains=["x"])]}
    task = {"id": "t", "checkpoints": [turn], "inputs": {"prompt": "p", "follow_up_prompts": ["q"]}}
    assert not audited(write_eval(tmp_path / "f", [task]))["t"].passes_without_work


def test_totals(tmp_path: Path) -> None:
    path = write_eval(
        tmp_path / "e",
        [
            {"id": "a", "graders": [text_grader(not_contains=["error"])]},
            {"id": "b", "graders": [text_grader(contains=["Version"])]},
        ],
        recordings=[recording("b", "Version 2.0")],
    )
    audits = list(audited(path).values())
    assert AuditSums.of(audits).by_name["silence"] == (1, 2)
    assert AuditSums.of(audits).score == pytest.approx(1 / 2)


def test_the_same_input_gives_the_same_audit(tmp_path: Path) -> None:
    trial = recording("t", "Version 2.0 is out. It was late.", WRITES, files={"NOTES.md": "Version 2.0\n"})
    path = write_eval(
        tmp_path / "e",
        [{"id": "t", "graders": [text_grader(contains=["Version"]), FILE]}],
        recordings=[trial],
    )
    assert audited(path) == audited(path)


def test_intent_is_in_the_audit(tmp_path: Path) -> None:
    path = write_eval(
        tmp_path / "e",
        [{"id": "t", "tags": ["negative"], "graders": [text_grader(not_contains=["x"])]}],
    )
    audit = audited(path)["t"]
    assert audit.intent is Intent.NOTHING
    assert audit.passing_agents
    assert audit.accused == []


def test_nothing_is_executed_without_asking(tmp_path: Path) -> None:
    marker = tmp_path / "executed"
    code = f"open({str(marker)!r}, 'w')"
    graders = [{"type": "program", "name": "p", "config": {"command": sys.executable, "args": ["-c", code]}}]
    path = write_eval(tmp_path / "e", [{"id": "t", "graders": [*graders, text_grader(contains=["x"])]}])
    audited(path)
    assert not marker.exists()
    audited(path, AuditOptions(with_programs=True))
    assert marker.exists()


def test_a_judge_is_asked_where_it_is_given(tmp_path: Path) -> None:
    requests: list[JudgeRequest] = []

    class Broken(Judge):
        def turn(self, request: JudgeRequest) -> JudgeTurn:
            requests.append(request)
            raise JudgeError("no answer")

        def reply(self, message: str, model: str = "") -> None:
            raise AssertionError

    path = write_eval(
        tmp_path / "e",
        [{"id": "t", "graders": [{"type": "prompt", "name": "j", "config": {"prompt": "Good?"}}]}],
    )
    plan = plan_of(path)
    [audit] = audit_suite(plan, recorded(plan), path.parent, AuditOptions(judge=Broken()))
    assert audit.left_out == ()
    assert requests
    assert "no answer" in audit.problem


def test_null_agents_take_time_and_tokens(tmp_path: Path) -> None:
    """Otherwise budgets could not be judged, and would seem to notice agents without work."""
    path = tmp_path / "eval.yaml"
    path.write_text(
        "name: e\nstimuli:\n  - name: t\n    prompt: Write a poem.\n    graders:\n"
        "      - {type: token-budget, config: {max: 5000}}\n      - {type: wall-time, config: {max: 60s}}\n"
    )
    assert passing(audited(path)["t"]) >= {"silence", "done", "refusal", "echo"}


@pytest.mark.parametrize(
    ("prompt", "missing"),
    [
        ('Remember it, and say "Done".', "done"),
        ("Repeat my words exactly: it rains", "echo"),
        ("Delete all files in this folder.", "emptied"),
        ("What does the skill say about headings?", "recital"),
    ],
)
def test_an_agent_that_does_what_the_prompt_wants_is_no_null_agent(
    prompt: str, missing: str, tmp_path: Path
) -> None:
    names = []
    for number, it in enumerate((prompt, "Write a poem.")):
        inputs = {"prompt": it, "files": [{"path": "a.md", "content": "a"}]}
        task = {"id": "t", "inputs": inputs, "graders": [text_grader(not_contains=["error"])]}
        path = write_eval(tmp_path / str(number) / "e", [task])
        skill = path.parent / "skills" / "s" / "SKILL.md"
        skill.parent.mkdir(parents=True)
        skill.write_text("---\nname: s\ndescription: d\n---\nText.\n")
        names.append(passing(audited(path)["t"]))
    assert names[1] - names[0] == {missing}


def test_checkpoints_count(tmp_path: Path) -> None:
    """Those after the last turn are graders of the task; the state after an earlier turn is unknown."""
    task = {
        "inputs": {"prompt": "Go", "follow_up_prompts": ["More"]},
        "graders": [text_grader("polite", not_contains=["damn"])],
    }
    point = {"graders": [text_grader("says", contains=["Version 2.0"])]}
    path = write_eval(
        tmp_path / "e",
        [
            {"id": "last", **task, "checkpoints": [{"after_turn": 2, **point}]},
            {"id": "first", **task, "checkpoints": [{"after_turn": 1, **point}]},
        ],
        recordings=[recording("last", "Version 2.0"), recording("first", "Bye")],
    )
    audits = audited(path)
    assert passing(audits["last"]) == set()
    assert "with other numbers in the output" not in {it.change for it in audits["last"].survivors}
    assert [it.name for it in audits["last"].graders] == ["polite", "says"]
    assert [it.name for it in audits["first"].left_out] == ["says"]
    codes = {placed.finding.code for placed in audit_findings(audits.values())}
    assert {"only-judge"} <= codes
    assert "passes-without-work" not in codes
