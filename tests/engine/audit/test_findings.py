"""Findings of an audit stand at the grader or task that should have noticed."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.engine.audit.evals import plan_of, recorded, recording, text_grader, write_eval
from waza_engine.analysis.rules import rule_modules
from waza_engine.audit.codes import RULES
from waza_engine.audit.findings import PACKAGE, audit_findings, task_findings
from waza_engine.audit.intent import Intent
from waza_engine.audit.placing import PlacedFinding
from waza_engine.audit.run import AuditInputs, audit_suite, audit_task
from waza_engine.audit.score import GraderPlace, TaskAudit
from waza_engine.audit.task_grading import TaskMemory
from waza_engine.model.findings import Severity
from waza_engine.project.levels import codes

FILE = {"type": "file", "name": "made", "config": {"must_exist": ["NOTES.md"]}}
WORK = [("create", {"path": "NOTES.md"})]


def found(path: Path) -> list[PlacedFinding]:
    plan = plan_of(path)
    return list(audit_findings(audit_suite(plan, recorded(plan), path.parent)))


def told(path: Path) -> list[tuple[str, str, tuple[Any, ...]]]:
    return [(it.finding.code, it.path.name, it.finding.pointer) for it in found(path)]


def test_each_code_has_a_file_of_its_name() -> None:
    names = {it.__name__.rpartition(".")[2].replace("_", "-") for it in rule_modules(PACKAGE)}
    assert names == {it.code for it in RULES}
    assert names <= codes()


def test_all_but_the_wishes_of_the_author_are_hints() -> None:
    assert {it.code for it in RULES if it.severity is not Severity.HINT} == {
        "counter-example-passes",
        "unreadable-recording",
    }


def test_a_task_that_passes_without_work(tmp_path: Path) -> None:
    grader = text_grader(not_contains=["error"])
    path = write_eval(tmp_path / "e", [{"id": "t", "graders": [grader]}])
    assert told(path) == [("passes-without-work", "t.yaml", ("graders", 0))]
    [it] = found(path)
    assert it.finding.message == (
        'This task passes for an agent that says nothing; says only "Done."; refuses; and 3 more. Add a check that only the '
        "finished work passes"
    )


def test_graders_of_the_eval_are_not_blamed_for_a_task(tmp_path: Path) -> None:
    path = write_eval(tmp_path / "e", [{"id": "t"}], graders=[text_grader(not_contains=["error"])])
    assert told(path) == [("passes-without-work", "t.yaml", ())]


def test_only_a_judge(tmp_path: Path) -> None:
    judge = {"type": "prompt", "name": "judge", "config": {"prompt": "Is it good?"}}
    path = write_eval(
        tmp_path / "e",
        [
            {"id": "a", "graders": [judge]},
            {"id": "b", "graders": [text_grader(not_contains=["error"]), judge]},
            {"id": "c", "graders": [text_grader(contains=["Version"]), judge]},
        ],
    )
    assert told(path) == [
        ("only-judge", "a.yaml", ("graders", 0)),
        ("only-judge", "b.yaml", ("graders", 1)),
    ]


def test_survivors_stand_at_the_grader_that_could_see_them(tmp_path: Path) -> None:
    trial = recording("t", "Version 2.0", WORK, files={"NOTES.md": "Version 2.0"})
    graders = [text_grader(contains=["Version 2.0"]), FILE]
    path = write_eval(tmp_path / "e", [{"id": "t", "graders": graders}], recordings=[trial])
    assert told(path) == [("surviving-mutant", "t.yaml", ("graders", 1))]
    [it] = found(path)
    assert it.finding.message == (
        "Broken work passes: with an empty file NOTES.md; with only the first half of NOTES.md"
    )


def test_survivors_are_not_told_beside_what_explains_them(tmp_path: Path) -> None:
    judge = {"type": "prompt", "name": "judge", "config": {"prompt": "Is it good?"}}
    weak, strong = text_grader(not_contains=["error"]), text_grader(contains=["Version"])
    tasks = {"judged": [strong, judge], "idle": [weak], "weak": [strong]}
    path = write_eval(
        tmp_path / "e",
        [{"id": it, "graders": graders} for it, graders in tasks.items()],
        recordings=[recording(it, f"Version 2.0 of {it} is out") for it in tasks],
    )
    assert told(path) == [
        ("passes-without-work", "idle.yaml", ("graders", 0)),
        ("surviving-mutant", "weak.yaml", ("graders", 0)),
    ]


def test_written_files_that_no_grader_looks_at(tmp_path: Path) -> None:
    trial = recording("t", "Version 2.0", WORK, files={"NOTES.md": "Version 2.0"})
    path = write_eval(
        tmp_path / "e", [{"id": "t", "graders": [text_grader(contains=["Version 2.0"])]}], recordings=[trial]
    )
    [it] = found(path)
    assert it.finding.code == "unseen-work"
    assert it.finding.message == "The recorded agent wrote NOTES.md, but no grader looks at files"


def test_a_grader_that_never_looks_at_the_agent_is_told_once(tmp_path: Path) -> None:
    trigger = {"type": "trigger", "name": "fits", "config": {"mode": "positive", "skill_path": "s/SKILL.md"}}
    path = write_eval(
        tmp_path / "e",
        [
            {"id": "a", "graders": [text_grader(contains=["x"])]},
            {"id": "b", "graders": [text_grader(contains=["x"])]},
        ],
        graders=[trigger],
    )
    skill = path.parent / "s" / "SKILL.md"
    skill.parent.mkdir()
    skill.write_text("---\nname: s\ndescription: Do a thing. USE FOR - do\n---\n")
    assert told(path) == [("blind-grader", "eval.yaml", ("graders", 0))]


@pytest.mark.parametrize("dialect", ["waza", "vally"])
def test_of_many_graders_that_never_look_at_the_agent_only_the_first_is_told(
    dialect: str, tmp_path: Path
) -> None:
    """One entry for all tasks, one in each task's file, or one in each entry of a list: it is the same."""
    own_file = dialect == "waza"

    def audit(number: int) -> TaskAudit:
        path = tmp_path / (f"{number}.yaml" if own_file else "eval.yaml")
        pointer = () if own_file else ("stimuli", number)
        graders = (
            GraderPlace("told", "trigger", tmp_path / "eval.yaml", ("graders", 0)),
            GraderPlace("fits", "trigger", path, (*pointer, "graders", 0)),
            GraderPlace("seen", "text", path, (*pointer, "graders", 1)),
        )
        return TaskAudit(
            str(number),
            "",
            path,
            pointer,
            Intent.WORK,
            graders=graders[number == 0 :],
            blind=("told", "fits"),
        )

    [found] = audit_findings([audit(number) for number in range(3)])
    assert found.finding.code == "blind-grader"
    assert found.finding.pointer == (("graders", 0) if own_file else ("stimuli", 0, "graders", 0))
    assert found.path.name == ("0.yaml" if own_file else "eval.yaml")
    # The next eval has its own.
    assert len(list(audit_findings([audit(1)]))) == 1


