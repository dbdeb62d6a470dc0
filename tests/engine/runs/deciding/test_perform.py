"""Run until everything is decided: early stops, limits, resuming, comparisons. Agents vary with a fixed seed."""

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.engine.runs.bench import Bench, Scripted, contains, task
from waza_engine.executors.base import ExecutorOptions, TrialRequest
from waza_engine.model.results.decisions import Decisions
from waza_engine.model.results.records import RunRecord
from waza_engine.model.suite import Scoring, Suite
from waza_engine.model.trajectory import Session, Trajectory, Usage
from waza_engine.reports.reasons import verdict
from waza_engine.runs.events import Decided, Note, TaskFinished, TaskStarted
from waza_engine.runs.live import RunOutputs
from waza_engine.runs.planning.plan import Overrides, PlanError, make_plan
from waza_engine.runs.planning.resume import resume_state
from waza_engine.runs.planning.until_decided import UntilDecided
from waza_engine.runs.run import exit_status, run_suite
from waza_engine.runs.store.record import stored_record
from waza_engine.runs.store.store import RunStore
from waza_engine.runs.trial.grade import Bench as RunBench


class Agent(Scripted):
    """Passes trial n of a task as a fixed series says; each trial takes some tokens."""

    def __init__(self, folder: Path, rates: Mapping[str, float], seed: int = 1, tokens: int = 0) -> None:
        super().__init__(ExecutorOptions(folder))
        self.rates, self.seed, self.tokens = rates, seed, tokens
        self.perform = self._answer
        self.dies_after = 10_000
        self.killed: Callable[[], object] = lambda: None
        self.hangs_after = 10_000

    async def _answer(self, request: TrialRequest) -> Trajectory:
        if len(self.requests) > self.dies_after:
            self.killed()
            await asyncio.sleep(60)
        if len(self.requests) > self.hangs_after:
            await asyncio.sleep(60)
        series = random.Random(f"{self.seed} {request.task.id} {request.trial}")  # noqa: S311  # no secret
        good = series.random() < self.rates[request.task.id]
        return Trajectory(
            output="good" if good else "bad", session=Session(usage=Usage(input_tokens=self.tokens))
        )

    @property
    def counts(self) -> Counter[str]:
        return Counter(it.task.id for it in self.requests)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def suite(bench: Bench, *names: str, **more: Any) -> Suite:
    return bench.suite(*(task(it) for it in names), graders=(contains("good"),), **more)


async def run(bench: Bench, agent: Agent, *names: str, workers: int | None = None, **until: Any) -> RunRecord:
    return await bench.run(suite(bench, *names), agent, workers=workers, until_decided=UntilDecided(**until))


def words(record: RunRecord) -> dict[str, str]:
    assert isinstance(record.decisions, Decisions)
    return {it.task: it.word for it in record.decisions.found}


@pytest.mark.parametrize("workers", [1, 3])
async def test_clear_tasks_stop_early_and_open_ones_go_on(bench: Bench, workers: int) -> None:
    agent = Agent(bench.folder, {"good": 1.0, "bad": 0.0, "open": 0.6})
    record = await run(bench, agent, "good", "bad", "open", threshold=0.6, max_trials=25, workers=workers)
    assert words(record) == {"good": "above", "bad": "below", "open": "open"}
    assert agent.counts["bad"] < agent.counts["good"] < agent.counts["open"] == 25
    assert record.status == "failed"
    assert exit_status(record) == 1
    decided = [it for it in bench.events if isinstance(it, Decided)]
    assert [(it.task, it.decision, it.reason) for it in decided] == [
        ("bad", "below", ""),
        ("good", "above", ""),
        ("open", "open", "--max-trials"),
    ]
    assert all(it.lower is not None and it.lower <= it.mean <= (it.upper or 0) for it in decided)
    for kind in (TaskStarted, TaskFinished):
        assert Counter(it.task for it in bench.events if isinstance(it, kind)) == dict.fromkeys(
            agent.counts, 1
        )


