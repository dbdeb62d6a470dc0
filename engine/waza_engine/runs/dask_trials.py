"""Run trials on the workers of a Dask cluster, for runs too large for one machine (the extra `dask`).

Order, hooks, store, events and totals stay in this process. A worker receives one trial with the task's files and
returns its record. If the worker dies, Dask repeats the trial on another worker, in a fresh workspace; only the result
that arrives counts. Graders read their own files (scripts, schemas, snapshots) on the worker, at the same paths as
here. Dask does not interrupt a running task, so each trial also waits for the end of the run and stops itself then.

If the scheduler is lost, the run ends at once with what is finished; nothing is recorded about the other trials, so that
resuming the run repeats them. Workers with another version of waza-lsp or Python are refused.
"""

import asyncio
import contextlib
import importlib
import logging
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from waza_engine.executors.base import Executor, ExecutorOptions, Progress, UnavailableError
from waza_engine.executors.registry import make_executor
from waza_engine.lib.extras import install_command
from waza_engine.lib.redaction import Redactor
from waza_engine.model.results.records import TrialRecord
from waza_engine.model.trajectory import Trajectory
from waza_engine.runs.planning.participants import judge_for
from waza_engine.runs.planning.plan import Plan
from waza_engine.runs.trial.grade import Bench
from waza_engine.runs.trial.perform import run_trial
from waza_engine.version import __version__

_PACKAGE = "waza-lsp"
_KILLED_WORKER = "KilledWorker"
_SCHEDULER_ERRORS = frozenset(["CommClosedError", "ClientClosedError", "FutureCancelledError"])
"""Errors of Dask (by name, because it is an extra) for results that the scheduler cannot deliver any more."""
_CONNECT_SECONDS = 10
_GRACE_SECONDS = 1.0
_POLL_SECONDS = 0.5
_MOST_SUBMISSIONS = 3
"""How often a trial is submitted. Dask gives up on one when several workers in a row died while they ran it."""


@dataclass(frozen=True, slots=True)
class Job:
    """Everything a worker needs to run one trial. The plan holds only that trial's task."""

    run_id: str
    plan: Plan
    task_index: int
    trial: int
    executor: str
    options: ExecutorOptions
    process_dir: Path
    submission: int = 1
    version: str = __version__

    @property
    def key(self) -> str:
        """Return Dask's key of the trial: the same each time Dask starts it."""
        part = "without-skills" if self.plan.without_skills else "trial"
        again = f"-{self.submission}" if self.submission > 1 else ""
        return f"waza-{self.run_id}-{part}-{self.task_index}-{self.trial}{again}"


@dataclass(slots=True)
class DaskTrials:
    """Runs the trials of a run on workers; `slots` is how many can run in parallel."""

    run_id: str
    executor: str
    options: ExecutorOptions
    client: Any
    slots: int
    address: str = ""
    listeners: dict[str, Progress] = field(default_factory=dict)

    async def perform(self, bench: Bench, task_index: int, trial: int, progress: Progress) -> TrialRecord:
        """Run a trial on a worker and return its record.

        Raises:
            UnavailableError: the executor is not available on the workers, or the scheduler is lost.

        """
        task = bench.plan.tasks[task_index]
        alone = replace(bench.plan, tasks=(task,), suite=replace(bench.plan.suite, tasks=()))
        job = Job(self.run_id, alone, task_index, trial, self.executor, self.options, bench.process_dir)
        problem: Exception = RuntimeError("it was not submitted")
        for submission in range(1, _MOST_SUBMISSIONS + 1):
            try:
                return await self._result(replace(job, submission=submission), progress)
            except UnavailableError:
                raise
            except Exception as error:  # noqa: BLE001  # whatever happens to the workers, the run continues
                await self._refuse_lost_scheduler(error)
                problem = error
                if type(error).__name__ != _KILLED_WORKER:
                    break
        message = f"The workers could not run this trial: {str(problem) or type(problem).__name__}"
        empty = Trajectory(task=task.id, prompt=task.prompt, error=message)
        return TrialRecord(
            task.id, task_index, trial, "error", 0.0, 0.0, empty, error=message, infrastructure=True
        )

    async def _result(self, job: Job, progress: Progress) -> TrialRecord:
        self.listeners[job.key] = progress
        future = self.client.submit(perform_on_worker, job, key=job.key, pure=False)
        try:
            record: TrialRecord = await future
        except asyncio.CancelledError:
            if not self._is_lost:
                await future.cancel()
            raise
        finally:
            self.listeners.pop(job.key, None)
            future.release()
        return record

    @property
    def _is_lost(self) -> bool:
        connection = self.client.scheduler_comm
        return self.client.status != "running" or connection is None or connection.comm.closed()

    async def _refuse_lost_scheduler(self, error: Exception) -> None:
        """End the run if the error comes from a lost scheduler. Dask forgets all trials then, even if it returns.

        Raises:
            UnavailableError: the connection to the scheduler is lost.

        """
        # The connection may be noted as closed only after the error.
        await asyncio.sleep(0)
        if self._is_lost or type(error).__name__ in _SCHEDULER_ERRORS:
            raise UnavailableError(
                f"The connection to the Dask scheduler at {self.address} was lost. Finished trials are kept: when it "
                "runs again, continue with --resume"
            ) from error

    async def end(self) -> None:
        """Stop all trials of the run that are still running on workers."""
        await _distributed().Event(_end_event(self.run_id), client=self.client).set()

    def forward_progress(self, event: tuple[float, Any]) -> None:
        """Forward a line about an agent's work from a worker to the trial's listener."""
        message = event[1]
        if listener := self.listeners.get(message["key"]):
            listener(message["text"])


