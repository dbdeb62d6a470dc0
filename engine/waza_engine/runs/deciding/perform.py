"""Run the tasks of a run until its questions are decided, or a limit is reached.

Against a threshold, tasks take turns: each round gives every open task one more trial. A comparison goes from task to task,
in an order that depends on the run's id only, and looks after each. Finished trials are stored at once like those of any
run, with growing numbers, so a killed run continues where it was. The tests allow to continue after a look.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from waza_engine.model.results.decisions import Decision, Decisions, percent
from waza_engine.model.results.scores import mean
from waza_engine.runs.deciding.budget import TokenBudget
from waza_engine.runs.deciding.questions import (
    decide_comparison,
    decide_task,
    earlier_scores,
    is_judged,
    passes,
    score,
    task_word,
    trials_for_above,
)
from waza_engine.runs.events import Decided, TaskStarted
from waza_engine.runs.live import LiveRun
from waza_engine.runs.planning.plan import own_threshold
from waza_engine.runs.planning.until_decided import UntilDecided
from waza_engine.runs.store.record import reviewed_verdicts
from waza_engine.runs.store.store import StoreError
from waza_engine.runs.tasks import (
    TaskTrials,
    run_after_hooks,
    run_before_hooks,
    run_or_read_trial,
    task_finished,
)
from waza_engine.runs.totals import seeded_random, trial_totals


@dataclass(slots=True)
class _Candidate:
    """A task with its trials so far. `most` is the number of trials that it can have."""

    index: int
    trials: TaskTrials
    most: int
    scores: list[float] = field(default_factory=list)
    is_started: bool = False
    is_over: bool = False
    error: str = ""

    @property
    def count(self) -> int:
        return len(self.trials.numbers)

    @property
    def is_exhausted(self) -> bool:
        return self.count >= self.most or bool(self.error)


async def run_until_decided(live: LiveRun) -> None:
    """Run the plan's tasks until they are decided; put records into `live.tasks` and answers into `live.decisions`."""
    until = live.plan.overrides.until_decided or UntilDecided()
    deciding = _Comparison(live, until) if until.against else _Thresholds(live, until)
    scope = asyncio.timeout(None if until.max_minutes is None else until.max_minutes * 60)
    try:
        async with scope:
            await deciding.run()
    except TimeoutError:
        if not scope.expired():
            raise
        deciding.stopped_by = "--max-minutes"
    finally:
        deciding.conclude()


class _Deciding:
    """Gives out trials. Subclasses know the questions."""

    def __init__(self, live: LiveRun, until: UntilDecided) -> None:
        self.live = live
        self.until = until
        self.budget = TokenBudget(until.max_tokens)
        self.stopped_by = ""
        self.candidates: list[_Candidate] = []

    async def run(self) -> None:
        raise NotImplementedError

    def conclude(self) -> None:
        """Finish all tasks, and say which questions are open and why."""
        for it in self.candidates:
            self.finish(it)
        if self.budget.is_unknown and any(it.count for it in self.candidates):
            self.live.warn("The trials report no tokens, so --max-tokens had no effect")

    def reason(self, is_exhausted: bool) -> str:
        """Return why a question is open."""
        return "--max-trials" if is_exhausted else self.stopped_by or "cancelled"

    def candidate(self, index: int, most: int) -> _Candidate:
        it = _Candidate(index, TaskTrials(self.live, index), most)
        self.candidates.append(it)
        return it

    async def in_parallel(
        self, candidates: Iterable[_Candidate], visit: Callable[[_Candidate], Awaitable[None]]
    ) -> None:
        """Visit the candidates, as many at once as the run has workers."""
        left = deque(candidates)
        # The first trial shows how large trials are.
        while left and (self.budget.is_unknown or self.live.plan.workers == 1):
            await visit(left.popleft())
        if not left:
            return

        async def worker() -> None:
            while left:
                await visit(left.popleft())

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self.live.plan.workers):
                    group.create_task(worker())
        except ExceptionGroup as problems:
            # As in a run of all trials: the caller handles the first problem.
            raise problems.exceptions[0] from problems

    async def run_trial(self, it: _Candidate, measure: Callable[..., float]) -> None:
        """Run the next trial of a task, unless it does not fit into the tokens. Read it if it has finished earlier."""
        live, number = self.live, it.count + 1
        task = live.plan.tasks[it.index]
        is_new = (it.index, number) not in live.finished
        if self.stopped_by or (is_new and not self.budget.has_room):
            self.stopped_by = self.stopped_by or "--max-tokens"
            return
        if not it.is_started:
            it.is_started = True
            live.emit(TaskStarted(live.run_id, task.id, task.name, task.path, task.pointer))
        # Tasks take turns, so their hooks surround each trial.
        it.error = await run_before_hooks(live) if is_new else ""
        if it.error:
            return
        self.budget.running += 1
        try:
            record, is_stored = await run_or_read_trial(live, it.index, number)
        finally:
            self.budget.running -= 1
        self.budget.add(trial_totals(record).consumption)
        it.trials.add(number, record, is_stored)
        if is_judged(record):
            it.scores.append(measure(record))
        if is_new:
            await run_after_hooks(live)

    def finish(self, it: _Candidate) -> None:
        """End a task: no more trials. Each task ends once."""
        if it.is_over:
            return
        it.is_over = True
        if not it.is_started:
            return
        record = it.trials.record(it.error)
        if it.trials.totals or it.error:
            self.live.tasks[it.index] = record
        self.live.emit(task_finished(self.live, self.live.plan.tasks[it.index], record))

    def announce(self, found: Decision, threshold: float | None = None) -> None:
        interval = found.interval
        self.live.emit(
            Decided(
                self.live.run_id,
                found.task,
                found.word,
                found.count,
                found.mean,
                threshold,
                interval.lower if interval else None,
                interval.upper if interval else None,
                found.reason,
            )
        )


