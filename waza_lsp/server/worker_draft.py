"""The worker's answer to `draft`: graders that can be written from what was recorded of a task."""

import dataclasses
from contextlib import ExitStack
from typing import Any

from waza_engine.drafts import grader_drafts
from waza_engine.formats import dialect
from waza_engine.graders.registry import graders
from waza_engine.replayed import bench_for, recorded_task, replayed
from waza_engine.runs.grade import grading_context
from waza_engine.runs.workspace import WorkspaceError
from waza_lsp.server.recorded_entry import NothingError, Question, suite_of
from waza_lsp.server.worker_grade import newest_recordings


def drafted(question: Question) -> dict[str, Any]:
    """`{drafts: [{type, about, entry}]}`, each of which passes on all trials of the newest run."""
    suite, name = suite_of(question), question["task"]
    if not any(it.id == name for it in suite.plan.tasks):
        raise NothingError("the suite cannot be loaded as it is now")
    recordings = newest_recordings(suite, name)
    [folder, *_] = dialect(question["dialect"]).graders
    with ExitStack() as stack:
        trials = []
        for it in recordings:
            task = recorded_task(suite.plan, it)
            try:
                made = stack.enter_context(replayed(task, it))
            except WorkspaceError:
                continue
            bench = bench_for(suite.plan, it, suite.process_dir)
            trials.append(grading_context(bench, task, it.trajectory, made.workspace, made.captured))
        found = list(grader_drafts(graders(folder).values(), trials))
    return {"drafts": [dataclasses.asdict(it) for it in found]}