@asynccontextmanager
async def dask_trials(
    address: str, run_id: str, executor: str, options: ExecutorOptions
) -> AsyncIterator[DaskTrials]:
    """Connect to the scheduler at `address`. On exit, everything of the run stops on the workers.

    Raises:
        UnavailableError: Dask is not installed, or no scheduler answers at this address.

    """
    distributed = _distributed()
    # It logs every worker that comes or goes, and every attempt to reach a lost scheduler.
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        client = await distributed.Client(
            address, asynchronous=True, set_as_default=False, timeout=_CONNECT_SECONDS
        )
    except (OSError, ValueError) as error:
        raise UnavailableError(f"There is no Dask scheduler at {address}: {error}") from error
    try:
        await _refuse_other_versions(client)
        slots = sum((await client.nthreads()).values())
    except BaseException:
        await client.close(timeout=_GRACE_SECONDS)
        raise
    # Workers have their own environment; ours may hold secrets that are not for them.
    trials = DaskTrials(run_id, executor, replace(options, environment={}), client, max(slots, 1), address)
    topic = _progress_topic(run_id)
    client.subscribe_topic(topic, trials.forward_progress)
    try:
        yield trials
    finally:
        with contextlib.suppress(Exception):
            async with asyncio.timeout(_GRACE_SECONDS):
                await trials.end()
                client.unsubscribe_topic(topic)
                await client.run(close_on_worker, run_id, on_error="ignore")
        with contextlib.suppress(Exception):
            await client.close(timeout=_GRACE_SECONDS)


async def _refuse_other_versions(client: Any) -> None:
    """Refuse workers that would misunderstand a trial, or perform it differently.

    Raises:
        UnavailableError: a worker has another version of waza-lsp or Python, or lacks waza-lsp.

    """
    found = await client.get_versions(packages=[_PACKAGE])
    ours = {**_versions(found["client"]), _PACKAGE: __version__}
    for address, worker in sorted(found["workers"].items()):
        theirs = _versions(worker)
        for name, version in ours.items():
            if theirs[name] != version:
                has = f"{name} {theirs[name]}" if theirs[name] else f"no {name}"
                raise UnavailableError(
                    f"The Dask worker {address} has {has}, and this process {name} {version}. Install the same version"
                )


def _versions(found: Mapping[str, Any]) -> dict[str, str]:
    """Return what must be the same everywhere: the version of waza-lsp, and major and minor version of Python."""
    packages = found["packages"]
    python = ".".join(str(packages.get("python") or "").split(".")[:2])
    return {_PACKAGE: str(packages.get(_PACKAGE) or ""), "Python": python}


async def perform_on_worker(job: Job) -> TrialRecord:
    """Run a trial on this worker until it ends, the run ends, or nobody needs the result."""
    if job.version != __version__:
        # It joined the cluster after the run had started.
        raise UnavailableError(
            f"A Dask worker has waza-lsp {__version__}, and the run waza-lsp {job.version}. Install the same version"
        )
    distributed = _distributed()
    # Errors are reported to the run. The worker's log would only print a traceback.
    logging.getLogger("distributed.worker").setLevel(logging.CRITICAL)
    worker = distributed.get_worker()
    run_end = distributed.Event(_end_event(job.run_id), client=distributed.get_client())
    waiting = asyncio.ensure_future(run_end.wait())
    working = asyncio.ensure_future(
        _perform(
            job, lambda text: worker.log_event(_progress_topic(job.run_id), {"key": job.key, "text": text})
        )
    )
    forgotten = asyncio.ensure_future(_wait_until_forgotten(worker, job.key))
    try:
        await asyncio.wait([waiting, working, forgotten], return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise RuntimeError("the run is over")
        return working.result()
    finally:
        for it in (waiting, working, forgotten):
            it.cancel()
        await asyncio.gather(waiting, working, forgotten, return_exceptions=True)


async def _wait_until_forgotten(worker: Any, key: str) -> None:
    """Wait until nobody needs the trial any more: the process of the run was killed or lost its connection."""
    while (task := worker.state.tasks.get(key)) is not None and task.state != "cancelled":  # noqa: ASYNC110  # Dask has no event for this
        await asyncio.sleep(_POLL_SECONDS)


async def close_on_worker(run_id: str) -> None:
    """Close the executor that this worker started for the run."""
    starting = _executors.pop(run_id, None)
    if starting is not None and starting.done() and not starting.cancelled() and not starting.exception():
        await starting.result().close()


_executors: dict[str, "asyncio.Task[Executor]"] = {}
"""This worker's executors by run: one for all its trials, as in a run on one machine."""


async def _perform(job: Job, progress: Callable[[str], None]) -> TrialRecord:
    options = replace(job.options, environment=dict(os.environ))
    if job.run_id not in _executors:
        _executors[job.run_id] = asyncio.ensure_future(_start_executor(job.executor, options))
    executor = await asyncio.shield(_executors[job.run_id])
    bench = Bench(job.plan, executor, job.process_dir, judge_for(job.plan, os.environ))
    record = await run_trial(bench, 0, job.trial, progress)
    # The worker's own secrets are unknown to the run.
    return Redactor.of(os.environ).data(replace(record, task_index=job.task_index))


async def _start_executor(name: str, options: ExecutorOptions) -> Executor:
    executor = make_executor(name, options)
    await executor.start()
    return executor


def _progress_topic(run_id: str) -> str:
    return f"waza-{run_id}"


def _end_event(run_id: str) -> str:
    return f"waza-end-{run_id}"


def _distributed() -> Any:
    try:
        return importlib.import_module("distributed")
    except ImportError as error:
        raise UnavailableError(
            f"Dask is not installed. Install it with: {install_command('dask')}"
        ) from error
