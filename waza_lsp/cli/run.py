"""`waza-lsp run`: run an eval and say what came out. Flags and printing only; the run is `waza_engine.runs`."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NoReturn

import click

from waza_engine import processes
from waza_engine.executors.base import Executor, ExecutorOptions, UnavailableError
from waza_engine.executors.registry import make_executor
from waza_engine.formats import load_suite
from waza_engine.reports.text import text_report
from waza_engine.runs.events import Listener, Note
from waza_engine.runs.judging import judge_for
from waza_engine.runs.loadable import refuse_unreadable_graders
from waza_engine.runs.plan import Overrides, Plan, PlanError, Shard, make_plan
from waza_engine.runs.records import RunRecord
from waza_engine.runs.resume import Resumed, ResumeError, refuse_to_resume, resumed
from waza_engine.runs.run import EXIT_STATUS, new_run_id, run_suite
from waza_engine.runs.store import RunStore, StoreError, default_store_dir
from waza_engine.runs.stored_replay import StoredReplay
from waza_engine.suite import LoadError, Suite
from waza_lsp.cli.run_error import load_error_text
from waza_lsp.cli.run_output import EventLines, ProgressLines
from waza_lsp.cli.run_reports import Reports
from waza_lsp.cli.run_source import LAST, find_run

_FILE = click.Path(dir_okay=False, path_type=Path)
_FOLDER = click.Path(file_okay=False, path_type=Path)
_CANNOT_RUN = EXIT_STATUS["error"]


@click.command(short_help="Run an eval and grade what the agent did.")
@click.argument("eval_file", metavar="EVAL", type=click.Path(path_type=Path))
@click.option(
    "--task", "tasks", multiple=True, metavar="GLOB", help="Only tasks whose name or id matches; repeatable."
)
@click.option(
    "--tag", "tags", multiple=True, metavar="GLOB", help="Only tasks with a tag that matches; repeatable."
)
@click.option(
    "--trials", type=click.IntRange(min=1), metavar="N", help="Trials per task, instead of the eval's."
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    metavar="N",
    help="Run N tasks at once; 1 is one after the other.",
)
@click.option(
    "--executor",
    metavar="NAME",
    help="Who performs the tasks: mock, replay, command, copilot-sdk, acp, or a plug-in.",
)
@click.option("--model", metavar="MODEL", help="The agent's model, instead of the eval's.")
@click.option("--judge-model", metavar="MODEL", help="The model of prompt graders that name none.")
@click.option("--output", "results", type=_FILE, metavar="FILE", help="Write the results as waza's JSON.")
@click.option("--junit", type=_FILE, metavar="FILE", help="Write a JUnit report.")
@click.option("--html", type=_FILE, metavar="FILE", help="Write a report to look at.")
@click.option("--github", type=_FILE, metavar="FILE", help="Write Markdown for a comment or a job summary.")
@click.option(
    "--events", type=click.Choice(["jsonl"]), help="Print events, one JSON object a line, and nothing else."
)
@click.option(
    "--store", "store_dir", type=_FOLDER, metavar="DIR", help="Where runs are kept; default .waza-lsp."
)
@click.option("--recordings", type=_FOLDER, metavar="DIR", help="Where replay finds its recordings.")
@click.option(
    "--record", type=_FOLDER, metavar="DIR", help="Keep what the agent did as recordings for replay."
)
@click.option(
    "--agent-command", metavar="COMMAND", default="",
    help="The agent of the executors command and acp; {prompt}, {workspace}, {model}, {session}, {turn} are replaced.",
)  # fmt: skip
@click.option(
    "--agent-format", type=click.Choice(["text", "copilot-jsonl"]),
    help="What the agent of the executor command prints.",
)  # fmt: skip
@click.option(
    "--timeout", type=click.IntRange(min=1), metavar="SECONDS", help="Limit per turn, instead of the eval's."
)
@click.option("--baseline/--no-baseline", default=None, help="Run a second time without skills, and compare.")
@click.option("--no-skills", is_flag=True, help="Run without any skill.")
@click.option(
    "--skip-graders", is_flag=True, help="Only perform and record; grade later with waza-lsp grade --run."
)
@click.option("--update-snapshots", is_flag=True, help="Let diff graders write their snapshots anew.")
@click.option("--keep-workspace", is_flag=True, help="Do not delete the folders that agents worked in.")
@click.option(
    "--context-dir", type=_FOLDER, metavar="DIR", help="Where inputs.files are, instead of fixtures."
)
@click.option(
    "--resume", metavar="RUN", is_flag=False, flag_value=LAST, default=None,
    help="Go on with a run that was killed or cancelled; without RUN the last one of EVAL.",
)  # fmt: skip
@click.option(
    "--replay-from", metavar="RUN", help="What agents did is taken from a stored run; 'last' is one."
)
@click.option(
    "--shard", metavar="I/N", help="Perform only part I of N; put the parts together with waza-lsp merge."
)
def run(  # noqa: PLR0913, PLR0917  # click hands over one argument per option
    eval_file: Path,
    tasks: tuple[str, ...],
    tags: tuple[str, ...],
    trials: int | None,
    workers: int | None,
    executor: str | None,
    model: str | None,
    judge_model: str | None,
    results: Path | None,
    junit: Path | None,
    html: Path | None,
    events: str | None,
    store_dir: Path | None,
    recordings: Path | None,
    record: Path | None,
    github: Path | None,
    agent_command: str,
    agent_format: str | None,
    timeout: int | None,
    baseline: bool | None,  # click
    no_skills: bool,  # click
    skip_graders: bool,  # click
    update_snapshots: bool,  # click
    keep_workspace: bool,  # click
    context_dir: Path | None,
    resume: str | None,
    replay_from: str | None,
    shard: str | None,
) -> None:
    """Run EVAL and grade what the agent did.

    Every finished trial is kept in the run store at once. Ctrl-C ends the run and keeps what was finished; a second
    one breaks off. The exit status is 0 when all passed, 1 when a task (or the trigger accuracy) failed, 2 when
    the run could not be done, 130 when it was cancelled.

    \b
    Examples:
      waza-lsp run evals/eval.yaml
      waza-lsp run evals/eval.yaml --executor mock --task 'explain-*'
      waza-lsp run evals/eval.yaml --executor replay --junit report.xml
      waza-lsp run evals/eval.yaml --trials 5 --workers 4 --output results.json
      waza-lsp run evals/eval.yaml --executor command --agent-command 'my-agent --print {prompt}'
      waza-lsp run evals/eval.yaml --resume
    """
    overrides = Overrides(
        tasks,
        tags,
        trials,
        workers,
        executor,
        model,
        judge_model,
        timeout=timeout,
        baseline=baseline,
        no_skills=no_skills,
        skip_graders=skip_graders,
        keep_workspace=keep_workspace,
        update_snapshots=update_snapshots,
        shard=_shard(shard),
    )
    agent = _Agent(agent_command, agent_format or "", recordings, context_dir)
    asked = _Asked(eval_file, overrides, agent, resume, replay_from)
    reports = Reports(results, junit, html, github, record)
    directory = (store_dir or default_store_dir(eval_file.absolute())).absolute()
    _perform(asked, reports, as_events=events is not None, directory=directory)


@dataclass(frozen=True, slots=True)
class _Agent:
    """What executors are told on the command line."""

    command: str
    form: str
    recordings: Path | None
    context_dir: Path | None


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the user asks for. `resume` and `replay_from` name stored runs."""

    eval_file: Path
    overrides: Overrides
    agent: _Agent
    resume: str | None
    replay_from: str | None


