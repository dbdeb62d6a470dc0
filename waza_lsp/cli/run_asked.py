"""What the user asks for with the options of `waza-lsp run`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from waza_engine.executors.base import UnavailableError
from waza_engine.runs.chosen_agent import unused_agent
from waza_engine.runs.plan import Overrides, PlanError, Shard
from waza_engine.suite import Suite
from waza_lsp.cli.run_output_dir import folder_of_now
from waza_lsp.cli.run_reports import Reports


@dataclass(frozen=True, slots=True)
class Agent:
    """What executors are told on the command line."""

    command: str
    form: str
    recordings: Path | None
    context_dir: Path | None


@dataclass(frozen=True, slots=True)
class Part:
    """One arm of an experiment over one eval: `suite` loads it, for where its input files are.

    `folder_name` is what the arm is called in paths. With `keeps_executor` the arms differ in theirs.
    """

    run_id: str
    folder_name: str
    suite: Callable[[Path | None], Suite]
    keeps_executor: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """What the user asks for. `resume` and `replay_from` name stored runs; `use_cache` None leaves it to the project.

    `dask` is the address of a scheduler. With a `part`, `eval_file` is the experiment that it is of.
    """

    eval_file: Path
    overrides: Overrides
    agent: Agent
    resume: str | None = None
    replay_from: str | None = None
    use_cache: bool | None = None
    dask: str = ""
    part: Part | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """How the run is shown: `events` are told as JSON lines and nothing else, `quiet` shows only what is wrong."""

    events: bool = False
    quiet: bool = False
    printed: str = "text"
    traces: bool = False


def asked(eval_file: Path, options: Mapping[str, Any], model: str | None) -> Asked:
    """What the options ask for, for one of the models."""
    overrides = Overrides(
        tasks=options["tasks"],
        tags=options["tags"],
        model=model,
        shard=_shard(options["shard"]),
        **{
            name: options[name]
            for name in (
                *("trials", "workers", "executor", "judge_model", "timeout", "baseline"),
                *("no_skills", "skip_graders", "keep_workspace", "update_snapshots"),
            )
        },
    )
    _refuse_unused_agent(overrides, options)
    agent = Agent(
        options["agent_command"],
        options["agent_format"] or "",
        _absolute(options["recordings"]),
        _absolute(options["context_dir"]),
    )
    return Asked(
        eval_file,
        overrides,
        agent,
        options["resume"],
        options["replay_from"],
        options["cache"],
        options["dask"],
    )


def reports(options: Mapping[str, Any]) -> Reports:
    """The report files that the options ask for."""
    directory = options["output_dir"]
    files = Reports(*(options[it] for it in ("results", "junit", "html", "github", "record")))
    return replace(
        files,
        directory=folder_of_now(directory) if directory is not None else None,
        transcripts=options["transcripts"],
    )


def shown(options: Mapping[str, Any]) -> Shown:
    """How the run is to be shown."""
    return Shown(options["events"] is not None, options["quiet"], options["printed"], options["otel"])


def _refuse_unused_agent(overrides: Overrides, options: Mapping[str, Any]) -> None:
    """An agent that would not be started: it would look as if it had been."""
    if not options["agent_command"]:
        return
    if options["replay_from"]:
        raise click.UsageError(
            "--agent-command: with --replay-from no agent is started. Leave one of the two out."
        )
    try:
        problem = unused_agent(replace(overrides, agent_command=options["agent_command"]))
    except UnavailableError as error:
        raise click.UsageError(f"--executor: {error}") from error
    if problem:
        raise click.UsageError(f"{problem}.")


def _shard(text: str | None) -> Shard | None:
    try:
        return Shard.of(text) if text else None
    except PlanError as error:
        raise click.UsageError(f"--shard: {error}") from error


def _absolute(path: Path | None) -> Path | None:
    return path.absolute() if path else None
