"""Turn the options of `waza-lsp run` into a run that can start: its suite, plan and executor."""

import errno
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import click

from waza_engine.executors.base import Executor, ExecutorOptions, NoExecutorError, UnavailableError
from waza_engine.executors.registry import make_executor, starts_agent
from waza_engine.lib.process.sandbox_choice import Sandbox, sandbox_in
from waza_engine.lib.redaction import REDACTED, REDACTED_NAME
from waza_engine.model.suite import LoadError, Suite
from waza_engine.project.load_suite import dialect_of_file, load_suite
from waza_engine.project.store_location import FILE_NAME, RECORDINGS_FOLDER
from waza_engine.recognition.recognise import load_object
from waza_engine.runs.events import ExecutorUnavailable, Listener
from waza_engine.runs.planning.participants import (
    protection_warning,
    sandbox_problem,
    unused_agent_problem,
    with_agent,
    with_sandbox,
)
from waza_engine.runs.planning.plan import Overrides, Plan, PlanError, Shard, make_plan
from waza_engine.runs.planning.preflight import refuse_unreadable_graders
from waza_engine.runs.planning.resume import (
    ResumeError,
    ResumeState,
    check_resumable,
    has_undecided,
    resume_state,
)
from waza_engine.runs.recordings.stored_replay import StoredReplay
from waza_engine.runs.run import new_run_id
from waza_engine.runs.store.store import RunStore, StoreError
from waza_lsp.cli.console import give_up, print_err
from waza_lsp.cli.load_errors import give_up_loading
from waza_lsp.cli.options import LAST
from waza_lsp.cli.run.reports import Reports
from waza_lsp.cli.run.until_decided import resumed_overrides, until_decided_of, with_compared_run
from waza_lsp.cli.stored.find import find_run


@dataclass(frozen=True, slots=True)
class AgentOptions:
    """The options that the command line gives to executors."""

    command: str
    form: str
    recordings: Path | None
    context_dir: Path | None


@dataclass(frozen=True, slots=True)
class ArmPart:
    """One arm of an experiment over one eval. `load_suite` loads it for a folder of input files.

    `folder_name` is the arm's name in paths. With `keeps_executor`, the arms differ in their executor.
    """

    run_id: str
    folder_name: str
    load_suite: Callable[[Path | None], Suite]
    keeps_executor: bool = False


@dataclass(frozen=True, slots=True)
class RunRequest:
    """The run that the user requests. `resume` and `replay_from` name stored runs; `dask` is a scheduler's address.

    With `use_cache` None, the project decides. With an `arm`, `eval_file` is the experiment.
    """

    eval_file: Path
    overrides: Overrides
    agent: AgentOptions
    resume: str | None = None
    replay_from: str | None = None
    use_cache: bool | None = None
    dask: str = ""
    arm: ArmPart | None = None

    @classmethod
    def of(cls, eval_file: Path, options: Mapping[str, Any], model: str | None) -> Self:
        """Read the options of the command line, for one of the models."""
        overrides = Overrides(
            tasks=options["tasks"],
            tags=options["tags"],
            model=model,
            shard=_parse_shard(options["shard"]),
            sandbox=_sandbox(options),
            until_decided=until_decided_of(options),
            **{
                name: options[name]
                for name in (
                    *("trials", "workers", "executor", "judge_model", "timeout", "baseline"),
                    *("no_skills", "skip_graders", "keep_workspace", "update_snapshots"),
                    "retry_infrastructure",
                )
            },
        )
        _refuse_unused_agent(overrides, options)
        agent = AgentOptions(
            options["agent_command"],
            options["agent_format"] or "",
            _absolute(options["recordings"]),
            _absolute(options["context_dir"]),
        )
        return cls(
            eval_file,
            overrides,
            agent,
            options["resume"],
            options["replay_from"],
            options["cache"],
            options["dask"],
        )

    @property
    def is_new(self) -> bool:
        """Whether the run needs no earlier run. If it then cannot start, it leaves no store behind."""
        return self.resume is None and self.replay_from is None and not self.against

    @property
    def against(self) -> str:
        until = self.overrides.until_decided
        return until.against if until else ""

    def make_run_id(self) -> str:
        return self.arm.run_id if self.arm is not None else new_run_id()


def report_files(options: Mapping[str, Any], store_dir: Path) -> Reports:
    """Return the report files that the options ask for. End the program if one of them, or the store, cannot be written."""
    directory = options["output_dir"]
    files = Reports(*(options[it] for it in ("results", "junit", "html", "github", "record")))
    files = replace(
        files,
        directory=_timestamp_folder(directory) if directory is not None else None,
        transcripts=options["transcripts"],
        trace=options["trace"],
    )
    if problem := files.problem():
        give_up(f"{problem}. Nothing was run")
    if problem := _store_problem(store_dir):
        give_up(f"{problem}. Nothing was run. Name another folder with --store DIR")
    return files