def test_a_trigger_grader_in_each_of_three_tasks_is_told_once(tmp_path: Path) -> None:
    trigger = {
        "type": "trigger",
        "config": {"mode": "positive", "skill_path": "s/SKILL.md", "threshold": 0.9},
    }
    tasks = [
        {
            "id": f"t{number}",
            "name": "t",
            "inputs": {"prompt": "Take notes"},
            "graders": [{**trigger, "name": "fits"}, text_grader(contains=["2.0"])],
        }
        for number in range(3)
    ]
    path = write_eval(tmp_path / "e", tasks)
    (path.parent / "s").mkdir()
    (path.parent / "s" / "SKILL.md").write_text("---\nname: s\ndescription: Do a thing.\n---\n")
    assert told(path) == [("blind-grader", "t0.yaml", ("graders", 0))]


def test_negative_tests_are_left_alone(tmp_path: Path) -> None:
    task = {"id": "t", "tags": ["negative"], "graders": [text_grader(not_contains=["error"])]}
    assert told(write_eval(tmp_path / "e", [task])) == []


def test_an_idle_grader(tmp_path: Path) -> None:
    trial = recording("t", "Version 2.0 is out, said 3 people.\n\nIt is late.\n\nBye.")
    graders = [
        text_grader(contains=["Version 2.0 is out", "Bye"]),
        text_grader("calm", not_contains=["damn"]),
    ]
    path = write_eval(
        tmp_path / "e",
        [{"id": "t", "graders": graders}, {"id": "u", "graders": [text_grader(contains=["q"])]}],
        recordings=[trial, recording("u", "q is all")],
    )
    assert ("idle-grader", "t.yaml", ("graders", 1)) in told(path)


