"""Whole runs: statuses, scores, attempts, order, timeouts, hooks, cancelling.

See docs/reference/waza-formats.md, sections 13 and 14.
"""

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.engine.runs.bench import Bench, Scripted, contains, said, task, until
from waza_engine.executors.base import ExecutorError, TrialRequest, UnavailableError
from waza_engine.model.results.records import RunRecord
from waza_engine.model.suite import GraderEntry, Hook, InputFile, Suite
from waza_engine.model.trajectory import Trajectory
from waza_engine.runs.events import Note, RunFinished, TaskFinished, TrialFinished, event_line
from waza_engine.runs.run import EXIT_STATUS
from waza_engine.runs.store.store import RunStore
from waza_engine.runs.trial import perform

ALWAYS = contains("hello")
NEVER = contains("farewell", name="never")


def statuses(record: RunRecord) -> dict[str, str]:
    return {it.task: it.status for it in record.tasks}


def notes(bench: Bench) -> list[str]:
    return [it.message for it in bench.events if isinstance(it, Note)]


async def test_all_graders_pass(bench: Bench) -> None:
    record = await bench.run(bench.suite(task("a"), task("b"), graders=(ALWAYS,)))
    assert (record.status, EXIT_STATUS[record.status]) == ("passed", 0)
    assert statuses(record) == {"a": "passed", "b": "passed"}
    assert record.totals.aggregate_score == 1.0


async def test_weights_count_in_the_weighted_score_only(bench: Bench) -> None:
    graders = (
        contains("hello", name="heavy", weight=3),
        contains("farewell", name="light", weight=0.5),
        contains("hello", name="plain", weight=0),
    )
    record = await bench.run(bench.suite(task("a"), graders=graders))
    first = record.tasks[0].trials[0]
    assert first.status == "failed"
    assert first.score == pytest.approx(2 / 3)
    assert first.weighted_score == pytest.approx(4 / 4.5)


async def test_without_graders_a_run_passes_with_score_zero(bench: Bench) -> None:
    record = await bench.run(bench.suite(task("a")))
    assert (record.status, record.totals.aggregate_score) == ("passed", 0.0)


async def test_expectations_count_like_graders(bench: Bench) -> None:
    asked = task("a", expected={"output_contains": ("mock", "nothing")}, graders=(ALWAYS,))
    record = await bench.run(bench.suite(asked))
    outcomes = {it.name: it for it in record.tasks[0].trials[0].graders}
    assert outcomes["_output_contains"].score == 0.5
    assert (outcomes["_output_contains"].path, outcomes["_output_contains"].pointer) == (None, ())
    assert outcomes["says"].pointer == ("graders", 0)
    assert record.status == "failed"


async def test_a_grader_type_that_does_not_exist_is_an_error_before_the_agent_starts(
    bench: Bench, scripted: Scripted
) -> None:
    unknown = GraderEntry("tset", "odd", config={}, path=bench.folder / "eval.yaml", pointer=("graders", 1))
    record = await bench.run(bench.suite(task("a"), graders=(ALWAYS, unknown)), scripted)
    only = record.tasks[0].trials[0]
    assert (only.status, only.score, record.tasks[0].status, record.status) == (
        "error",
        0.0,
        "failed",
        "failed",
    )
    assert "Unknown grader type 'tset'" in only.error
    assert [(it.name, it.status, it.pointer) for it in only.graders] == [("odd", "error", ("graders", 1))]
    assert scripted.requests == []


async def test_an_agent_error_is_graded_and_stays_an_error(bench: Bench, scripted: Scripted) -> None:
    async def fails(_request: TrialRequest) -> Trajectory:
        return said("hello", error="the model hung up")

    scripted.perform = fails
    only = (await bench.run(bench.suite(task("a"), graders=(ALWAYS,)), scripted)).tasks[0].trials[0]
    assert (only.status, only.score, only.error) == ("error", 1.0, "the model hung up")
    assert [it.status for it in only.graders] == ["passed"]


async def test_a_trial_that_cannot_be_performed_is_not_graded(bench: Bench, scripted: Scripted) -> None:
    async def cannot(_request: TrialRequest) -> Trajectory:
        raise ExecutorError("no recording here")

    scripted.perform = cannot
    only = (await bench.run(bench.suite(task("a"), graders=(ALWAYS,)), scripted)).tasks[0].trials[0]
    assert (only.status, only.error, only.graders) == ("error", "no recording here", ())


