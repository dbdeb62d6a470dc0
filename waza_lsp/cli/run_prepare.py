"""From what the user asks for to a run that can start or go on: the suite, the plan, who performs it."""

import os
from dataclasses import dataclass, field, replace
from pathlib import Path

from waza_engine.executors.base import Executor, ExecutorOptions, UnavailableError
from waza_engine.executors.registry import make_executor, starts_agent
from waza_engine.project.load_suite import load_suite
from waza_engine.recordings import FOLDER
from waza_engine.runs.chosen_agent import with_agent
from waza_engine.runs.loadable import refuse_unreadable_graders
from waza_engine.runs.plan import Overrides, Plan, PlanError, make_plan
from waza_engine.runs.resume import Resumed, ResumeError, refuse_to_resume, resumed
from waza_engine.runs.run import new_run_id
from waza_engine.runs.store import RunStore, StoreError
from waza_engine.runs.stored_replay import StoredReplay
from waza_engine.suite import LoadError, Suite
from waza_lsp.cli.printing import tell
from waza_lsp.cli.run_asked import Asked
from waza_lsp.cli.run_error import give_up_loading
from waza_lsp.cli.run_source import LAST, find_run, give_up


@dataclass(frozen=True, slots=True)
class Prepared:
    """A run that can start, or go on."""

    run_id: str
    plan: Plan
    performer: Executor
    options: ExecutorOptions
    resumed: Resumed = field(default_factory=Resumed)


def starts_anew(asked: Asked) -> bool:
    """Whether no earlier run is needed. What cannot be run leaves no store behind then."""
    return asked.resume is None and asked.replay_from is None


def prepared(asked: Asked, store: RunStore | None) -> Prepared:
    """The plan and who carries it out; ends the program when there is none."""
    eval_file = asked.eval_file
    if asked.dask and asked.replay_from:
        give_up("--replay-from reads the run store of this machine, and cannot go with --dask")
    if eval_file.is_dir():
        usual = eval_file / "eval.yaml"
        example = f", for example {usual}" if usual.is_file() else ""
        give_up(f"This is a folder; name the eval file in it{example}", eval_file)
    try:
        suite = _suite(asked)
        if asked.resume is not None:
            return _resumed(asked, suite, store)
        plan = _plan(asked, suite)
        if asked.replay_from is not None:
            last_of = _eval_of_last(asked.replay_from, eval_file)
            source = find_run(_needed(store), asked.replay_from, last_of, is_performed=True)
            settings = replace(plan.settings, executor=StoredReplay.name, use_cache=False)
            replay = StoredReplay(_needed(store), source)
            return Prepared(_run_id(asked), replace(plan, settings=settings), replay, _options(asked, plan))
        return _performed(asked, plan, _run_id(asked), Resumed())
    except LoadError as error:
        give_up_loading(error)
    except (PlanError, UnavailableError, ResumeError, StoreError) as error:
        give_up(str(error), eval_file)


def planned(asked: Asked) -> Plan:
    """What a run that starts anew would do; ends the program when there is nothing that can be run."""
    try:
        return _plan(asked, _suite(asked))
    except LoadError as error:
        give_up_loading(error)
    except (PlanError, UnavailableError) as error:
        give_up(str(error), asked.eval_file)


def _plan(asked: Asked, suite: Suite) -> Plan:
    overrides = asked.overrides
    if asked.part is None or not asked.part.keeps_executor:
        command = asked.agent.command or overrides.agent_command
        overrides = with_agent(replace(overrides, agent_command=command), suite)
    return make_plan(suite, overrides, os.cpu_count() or 1)


def _suite(asked: Asked) -> Suite:
    context_dir = asked.agent.context_dir
    if asked.part is not None:
        suite = asked.part.suite(context_dir)
    else:
        suite = load_suite(asked.eval_file.absolute(), process_dir=Path.cwd(), context_dir=context_dir)
    refuse_unreadable_graders(suite)
    if asked.use_cache is None:
        return suite
    return replace(suite, settings=replace(suite.settings, use_cache=asked.use_cache))


def _performed(asked: Asked, plan: Plan, run_id: str, there: Resumed) -> Prepared:
    options = _options(asked, plan)
    # Who goes on with the run later need not say again who the agent is.
    known = replace(plan.overrides, agent_command=options.agent_command, agent_format=options.agent_format)
    plan = replace(plan, overrides=known)
    return Prepared(run_id, plan, make_executor(plan.settings.executor, options), options, there)


def _resumed(asked: Asked, suite: Suite, store: RunStore | None) -> Prepared:
    if asked.overrides != Overrides() or asked.replay_from:
        raise PlanError(
            "--resume goes on with the run as it was started; leave out the options that choose tasks, trials or models"
        )
    known = _needed(store)
    name = asked.resume or LAST
    run = find_run(known, name, _eval_of_last(name, asked.eval_file))
    refuse_to_resume(run)
    plan = make_plan(suite, run.frame.overrides, os.cpu_count() or 1)
    if asked.agent.command and not starts_agent(plan.settings.executor):
        raise PlanError(
            f"The executor of the run, '{plan.settings.executor}', starts no agent; leave out --agent-command"
        )
    there = resumed(known, run, plan, Path.cwd())
    for it in there.changed:
        tell(f"note: task {it} has changed since; its trials are performed again")
    # What it took from earlier runs it has already: the rest is performed.
    plan = replace(plan, settings=replace(plan.settings, use_cache=False))
    return _performed(asked, plan, run.run_id, there)


def _run_id(asked: Asked) -> str:
    return asked.part.run_id if asked.part is not None else new_run_id()


def _recordings(asked: Asked, plan: Plan) -> Path | None:
    """Where recordings are, if not at the usual place: those of an arm may be in a folder of their own."""
    if asked.part is None:
        return asked.agent.recordings
    usual = asked.agent.recordings or plan.suite.directory / FOLDER
    own = usual / asked.part.folder_name
    return own if own.is_dir() else asked.agent.recordings


def _options(asked: Asked, plan: Plan) -> ExecutorOptions:
    agent = asked.agent
    return ExecutorOptions(
        plan.suite.directory,
        plan.settings.model,
        _recordings(asked, plan),
        agent_command=agent.command or plan.overrides.agent_command,
        agent_format=agent.form or plan.overrides.agent_format,
        environment=os.environ,
    )


def _needed(store: RunStore | None) -> RunStore:
    if store is None:
        raise PlanError("The run store cannot be used, and without it there is no earlier run")
    return store


def _eval_of_last(name: str, eval_file: Path) -> Path | None:
    """The last run is the last one of this eval; an id is an id."""
    return eval_file if name == LAST else None