async def test_everything_good_is_0_although_a_trial_failed(bench: Bench) -> None:
    rates = {"a": 0.9, "b": 1.0}
    record = await run(bench, Agent(bench.folder, rates, seed=3), "a", "b", threshold=0.4)
    assert (set(words(record).values()), record.status, exit_status(record)) == ({"above"}, "passed", 0)
    assert record.totals.succeeded == 1


async def test_a_run_that_is_left_open_says_so_and_says_what_it_would_take(bench: Bench) -> None:
    agent = Agent(bench.folder, {"a": 1.0})
    record = await run(bench, agent, "a", threshold=0.9, max_trials=10)
    assert (exit_status(record), agent.counts["a"]) == (3, 10)
    advice = "Continue with a higher limit: --resume --until-decided --max-trials N"
    assert record.error == f"Not decided: 1 open (--max-trials). {advice}"
    assert verdict(record)[0] == "OPEN"
    [warning] = [it.message for it in bench.events if isinstance(it, Note) and it.level == "warning"]
    assert "--max-trials 50" in warning


@pytest.mark.parametrize("workers", [1, 4])
@pytest.mark.parametrize("limit", [99, 100, 250])
async def test_tokens_are_never_exceeded(bench: Bench, workers: int, limit: int) -> None:
    agent = Agent(bench.folder, dict.fromkeys("abcd", 0.7), tokens=10)
    record = await run(bench, agent, *"abcd", threshold=0.7, max_tokens=limit, workers=workers)
    assert len(agent.requests) == limit // 10
    assert record.decisions is not None
    assert {it.reason for it in record.decisions.found} == {"--max-tokens"}
    assert max(agent.counts.values()) - min(agent.counts.values()) <= 1


async def test_a_limit_of_tokens_without_tokens_is_named(bench: Bench) -> None:
    await run(bench, Agent(bench.folder, {"a": 1.0}), "a", threshold=0.5, max_tokens=5)
    assert any("--max-tokens had no effect" in it.message for it in bench.events if isinstance(it, Note))


async def test_minutes_end_the_trials_that_are_running(bench: Bench) -> None:
    agent = Agent(bench.folder, {"a": 1.0, "b": 1.0})
    agent.hangs_after = 5
    with RunStore(bench.folder / "store") as bench.store:
        record = await run(bench, agent, "a", "b", threshold=0.5, max_minutes=0.3 / 60)
        assert record.decisions is not None
        assert {it.reason for it in record.decisions.found} == {"--max-minutes"}
        assert (exit_status(record), sum(len(it.trials) for it in record.tasks)) == (3, 5)


async def resume(bench: Bench, agent: Agent, plan_suite: Suite, until: UntilDecided) -> RunRecord:
    assert bench.store is not None
    [stored] = bench.store.find_runs("run-1")
    plan = make_plan(plan_suite, Overrides(until_decided=until))
    return await run_suite(
        RunBench(plan, agent, bench.folder),
        RunOutputs(bench.events.append, bench.folder / "logs", bench.store),
        "run-1",
        resumed=resume_state(bench.store, stored, plan, bench.folder),
    )


async def test_a_cancelled_run_continues_without_losing_a_trial(bench: Bench) -> None:
    rates, until = {"a": 1.0, "b": 0.8, "c": 0.0}, UntilDecided(threshold=0.5, max_trials=30)
    whole = Agent(bench.folder, rates)
    expected = await Bench(bench.folder).run(suite(bench, *rates), whole, until_decided=until)
    first, second = Agent(bench.folder, rates), Agent(bench.folder, rates)
    first.dies_after = 8
    with RunStore(bench.folder / "store") as bench.store:
        running = asyncio.create_task(bench.run(suite(bench, *rates), first, until_decided=until))
        first.killed = running.cancel
        cancelled = await running
        assert (cancelled.status, exit_status(cancelled)) == ("cancelled", 130)
        record = await resume(bench, second, suite(bench, *rates), until)
        assert record.decisions == expected.decisions
        assert {it.task: len(it.trials) for it in record.tasks} == dict(whole.counts)
        assert len(second.requests) == len(whole.requests) - 8
        [stored] = bench.store.find_runs("run-1")
        assert stored_record(bench.store, stored).decisions == expected.decisions
        assert exit_status(stored_record(bench.store, stored)) == 1


