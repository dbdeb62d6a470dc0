"""Graders written from recorded trials: each grader type knows what it could ask for, and only what passes is offered."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from waza_engine.graders.base import ConfigError, Drafted, GradeError, Grader, GradingContext


@dataclass(frozen=True, slots=True)
class GraderDraft:
    """A grader that could be written: `entry` is what would stand in a list of graders, `about` what it asks for."""

    type: str
    about: str
    entry: Mapping[str, Any]


def grader_drafts(kinds: Iterable[type[Grader]], trials: Sequence[GradingContext]) -> Iterator[GraderDraft]:
    """The graders that can be written from the trials of one task, by type; each passes on all of them."""
    if not trials:
        return
    for kind in sorted(kinds, key=lambda it: it.type_name):
        drafted = None if kind.outdated else _drafted(kind, trials)
        if drafted is not None:
            config = drafted.config.model_dump(mode="json", by_alias=True, exclude_defaults=True)
            entry = {"type": kind.type_name, "name": drafted.name, "config": config}
            yield GraderDraft(kind.type_name, drafted.about, entry)


def _drafted(kind: type[Grader], trials: Sequence[GradingContext]) -> Drafted | None:
    # What the executor could not know cannot be asked for.
    with suppress(GradeError, ConfigError):
        drafted = kind.drafted(trials)
        if drafted is not None and all(drafted.config.grade(it).passed for it in trials):
            return drafted
    return None