def _shard(text: str | None) -> Shard | None:
    try:
        return Shard.of(text) if text else None
    except PlanError as error:
        raise click.UsageError(f"--shard: {error}") from error


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A run that can start, or go on."""

    run_id: str
    plan: Plan
    performer: Executor
    resumed: Resumed = field(default_factory=Resumed)


def _prepared(asked: _Asked, store: RunStore | None) -> _Prepared:
    """The plan and who carries it out; ends the program when there is none."""
    eval_file = asked.eval_file
    if eval_file.is_dir():
        _give_up(
            f"{eval_file}: error: This is a folder; name the eval file in it, for example {eval_file / 'eval.yaml'}"
        )
    try:
        suite = load_suite(
            eval_file.absolute(), process_dir=Path.cwd(), context_dir=_absolute(asked.agent.context_dir)
        )
        refuse_unreadable_graders(suite)
        if asked.resume is not None:
            return _resumed(asked, suite, store)
        plan = make_plan(suite, asked.overrides, os.cpu_count() or 1)
        if asked.replay_from is not None:
            source = find_run(_needed(store), asked.replay_from, _eval_of_last(asked.replay_from, eval_file))
            plan = replace(plan, settings=replace(plan.settings, executor=StoredReplay.name))
            return _Prepared(new_run_id(), plan, StoredReplay(_needed(store), source))
        return _Prepared(new_run_id(), plan, make_executor(plan.settings.executor, _options(asked, plan)))
    except LoadError as error:
        _give_up(load_error_text(error))
    except (PlanError, UnavailableError, ResumeError, StoreError) as error:
        _give_up(f"{eval_file}: error: {error}")


def _resumed(asked: _Asked, suite: Suite, store: RunStore | None) -> _Prepared:
    if asked.overrides != Overrides() or asked.replay_from:
        raise PlanError(
            "--resume goes on with the run as it was started; leave out the options that choose tasks, trials or models"
        )
    known = _needed(store)
    name = asked.resume or LAST
    run = find_run(known, name, _eval_of_last(name, asked.eval_file))
    refuse_to_resume(run)
    plan = make_plan(suite, run.frame.overrides, os.cpu_count() or 1)
    there = resumed(known, run, plan)
    for it in there.changed:
        click.echo(f"note: task {it} has changed since; its trials are performed again", err=True)
    return _Prepared(run.run_id, plan, make_executor(plan.settings.executor, _options(asked, plan)), there)


def _options(asked: _Asked, plan: Plan) -> ExecutorOptions:
    agent = asked.agent
    return ExecutorOptions(
        plan.suite.directory,
        plan.settings.model,
        _absolute(agent.recordings),
        agent_command=agent.command,
        agent_format=agent.form,
        environment=os.environ,
    )


def _absolute(path: Path | None) -> Path | None:
    return path.absolute() if path else None


def _needed(store: RunStore | None) -> RunStore:
    if store is None:
        raise PlanError("The run store cannot be used, and without it there is no earlier run")
    return store


def _eval_of_last(name: str, eval_file: Path) -> Path | None:
    """The last run is the last one of this eval; an id is an id."""
    return eval_file if name == LAST else None


def _give_up(message: str) -> NoReturn:
    click.echo(message, err=True)
    sys.exit(_CANNOT_RUN)


def _perform(asked: _Asked, reports: Reports, *, as_events: bool, directory: Path) -> NoReturn:
    progress = ProgressLines(sys.stderr, sys.stderr.isatty())
    emit: Listener = EventLines(sys.stdout, gone=_interrupt_self) if as_events else progress
    # What cannot be run leaves no store behind; what goes on with an earlier run needs one.
    starts_anew = asked.resume is None and asked.replay_from is None
    ready = _prepared(asked, None) if starts_anew else None
    with asyncio.Runner() as runner, _opened(directory, ready.run_id if ready else "", emit) as store:
        prepared = ready or _prepared(asked, store)
        plan = prepared.plan
        try:
            record = runner.run(_cancellable(prepared, emit, store, directory / "logs"))
        except (asyncio.CancelledError, KeyboardInterrupt):
            click.echo("Broken off. What was finished is in the run store.", err=True)
            _leave_at_once(EXIT_STATUS["cancelled"])
        progress.clear()
        problems = reports.write(record, plan.suite.triggers.skill if plan.suite.triggers else "")
        for it in problems:
            click.echo(f"error: {it}", err=True)
        if not as_events:
            click.echo(text_report(record))
        if record.status == "cancelled":
            # Closing the runner would wait for graders that are still at work in threads.
            _leave_at_once(EXIT_STATUS[record.status])
    sys.exit(_CANNOT_RUN if problems else EXIT_STATUS[record.status])


@contextlib.contextmanager
def _opened(directory: Path, run_id: str, emit: Listener) -> Iterator[RunStore | None]:
    """The run store, or None (and a note) when it cannot be used."""
    try:
        store = RunStore(directory)
    except StoreError as error:
        emit(Note(run_id, "warning", f"{error}. This run is not stored"))
        yield None
        return
    with store:
        yield store


async def _cancellable(
    prepared: _Prepared, emit: Listener, store: RunStore | None, log_dir: Path
) -> RunRecord:
    """Run the suite; SIGINT and SIGTERM end it early."""
    if running := asyncio.current_task():
        for number in (signal.SIGINT, signal.SIGTERM):
            # Windows has no such handlers; there the runner itself cancels the task at Ctrl-C.
            with contextlib.suppress(NotImplementedError):
                asyncio.get_running_loop().add_signal_handler(number, running.cancel)
    return await run_suite(
        prepared.plan,
        prepared.performer,
        process_dir=Path.cwd(),
        run_id=prepared.run_id,
        emit=emit,
        log_dir=log_dir,
        store=store,
        judge=judge_for(prepared.plan, os.environ),
        resumed=prepared.resumed,
    )


def _interrupt_self() -> None:
    """Nobody reads the events any more: the run is as good as cancelled."""
    os.kill(os.getpid(), signal.SIGTERM)


def _leave_at_once(status: int) -> NoReturn:
    """End the program with everything that graders started, without waiting for their threads."""
    processes.end_all()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            stream.flush()
    os._exit(status)
