"""Grade the counter examples of an eval after its recordings were graded: they must fail."""

import os
from collections.abc import Iterator
from pathlib import Path

from waza_engine.audit.run import AuditOptions, counter_problems
from waza_engine.executors.base import UnavailableError
from waza_engine.project.store_location import counter_folder
from waza_engine.runs.planning.participants import judge_for
from waza_engine.runs.planning.plan import Plan
from waza_engine.runs.trial.workspace import WorkspaceError


def failed_counter_examples(plan: Plan, *, only_free: bool = False) -> Iterator[str]:
    """Yield why the counter examples of the plan's tasks make the command fail.

    Their graders may run programs and ask the judge, as those of the run have, unless `only_free` is set.
    """
    if not counter_folder(plan.suite.path).is_dir() or plan.skip_graders:
        return
    try:
        options = AuditOptions(not only_free, None if only_free else judge_for(plan, os.environ))
        for task in plan.tasks:
            yield from (
                f"{it} (task '{task.id}')" for it in counter_problems(plan, task, Path.cwd(), options)
            )
    except (UnavailableError, WorkspaceError) as error:
        yield f"The counter examples cannot be graded: {error}"
