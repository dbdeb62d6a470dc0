"""What tells a task from what it was: a text that changes with everything about it that can change a verdict.

That is the task, its graders, what both name (files that graders read, programs that they start, skills, repositories),
and how the suite has it performed and judged. The agent that performs it is told apart by the run (`RunFrame.agent`):
whoever goes on with a run may name another one. What programs read of their own accord nobody can know.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from waza_engine.file_digests import FileDigests, file_digest
from waza_engine.runs.grader_files import folder_digests, grader_files
from waza_engine.runs.plan import Plan
from waza_engine.runs.repositories import commit_of
from waza_engine.runs.workspace import WorkspaceError
from waza_engine.suite import Repository, RunSettings, Task

_SKILL = "SKILL.md"


def fingerprints(plan: Plan, process_dir: Path) -> Iterator[str]:
    """Those of the tasks of a plan that is run from this directory, in their order."""
    around = _digest(_surroundings(plan, process_dir))
    for it in plan.tasks:
        yield _digest((it, _named_by(it, plan, process_dir), around))[:16]


def _surroundings(plan: Plan, process_dir: Path) -> tuple[Any, ...]:
    """What is the same for all tasks of a plan, and can change what an agent does or how it is judged."""
    suite, settings = plan.suite, plan.settings
    given = (suite.dialect, suite.skill, suite.agent, suite.mcp_mocks, suite.hooks, suite.fixtures)
    judged = (suite.graders, suite.scoring, plan.skip_graders, plan.update_snapshots, plan.compares_skills)
    # What is written by the run itself says nothing about changes.
    files = () if plan.update_snapshots else grader_files(suite.graders, "eval", process_dir)
    skills = [folder_digests(suite.directory / it) for it in settings.skill_directories]
    return (
        given,
        judged,
        files,
        _telling(settings),
        skills,
        _skills_of(process_dir) if settings.skills_of_process else (),
    )


def _telling(settings: RunSettings) -> RunSettings:
    """The settings without those that only say how often and how fast."""
    return replace(
        settings, trials=1, parallel=False, workers=0, fail_fast=False, use_cache=False, baseline=False
    )


def _named_by(task: Task, plan: Plan, process_dir: Path) -> tuple[Any, ...]:
    graders = (*task.graders, *(entry for it in task.checkpoints for entry in it.graders))
    files = () if plan.update_snapshots else grader_files(graders, "task", process_dir)
    skills = [folder_digests(plan.suite.directory / it) for it in task.skill_directories or ()]
    return files, skills, [_commit(it) for it in task.repos]


def _skills_of(process_dir: Path) -> FileDigests:
    """The skills of a folder in which much else may stand."""
    found = sorted(process_dir.glob(f"*/{_SKILL}"))
    own = file_digest(process_dir / _SKILL)
    return ("", own), *((it.parent.name, file_digest(it)) for it in found)


def _commit(repository: Repository) -> str:
    try:
        return commit_of(repository)
    except WorkspaceError:
        return ""  # Its trials are errors.


def _digest(what: object) -> str:
    return hashlib.sha256(repr(what).encode("utf-8", "replace")).hexdigest()
