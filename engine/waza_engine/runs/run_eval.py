"""An eval run by a program: everything between the path of its file and the record, in one call."""

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path

from waza_engine.executors.base import ExecutorOptions
from waza_engine.executors.registry import make_executor
from waza_engine.model.records import RunRecord
from waza_engine.project.load_suite import load_suite
from waza_engine.runs.events import Event, Listener
from waza_engine.runs.planning.participants import judge_for, with_agent
from waza_engine.runs.planning.plan import Overrides, make_plan
from waza_engine.runs.planning.preflight import refuse_unreadable_graders
from waza_engine.runs.run import new_run_id, run_suite
from waza_engine.runs.store.store import RunStore, default_store_dir


def ignore_event(_event: Event) -> None:
    """A `Listener` for those who wait for the record."""


def run_eval(
    eval_path: Path,
    overrides: Overrides | None = None,
    *,
    store: RunStore | None = None,
    emit: Listener = ignore_event,
    process_dir: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> RunRecord:
    """Run an eval and say what came out; what fails in the run is in the record, never an exception.

    `overrides` choose tasks, executor, trials and more, as the options of `waza-lsp run` do. Every finished trial is
    written to `store` at once and read from there when the record is looked at: keep the store open until then. Without
    one all is in memory, and nothing is kept. `emit` is called with each event, in this thread.
    `process_dir` is the directory that the run starts in, `environment` what agents and judges get; by default the
    process's own. A loop runs inside: with one of your own, call this in a thread (`asyncio.to_thread`).

    Raises:
        LoadError: a file of the suite cannot be used.
        PlanError: a filter is malformed, or leaves no task; or the executor named with an agent command starts none.
        UnavailableError: there is no such executor, or it cannot work here.

    """
    start = process_dir or Path.cwd()
    world = os.environ if environment is None else environment
    suite = load_suite(eval_path.absolute(), process_dir=start)
    refuse_unreadable_graders(suite)
    plan = make_plan(suite, with_agent(overrides or Overrides(), suite), os.cpu_count() or 1)
    options = ExecutorOptions(
        suite.directory,
        plan.settings.model,
        agent_command=plan.overrides.agent_command,
        agent_format=plan.overrides.agent_format,
        environment=world,
    )
    running = run_suite(
        plan,
        make_executor(plan.settings.executor, options),
        process_dir=start,
        run_id=new_run_id(),
        emit=emit,
        log_dir=(store.directory if store else default_store_dir(suite.path)) / "logs",
        store=store,
        judge=judge_for(plan, world),
    )
    return asyncio.run(running)