def _store_problem(directory: Path) -> str:
    """Return why no store can be written in a folder, or "". A damaged store does not stop a run."""
    from waza_engine.lib.files.safe_write import require_access

    path = directory / FILE_NAME
    try:
        require_access(path)
        if path.is_file() and not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        return f"{path}: the run store cannot be written: {error.strerror or error}"
    return ""


def report_files_of(eval_file: Path, options: Mapping[str, Any], store_dir: Path) -> Reports:
    """Return the report files of an eval: its project's results folder is added, unless an option names one.

    Programs that read events store results themselves.
    """
    if options["output_dir"] is None and options["results"] is None and not options["events"]:
        options = {**options, "output_dir": _project_results_directory(eval_file)}
    return report_files(options, store_dir)


def _project_results_directory(eval_file: Path) -> Path | None:
    """Return the folder that the project names for results, or None if it names none or its dialect ignores it."""
    try:
        folder = dialect_of_file(eval_file.absolute()).results_folder
    except LoadError:
        return None
    directory: Path | None = load_object(folder)(Path.cwd()) if folder else None
    return directory


def _timestamp_folder(directory: Path) -> Path:
    """Return a new folder name in `directory`, in the form that waza uses."""
    now = datetime.now(UTC)
    return directory / f"{now:%Y-%m-%dT%H%M%S}.{now.microsecond // 1000:03}"


def _refuse_unused_agent(overrides: Overrides, options: Mapping[str, Any]) -> None:
    """Refuse an agent that would not be started: the run would look as if it had been."""
    if not options["agent_command"]:
        return
    if options["replay_from"]:
        raise click.UsageError(
            "--agent-command: --replay-from starts no agent. Remove one of the two options."
        )
    try:
        problem = unused_agent_problem(replace(overrides, agent_command=options["agent_command"]))
    except UnavailableError as error:
        raise click.UsageError(f"--executor: {error}") from error
    if problem:
        raise click.UsageError(f"{problem}.")


def _sandbox(options: Mapping[str, Any]) -> Sandbox | None:
    """Return the sandbox that the command line chooses; its other options complete the one of the environment."""
    kind, network, image = options["sandbox"], options["sandbox_network"], options["sandbox_image"]
    folders = tuple(str(it.absolute()) for it in options["sandbox_write"])
    before = sandbox_in(os.environ)
    if kind is None and (network is not None or image or folders) and before is None:
        raise click.UsageError("--sandbox-network, --sandbox-image and --sandbox-write need --sandbox.")
    if kind is None and network is None and not image and not folders:
        return None
    chosen = before or Sandbox()
    return Sandbox(
        kind or chosen.kind,
        chosen.network if network is None else network,
        image or chosen.image,
        folders or chosen.write,
    )


def _parse_shard(text: str | None) -> Shard | None:
    try:
        return Shard.parse(text) if text else None
    except PlanError as error:
        raise click.UsageError(f"--shard: {error}") from error


def _absolute(path: Path | None) -> Path | None:
    return path.absolute() if path else None


@dataclass(frozen=True, slots=True)
class PreparedRun:
    """A run that can start or be resumed."""

    run_id: str
    plan: Plan
    performer: Executor
    options: ExecutorOptions
    resumed: ResumeState = field(default_factory=ResumeState)


def prepare(request: RunRequest, store: RunStore | None, emit: Listener) -> PreparedRun:
    """Load the suite, plan the run and make its executor; end the program if that is impossible.

    A missing executor is also an event, because a program that reads events can offer another one.
    """
    eval_file = request.eval_file
    if request.dask and request.replay_from:
        give_up("--replay-from reads the run store of this machine and cannot be used with --dask")
    try:
        suite = _load_suite(request)
        if request.resume is not None:
            return _prepare_resumed(request, suite, store)
        if request.against:
            own = with_compared_run(request.overrides, _require_store(store), eval_file)
            request = replace(request, overrides=own)
        plan = _make_plan(request, suite)
        if request.replay_from is not None:
            return _prepare_replay(request, request.replay_from, plan, store)
        return _prepare(request, plan, request.make_run_id(), ResumeState())
    except LoadError as error:
        give_up_loading(error)
    except (PlanError, UnavailableError, ResumeError, StoreError) as error:
        if isinstance(error, NoExecutorError):
            emit(ExecutorUnavailable("", error.name, str(error)))
        give_up(str(error), eval_file)


def plan_run(request: RunRequest) -> Plan:
    """Return the plan of a new run; end the program if nothing can be run."""
    try:
        return _make_plan(request, _load_suite(request))
    except LoadError as error:
        give_up_loading(error)
    except (PlanError, UnavailableError) as error:
        give_up(str(error), request.eval_file)


