"""What is known of the runs of one eval: the last verdict of each task, and what its tasks cost before."""

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from waza_lsp.runnables.commands import RunStatus, Verdict
from waza_lsp.runnables.forecast import Forecast
from waza_lsp.runnables.runnables import FILE_KINDS, Runnable
from waza_lsp.server.results.annotations.annotations import LiveVerdicts
from waza_lsp.server.results.coverage import (
    NO_COVERAGE,
    Coverage,
    CurrentText,
    coverage_of_task,
    spans_by_runnable,
)
from waza_lsp.server.results.live_status import (
    combined_verdict,
    live_status,
    live_status_of_eval,
    status_of_experiment,
)
from waza_lsp.server.results.reader import LastResult
from waza_lsp.server.results.task_result import TaskResult, merged
from waza_lsp.snapshot import Snapshot

if TYPE_CHECKING:
    from waza_engine.runs.history import TaskCost

_MOST_SCORES = 8


class _Summary(NamedTuple):
    """The verdicts of all tasks, and the eval's, which combines them."""

    verdicts: Mapping[str, Verdict]
    combined: Verdict | None


@dataclass(slots=True)
class EvalResults:
    """The results of an eval, by task where nothing else is said."""

    tasks: dict[str, TaskResult] = field(default_factory=dict)
    running: dict[str, str] = field(default_factory=dict)
    """The run that works on the task now."""
    cancelled: dict[str, Verdict] = field(default_factory=dict)
    """Tasks whose last run was cancelled before it had a result."""
    cleared: dict[str, tuple[int, float]] = field(default_factory=dict)
    """The last run of a task when its results were cleared, and when that was."""
    recorded: frozenset[str] | None = None
    """The tasks with recordings; None until they were read."""
    covered: Coverage | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)
    """The last values of the eval's metrics that were measured."""
    costs: "Mapping[str, TaskCost]" = field(default_factory=dict)
    """What tasks cost in earlier runs."""
    seen: Sequence[tuple[int, int]] = ()
    """The passes and trials of each task under its present conditions."""
    summary: "_Summary | None" = None
    """None until somebody asks for it after a change of `tasks`."""

    def verdicts(self) -> Mapping[str, Verdict]:
        """Return the last verdict of each task."""
        return self._summary().verdicts

    def verdict(self) -> Verdict | None:
        """Return the combined last verdicts of the tasks."""
        return self._summary().combined

    def failed_tasks(self) -> list[str]:
        """Return the tasks that failed in their last result. Those that could not be judged have not."""
        verdicts = self.verdicts().items()
        return [task for task, it in verdicts if it.status in {"failed", "error"} and not it.infrastructure]

    def _summary(self) -> "_Summary":
        """Return what all tasks have together, computed once after each change."""
        if self.summary is None:
            verdicts = {task: it.verdict for task, it in self.tasks.items()}
            self.summary = _Summary(verdicts, combined_verdict([*verdicts.values()], stale=False))
        return self.summary

    def is_recorded(self, task: str = "") -> bool:
        """Whether a task has a recording; without a task, whether any task has."""
        recorded = self.recorded or frozenset()
        return task in recorded if task else bool(recorded)

    def forecast(self, tasks: Collection[str] = (), trials: int = 0) -> Forecast | None:
        """Return what a run of these tasks, or of all, will probably cost; None if no earlier run spent tokens."""
        return Forecast.of([self.costs[it] for it in tasks or self.costs if it in self.costs], trials)

    def shown(self) -> tuple[object, ...]:
        """Return everything that the lenses of the eval's files show."""
        return dict(self.tasks), self.recorded or frozenset(), self.covered

    def add(self, task: str, verdict: Verdict, texts: Mapping[Path, Snapshot]) -> None:
        """Store the verdict of a task. `texts` are the files as the run read them."""
        known = self.tasks.get(task)
        before = known.verdict.scores if known else ()
        # Grading a run again uses its reviews too, so only later reviews are news.
        is_same = known is not None and known.verdict.run_id == verdict.run_id
        self.summary = None
        self.tasks[task] = TaskResult(
            replace(verdict, scores=(*before, verdict.score)[-_MOST_SCORES:]),
            coverage_of_task(texts, task),
            reviews=known.reviews if known and is_same else "",
        )
        self.recorded = (self.recorded or frozenset()) | {task}

    def merge_task(self, task: str, found: LastResult) -> bool:
        """Take over what was read in the store about a task; return whether its checks are to be shown again."""
        if not found.is_later(*self.cleared.get(task, (0, 0.0))):
            return False
        news = merged(self.tasks.get(task), found, task)
        if news is None:
            return False
        self.summary = None
        self.tasks[task] = news.result
        cancelled = self.cancelled.get(task)
        if news.has_checks and cancelled is not None and cancelled.at < found.verdict.at:
            del self.cancelled[task]
        return news.has_checks

    def clear(self, tasks: Collection[str]) -> list[str]:
        """Remove the verdicts of tasks until their next run; return those that had one."""
        self.summary = None
        gone = [it for it in tasks if it in self.tasks]
        for it in gone:
            self.cleared[it] = (self.tasks.pop(it).order, time.time())
        return gone

    def standings(
        self, snapshot: Snapshot, runnables: Sequence[Runnable], live: LiveVerdicts
    ) -> dict[tuple[str, str], RunStatus]:
        """Return the status of runnables in one of the eval's files, by kind and id.

        That of a part is kept until its text or its results change.
        """
        tasks, costs, recorded = self.tasks, self.costs, self.recorded or frozenset()
        running, cancelled, failing, failed = self.running, self.cancelled, live.failing, live.failed_checks
        graded = live.covers.get(snapshot.path or Path(), ())
        by_runnable = spans_by_runnable(runnables, graded)
        found: dict[tuple[str, str], RunStatus] = {}
        for it in runnables:
            id_, covers = it.id, by_runnable.get(id(it), ())
            if it.kind in FILE_KINDS:
                found[it.kind, id_] = self._standing_of_file(CurrentText(snapshot, it, covers), live)
                continue
            made_of = (
                tasks.get(id_),
                costs.get(id_),
                id_ in recorded,
                running.get(id_),
                cancelled.get(id_),
                failing.get(id_),
                id_ in failed,
                covers,
            )
            known: tuple[object, RunStatus] | None = it.memory.get(EvalResults)
            if known is None or known[0] != made_of:
                status = self._standing_of_part(CurrentText(snapshot, it, covers), live)
                known = it.memory[EvalResults] = made_of, status
            found[it.kind, id_] = known[1]
        return found

    def _standing_of_file(self, now: CurrentText, live: LiveVerdicts) -> RunStatus:
        found = replace(self._standing_of_all(now, live), forecast=self.forecast())
        return found if now.runnable.kind == "eval" else status_of_experiment(found)

    def _standing_of_part(self, now: CurrentText, live: LiveVerdicts) -> RunStatus:
        runnable = now.runnable
        known, is_task = self.tasks.get(runnable.id), runnable.kind == "task"
        found = RunStatus(
            forecast=self.forecast([runnable.id]) if is_task else None,
            running=self.running.get(runnable.id, ""),
            is_recorded=self.is_recorded(runnable.id) if is_task else known is not None,
        )
        if runnable.id in self.cancelled:
            return replace(found, verdict=self.cancelled[runnable.id])
        if known is None:
            return found
        verdict, is_stale = known.verdict, now.is_stale(known.covered)
        if verdict.stale != is_stale:
            verdict = replace(verdict, stale=is_stale)
        status = live_status(verdict, runnable.id, live, is_edited=now.is_edited(known.covered))
        return replace(found, verdict=verdict, live=status)

    def _standing_of_all(self, now: CurrentText, live: LiveVerdicts) -> RunStatus:
        known, before = self.verdicts(), self.covered or NO_COVERAGE
        running, failed = next(iter(self.running.values()), ""), len(self.failed_tasks())
        verdict = self.verdict()
        if verdict is not None:
            verdict = replace(verdict, stale=now.is_stale(before))
        cancelled = next(iter(self.cancelled.values()), None)
        if cancelled is not None:
            if verdict is not None:
                cancelled = replace(cancelled, passed=verdict.passed, total=verdict.total)
            return RunStatus(cancelled, running, self.is_recorded(), failed)
        status = live_status_of_eval(known, live, is_edited=now.is_edited(before))
        return RunStatus(verdict, running, self.is_recorded(), failed, status)
