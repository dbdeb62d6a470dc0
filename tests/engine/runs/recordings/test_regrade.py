"""Regrade recorded trials with the current graders, without an agent."""

import os
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.engine.runs.bench import Bench, Scripted, contains, said, task
from waza_engine.executors.base import ExecutorError, TrialRequest
from waza_engine.model.results.records import RunRecord
from waza_engine.model.suite import Checkpoint, GraderEntry, Hook, Suite
from waza_engine.model.trajectory import Trajectory
from waza_engine.reports.results.write import results_chunks
from waza_engine.runs.planning.plan import PlanError
from waza_engine.runs.recordings.regrade import RegradeOptions, regrade
from waza_engine.runs.store.record import stored_record
from waza_engine.runs.store.scratch import scratch_store
from waza_engine.runs.store.store import RunStore


@pytest.fixture
def store(bench: Bench) -> Iterator[RunStore]:
    with RunStore(bench.folder / "store") as opened:
        bench.store = opened
        yield opened


def graded(bench: Bench, store: RunStore, suite: Suite, *tasks: str) -> RunRecord:
    """Grade the run in memory, and in a scratch store: both must give the same record."""
    [run] = store.runs()

    def graded_in(scratch: RunStore | None) -> RunRecord:
        environment = {"PATH": os.environ["PATH"]}
        options = RegradeOptions(tasks, scratch=scratch)
        return regrade(store, run, suite, bench.folder, environment, options)

    record = graded_in(None)
    with scratch_store() as scratch:
        other = graded_in(scratch)
        assert _verdicts(other) == _verdicts(record)
    assert not scratch.directory.exists()
    return record


def _verdicts(record: RunRecord) -> list[object]:
    trials = [
        (
            replace(it, graders=(), checkpoints=()),
            [(one.name, one.type, one.status, one.score, one.feedback, one.parts) for one in it.graders],
            [(one.after_turn, one.status) for one in it.checkpoints],
        )
        for task in record.tasks
        for it in task.trials
    ]
    baseline = _verdicts(record.baseline) if record.baseline else None
    stats = [(it.task, it.status, it.stats) for it in record.tasks]
    return [trials, stats, record.totals, record.status, record.error, baseline]


async def test_new_graders_see_the_recording(bench: Bench, scripted: Scripted, store: RunStore) -> None:
    async def writes(request: TrialRequest) -> Trajectory:
        (request.workspace_dir / "out.txt").write_text("done", encoding="utf-8")
        return said(f"hello {request.trial}")

    scripted.perform = writes
    suite = bench.suite(task("a"), task("b"), graders=(contains("hello"),))
    await bench.run(suite, scripted, trials=2)
    asked = len(scripted.requests)
    wants_file = GraderEntry("file", "made", config={"must_exist": ["out.txt"]})
    changed = replace(suite, graders=(contains("hello 1"), wants_file), tasks=(*suite.tasks, task("new")))
    record = graded(bench, store, changed)
    assert [[it.status for it in t.trials] for t in record.tasks] == [["passed", "failed"]] * 2
    assert (record.status, len(scripted.requests)) == ("failed", asked)
    assert [it.task for it in graded(bench, store, changed, "b").tasks] == ["b"]
    with pytest.raises(PlanError, match="No task matches"):
        graded(bench, store, changed, "new")


async def test_a_trial_that_never_ran_stays_an_error(
    bench: Bench, scripted: Scripted, store: RunStore
) -> None:
    async def cannot(_request: TrialRequest) -> Trajectory:
        raise ExecutorError("no agent")

    scripted.perform = cannot
    suite = bench.suite(task("a"))
    await bench.run(suite, scripted)
    only = graded(bench, store, suite).tasks[0].trials[0]
    assert (only.status, only.error) == ("error", "no agent")


async def test_data_unknown_to_the_executor_stays_unknown(
    bench: Bench, scripted: Scripted, store: RunStore
) -> None:
    scripted.unknown = frozenset(["tool names"])
    suite = bench.suite(task("a"))
    await bench.run(suite, scripted)
    strict = GraderEntry("tool_calls", "none", config={"forbidden_tools": ["bash"]})
    only = graded(bench, store, replace(suite, graders=(strict,))).tasks[0].trials[0]
    assert (only.status, "not available" in only.error) == ("error", True)


def of_skill(required: str) -> GraderEntry:
    return GraderEntry(
        "skill_invocation", "skilled", config={"required_skills": [required], "mode": "any_order"}
    )


async def test_the_rules_of_a_run_with_a_baseline_hold_again(
    bench: Bench, scripted: Scripted, store: RunStore
) -> None:
    async def helped(request: TrialRequest) -> Trajectory:
        return said("bye" if request.baseline or request.task.id == "hard" else "hello")

    scripted.perform = helped
    suite = bench.suite(
        task("easy"),
        task("hard"),
        graders=(contains("hello"), of_skill("demo")),
        settings={"skill_directories": ("skills",)},
    )
    run = await bench.run(suite, scripted, baseline=True)
    record = graded(bench, store, suite)
    assert [it.status for it in record.tasks] == ["passed", "failed"] == [it.status for it in run.tasks]
    assert record.baseline is not None
    assert (run.status, record.status) == ("passed", "passed")
    helpless = graded(bench, store, replace(suite, graders=(contains("b"), of_skill("demo"))))
    assert helpless.status == "failed"