async def test_an_open_run_continues_with_higher_limits(bench: Bench) -> None:
    first, second = Agent(bench.folder, {"a": 1.0}), Agent(bench.folder, {"a": 1.0})
    with RunStore(bench.folder / "store") as bench.store:
        before = await run(bench, first, "a", threshold=0.8, max_trials=20)
        [stored] = bench.store.find_runs("run-1")
        assert (exit_status(before), exit_status(stored_record(bench.store, stored))) == (3, 3)
        record = await resume(bench, second, suite(bench, "a"), UntilDecided(threshold=0.8, max_trials=40))
        assert (words(record), exit_status(record)) == ({"a": "above"}, 0)
        assert len(first.requests) + len(second.requests) == 24


@pytest.mark.parametrize(
    ("before", "now", "word", "status"),
    [(0.1, 1.0, "better", 0), (1.0, 0.1, "worse", 1), (1.0, 1.0, "open", 3)],
)
async def test_a_comparison_looks_after_each_task(
    bench: Bench, before: float, now: float, word: str, status: int
) -> None:
    names = [f"t{it}" for it in range(30)]
    with RunStore(bench.folder / "store") as bench.store:
        agent = Agent(bench.folder, dict.fromkeys(names, before), seed=7)
        bench.run_id = "earlier"
        await bench.run(suite(bench, *names), agent, trials=2)
        bench.run_id = "run-1"
        agent = Agent(bench.folder, dict.fromkeys(names, now), seed=8)
        record = await run(bench, agent, *names, against="earlier")
        assert (words(record), exit_status(record)) == ({"": word}, status)
        assert set(agent.counts.values()) == {2}
        assert len(agent.counts) == 30 if word == "open" else len(agent.counts) < 15
        if word != "open":
            assert list(agent.counts) != names[: len(agent.counts)]


async def test_a_comparison_with_nothing_in_common_is_an_error(bench: Bench) -> None:
    with RunStore(bench.folder / "store") as bench.store:
        record = await run(bench, Agent(bench.folder, {"a": 1.0}), "a", against="no-such-run")
    assert (record.status, exit_status(record)) == ("error", 2)
    assert "no-such-run" in record.error


async def test_the_threshold_of_the_eval_holds_for_mean_scores(bench: Bench) -> None:
    agent = Agent(bench.folder, {"a": 1.0})
    record = await bench.run(
        suite(bench, "a", scoring=Scoring(0.5)), agent, until_decided=UntilDecided(max_trials=20)
    )
    assert record.decisions is not None
    assert (record.decisions.threshold, agent.counts["a"], exit_status(record)) == (0.5, 8, 0)


async def test_a_task_in_quarantine_has_no_question(bench: Bench) -> None:
    (bench.folder / "eval.yaml").write_text(
        "tasks:\n  - id: bad # waza-lsp: quarantine known\n", encoding="utf-8"
    )
    both = bench.suite(
        task("bad", path=bench.folder / "eval.yaml", pointer=("tasks", 0)),
        task("good"),
        graders=(contains("good"),),
        settings={"trials": 2},
    )
    agent = Agent(bench.folder, {"bad": 0.0, "good": 1.0})
    record = await bench.run(both, agent, until_decided=UntilDecided(threshold=0.5))
    assert (agent.counts, words(record), exit_status(record)) == ({"bad": 2, "good": 8}, {"good": "above"}, 0)


@pytest.mark.parametrize("more", [{"trials": 3}, {"skip_graders": True}, {"until_decided": UntilDecided()}])
def test_contradictions_are_refused(bench: Bench, more: dict[str, Any]) -> None:
    overrides = {"until_decided": UntilDecided(threshold=0.5), **more}
    with pytest.raises(PlanError, match="--until-decided"):
        make_plan(suite(bench, "a"), Overrides(**overrides))
