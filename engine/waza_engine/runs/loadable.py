"""Grader entries that cannot even be read: found before anything runs (waza-formats.md, section 11.1, item 4).

Every task counts, also those that a filter leaves out, as in waza. A type that is unknown can be read: it makes the
trials that need it errors (section 13.10).
"""

from pydantic import ValidationError

from waza_engine.findings import Pointer
from waza_engine.graders.base import ConfigError
from waza_engine.graders.entry import Level, read_entry
from waza_engine.graders.registry import find_grader, newest_generation
from waza_engine.suite import GraderEntry, LoadError, Suite


def refuse_unreadable_graders(suite: Suite) -> None:
    """Read every grader entry of the suite.

    Raises:
        LoadError: one has an unknown key, a wrong type of value, or lacks what its type needs.

    """
    for it in suite.graders:
        _refuse_unreadable(suite, it, "eval")
    for task in suite.tasks:
        for it in task.graders:
            _refuse_unreadable(suite, it, "task")


def _refuse_unreadable(suite: Suite, entry: GraderEntry, level: Level) -> None:
    generation = newest_generation(entry.type)
    try:
        read = read_entry(entry, generation, level)
    except ConfigError as error:
        raise _load_error(suite, entry, error) from error
    kind = find_grader(read.type, generation)
    if kind is None:
        return
    try:
        read.configured(kind)
    except ConfigError as error:
        raise _load_error(suite, entry, error, "config") from error


def _load_error(suite: Suite, entry: GraderEntry, error: ConfigError, *below: str) -> LoadError:
    cause = error.__cause__
    place: Pointer = (
        tuple(cause.errors(include_url=False)[0]["loc"]) if isinstance(cause, ValidationError) else ()
    )
    named = f"grader '{entry.name or entry.type}'"
    return LoadError(entry.path or suite.path, f"{named}: {error}", (*entry.pointer, *below, *place))
