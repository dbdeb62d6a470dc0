"""Which executors exist: the files of this folder, then plug-ins of the entry point group `waza_lsp.executors`."""

import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING

from waza_engine import executors as _folder
from waza_engine.executors.base import AGENT_COMMAND, Executor, ExecutorOptions, UnavailableError
from waza_engine.plugins import EXECUTOR_GROUP, plugin_entry_points

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_AGENTS = {"codex": "codex exec {prompt}", "claude-cli": "claude -p {prompt}"}
"""Executors of some versions of waza whose agents are programs: how the executor `command` starts them."""


def make_executor(name: str, options: ExecutorOptions) -> Executor:
    """The executor called `name`.

    Raises:
        UnavailableError: there is none, or it cannot be loaded; the text names the ones to use instead.

    """
    found = _executor(name)
    if found is None:
        raise UnavailableError(_explanation(name))
    return found(options)


def starts_agent(name: str) -> bool:
    """Whether there is such an executor, and it starts the program of `--agent-command`.

    Raises:
        UnavailableError: it cannot be loaded.

    """
    found = _executor(name)
    return found is not None and AGENT_COMMAND not in getattr(found, "ignores", ())


def _executor(name: str) -> type[Executor] | None:
    found = built_in_executors().get(name)
    if found is None and (plug_in := _plug_ins().get(name)):
        found = _loaded(plug_in)
    return found


@cache
def built_in_executors() -> dict[str, type[Executor]]:
    """The executor classes in this folder, by name."""
    found: dict[str, type[Executor]] = {}
    for module_info in sorted(pkgutil.iter_modules(_folder.__path__), key=lambda it: it.name):
        module = importlib.import_module(f"{_folder.__name__}.{module_info.name}")
        for thing in vars(module).values():
            if isinstance(thing, type) and thing.__module__ == module.__name__ and "unknown" in vars(thing):
                name = vars(thing).get("name")
                if isinstance(name, str):
                    found[name] = thing
    return found


def executor_names() -> list[str]:
    """Every executor that can be asked for, in order."""
    return sorted({*built_in_executors(), *_plug_ins()})


@cache
def _plug_ins() -> "dict[str, EntryPoint]":
    return {it.name: it for it in plugin_entry_points(EXECUTOR_GROUP)}


def _loaded(plug_in: "EntryPoint") -> type[Executor]:
    try:
        executor: type[Executor] = plug_in.load()
    except (ImportError, AttributeError) as error:
        raise UnavailableError(
            f"The executor '{plug_in.name}' is installed as {plug_in.value} but cannot be loaded: {error}"
        ) from error
    return executor


def _explanation(name: str) -> str:
    usable = " or ".join(f"--executor {it}" for it in executor_names())
    if not name:
        return f"The eval names no executor. Add config.executor to it, or use {usable}"
    if name in _AGENTS:
        return (
            f"There is no executor '{name}' here; run its agent with "
            f"--executor command --agent-command '{_AGENTS[name]}'. Or use {usable}"
        )
    return f"There is no executor '{name}'. Use {usable}"