def test_words_of_the_prompt(tmp_path: Path) -> None:
    task = {
        "id": "t",
        "inputs": {"prompt": "Why does test_login fail?"},
        "graders": [text_grader("topic", contains=["test_login"]), text_grader("reason", contains=["clock"])],
    }
    path = write_eval(tmp_path / "e", [task])
    assert told(path) == [("prompt-words", "t.yaml", ("graders", 0))]
    task["graders"] = [text_grader("topic", contains=["test_login", "clock"])]
    assert told(write_eval(tmp_path / "f", [task])) == []


def test_a_limit_that_no_trial_will_reach(tmp_path: Path) -> None:
    def limit(most: int) -> dict[str, Any]:
        return {"type": "behavior", "name": "limit", "config": {"max_tool_calls": most}}

    trial = recording("t", "Version 2.0", WORK)
    for most, found in ((20, []), (5000, ["idle-grader"])):
        graders = [text_grader(contains=["Version 2.0"]), limit(most)]
        path = write_eval(tmp_path / str(most), [{"id": "t", "graders": graders}], recordings=[trial])
        assert [code for code, _, _ in told(path) if code == "idle-grader"] == found


def test_a_check_that_the_input_files_meet(tmp_path: Path) -> None:
    kept = {"type": "file", "name": "kept", "config": {"must_exist": ["a.md"]}}
    task = {"id": "t", "inputs": {"prompt": "Take notes.", "files": [{"path": "a.md", "content": "a"}]}}
    trial = recording(
        "t", "Version 2.0", WORK, files={"a.md": "a", "NOTES.md": "1", "b.md": "2", "c.md": "3"}
    )
    path = write_eval(
        tmp_path / "e",
        [{**task, "graders": [text_grader(contains=["Version 2.0"]), kept]}],
        recordings=[trial],
    )
    [message] = [it.finding.message for it in found(path) if it.finding.code == "idle-grader"]
    assert message.endswith(
        "broken trials of 't' fails because of 'kept', only an agent that claims success and deletes all files"
    )


def test_an_edited_grader_that_no_longer_looks_at_the_agent(tmp_path: Path) -> None:
    """The name is that of another grader before."""
    skill = tmp_path / "e" / "s" / "SKILL.md"
    trigger = {"type": "trigger", "config": {"mode": "positive", "skill_path": "s/SKILL.md", "threshold": 0}}
    path = write_eval(tmp_path / "e", [{"id": "t", "graders": [text_grader("g", contains=["x"])]}])
    skill.parent.mkdir()
    skill.write_text("---\nname: s\ndescription: Do a thing.\n---\n")
    memory = TaskMemory()
    for grader, blind in ((None, ()), ({**trigger, "name": "g"}, ("g",))):
        if grader:
            text = {"id": "t", "name": "t", "inputs": {"prompt": "Do it"}, "graders": [grader]}
            (path.parent / "tasks" / "t.yaml").write_text(yaml.safe_dump(text))
        plan = plan_of(path)
        assert audit_task(plan, AuditInputs(plan.tasks[0]), path.parent, memory=memory).blind == blind


def test_a_grader_of_all_tasks_is_idle_only_if_no_task_needs_it(tmp_path: Path) -> None:
    calm = text_grader("calm", not_contains=["It is not late"])
    graders = [text_grader(contains=["Version 2.0 is out", "Bye"])]
    tasks = [{"id": "t", "graders": graders}, {"id": "u", "graders": graders}]
    late = "Version 2.0 is out, said 3 people.\n\nAll is well.\n\nBye."
    trials = [recording("t", late), recording("u", f"Hello.\n\n{late}")]
    path = write_eval(tmp_path / "e", tasks, [calm], trials)
    [message] = [it.finding.message for it in found(path) if it.path.name == "eval.yaml"]
    assert message.endswith("broken trials of 2 tasks fails because of 'calm'")
    plan = plan_of(path)
    [first, _] = audit_suite(plan, recorded(plan), path.parent)
    assert [it for it in task_findings(first) if it.path.name == "eval.yaml"] == []
    # The output of `u` in the place of that of `t` has this word.
    needed = write_eval(tmp_path / "f", tasks, [text_grader("calm", not_contains=["Hello"])], trials)
    assert [it for it in told(needed) if it[1] == "eval.yaml"] == []