def _make_plan(request: RunRequest, suite: Suite) -> Plan:
    overrides = request.overrides
    if request.arm is None or not request.arm.keeps_executor:
        command = request.agent.command or overrides.agent_command
        _refuse_redacted(command)
        overrides = with_agent(replace(overrides, agent_command=command), suite)
    plan = with_sandbox(make_plan(suite, overrides, os.cpu_count() or 1), os.environ)
    warning = protection_warning(plan)
    return replace(plan, warnings=(*plan.warnings, warning)) if warning else plan


def _load_suite(request: RunRequest) -> Suite:
    context_dir = request.agent.context_dir
    if request.arm is not None:
        suite = request.arm.load_suite(context_dir)
    else:
        suite = load_suite(request.eval_file.absolute(), process_dir=Path.cwd(), context_dir=context_dir)
    refuse_unreadable_graders(suite, Path.cwd())
    if request.use_cache is None:
        return suite
    return replace(suite, settings=replace(suite.settings, use_cache=request.use_cache))


def _prepare(request: RunRequest, plan: Plan, run_id: str, earlier: ResumeState) -> PreparedRun:
    options = _executor_options(request, plan)
    # The store keeps the agent's command, so that --resume needs no --agent-command.
    overrides = replace(
        plan.overrides, agent_command=options.agent_command, agent_format=options.agent_format
    )
    plan = replace(plan, overrides=overrides)
    performer = make_executor(plan.settings.executor, options)
    if problem := sandbox_problem(plan, performer):
        raise UnavailableError(problem)
    return PreparedRun(run_id, plan, performer, options, earlier)


def _prepare_replay(request: RunRequest, name: str, plan: Plan, store: RunStore | None) -> PreparedRun:
    store = _require_store(store)
    source = find_run(store, name, _eval_of_last(name, request.eval_file), with_recordings=True)
    settings = replace(plan.settings, executor=StoredReplay.name, use_cache=False)
    options = _executor_options(request, plan)
    return PreparedRun(
        request.make_run_id(), replace(plan, settings=settings), StoredReplay(store, source), options
    )


def _prepare_resumed(request: RunRequest, suite: Suite, store: RunStore | None) -> PreparedRun:
    given = request.overrides.until_decided
    if replace(request.overrides, until_decided=None) != Overrides() or request.replay_from:
        raise PlanError(
            "--resume continues the run as it was started. Remove the options that select tasks, trials or models"
        )
    store = _require_store(store)
    name = request.resume or LAST
    run = find_run(store, name, _eval_of_last(name, request.eval_file))
    check_resumable(run, undecided=has_undecided(store, run))
    _refuse_redacted(request.agent.command or run.frame.overrides.agent_command)
    overrides = resumed_overrides(run.frame.overrides, given)
    plan = with_sandbox(make_plan(suite, overrides, os.cpu_count() or 1), os.environ)
    if request.agent.command and not starts_agent(plan.settings.executor):
        raise PlanError(
            f"The run uses the executor '{plan.settings.executor}', which starts no agent. Remove --agent-command"
        )
    earlier = resume_state(store, run, plan, Path.cwd())
    for task in earlier.changed:
        print_err(f"note: task {task} has changed; its trials run again")
    # The run has already reused what the cache had; the remaining trials are run.
    plan = replace(plan, settings=replace(plan.settings, use_cache=False))
    return _prepare(request, plan, run.run_id, earlier)


def _refuse_redacted(command: str) -> None:
    if REDACTED in command or REDACTED_NAME in command:
        raise PlanError(
            "The agent's command holds a secret, which the run store does not keep. Repeat the command with "
            f"--agent-command. It was: {command}"
        )


def _executor_options(request: RunRequest, plan: Plan) -> ExecutorOptions:
    agent = request.agent
    return ExecutorOptions(
        plan.suite.directory,
        plan.settings.model,
        _recordings_folder(request, plan),
        agent_command=agent.command or plan.overrides.agent_command,
        agent_format=agent.form or plan.overrides.agent_format,
        environment=os.environ,
    )


def _recordings_folder(request: RunRequest, plan: Plan) -> Path | None:
    """Return the folder of recordings, or None for the default. An arm may have a folder of its own."""
    if request.arm is None:
        return request.agent.recordings
    usual = request.agent.recordings or plan.suite.directory / RECORDINGS_FOLDER
    own = usual / request.arm.folder_name
    return own if own.is_dir() else request.agent.recordings


def _require_store(store: RunStore | None) -> RunStore:
    if store is None:
        raise PlanError("The run store cannot be used, so there is no earlier run")
    return store


def _eval_of_last(name: str, eval_file: Path) -> Path | None:
    """Limit `last` to the runs of this eval; an id names any run."""
    return eval_file if name == LAST else None
