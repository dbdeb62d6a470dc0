"""Run a whole plan: executor, hooks, tasks, trigger tests, totals (docs/reference/waza-formats.md, sections 13 and 14).

Cancelling the asyncio task that awaits `run_suite` ends the run early: finished trials are kept, `after_run` hooks
still run, and the record has the status `cancelled`. A second cancellation stops at once.
"""

import asyncio
import contextlib
import time
import traceback
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from waza_engine.executors.agent_command import COMMAND_VARIABLE
from waza_engine.executors.base import UnavailableError
from waza_engine.judges.patience import waits_reported
from waza_engine.lib.files.safe_write import open_own
from waza_engine.lib.plurals import counted
from waza_engine.lib.process import run as processes
from waza_engine.lib.process.sandbox import using
from waza_engine.lib.redaction import Redactor
from waza_engine.model.results.records import RunRecord
from waza_engine.runs.deciding.perform import run_until_decided
from waza_engine.runs.events import ExecutorUnavailable, Note, RunFinished, RunStarted
from waza_engine.runs.hooks import run_hooks
from waza_engine.runs.live import LiveRun, Performer, RunOutputs
from waza_engine.runs.planning.participants import sandbox_problem, withheld_variables_note
from waza_engine.runs.planning.plan import Plan
from waza_engine.runs.planning.preflight import ignored_features_note, missing_skills_problem
from waza_engine.runs.planning.resume import ResumeState, copy_cached_trials, is_cacheable
from waza_engine.runs.run_header import RunEnd
from waza_engine.runs.store.record import with_changes
from waza_engine.runs.store.store import StoreError
from waza_engine.runs.tasks import run_tasks
from waza_engine.runs.totals import Ending, RunOutcome, run_record
from waza_engine.runs.trial.grade import Bench
from waza_engine.runs.trial.perform import run_trial
from waza_engine.runs.triggers import run_triggers

EXIT_STATUS = {"passed": 0, "failed": 1, "error": 2, "cancelled": 130}
EXIT_UNDECIDED = 3
"""Nothing failed, but trials could not be judged for reasons of infrastructure, or a question is still open."""
_MILDEST_FIRST = (0, EXIT_UNDECIDED, 1, 2, 130)


class _StopError(Exception):
    """A configuration error, or a failed hook with `error_on_fail`."""


def new_run_id() -> str:
    """Return an id that sorts by time: `20260131T120000-1a2b3c4d`."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{uuid.uuid4().hex[:8]}"


async def run_suite(
    bench: Bench,
    outputs: RunOutputs,
    run_id: str,
    *,
    resumed: ResumeState | None = None,
    perform: Performer = run_trial,
) -> RunRecord:
    """Run the bench's plan and return its record.

    Graders see what the agent wrote. Secrets in it, such as those of the bench's environment, are replaced before it gets
    into the store, the record and the events.

    Starts and closes the executor. Failures are in the record and raise no exception; unexpected errors are also logged
    to `<log_dir>/<run id>.log`.
    """
    resumed = resumed or ResumeState()
    redactor = _redactor(bench)
    live = LiveRun(
        run_id,
        bench,
        lambda event: outputs.emit(redactor.data(event)),
        outputs.store,
        resumed.started_at or time.time(),
        resumed.finished,
        perform=perform,
        redactor=redactor,
    )
    if resumed.finished and resumed.agent != live.frame.agent:
        live.frame = replace(live.frame, agent="")
    _announce_start(live)
    ending = Ending()
    loop = asyncio.get_running_loop()

    def report_wait(message: str) -> None:
        # Judges wait in threads of their own.
        loop.call_soon_threadsafe(live.emit, Note(run_id, "info", message))

    try:
        with waits_reported(report_wait), using(bench.plan.settings.sandbox):
            await _run_and_close(live, resumed)
    except (_StopError, UnavailableError, StoreError) as problem:
        ending = Ending("error", redactor.text(str(problem)))
    except Exception as bug:  # noqa: BLE001  # the one place per run that catches our own bugs
        ending = Ending("error", _log_bug(bug, outputs.log_dir / f"{run_id}.log", redactor))
    except asyncio.CancelledError:
        ending = Ending("cancelled", "The run was cancelled")
        processes.end_all()
        if waiting := asyncio.current_task():
            waiting.uncancel()
    record = _record(live, ending)
    return _conclude(live, record)


def _redactor(bench: Bench) -> Redactor:
    """Return a redactor that knows the secrets of the environment, the agent's command and the eval."""
    commands = (bench.plan.overrides.agent_command, bench.environment.get(COMMAND_VARIABLE, ""))
    return Redactor.of(bench.environment, *_environments(bench.plan), commands=commands)


