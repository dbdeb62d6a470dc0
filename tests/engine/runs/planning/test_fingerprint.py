"""A task's fingerprint changes with everything that can change a verdict, and with nothing else."""

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from tests.engine.runs.bench import Bench, Scripted, contains, task
from waza_engine.executors.base import ExecutorOptions, UnavailableError, agent_of
from waza_engine.executors.command import CommandExecutor
from waza_engine.executors.replay import ReplayExecutor
from waza_engine.lib.files.digests import file_digest
from waza_engine.model.results.records import TaskParts
from waza_engine.model.suite import (
    Constraint,
    CustomAgent,
    GraderEntry,
    InputFile,
    McpMock,
    Repository,
    Scoring,
)
from waza_engine.runs.live import RunOutputs
from waza_engine.runs.planning.fingerprint import task_prints
from waza_engine.runs.planning.plan import Overrides, Plan, make_plan
from waza_engine.runs.planning.resume import ResumeState
from waza_engine.runs.run import run_suite
from waza_engine.runs.run_header import frame_of
from waza_engine.runs.store.store import RunStore
from waza_engine.runs.trial.grade import Bench as RunBench

GRADERS = (
    GraderEntry(
        "program", "own", config={"command": "./check.sh", "args": ["--rules=rules.json", "list.txt"]}
    ),
    GraderEntry("json_schema", "shape", config={"schema_file": "shape.json"}),
    GraderEntry("trigger", "meant", config={"skill_path": "skill", "mode": "positive"}),
    GraderEntry("diff", "same", config={"expected_files": [{"path": "a", "snapshot": "a.txt"}]}),
    GraderEntry("script", "old", extras={"script": "old.py"}),
    GraderEntry(
        "json_schema", "inline", config={"schema": {"properties": {"a": {"$ref": "inline.json#/a"}}}}
    ),
    GraderEntry(
        "tool_calls",
        "called",
        config={
            "required_tools": ["edit"],
            "expect": [{"tool": "edit", "args": {"path": {"json_schema": {"$ref": "argument.json"}}}}],
        },
    ),
    GraderEntry("program", "theirs", config={"program": "sh shell.sh", "shell": True}, dialect="vally"),
)
FILES = ("check.sh", "rules.json", "list.txt", "skill/SKILL.md", "a.txt", "old.py", "shell.sh")
SCHEMAS = {
    "shape.json": '{"$ref": "schemas/part.json"}',
    "schemas/part.json": '{"items": {"$ref": "of-part.json"}}',
    "schemas/of-part.json": '{"type": "object"}',
    "inline.json": '{"a": {"type": "string"}}',
    "argument.json": '{"minLength": 1}',
}


def fingerprints(plan: Plan, process_dir: Path) -> Iterator[str]:
    return (it.whole for it in task_prints(plan, process_dir))


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    for name in FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("before", encoding="utf-8")
    for name, text in SCHEMAS.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return make_plan(Bench(tmp_path).suite(task("a"), graders=GRADERS), Overrides())


@pytest.mark.parametrize("name", [*FILES, *SCHEMAS])
def test_a_file_that_a_grader_reads_or_starts(plan: Plan, tmp_path: Path, name: str) -> None:
    before = list(fingerprints(plan, tmp_path))
    assert before == list(fingerprints(plan, tmp_path))
    (tmp_path / name).write_text("after", encoding="utf-8")
    assert before != list(fingerprints(plan, tmp_path))


@pytest.mark.parametrize(
    "entry",
    [
        GraderEntry("prompt", "judged", config={"rubric": "rubrics/own.md"}),
        GraderEntry("prompt", "judged", config={"rubric": "../elsewhere/own.md"}),
        GraderEntry("llm", "old", extras={"rubric": "rubrics/own.md"}, dialect="PY"),
    ],
)
def test_the_rubric_of_a_task_s_grader(tmp_path: Path, entry: GraderEntry) -> None:
    start, elsewhere = tmp_path / "start", tmp_path / "elsewhere"
    plan = make_plan(Bench(tmp_path).suite(task("a", graders=(entry,))), Overrides())
    found = []
    for text in ("", "one", "two"):
        for folder in (start / "rubrics", elsewhere):
            folder.mkdir(parents=True, exist_ok=True)
            if text:
                (folder / "own.md").write_text(text, encoding="utf-8")
        found.append(next(fingerprints(plan, start)))
    assert len(set(found)) == 3


