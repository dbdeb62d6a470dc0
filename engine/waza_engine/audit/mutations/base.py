"""What a mutation is: it makes broken trials from a recorded one that passes."""

import importlib
import logging
import pkgutil
import random
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from waza_engine.model.suite import Task
from waza_engine.model.trajectory import Trajectory
from waza_engine.plugins import MUTATION_GROUP, plugin_entry_points

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_log = logging.getLogger(__name__)
_PACKAGE = __name__.rpartition(".")[0]


@dataclass(frozen=True, slots=True)
class Subject:
    """A recorded trial that passes. `others` are recorded trials of other tasks of the eval, one for each."""

    task: Task
    trajectory: Trajectory
    others: tuple[Trajectory, ...] = ()

    @property
    def before(self) -> Mapping[str, bytes]:
        """The files of the workspace before the agent started, by path."""
        return {Path(it.target).as_posix(): it.content for it in self.task.files}

    @property
    def written(self) -> list[str]:
        """The files that the agent made or changed, sorted."""
        before = self.before
        return sorted(
            name for name, text in self.trajectory.files.items() if before.get(name) != text.encode()
        )

    def chance(self, name: str) -> random.Random:
        """Return random numbers that are the same for the same trial of the task and the same mutation."""
        return random.Random(f"{name}/{self.task.id}/{self.trajectory.session_id}")  # noqa: S311  # no secret


@dataclass(frozen=True, slots=True)
class Mutant:
    """A broken trial. `change` says in words what is broken; `before` and `after` are the texts that differ."""

    change: str
    trajectory: Trajectory
    before: str = ""
    after: str = ""


class Mutation(ABC):
    """A way to break a trial. One subclass per file; a plug-in's entry point in `waza_lsp.mutations` names its own.

    The same subject gives the same mutants. A mutation that finds nothing to break yields nothing.
    """

    name: ClassVar[str]
    """Its name in reports: lower case, with hyphens."""
    about: ClassVar[str]
    """What it does, in a few words."""

    @abstractmethod
    def mutants(self, subject: Subject) -> Iterator[Mutant]:
        """Yield the broken trials."""


@cache
def mutations() -> Mapping[str, Mutation]:
    """Return all mutations by name, including those of plug-ins. A plug-in that fails to load is logged and skipped."""
    package = importlib.import_module(_PACKAGE)
    modules = [
        importlib.import_module(f"{_PACKAGE}.{it.name}") for it in pkgutil.iter_modules(package.__path__)
    ]
    found = [
        made for module in modules for it in vars(module).values() if (made := _made(it, module.__name__))
    ]
    for plug_in in plugin_entry_points(MUTATION_GROUP):
        found.extend(_loaded(plug_in))
    return {it.name: it for it in found}


def performed(mutation: Mutation, subject: Subject) -> list[Mutant]:
    """Return the mutants of a subject. A mutation that breaks is logged, and makes none."""
    try:
        made: list[Any] = list(mutation.mutants(subject))
        return [it for it in made if isinstance(it, Mutant)]
    except Exception:  # noqa: BLE001  # other people's code must not break the audit
        _log.warning(
            "The mutation '%s' broke on the task '%s'", mutation.name, subject.task.id, exc_info=True
        )
        return []


def _made(thing: Any, module: str = "") -> Mutation | None:
    is_one = isinstance(thing, type) and issubclass(thing, Mutation) and thing is not Mutation
    return thing() if is_one and (not module or thing.__module__ == module) else None


def _loaded(plug_in: "EntryPoint") -> Iterator[Mutation]:
    try:
        made = _made(plug_in.load())
        is_new = made is not None and made.name not in {*_own_names(), "base"}
    except Exception:  # noqa: BLE001  # other people's code must not break the audit
        _log.warning("The mutation '%s' cannot be loaded", plug_in.name, exc_info=True)
        return
    if made is None or not is_new:
        _log.warning("The plug-in '%s' is not a mutation with a name of its own", plug_in.name)
        return
    yield made


def _own_names() -> Sequence[str]:
    package = importlib.import_module(_PACKAGE)
    return [it.name.replace("_", "-") for it in pkgutil.iter_modules(package.__path__)]
