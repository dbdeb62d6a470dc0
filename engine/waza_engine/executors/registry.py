"""Find executors: the files of this folder, then plug-ins of the entry point group `waza_lsp.executors`."""

import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING

from waza_engine import executors as _folder
from waza_engine.executors.base import AGENT_COMMAND, Executor, ExecutorOptions, NoExecutorError
from waza_engine.executors.known_agents import KNOWN_AGENTS
from waza_engine.plugins import EXECUTOR_GROUP, plugin_entry_points

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_AGENTS = {"codex": "codex", "claude-cli": "claude"}
"""Executors of some waza versions that start a program, and that program."""


def make_executor(name: str, options: ExecutorOptions) -> Executor:
    """Create the executor called `name`.

    Raises:
        NoExecutorError: it does not exist or cannot be loaded; the message names the alternatives.

    """
    executor = _executor(name)
    if executor is None:
        raise NoExecutorError(_explanation(name), name)
    return executor(options)


def starts_agent(name: str) -> bool:
    """Whether the executor exists and starts the program of `--agent-command`.

    Raises:
        NoExecutorError: it cannot be loaded.

    """
    executor = _executor(name)
    return executor is not None and AGENT_COMMAND not in getattr(executor, "ignores", ())


def _executor(name: str) -> type[Executor] | None:
    executor = built_in_executors().get(name)
    if executor is None and (plug_in := _plug_ins().get(name)):
        executor = _load(plug_in)
    return executor


@cache
def built_in_executors() -> dict[str, type[Executor]]:
    """Return the executor classes in this folder, by name."""
    executors: dict[str, type[Executor]] = {}
    for module_info in sorted(pkgutil.iter_modules(_folder.__path__), key=lambda it: it.name):
        module = importlib.import_module(f"{_folder.__name__}.{module_info.name}")
        for thing in vars(module).values():
            if isinstance(thing, type) and thing.__module__ == module.__name__ and "unknown" in vars(thing):
                name = vars(thing).get("name")
                if isinstance(name, str):
                    executors[name] = thing
    return executors


def executor_names() -> list[str]:
    """Return the names of all executors, sorted."""
    return sorted({*built_in_executors(), *_plug_ins()})


@cache
def _plug_ins() -> "dict[str, EntryPoint]":
    return {it.name: it for it in plugin_entry_points(EXECUTOR_GROUP)}


def _load(plug_in: "EntryPoint") -> type[Executor]:
    try:
        executor: type[Executor] = plug_in.load()
    except (ImportError, AttributeError) as error:
        raise NoExecutorError(
            f"The executor '{plug_in.name}' is installed as {plug_in.value} but cannot be loaded: {error}",
            plug_in.name,
        ) from error
    return executor


def _explanation(name: str) -> str:
    *others, last = executor_names()
    usable = f"--executor {', '.join(others)} or {last}"
    if not name:
        return f"The eval does not set an executor. Add config.executor, or use {usable}"
    for agent in KNOWN_AGENTS:
        if agent.program == _AGENTS.get(name):
            return (
                f"waza-lsp has no executor '{name}'. Run its agent with "
                f"--executor command --agent-command '{agent.command}'. Or use {usable}"
            )
    # Imported late: few names are misspelt.
    from waza_engine.lib.spelling import nearest

    close = nearest(name, executor_names(), most=1)
    guess = f" Did you mean '{close[0]}'?" if close else ""
    return f"Unknown executor '{name}'.{guess} Use {usable}"