class _Thresholds(_Deciding):
    """Each task is held to the threshold. Tasks in quarantine have the eval's own number of trials and no question."""

    def __init__(self, live: LiveRun, until: UntilDecided) -> None:
        super().__init__(live, until)
        plan = live.plan
        own = own_threshold(plan.suite)
        self.threshold = until.threshold if until.threshold is not None else own or 0.0
        self.measure = passes if until.threshold is not None else score
        for index, task in enumerate(plan.tasks):
            self.candidate(index, plan.suite.settings.trials if task.quarantine else until.most_trials)
        self.asked = [it for it in self.candidates if not plan.tasks[it.index].quarantine]
        self.found: dict[int, Decision] = {}

    async def run(self) -> None:
        self._warn_if_hopeless()
        while not self.stopped_by and (left := [it for it in self.candidates if not it.is_over]):
            await self.in_parallel(left, self._visit)

    async def _visit(self, it: _Candidate) -> None:
        await self.run_trial(it, self.measure)
        is_asked = it in self.asked and not it.error
        if is_asked and task_word(it.scores, self.threshold, len(self.asked)) != "open":
            found = self._look(it)
            self.found[it.index] = found
            self.announce(found, self.threshold)
            self.finish(it)
            if found.word == "below" and self.live.plan.settings.fail_fast:
                self.stopped_by = "fail_fast"
        if it.is_exhausted:
            self.finish(it)

    def _look(self, it: _Candidate) -> Decision:
        task = self.live.plan.tasks[it.index].id
        return decide_task(task, it.scores, self.threshold, len(self.asked))

    def conclude(self) -> None:
        super().conclude()
        for it in self.asked:
            if it.index not in self.found:
                reason = "before_task hook" if it.error else self.reason(it.is_exhausted)
                self.found[it.index] = replace(self._look(it), reason=reason)
                self.announce(self.found[it.index], self.threshold)
        found = tuple(self.found[it.index] for it in self.asked)
        self.live.decisions = Decisions(found, self.threshold)

    def _warn_if_hopeless(self) -> None:
        tasks, most = len(self.asked), self.until.most_trials
        needed = trials_for_above(self.threshold, tasks) if tasks else 0
        if needed is not None and needed <= most:
            return
        rate = percent(self.threshold)
        advice = "lower the threshold" if needed is None else f"it takes --max-trials {needed}"
        self.live.warn(f"{most} trials cannot show that a task is above {rate}, even if all pass: {advice}")


class _Comparison(_Deciding):
    """The run is compared with an earlier one, task by task."""

    def __init__(self, live: LiveRun, until: UntilDecided) -> None:
        super().__init__(live, until)
        self.earlier = self._earlier()
        indexes = list(range(len(live.plan.tasks)))
        # Tasks that are alike are often neighbours in the file.
        seeded_random(live.run_id).shuffle(indexes)
        for index in indexes:
            task = live.plan.tasks[index]
            before = self.earlier.get(task.id, ())
            if before and not task.quarantine:
                self.candidate(index, min(len(before), until.most_trials))
        self.found: Decision | None = None
        if not self.candidates:
            raise StoreError(f"Run {until.against} has judged none of these tasks: nothing can be compared")

    def _earlier(self) -> Mapping[str, Sequence[float]]:
        store, name = self.live.store, self.until.against
        if store is None or not store.find_runs(name):
            raise StoreError(f"The run store has no run {name} to compare with")
        return earlier_scores(reviewed_verdicts(store, name))

    async def run(self) -> None:
        workers, start = self.live.plan.workers, 0
        while start < len(self.candidates) and not self.stopped_by:
            await self.in_parallel(self.candidates[start : start + workers], self._visit)
            start += workers
            found = decide_comparison(self._differences())
            if found.word != "open":
                self.found = found
                self.announce(found)
                return

    async def _visit(self, it: _Candidate) -> None:
        while not it.is_exhausted and not self.stopped_by:
            await self.run_trial(it, score)
        if it.is_exhausted:
            self.finish(it)

    def _differences(self) -> list[float]:
        """Return the differences of finished tasks, in order, up to the first one that is not finished."""
        differences = []
        for it in self.candidates:
            if not it.is_exhausted or it.error:
                break
            before = self.earlier[self.live.plan.tasks[it.index].id]
            # An outage may have cost some of the new trials.
            if count := min(len(it.scores), len(before)):
                differences.append(mean(it.scores[:count]) - mean(before[:count]))
        return differences

    def conclude(self) -> None:
        super().conclude()
        if self.found is None:
            is_over = all(it.is_exhausted for it in self.candidates)
            reason = "all tasks that both runs have are used" if is_over else self.reason(is_exhausted=False)
            self.found = replace(decide_comparison(self._differences()), reason=reason)
            self.announce(self.found)
        self.live.decisions = Decisions((self.found,), against=self.until.against)