async def test_a_checkpoint_that_failed_still_fails_the_trial(
    bench: Bench, scripted: Scripted, store: RunStore
) -> None:
    def suite(first: str, last: str) -> Suite:
        points = tuple(Checkpoint(turn, (contains(it),)) for turn, it in enumerate((first, last), start=1))
        return bench.suite(task("a", follow_ups=("go on",), checkpoints=points))

    async def talks(request: TrialRequest) -> Trajectory:
        for turn in (1, 2):
            await request.after_turn(turn, said(f"answer {turn}"))
        return said("answer 2")

    scripted.perform = talks
    assert (await bench.run(suite("answer 1", "zzz"), scripted)).status == "failed"
    assert graded(bench, store, suite("answer 1", "zzz")).status == "failed"
    # The state after the last turn is recorded; of the first turn only what was said of it.
    assert graded(bench, store, suite("answer 2", "answer 2")).status == "passed"


async def test_a_stored_run_knows_the_tasks_that_it_never_came_to(bench: Bench, store: RunStore) -> None:
    tasks = (task("a"), task("b", graders=(contains("zzz"),)), task("c"))
    await bench.run(bench.suite(*tasks, settings={"fail_fast": True}))
    assert stored_record(store, store.runs()[0]).unperformed == ("C",)
    # Graded again is what was performed.
    assert graded(bench, store, bench.suite(*tasks)).unperformed == ()


async def test_an_agent_that_failed_keeps_its_error_and_gets_no_results(
    bench: Bench, scripted: Scripted, store: RunStore
) -> None:
    async def hangs(_request: TrialRequest) -> Trajectory:
        return said("partial", error="timed out")

    scripted.perform = hangs
    suite = bench.suite(task("a"), graders=(contains("partial"),))
    await bench.run(suite, scripted)
    only = graded(bench, store, suite).tasks[0].trials[0]
    assert (only.status, only.error, only.score, only.graders) == ("error", "timed out", 0.0, ())


async def test_tasks_of_one_id_are_graded_with_their_own_trials(
    bench: Bench, scripted: Scripted, store: RunStore
) -> None:
    async def echoes(request: TrialRequest) -> Trajectory:
        return said(request.task.name)

    scripted.perform = echoes
    twins = [task("a", name=it, graders=(contains(it),)) for it in ("first", "second")]
    suite = bench.suite(*twins)
    await bench.run(suite, scripted)
    for tasks in (twins, twins[::-1]):
        record = graded(bench, store, replace(suite, tasks=tuple(tasks)))
        assert [(it.status, len(it.trials)) for it in record.tasks] == [("passed", 1)] * 2


async def test_the_project_s_judge_has_no_say(bench: Bench, scripted: Scripted, store: RunStore) -> None:
    suite = bench.suite(task("a"), settings={"judge_model": "project's", "own_judge_model": "eval's"})
    await bench.run(suite, scripted)
    assert graded(bench, store, suite).judge_model == "eval's"


async def test_a_run_without_trials_says_why(bench: Bench, store: RunStore) -> None:
    suite = bench.suite(task("a"), hooks={"before_run": (Hook("false", error_on_fail=True),)})
    await bench.run(suite)
    with pytest.raises(PlanError, match=r"performed no task: .*before_run"):
        graded(bench, store, suite)


async def test_removed_tasks_are_named(bench: Bench, scripted: Scripted, store: RunStore) -> None:
    await bench.run(bench.suite(task("a")), scripted)
    with pytest.raises(PlanError, match=r"It performed a$"):
        graded(bench, store, bench.suite(task("b")))


def test_an_old_store_is_read(tmp_path: Path) -> None:
    with RunStore(tmp_path) as first:
        assert first.runs() == []
    with RunStore(tmp_path) as again:
        assert again.find_runs("x") == []


@pytest.mark.slow
async def test_memory_does_not_grow_with_the_trials(
    bench: Bench, scripted: Scripted, store: RunStore
) -> None:
    size, trials = 200_000, 60

    async def talks(request: TrialRequest) -> Trajectory:
        return said(str(request.trial) * size)

    scripted.perform = talks
    suite = bench.suite(task("a"), graders=(contains("1"),))
    await bench.run(suite, scripted, trials=trials)
    [run] = store.runs()
    with scratch_store() as scratch:
        tracemalloc.start()
        try:
            record = regrade(store, run, suite, bench.folder, {}, RegradeOptions(scratch=scratch))
            written = sum(len(it) for it in results_chunks(record))
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert written > trials * size
    # A page of 20 trials as bytes and as text, with what the parser needs; all of them would take 12 MB and more.
    assert peak < trials * size / 2