async def test_a_timeout_is_an_error_with_verdicts(
    bench: Bench, scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never_ends(_request: TrialRequest) -> Trajectory:
        await asyncio.sleep(60)
        return said("late")

    scripted.perform = never_ends
    monkeypatch.setattr(perform, "_GRACE_SECONDS", -0.95)
    suite = bench.suite(task("a", timeout_seconds=1), graders=(contains(""),))
    only = (await bench.run(suite, scripted)).tasks[0].trials[0]
    assert only.status == "error"
    assert "timed out" in only.error
    assert [it.status for it in only.graders] == ["passed"]
    assert scripted.requests[0].timeout_seconds == 1


async def test_attempts_repeat_failures_until_one_passes(bench: Bench, scripted: Scripted) -> None:
    async def third_time_lucky(_request: TrialRequest) -> Trajectory:
        return said("hello" if len(scripted.requests) == 3 else "nope")

    scripted.perform = third_time_lucky
    suite = bench.suite(task("a"), graders=(ALWAYS,), settings={"max_attempts": 5})
    only = (await bench.run(suite, scripted)).tasks[0].trials[0]
    assert (only.status, only.attempts, only.trajectory.output) == ("passed", 3, "hello")


async def test_errors_are_not_repeated_and_attempts_are_limited(bench: Bench, scripted: Scripted) -> None:
    async def alternating(request: TrialRequest) -> Trajectory:
        return said("nope", error="broken" if request.task.id == "b" else "")

    scripted.perform = alternating
    suite = bench.suite(task("a"), task("b"), graders=(ALWAYS,), settings={"max_attempts": 2})
    record = await bench.run(suite, scripted)
    assert [(it.trials[0].status, it.trials[0].attempts) for it in record.tasks] == [
        ("failed", 2),
        ("error", 1),
    ]


async def test_trials_make_a_task_flaky(bench: Bench, scripted: Scripted) -> None:
    async def odd_ones_pass(request: TrialRequest) -> Trajectory:
        return said("hello" if request.trial % 2 else "nope")

    scripted.perform = odd_ones_pass
    record = await bench.run(bench.suite(task("a"), graders=(ALWAYS,)), scripted, trials=4)
    stats = record.tasks[0].stats
    assert stats is not None
    assert (record.tasks[0].status, stats.pass_rate, stats.flaky) == ("failed", 0.5, True)
    assert [it.trial for it in record.tasks[0].trials] == [1, 2, 3, 4]


async def test_fail_fast_ends_a_sequential_run(bench: Bench) -> None:
    tasks = (task("a"), task("b", graders=(NEVER,)), task("c"))
    record = await bench.run(bench.suite(*tasks, settings={"fail_fast": True}))
    assert statuses(record) == {"a": "passed", "b": "failed"}
    assert (record.totals.total, record.unperformed) == (2, ("C",))
    assert any("fail_fast" in it for it in notes(bench))


async def test_fail_fast_means_nothing_in_a_parallel_run(bench: Bench) -> None:
    tasks = (task("a", graders=(NEVER,)), task("b"), task("c"))
    record = await bench.run(
        bench.suite(*tasks, settings={"fail_fast": True, "parallel": True, "workers": 1})
    )
    assert statuses(record) == {"a": "failed", "b": "passed", "c": "passed"}


async def test_a_parallel_run_keeps_the_order_and_its_workers(bench: Bench, scripted: Scripted) -> None:
    tasks = [task(f"t{it}") for it in range(8)]
    record = await bench.run(bench.suite(*tasks), scripted, workers=3, trials=2)
    assert [it.task for it in record.tasks] == [it.id for it in tasks]
    assert scripted.most_running == 3
    by_task = [[r.trial for r in scripted.requests if r.task is it] for it in tasks]
    assert by_task == [[1, 2]] * 8


async def test_a_sequential_run_never_overlaps(bench: Bench, scripted: Scripted) -> None:
    await bench.run(bench.suite(task("a"), task("b"), task("c")), scripted)
    assert scripted.most_running == 1


async def test_files_go_in_and_come_out(bench: Bench, scripted: Scripted) -> None:
    async def edits(request: TrialRequest) -> Trajectory:
        assert (request.workspace_dir / "src" / "in.txt").read_bytes() == b"one\r\n"
        (request.workspace_dir / "gone.txt").unlink()
        (request.workspace_dir / "out.txt").write_text("two", encoding="utf-8")
        (request.workspace_dir / "picture.png").write_bytes(b"\x89PNG\xff")
        return said("hello")

    scripted.perform = edits
    files = (InputFile("src/in.txt", b"one\r\n"), InputFile("gone.txt", b"x"))
    record = await bench.run(bench.suite(task("a", files=files)), scripted)
    kept = record.tasks[0].trials[0].trajectory
    assert kept.files == {"src/in.txt": "one\r\n", "out.txt": "two"}
    assert (kept.removed, kept.uncaptured) == (["gone.txt"], ["picture.png"])
    assert not scripted.requests[0].workspace_dir.exists()


async def test_every_attempt_has_a_fresh_workspace(bench: Bench, scripted: Scripted) -> None:
    async def litters(request: TrialRequest) -> Trajectory:
        assert list(request.workspace_dir.iterdir()) == []
        (request.workspace_dir / "litter").touch()
        return said("nope")

    scripted.perform = litters
    suite = bench.suite(task("a"), graders=(ALWAYS,), settings={"max_attempts": 3})
    record = await bench.run(suite, scripted, trials=2)
    assert [it.status for it in record.tasks[0].trials] == ["failed", "failed"]
    assert len({it.workspace_dir for it in scripted.requests}) == 6


@pytest.mark.parametrize("target", ["../x", "/etc/x", "a/../../x", ".", "a\0b"])
async def test_an_input_file_cannot_leave_the_workspace(
    bench: Bench, scripted: Scripted, target: str
) -> None:
    record = await bench.run(bench.suite(task("a", files=(InputFile(target, b"x"),))), scripted)
    only = record.tasks[0].trials[0]
    assert only.status == "error"
    assert "is outside the workspace" in only.error
    assert scripted.requests == []


async def test_a_prompt_with_paths_needs_a_workspace(bench: Bench, scripted: Scripted) -> None:
    asked = [task("a", "read ./notes.txt"), task("b", "read ./n", files=(InputFile("n", b"x"),))]
    record = await bench.run(bench.suite(*asked), scripted)
    assert [it.trials[0].status for it in record.tasks] == ["error", "passed"]
    assert "inputs.files" in record.tasks[0].trials[0].error


async def test_a_blocked_task_is_an_error(bench: Bench, scripted: Scripted) -> None:
    record = await bench.run(bench.suite(task("a", blocked="context.fixture does not exist")), scripted)
    assert record.tasks[0].trials[0].error == "context.fixture does not exist"
    assert scripted.requests == []


async def test_links_out_of_the_workspace_are_not_read(bench: Bench, scripted: Scripted) -> None:
    (bench.folder / "secret").write_text("s3cret", encoding="utf-8")

    async def links(request: TrialRequest) -> Trajectory:
        (request.workspace_dir / "link").symlink_to(bench.folder / "secret")
        (request.workspace_dir / "loop").symlink_to(request.workspace_dir / "loop")
        return said("hello")

    scripted.perform = links
    record = await bench.run(bench.suite(task("a")), scripted)
    assert record.tasks[0].trials[0].trajectory.files == {}


async def test_recorded_files_reach_the_workspace(bench: Bench, scripted: Scripted) -> None:
    async def recorded(_request: TrialRequest) -> Trajectory:
        return Trajectory(output="x", files={"docs/new.md": "# New"}, removed=["old.md"])

    scripted.perform = recorded
    grader = GraderEntry(
        "file", "files", config={"must_exist": ["docs/new.md"], "must_not_exist": ["old.md"]}
    )
    suite = bench.suite(task("a", files=(InputFile("old.md", b"x"),)), graders=(grader,))
    record = await bench.run(suite, scripted)
    assert record.status == "passed", record.tasks[0].trials[0].graders


def hook(code: str, **more: object) -> Hook:
    """A hook that runs Python code without blanks, as hooks know no quotes."""
    assert " " not in code
    return replace(Hook(f"{sys.executable} -c {code}"), **more)  # type: ignore[arg-type]  # fields of the test's choice


def with_hooks(bench: Bench, **hooks: Hook) -> Suite:
    return bench.suite(task("a"), task("b"), hooks={name: (it,) for name, it in hooks.items()})


async def test_hooks_run_around_everything(bench: Bench) -> None:
    def mark(name: str) -> Hook:
        return hook(f"open('log','a').write('{name},')", working_directory=str(bench.folder))

    suite = with_hooks(
        bench,
        before_run=mark("run"),
        before_task=mark("task"),
        after_task=mark("done"),
        after_run=mark("end"),
    )
    record = await bench.run(suite)
    assert record.status == "passed"
    assert (bench.folder / "log").read_text() == "run,task,done,task,done,end,"


async def test_a_failing_before_run_hook_stops_the_run(bench: Bench, scripted: Scripted) -> None:
    suite = with_hooks(bench, before_run=hook("print('no');raise(SystemExit(3))", error_on_fail=True))
    record = await bench.run(suite, scripted)
    assert (record.status, EXIT_STATUS[record.status], record.tasks) == ("error", 2, ())
    assert "hooks.before_run[0]" in record.error
    assert "exit code 3" in record.error
    assert record.error.endswith("no")
    assert scripted.closed == 1


async def test_other_hook_failures_only_warn(bench: Bench) -> None:
    bad = hook("raise(SystemExit(3))")
    strict = replace(bad, error_on_fail=True)
    record = await bench.run(
        with_hooks(bench, before_run=bad, before_task=bad, after_task=strict, after_run=strict)
    )
    assert record.status == "passed"
    assert [it.split()[0] for it in notes(bench)] == [
        "hooks.before_run[0]",
        *["hooks.before_task[0]", "hooks.after_task[0]"] * 2,
        "hooks.after_run[0]",
    ]


async def test_a_failing_before_task_hook_fails_its_task(bench: Bench, scripted: Scripted) -> None:
    record = await bench.run(
        with_hooks(bench, before_task=Hook("no-such-program", error_on_fail=True)), scripted
    )
    assert statuses(record) == {"a": "failed", "b": "failed"}
    assert (record.tasks[0].trials, record.tasks[0].stats) == ((), None)
    assert "no-such-program" in record.tasks[0].error
    assert (record.status, scripted.requests) == ("failed", [])


async def test_exit_codes_and_blank_commands(bench: Bench) -> None:
    three = hook("raise(SystemExit(3))", exit_codes=(3,), error_on_fail=True)
    assert (await bench.run(with_hooks(bench, before_run=three))).status == "passed"
    blank = await bench.run(with_hooks(bench, before_run=Hook("  ")))
    assert (blank.status, "blank command" in blank.error) == ("error", True)


async def test_required_skills_must_be_where_they_are_looked_for(bench: Bench) -> None:
    skill = bench.folder / "skills" / "notes"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: take-notes\n---\nbody", encoding="utf-8")

    async def status(required: str, *directories: str) -> str:
        settings = {"required_skills": (required,), "skill_directories": directories}
        return (await bench.run(bench.suite(task("a"), settings=settings))).status

    assert await status("take-notes", "skills/notes") == "passed"
    assert await status("take-notes", str(skill), "missing") == "passed"
    assert await status("take-notes", "skills") == "error"
    assert await status("notes", "skills/notes") == "error"
    assert await status("take-notes") == "error"


async def test_an_executor_that_cannot_start_is_a_configuration_error(
    bench: Bench, scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def start() -> None:
        raise UnavailableError("not signed in")

    monkeypatch.setattr(scripted, "start", start)
    with RunStore(bench.folder) as bench.store:
        record = await bench.run(bench.suite(task("a")), scripted)
        # Nothing ran, so it is not the last run of its eval.
        assert bench.store.runs() == []
    assert (record.status, record.error, scripted.closed) == ("error", "not signed in", 1)


async def test_an_executor_that_cannot_end_loses_nothing(
    bench: Bench, scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def close() -> None:
        raise ZeroDivisionError("planted")

    monkeypatch.setattr(scripted, "close", close)
    record = await bench.run(bench.suite(task("a")), scripted)
    assert (record.status, statuses(record)) == ("error", {"a": "passed"})
    assert "run-1.log" in record.error


async def test_our_own_mistakes_are_logged_and_keep_what_was_finished(
    bench: Bench, scripted: Scripted
) -> None:
    async def explodes(request: TrialRequest) -> Trajectory:
        if request.task.id == "b":
            raise ZeroDivisionError("planted")
        return said("hello")

    scripted.perform = explodes
    record = await bench.run(bench.suite(task("a"), task("b")), scripted)
    log = bench.folder / "logs" / "run-1.log"
    assert record.status == "error"
    assert str(log) in record.error
    assert "ZeroDivisionError: planted" in log.read_text(encoding="utf-8")
    assert statuses(record) == {"a": "passed"}
    assert isinstance(bench.events[-1], RunFinished)


async def test_cancelling_keeps_what_is_finished_and_closes_every_event(
    bench: Bench, scripted: Scripted
) -> None:
    async def hangs_in_b(request: TrialRequest) -> Trajectory:
        if request.task.id == "b":
            await asyncio.sleep(60)
        return said("hello")

    scripted.perform = hangs_in_b
    ended = hook("open('log','a').write('end')", working_directory=str(bench.folder))
    suite = bench.suite(task("a"), task("b"), task("c"), hooks={"after_run": (ended,)})
    running = asyncio.create_task(bench.run(suite, scripted))
    await until(lambda: any(it.task.id == "b" for it in scripted.requests))
    running.cancel()
    record = await running
    assert (record.status, EXIT_STATUS[record.status]) == ("cancelled", 130)
    assert statuses(record) == {"a": "passed"}
    assert record.unperformed == ("B", "C")
    assert (bench.folder / "log").read_text() == "end"
    assert bench.names()[-4:] == ["TrialStarted", "TrialFinished", "TaskFinished", "RunFinished"]
    assert bench.names().count("TrialStarted") == bench.names().count("TrialFinished")
    assert not scripted.requests[-1].workspace_dir.exists()


async def test_cancelling_kills_a_hook_with_all_it_started(bench: Bench) -> None:
    script = bench.folder / "hook.py"
    script.write_text(
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"open({str(bench.folder / 'pid')!r}, 'w').write(str(child.pid))\n"
        "time.sleep(60)\n",
        encoding="utf-8",
    )
    suite = bench.suite(task("a"), hooks={"before_task": (Hook(f"{sys.executable} {script}"),)})
    running = asyncio.create_task(bench.run(suite))
    pid = bench.folder / "pid"
    await until(lambda: pid.is_file() and bool(pid.read_text()))
    running.cancel()
    assert (await running).status == "cancelled"
    await asyncio.sleep(0.1)
    assert not _is_alive(int(pid.read_text()))


def _is_alive(pid: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except FileNotFoundError:
        return False


async def test_events_tell_the_whole_story(bench: Bench) -> None:
    await bench.run(bench.suite(task("a", graders=(ALWAYS,))), trials=2)
    assert bench.names() == [
        "RunStarted",
        "TaskStarted",
        *["TrialStarted", "TrialFinished"] * 2,
        "TaskFinished",
        "RunFinished",
    ]
    assert {it.run_id for it in bench.events} == {"run-1"}
    finished = next(it for it in bench.events if isinstance(it, TrialFinished))
    assert (finished.status, finished.score, [it.name for it in finished.graders]) == (
        "passed",
        1.0,
        ["says"],
    )
    done = next(it for it in bench.events if isinstance(it, TaskFinished))
    assert (done.task, done.status, done.score) == ("a", "passed", 1.0)


async def test_an_event_is_one_line_of_json(bench: Bench) -> None:
    await bench.run(bench.suite(task("a", "two\nlines \u2028 \U0001f600", graders=(ALWAYS,))))
    for it in bench.events:
        line = event_line(it)
        assert len(line.splitlines()) == 1
        assert line.startswith('{"event":"')


async def test_a_recording_of_another_prompt_is_a_warning(bench: Bench, scripted: Scripted) -> None:
    async def stale(_request: TrialRequest) -> Trajectory:
        return Trajectory(prompt="the old prompt", output="hello")

    scripted.perform = stale
    await bench.run(bench.suite(task("a")), scripted)
    assert any("prompt has changed" in it for it in notes(bench))


async def test_types_of_older_generations_mean_what_they_meant(bench: Bench) -> None:
    keyword = GraderEntry("keyword", "k", config={"keywords": ["MOCK"], "must_contain": ["hello"]})
    regex = GraderEntry("regex", "r", config={"must_match": ["mock"]})  # case counted in that generation
    script = GraderEntry("script", "s", config={"script": "missing.py"})
    record = await bench.run(bench.suite(task("a"), graders=(keyword, regex, script)))
    only = record.tasks[0].trials[0]
    assert {it.name: it.status for it in only.graders} == {"k": "passed", "r": "failed", "s": "failed"}, (
        only.error
    )


async def test_an_os_error_fails_only_its_trial(bench: Bench, scripted: Scripted) -> None:
    async def full(request: TrialRequest) -> Trajectory:
        if request.task.id == "a":
            raise OSError(28, "No space left on device")
        return said("hello")

    scripted.perform = full
    record = await bench.run(bench.suite(task("a"), task("b"), graders=(ALWAYS,)), scripted)
    assert [it.trials[0].status for it in record.tasks] == ["error", "passed"]
    assert record.tasks[0].trials[0].error.endswith("No space left on device")


async def test_a_workspace_that_cannot_be_created_is_an_error(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full() -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("waza_engine.runs.trial.workspace.make_folder", full)
    record = await bench.run(bench.suite(task("a")))
    assert "Cannot create a workspace in" in record.tasks[0].trials[0].error
