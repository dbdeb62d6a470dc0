"""Grader entries that no run could use: found before the agent starts.

See docs/reference/waza-formats.md, sections 11.1 and 20, rows 5 to 7.

waza refuses entries that it cannot read, in tasks that are disabled or left out by a filter too. It finds unknown types and options that
do not fit together when the agent has already run; the checks that find them need nothing but the entry, so we say so first.
"""

from collections.abc import Iterator

from pydantic import ValidationError

from waza_engine.graders.base import ConfigError
from waza_engine.graders.entry import Level, read_entry
from waza_engine.graders.registry import find_grader, graders
from waza_engine.scope import Scope
from waza_engine.suite import GraderEntry, LoadError, Suite, Task
from waza_engine.validation.spelling import nearest


def refuse_unreadable_graders(suite: Suite) -> None:
    """Read every grader entry of the suite.

    Raises:
        LoadError: one has an unknown type or key, a wrong type of value, or lacks what its type needs.

    """
    for it in suite.graders:
        _refuse_unreadable(suite, it, "eval")
    for task in suite.tasks:
        for it in _graders(task):
            _refuse_unreadable(suite, it, "task")
    for task in suite.disabled:
        for it in _graders(task):
            _refuse_undecodable(suite, it)


def _graders(task: Task) -> Iterator[GraderEntry]:
    yield from task.graders
    for it in task.checkpoints:
        yield from it.graders


def _refuse_undecodable(suite: Suite, entry: GraderEntry) -> None:
    """What is never made need not have a known type, or a word that the type knows: only its shape is looked at."""
    try:
        read = read_entry(entry, entry.dialect, "task")
    except ConfigError as error:
        raise _load_error(suite, entry, error) from error
    kind = find_grader(read.type, entry.dialect)
    try:
        if kind is not None:
            read.configured(kind)
    except ConfigError as error:
        cause = error.__cause__
        problems = cause.errors(include_url=False) if isinstance(cause, ValidationError) else []
        if not problems or any(it["type"] != "literal_error" for it in problems):
            raise _load_error(suite, entry, error) from error


def _refuse_unreadable(suite: Suite, entry: GraderEntry, level: Level) -> None:
    try:
        read = read_entry(entry, entry.dialect, level)
    except ConfigError as error:
        raise _load_error(suite, entry, error) from error
    kind = find_grader(read.type, entry.dialect)
    if kind is None:
        known = nearest(read.type, list(graders(suite.dialect))) if read.type else []
        advice = f"did you mean '{known[0]}'?" if known else f"known: {', '.join(graders(suite.dialect))}"
        message = f"unknown grader type '{read.type}'; {advice}" if read.type else "the grader has no type"
        raise LoadError(entry.path or suite.path, f"{_named(entry)}: {message}", (*entry.pointer, "type"))
    try:
        grader = read.configured(kind)
    except ConfigError as error:
        raise _load_error(suite, entry, error) from error
    if refusal := next(grader.refusals(Scope(executor=suite.settings.executor)), None):
        place = (*entry.pointer, "config", *refusal.pointer)
        raise LoadError(entry.path or suite.path, f"{_named(entry)}: {refusal.message}", place)


def _named(entry: GraderEntry) -> str:
    return f"grader '{entry.name or entry.type}'"


def _load_error(suite: Suite, entry: GraderEntry, error: ConfigError) -> LoadError:
    return LoadError(entry.path or suite.path, f"{_named(entry)}: {error}", (*entry.pointer, *error.pointer))
