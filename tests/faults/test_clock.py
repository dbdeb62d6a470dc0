"""The wall clock jumps before, during and after runs: durations and the order of runs stay right."""

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest
from lsprotocol import types

from tests.engine.runs.bench import Bench, Scripted, contains, said, task
from waza_engine.executors.base import ExecutorOptions, TrialRequest
from waza_engine.model.results.records import RunRecord
from waza_engine.model.trajectory import Trajectory
from waza_engine.reports.html.history import runs_until
from waza_engine.reports.html.report import html_report
from waza_engine.reports.junit import junit_xml
from waza_engine.reports.results.write import results_json
from waza_engine.runs.history import read_history
from waza_engine.runs.live import RunOutputs
from waza_engine.runs.planning.plan import Overrides, make_plan
from waza_engine.runs.run import run_suite
from waza_engine.runs.store.record import stored_record
from waza_engine.runs.store.store import RunStore
from waza_engine.runs.trial.grade import Bench as RunBench
from waza_lsp.server.results.reader import read_last_results

DAY = 86_400.0


class WallClock:
    """The time that everybody asks for, off by so many seconds."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.off = 0.0
        now = time.time
        monkeypatch.setattr(time, "time", lambda: now() + self.off)


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> WallClock:
    return WallClock(monkeypatch)


async def run(folder: Path, run_id: str, perform: Scripted | None = None, output: str = "hello") -> RunRecord:
    bench = Bench(folder)
    executor = perform or Scripted(ExecutorOptions(folder))
    if perform is None:

        async def says(_: TrialRequest) -> Trajectory:
            return said(output)

        executor.perform = says
    (folder / "eval.yaml").touch()
    suite = bench.suite(task("a", path=folder / "eval.yaml"), graders=(contains("hello"),))
    with RunStore(folder / ".waza-lsp") as store:
        return await run_suite(
            RunBench(make_plan(suite, Overrides(trials=2)), executor, folder),
            RunOutputs(bench.events.append, folder, store),
            run_id,
        )


@pytest.mark.parametrize("jump", [-400 * DAY, 400 * DAY])
async def test_a_jump_during_a_run_makes_no_duration_wrong(
    tmp_path: Path, wall: WallClock, jump: float
) -> None:
    executor = Scripted(ExecutorOptions(tmp_path))

    async def jumps(request: TrialRequest) -> Trajectory:
        if request.trial == 1:
            wall.off = jump
        return said("hello")

    executor.perform = jumps
    began = time.monotonic()
    record = await run(tmp_path, "r1", executor)
    assert 0 <= record.duration_ms <= (time.monotonic() - began) * 1000 + 1
    with RunStore(tmp_path / ".waza-lsp") as store:
        stored = stored_record(store, store.runs()[0])
        assert stored.duration_ms == record.duration_ms
        assert '"duration_ms": -' not in results_json(stored)
        assert 'time="-' not in junit_xml(stored)
        assert html_report(stored)


async def test_the_last_run_is_the_last_one_when_the_clock_was_set_back(
    tmp_path: Path, wall: WallClock
) -> None:
    for number, off in enumerate((DAY, 0.0, -DAY), 1):
        wall.off = off
        await run(tmp_path, f"r{number}", output=f"hello from {number}")
    eval_path = tmp_path / "eval.yaml"
    with RunStore(tmp_path / ".waza-lsp") as store:
        assert [it.run_id for it in store.runs()] == ["r3", "r2", "r1"]
        assert [it.run_id for it in store.runs(eval_path)] == ["r3", "r2", "r1"]
        assert {it.run_id for it in store.latest_trials(eval_path, "a")} == {"r3"}
        assert [it.run_id for it in store.task_trials(eval_path, "a", 6)] == [
            *("r3", "r3"),
            *("r2", "r2"),
            *("r1", "r1"),
        ]
        assert [len(runs_until(store, it, tmp_path)) for it in ("r1", "r2", "r3")] == [1, 2, 3]
    assert read_history(tmp_path / ".waza-lsp", eval_path)["a"].run_id == "r3"


@pytest.mark.parametrize("jump", [-DAY, DAY])
async def test_what_was_edited_after_a_jump_is_stale_and_what_was_not_is_not(
    tmp_path: Path, wall: WallClock, jump: float
) -> None:
    wall.off = jump
    await run(tmp_path, "r1")
    eval_path = tmp_path / "eval.yaml"

    def texts() -> set[Path]:
        found = read_last_results(eval_path, None, [], types.PositionEncodingKind.Utf16)
        assert found is not None
        return set(found.tasks["a"].texts)

    # Its time on the disk is later than the run, or much earlier: neither says whether it was edited.
    assert texts() == {eval_path}
    eval_path.write_text("name: another\n")
    os.utime(eval_path, (1, 1))
    assert texts() == set()


async def test_results_that_were_taken_back_give_way_to_a_later_run(tmp_path: Path, wall: WallClock) -> None:
    from waza_lsp.server.results.reader import LastResult

    wall.off = DAY
    await run(tmp_path, "r1")
    wall.off = 0
    await run(tmp_path, "r2")

    def last() -> LastResult:
        found = read_last_results(tmp_path / "eval.yaml", None, [], types.PositionEncodingKind.Utf16)
        assert found is not None
        return found.tasks["a"]

    second = last()
    first = replace(second, order=second.order - 1, verdict=replace(second.verdict, at=time.time() + DAY))
    assert second.is_later(first.order, first.verdict.at)
    assert not first.is_later(second.order, second.verdict.at)
    # What the store does not know is ordered by the clock: there is nothing else.
    assert second.is_later(0, second.verdict.at - 1)


async def test_a_cached_trial_is_taken_whatever_its_age(tmp_path: Path, wall: WallClock) -> None:
    from waza_engine.runs.planning.resume import copy_cached_trials

    wall.off = 10 * DAY
    await run(tmp_path, "r1")
    wall.off = 0
    bench = Bench(tmp_path)
    suite = bench.suite(task("a", path=tmp_path / "eval.yaml"), graders=(contains("hello"),))
    plan = make_plan(suite, Overrides(trials=2))
    with RunStore(tmp_path / ".waza-lsp") as store:
        from waza_engine.runs.run_header import frame_of

        frame = replace(frame_of(plan, tmp_path), agent=store.runs()[0].frame.agent)
        store.start_run("r2", suite.path, frame, started_at=time.time())
        assert copy_cached_trials(store, "r2", plan, frame) == {(0, 1), (0, 2)}