def _environments(plan: Plan) -> Iterator[Mapping[str, str]]:
    """Yield the variables that the eval sets for agents and MCP servers."""
    yield from (it.environment for it in plan.tasks)
    for servers in (plan.settings.mcp_servers, *(it.mcp_servers for it in plan.tasks)):
        for it in servers.values():
            variables = it.get("env") if isinstance(it, Mapping) else None
            if isinstance(variables, Mapping):
                yield {str(name): str(value) for name, value in variables.items()}


async def _run_and_close(live: LiveRun, resumed: ResumeState) -> None:
    try:
        await _run_phases(live, resumed)
    finally:
        await live.bench.executor.close()


async def _run_phases(live: LiveRun, resumed: ResumeState) -> None:
    if problem := sandbox_problem(live.plan, live.bench.executor):
        raise _StopError(problem)
    try:
        await live.bench.executor.start()
    except UnavailableError as error:
        executor = live.bench.executor.name
        live.emit(ExecutorUnavailable(live.run_id, executor, str(error), error.extra))
        if not live.finished:
            _forget(live)
        raise
    await _run_pass(live)
    await _run_triggers(live)
    if live.plan.settings.baseline:
        second = live.start_baseline(resumed.baseline)
        _store_start(second, live.run_id)
        await _run_pass(second)


def _forget(live: LiveRun) -> None:
    """Keep a run that never began out of the store, where it would be the last run of its eval."""
    if live.save(lambda store: store.delete_runs([live.run_id])):
        live.store = None


async def _run_pass(live: LiveRun) -> None:
    """Run hooks and tasks, after a check for required skills. A run with a baseline does this twice."""
    plan = live.plan
    if problem := await _run_hooks(live, "before_run"):
        raise _StopError(problem)
    try:
        if problem := missing_skills_problem(plan.suite, plan.settings.skill_directories):
            raise _StopError(problem)
        await (run_tasks if plan.overrides.until_decided is None else run_until_decided)(live)
    finally:
        if problem := await _run_hooks(live, "after_run"):
            live.warn(problem)


async def _run_hooks(live: LiveRun, moment: str) -> str:
    outcome = await run_hooks(moment, live.plan.suite.hooks, live.bench.process_dir)
    for it in outcome.warnings:
        live.warn(it)
    return outcome.error


async def _run_triggers(live: LiveRun) -> None:
    tests = live.plan.suite.triggers
    if tests is None:
        return
    try:
        results = await run_triggers(live.plan, tests, live.bench.executor, live.bench.process_dir)
        live.triggers = live.redactor.data(results)
    except UnavailableError as problem:
        live.warn(f"The trigger tests were not run: {problem}")


