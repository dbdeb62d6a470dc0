"""Grade the counter examples of an eval after a run that replayed its recordings: they must fail."""

import os
from collections.abc import Iterator
from pathlib import Path

from waza_engine.audit.run import AuditOptions, counter_problems
from waza_engine.executors.base import UnavailableError
from waza_engine.project.store_location import counter_folder
from waza_engine.runs.planning.participants import judge_for
from waza_engine.runs.planning.plan import Plan
from waza_engine.runs.trial.workspace import WorkspaceError


def failed_counter_examples(plan: Plan) -> Iterator[str]:
    """Yield why the counter examples of the plan's tasks make the run fail.

    Their graders may run programs and ask the judge, as those of the run have.
    """
    if not counter_folder(plan.suite.path).is_dir() or plan.skip_graders:
        return
    try:
        options = AuditOptions(with_programs=True, judge=judge_for(plan, os.environ))
        for task in plan.tasks:
            yield from (
                f"{it} (task '{task.id}')" for it in counter_problems(plan, task, Path.cwd(), options)
            )
    except (UnavailableError, WorkspaceError) as error:
        yield f"The counter examples cannot be graded: {error}"