def test_shared_files_are_hashed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = []

    def counted(path: Path) -> str:
        looked_at.append(path)
        return file_digest(path)

    asked = []

    def commit(source: Path, name: str) -> str:
        asked.append((source, name))
        return "abc"

    monkeypatch.setattr("waza_engine.runs.planning.fingerprint.file_digest", counted)
    monkeypatch.setattr("waza_engine.runs.planning.fingerprint.commit_of", commit)
    program, repository = tmp_path / "check.sh", tmp_path / "repository"
    program.write_text("exit 0", encoding="utf-8")
    own = GraderEntry("program", "own", config={"command": str(program)})
    repos = (Repository(repository, "a"), Repository(repository, "b"), Repository(repository, "c", "main"))
    tasks = [replace(task(it, graders=(own,)), repos=repos) for it in "abc"]
    plan = make_plan(Bench(tmp_path).suite(*tasks), Overrides())
    assert len(set(fingerprints(plan, tmp_path))) == 3
    assert looked_at.count(program) == 1
    assert asked == [(repository, ""), (repository, "main")]


def test_impossible_file_names_do_not_raise(tmp_path: Path) -> None:
    name = "x" * 300
    odd = (
        GraderEntry("diff", "same", config={"expected_files": [{"path": "a", "snapshot": name}]}),
        GraderEntry("json_schema", "shape", config={"schema_file": name}),
        GraderEntry(
            "json_schema", "inline", config={"schema": {"$ref": name, "properties": {1: "no schema"}}}
        ),
        GraderEntry("prompt", "judged", config={"rubric": f"./{name}\0"}),
        GraderEntry("program", "own", config={"command": name, "args": [name]}),
    )
    plan = make_plan(Bench(tmp_path).suite(task("a"), graders=odd), Overrides())
    with_repository = replace(plan.tasks[0], repos=(Repository(tmp_path / name, "a"),))
    assert len(list(fingerprints(replace(plan, tasks=(with_repository,)), tmp_path))) == 1


@pytest.mark.parametrize("name", ["x" * 300, "a\0b"])
async def test_an_impossible_recordings_folder_is_an_error_at_the_start(tmp_path: Path, name: str) -> None:
    executor = ReplayExecutor(ExecutorOptions(tmp_path, recordings=tmp_path / name))
    assert isinstance(executor.identity(), str)
    with pytest.raises(UnavailableError, match=r"Recordings folder .* not found"):
        await executor.start()


def test_the_files_of_the_graders_and_skills_of_one_task_are_its_own(tmp_path: Path) -> None:
    skill, check = tmp_path / "s" / "SKILL.md", tmp_path / "check.py"
    skill.parent.mkdir()
    own = GraderEntry("program", "own", config={"command": "python3", "args": ["check.py"]})
    tasks = (task("a"), task("b", graders=(own,)), task("c", skill_directories=(str(skill.parent),)))
    plan = make_plan(Bench(tmp_path).suite(*tasks), Overrides())
    found = list(fingerprints(plan, tmp_path))
    for path, index in ((check, 1), (skill, 2)):
        path.write_text("now it is there", encoding="utf-8")
        changed = list(fingerprints(plan, tmp_path))
        assert [a != b for a, b in zip(found, changed, strict=True)] == [it == index for it in range(3)]
        found = changed


