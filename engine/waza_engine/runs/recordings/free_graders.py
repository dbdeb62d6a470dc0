"""Leave out graders that run programs, ask a model or write files, to grade recordings without effects and without costs."""

from collections.abc import Mapping
from dataclasses import replace

from waza_engine.graders.registry import find_grader
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.suite import GraderEntry, Suite


def is_free(entry: GraderEntry) -> bool:
    """Whether a grader runs no program, asks no model and writes no files."""
    kind = find_grader(entry.type, entry.dialect)
    if kind is None:
        return True
    return not (kind.executes or kind.asks_judge or not kind.deterministic or writes_files(entry))


def writes_files(entry: GraderEntry) -> bool:
    """Whether grading an entry writes files outside of the workspace."""
    kind, config = find_grader(entry.type, entry.dialect), plain(entry.config)
    return kind is not None and isinstance(config, Mapping) and kind.writes_files(config)


def free_suite(suite: Suite) -> tuple[Suite, list[GraderEntry]]:
    """Return the suite without such graders, and the graders that were left out."""
    left_out: list[GraderEntry] = []

    def free(entries: tuple[GraderEntry, ...]) -> tuple[GraderEntry, ...]:
        left_out.extend(it for it in entries if not is_free(it))
        return tuple(it for it in entries if is_free(it))

    tasks = tuple(
        replace(
            task,
            graders=free(task.graders),
            checkpoints=tuple(replace(it, graders=free(it.graders)) for it in task.checkpoints),
        )
        for task in suite.tasks
    )
    return replace(suite, graders=free(suite.graders), tasks=tasks), left_out