def _log_bug(bug: Exception, path: Path, redactor: Redactor) -> str:
    """Log an unexpected error and return the message for the user."""
    message = redactor.text(f"Unexpected error: {type(bug).__name__}: {bug}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open_own(path) as file:
            details = redactor.text("".join(traceback.format_exception(bug)))
            file.write(details.encode("utf-8", "replace"))
    except OSError as error:
        return f"{message}. Details could not be written to {path} ({error.strerror})"
    return f"{message}. Details are in {path}; please report them"


def _announce_start(live: LiveRun) -> None:
    plan = live.plan
    live.emit(
        RunStarted(
            run_id=live.run_id,
            eval=plan.suite.path,
            name=plan.suite.name,
            executor=plan.settings.executor,
            model=plan.settings.model,
            tasks=tuple(it.id for it in plan.tasks),
            trials=plan.settings.trials,
            workers=plan.workers,
            until_decided=plan.overrides.until_decided is not None,
        )
    )
    for it in (*plan.warnings, *plan.suite.warnings):
        live.warn(it)
    if warning := getattr(live.bench.executor, "warning", ""):
        live.warn(warning)
    if note := ignored_features_note(plan, live.bench.executor):
        live.emit(Note(live.run_id, "info", note))
    if note := withheld_variables_note(plan, live.bench.environment):
        live.emit(Note(live.run_id, "info", note))
    for task in plan.tasks:
        for it in task.warnings:
            live.warn(f"{task.id}: {it}")
    _store_start(live)
    if plan.settings.use_cache:
        _use_cache(live)


def _use_cache(live: LiveRun) -> None:
    if not is_cacheable(live.plan):
        live.warn("The cache is off for this run: results of one of its graders or options cannot be reused")
        return
    if live.store is None or live.is_store_failing:
        return
    try:
        live.finished |= copy_cached_trials(live.store, live.run_id, live.plan, live.frame)
    except StoreError as error:
        live.warn(f"{error}. No results of earlier runs are reused")
    if live.finished:
        count = len({index for index, _ in live.finished})
        live.emit(
            Note(
                live.run_id,
                "info",
                f"Reused the results of {counted(count, 'unchanged task')} from earlier runs",
            )
        )


def _store_start(live: LiveRun, baseline_of: str | None = None) -> None:
    is_stored = live.save(
        lambda store: store.start_run(
            live.run_id,
            live.plan.suite.source_file,
            live.frame,
            started_at=live.started_at,
            baseline_of=baseline_of,
        )
    )
    if not is_stored and not live.pending_writes:
        # The store cannot hold the run itself, so it cannot hold its trials either.
        live.store = None


def _record(live: LiveRun, ending: Ending) -> RunRecord:
    second = live.baseline
    return run_record(
        live.frame,
        RunOutcome(
            run_id=live.run_id,
            started_at=live.started_at,
            duration_ms=live.duration_ms,
            tasks=[live.tasks[index] for index in sorted(live.tasks)],
            triggers=live.triggers,
            ending=ending,
            baseline=_record(second, ending) if second else None,
            decisions=live.decisions,
        ),
    )


def _store_end(live: LiveRun, record: RunRecord) -> None:
    end = RunEnd(
        duration_ms=record.duration_ms,
        # The trials themselves say that they could not be judged, until they are judged again.
        error="" if record.infrastructure or record.is_left_open else record.error,
        triggers=record.triggers,
        task_errors={index: it.error for index, it in live.tasks.items() if it.error},
        decisions=record.decisions,
    )
    score = record.totals.aggregate_score
    live.save(lambda store: store.finish_run(record.run_id, record.status, score, end))


def _with_changes(live: LiveRun, record: RunRecord) -> RunRecord:
    """Return the record with what has changed since the tasks that failed have passed. Nothing depends on it."""
    if live.store is None or live.is_store_failing:
        return record
    with contextlib.suppress(StoreError):
        for it in live.store.find_runs(live.run_id):
            return with_changes(live.store, it, record)
    return record


def _unsaved(live: LiveRun) -> int:
    """Return how many writes of the run did not get into its store, and warn about them."""
    passes = [it for it in (live, live.baseline) if it is not None and it.store is not None]
    missing = sum(len(it.pending_writes) + it.lost_writes for it in passes)
    if missing:
        live.warn(
            "The run store still cannot be written. Only the reports written now hold the missing results of this run"
        )
    return missing


def worse_exit(one: int, other: int) -> int:
    """Return the exit status of several runs: a failure decides before what could not be judged."""
    return max(one, other, key=_MILDEST_FIRST.index)


def exit_status(record: RunRecord) -> int:
    """Return the exit status of a program that performed or reported the run."""
    if record.unsaved and record.status != "cancelled":
        return EXIT_STATUS["error"]
    return EXIT_UNDECIDED if record.infrastructure or record.is_left_open else EXIT_STATUS[record.status]


def run_finished_event(record: RunRecord) -> RunFinished:
    """Return the last event of a run."""
    totals = record.totals
    return RunFinished(
        run_id=record.run_id,
        status=record.status,
        exit_status=exit_status(record),
        score=totals.aggregate_score,
        weighted_score=totals.weighted_score,
        total=totals.total,
        succeeded=totals.succeeded,
        failed=totals.failed,
        skipped=totals.skipped,
        duration_ms=record.duration_ms,
        error=record.error,
        errors=totals.errors,
    )


def _conclude(live: LiveRun, record: RunRecord) -> RunRecord:
    for it in (record, record.baseline):
        if it is not None:
            _store_end(live if it is record else live.baseline or live, it)
    record = replace(_with_changes(live, record), unsaved=_unsaved(live))
    live.emit(run_finished_event(record))
    return record