@pytest.mark.parametrize(
    ("change", "counts"),
    [
        (lambda it: replace(it, skip_graders=True), True),
        (lambda it: replace(it, suite=replace(it.suite, scoring=Scoring(0.5))), True),
        (lambda it: replace(it, settings=replace(it.settings, judge_reasoning_effort="high")), True),
        (lambda it: replace(it, settings=replace(it.settings, baseline=True)), True),
        (lambda it: replace(it, settings=replace(it.settings, trials=9, parallel=True, workers=3)), False),
        (lambda it: replace(it, settings=replace(it.settings, use_cache=True, fail_fast=True)), False),
    ],
)
def test_settings_that_change_the_fingerprint(
    plan: Plan, tmp_path: Path, change: Callable[[Plan], Plan], *, counts: bool
) -> None:
    assert (list(fingerprints(change(plan), tmp_path)) != list(fingerprints(plan, tmp_path))) is counts


def test_where_it_is_run_from_counts_only_for_what_is_there(tmp_path: Path) -> None:
    plan = make_plan(
        Bench(tmp_path).suite(task("a"), graders=(contains("x"),), settings={"skills_of_process": True}),
        Overrides(),
    )
    here, there = tmp_path / "here", tmp_path / "there"
    for it in (here, there / "skill"):
        it.mkdir(parents=True)
    assert list(fingerprints(plan, here)) == list(fingerprints(plan, there))
    (there / "skill" / "SKILL.md").write_text("---\nname: skill\n---\n", encoding="utf-8")
    assert list(fingerprints(plan, here)) != list(fingerprints(plan, there))


def test_snapshots_that_the_run_itself_writes_are_no_change(plan: Plan, tmp_path: Path) -> None:
    plan = replace(plan, update_snapshots=True)
    before = list(fingerprints(plan, tmp_path))
    (tmp_path / "a.txt").write_text("written", encoding="utf-8")
    assert before == list(fingerprints(plan, tmp_path))


def test_a_grader_that_cannot_be_read_names_no_files(tmp_path: Path) -> None:
    odd = (
        GraderEntry("program", "a", config={"command": "a'b \0", "args": "no list"}),
        GraderEntry("program", "b", config=["no mapping"]),
        GraderEntry("json_schema", "c", config={"schema_file": "a\0b"}),
        GraderEntry("unheard of", "d"),
        contains("hello"),
    )
    plan = make_plan(Bench(tmp_path).suite(task("a"), graders=odd), Overrides())
    assert len(list(fingerprints(plan, tmp_path))) == 1


def test_agents_have_different_identities(tmp_path: Path) -> None:
    agent = tmp_path / "agent"
    agent.write_text("#!/bin/sh\necho one\n", encoding="utf-8")
    agent.chmod(0o755)

    def command(text: str, form: str = "", **environment: str) -> str:
        options = ExecutorOptions(tmp_path, agent_command=text, agent_format=form, environment=environment)
        return agent_of(CommandExecutor(options))

    before = command(f"{agent} {{prompt}}")
    assert before == command("", WAZA_LSP_AGENT_COMMAND=f"{agent} {{prompt}}")
    assert before == command(f"{agent} {{prompt}}", "text")
    assert before != command(f"{agent} {{prompt}}", "copilot-jsonl")
    assert before != command(f"{agent} --fast {{prompt}}")
    agent.write_text("#!/bin/sh\necho two\n", encoding="utf-8")
    assert before != command(f"{agent} {{prompt}}")


def test_recordings_are_identified_by_their_content(tmp_path: Path) -> None:
    (tmp_path / "recordings").mkdir()
    recording = tmp_path / "recordings" / "a.json"
    recording.write_text("{}", encoding="utf-8")
    before = agent_of(ReplayExecutor(ExecutorOptions(tmp_path)))
    assert before == agent_of(ReplayExecutor(ExecutorOptions(tmp_path)))
    recording.write_text('{"output": "x"}', encoding="utf-8")
    assert before != agent_of(ReplayExecutor(ExecutorOptions(tmp_path)))


