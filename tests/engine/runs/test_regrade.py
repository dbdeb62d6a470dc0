"""Recorded trials under the graders of now: no agent is asked."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.engine.runs.bench import Bench, Scripted, contains, said, task
from waza_engine.executors.base import ExecutorError, TrialRequest
from waza_engine.runs.plan import PlanError
from waza_engine.runs.records import RunRecord
from waza_engine.runs.regrade import regrade
from waza_engine.runs.store import RunStore
from waza_engine.suite import GraderEntry, Suite
from waza_engine.trajectory import Trajectory


@pytest.fixture
def store(bench: Bench) -> Iterator[RunStore]:
    with RunStore(bench.folder / "store") as opened:
        bench.store = opened
        yield opened


def graded(bench: Bench, store: RunStore, suite: Suite, *tasks: str) -> RunRecord:
    [run] = store.runs()
    return regrade(
        store, run, suite, tasks=tasks, process_dir=bench.folder, environment={"PATH": os.environ["PATH"]}
    )


async def test_new_graders_see_what_was_recorded(bench: Bench, scripted: Scripted, store: RunStore) -> None:
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


async def test_what_was_never_performed_stays_an_error(
    bench: Bench, scripted: Scripted, store: RunStore
) -> None:
    async def cannot(_request: TrialRequest) -> Trajectory:
        raise ExecutorError("no agent")

    scripted.perform = cannot
    suite = bench.suite(task("a"))
    await bench.run(suite, scripted)
    only = graded(bench, store, suite).tasks[0].trials[0]
    assert (only.status, only.error) == ("error", "no agent")


async def test_what_the_agent_s_executor_did_not_know_is_still_unknown(
    bench: Bench, scripted: Scripted, store: RunStore
) -> None:
    scripted.unknown = frozenset(["tool names"])
    suite = bench.suite(task("a"))
    await bench.run(suite, scripted)
    strict = GraderEntry("tool_calls", "none", config={"forbidden_tools": ["bash"]})
    only = graded(bench, store, replace(suite, graders=(strict,))).tasks[0].trials[0]
    assert (only.status, "not available" in only.error) == ("error", True)


def test_an_old_store_is_read(tmp_path: Path) -> None:
    with RunStore(tmp_path) as first:
        assert first.runs() == []
    with RunStore(tmp_path) as again:
        assert again.find_runs("x") == []
