"""Run an eval from a program: one call from the eval's path to the run's record. Public API (docs/engine.md)."""

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path

from waza_engine.executors.base import ExecutorOptions
from waza_engine.executors.registry import make_executor
from waza_engine.model.results.records import RunRecord
from waza_engine.project.load_suite import load_suite
from waza_engine.runs.events import Event, Listener
from waza_engine.runs.live import RunOutputs
from waza_engine.runs.planning.participants import judge_for, with_agent, with_sandbox
from waza_engine.runs.planning.plan import Overrides, make_plan
from waza_engine.runs.planning.preflight import refuse_unreadable_graders
from waza_engine.runs.run import new_run_id, run_suite
from waza_engine.runs.store.store import RunStore, default_store_dir
from waza_engine.runs.trial.grade import Bench


def ignore_event(_event: Event) -> None:
    """Ignore the event: a `Listener` for callers that only want the record."""


def run_eval(
    eval_path: Path,
    overrides: Overrides | None = None,
    *,
    store: RunStore | None = None,
    emit: Listener = ignore_event,
    process_dir: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> RunRecord:
    """Run an eval and return its record. Failures during the run are in the record and raise no exception.

    `overrides` select tasks, executor, trials and more, like the options of `waza-lsp run`. Each finished trial is
    written to `store` at once, and the record reads it from there: keep the store open as long as you use the record.
    Without a store, everything stays in memory. `emit` is called with each event, in this thread. `process_dir` is the
    directory the run starts in, `environment` the environment of agents and judges; both default to the process's own.
    This function runs an event loop. If you have one, call it in a thread (`asyncio.to_thread`).

    Raises:
        LoadError: a file of the suite cannot be used.
        PlanError: a filter is malformed or matches no task, or the executor cannot start the agent command.
        UnavailableError: the executor is unknown, or cannot work here.

    """
    start = process_dir or Path.cwd()
    environment = os.environ if environment is None else environment
    suite = load_suite(eval_path.absolute(), process_dir=start)
    refuse_unreadable_graders(suite, start)
    plan = make_plan(suite, with_agent(overrides or Overrides(), suite), os.cpu_count() or 1)
    plan = with_sandbox(plan, environment)
    options = ExecutorOptions(
        suite.directory,
        plan.settings.model,
        agent_command=plan.overrides.agent_command,
        agent_format=plan.overrides.agent_format,
        environment=environment,
    )
    run = run_suite(
        Bench(
            plan,
            make_executor(plan.settings.executor, options),
            start,
            judge_for(plan, environment),
            environment=environment,
        ),
        RunOutputs(emit, (store.directory if store else default_store_dir(suite.path)) / "logs", store),
        new_run_id(),
    )
    return asyncio.run(run)