async def test_a_run_resumed_with_another_agent_has_no_agent(tmp_path: Path, scripted: Scripted) -> None:
    plan = make_plan(Bench(tmp_path).suite(task("a"), task("b")), Overrides())
    mine = agent_of(scripted)
    with RunStore(tmp_path / "store") as store:
        for run_id, before in (("mine", mine), ("mixed", "another agent")):
            frame = replace(frame_of(plan, tmp_path), agent=before)
            store.start_run(run_id, plan.suite.path, frame, started_at=1.0)
            there = ResumeState(1.0, frozenset([(0, 1)]), agent=before)
            await run_suite(
                RunBench(plan, scripted, tmp_path),
                RunOutputs(lambda _: None, tmp_path, store),
                run_id,
                resumed=there,
            )
        assert {it.run_id: it.frame.agent for it in store.runs()} == {"mine": mine, "mixed": ""}


def _changed_parts(plan: Plan, changed: Plan, folder: Path) -> list[str]:
    [(_, before)], [(_, after)] = list(task_prints(plan, folder)), list(task_prints(changed, folder))
    return [it.name for it in fields(TaskParts) if getattr(before, it.name) != getattr(after, it.name)]


def _with_task(plan: Plan, **changes: Any) -> Plan:
    return replace(plan, tasks=(replace(plan.tasks[0], **changes),))


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        (lambda it: _with_task(it, prompt="another"), ["task"]),
        (lambda it: _with_task(it, follow_ups=("and now?",), environment={"A": "b"}), ["task"]),
        (lambda it: _with_task(it, files=(InputFile("a.txt", b"text"),)), ["fixtures"]),
        (lambda it: _with_task(it, workdir="below"), ["fixtures"]),
        (lambda it: _with_task(it, graders=(contains("x"),)), ["graders"]),
        (lambda it: _with_task(it, expected={"output_contains": ("x",)}), ["graders"]),
        (lambda it: _with_task(it, constraints=(Constraint("max_turns", 3),), rubric=("good",)), ["graders"]),
        (lambda it: replace(it, suite=replace(it.suite, graders=())), ["graders"]),
        (lambda it: replace(it, skip_graders=True), ["graders"]),
        (lambda it: replace(it, suite=replace(it.suite, skill="other")), ["skill"]),
        (lambda it: replace(it, suite=replace(it.suite, agent=CustomAgent(Path("a"), "a", "do"))), ["skill"]),
        (lambda it: replace(it, suite=replace(it.suite, mcp_mocks=(McpMock("m"),))), ["settings"]),
        (lambda it: replace(it, settings=replace(it.settings, reasoning_effort="high")), ["settings"]),
        # Runs name these themselves.
        (lambda it: replace(it, settings=replace(it.settings, model="a", judge_model="b", executor="c")), []),
        # Someone added a comment above, or moved the file.
        (lambda it: _with_task(it, path=Path("/moved.yaml"), pointer=("tasks", 3), warnings=("odd",)), []),
        (lambda it: replace(it, suite=replace(it.suite, graders=tuple(map(_moved, it.suite.graders)))), []),
    ],
)
def test_a_part_changes_alone(
    plan: Plan, tmp_path: Path, change: Callable[[Plan], Plan], parts: list[str]
) -> None:
    assert _changed_parts(plan, change(plan), tmp_path) == parts


def _moved(entry: GraderEntry) -> GraderEntry:
    return replace(entry, path=Path("/moved.yaml"), pointer=("graders", 7))


def test_files_change_the_part_that_they_belong_to(tmp_path: Path) -> None:
    skill, check = tmp_path / "s" / "SKILL.md", tmp_path / "check.py"
    skill.parent.mkdir()
    own = GraderEntry("program", "own", config={"command": "python3", "args": ["check.py"]})
    plan = make_plan(
        Bench(tmp_path).suite(task("a", graders=(own,), skill_directories=(str(skill.parent),))), Overrides()
    )
    for path, part in ((check, "graders"), (skill, "skill")):
        [(_, before)] = list(task_prints(plan, tmp_path))
        path.write_text("now it is there", encoding="utf-8")
        [(_, after)] = list(task_prints(plan, tmp_path))
        assert [
            it.name for it in fields(TaskParts) if getattr(before, it.name) != getattr(after, it.name)
        ] == [part]
