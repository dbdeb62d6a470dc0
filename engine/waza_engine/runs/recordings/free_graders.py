"""Leave out graders that run programs or ask a model, to grade recordings without effects and without costs."""

from dataclasses import replace

from waza_engine.graders.registry import find_grader
from waza_engine.model.suite import GraderEntry, Suite


def is_free(entry: GraderEntry) -> bool:
    """Whether a grader runs no program and asks no model."""
    kind = find_grader(entry.type, entry.dialect)
    return kind is None or not (kind.executes or kind.asks_judge or not kind.deterministic)


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
