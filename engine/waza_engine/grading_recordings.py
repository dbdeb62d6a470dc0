"""A recorded trial graded with the suite's graders as they are now: no agent, no cost."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from waza_engine.recordings import Recording
from waza_engine.replayed import bench_for, grade_again, plan_for_grading, recorded_task, replayed
from waza_engine.runs.judging import judge_for
from waza_engine.runs.records import TrialRecord


def grade_recording(
    eval_path: Path,
    recording: Recording,
    *,
    process_dir: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> TrialRecord:
    """What all graders of an eval say about one recorded trial of one of its tasks, as a run would give it.

    The files of the recording are laid out in a workspace, which is deleted afterwards. Graders that execute something
    do so: grade only suites that you would run. A judge is made from `environment` (by default that of the process)
    when a grader needs one. `process_dir` is where the run would have been started, by default the current directory.
    A grader that cannot work makes the record's `status` `error`; that is no exception.

    Raises:
        LoadError: the suite cannot be loaded.
        PlanError: it has no tasks.
        WorkspaceError: the workspace cannot be made.

    """
    start = process_dir or Path.cwd()
    plan = plan_for_grading(eval_path.absolute(), start)
    judge = judge_for(plan, os.environ if environment is None else environment)
    bench = replace(bench_for(plan, recording, start), judge=judge)
    with replayed(recorded_task(plan, recording), recording) as trial:
        return grade_again(bench, trial)
