"""What tells a task from what it was: a text that changes with everything about it that can change a verdict.

That is the task, its graders, what both name (files that graders read, with the documents that their schemas refer to,
programs that they start, skills, repositories), and how the suite has it performed and judged. The agent that performs it
is told apart by the run (`RunFrame.agent`): whoever goes on with a run may name another one. What programs and assertions
read of their own accord nobody can know.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from waza_engine.file_digests import FileDigests, file_digest
from waza_engine.file_names import SKILL_FILE
from waza_engine.runs.grader_files import Digests, grader_files
from waza_engine.runs.plan import Plan
from waza_engine.runs.repositories import commit_of
from waza_engine.runs.workspace import WorkspaceError
from waza_engine.suite import RunSettings, Task


def fingerprints(plan: Plan, process_dir: Path) -> Iterator[str]:
    """Those of the tasks of a plan that is run from this directory, in their order."""
    seen = _Seen()
    around = _digest(_surroundings(plan, process_dir, seen))
    for it in plan.tasks:
        yield _digest((it, _named_by(it, plan, process_dir, seen), around))[:16]


class _Seen(Digests):
    """What tasks have in common, looked at once for all of them."""

    def __init__(self) -> None:
        super().__init__()
        self.commit_of: Callable[[Path, str], str] = cache(_commit)


def _surroundings(plan: Plan, process_dir: Path, seen: _Seen) -> tuple[Any, ...]:
    """What is the same for all tasks of a plan, and can change what an agent does or how it is judged."""
    suite, settings = plan.suite, plan.settings
    given = (suite.dialect, suite.skill, suite.agent, suite.mcp_mocks, suite.hooks, suite.fixtures)
    judged = (suite.graders, suite.scoring, plan.skip_graders, plan.update_snapshots, plan.compares_skills)
    # What is written by the run itself says nothing about changes.
    files = () if plan.update_snapshots else grader_files(suite.graders, "eval", process_dir, seen)
    skills = [seen.of_folder(suite.directory / it) for it in settings.skill_directories]
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
    settings = replace(settings, trials=1, parallel=False, workers=0, fail_fast=False, use_cache=False)
    return replace(settings, baseline=False, own_judge_model="")


def _named_by(task: Task, plan: Plan, process_dir: Path, seen: _Seen) -> tuple[Any, ...]:
    graders = (*task.graders, *(entry for it in task.checkpoints for entry in it.graders))
    files = () if plan.update_snapshots else grader_files(graders, "task", process_dir, seen)
    skills = [seen.of_folder(plan.suite.directory / it) for it in task.skill_directories or ()]
    return files, skills, [seen.commit_of(it.source, it.commit) for it in task.repos]


def _skills_of(process_dir: Path) -> FileDigests:
    """The skills of a folder in which much else may stand."""
    found = sorted(process_dir.glob(f"*/{SKILL_FILE}"))
    own = file_digest(process_dir / SKILL_FILE)
    return ("", own), *((it.parent.name, file_digest(it)) for it in found)


def _commit(source: Path, commit: str) -> str:
    try:
        return commit_of(source, commit)
    except WorkspaceError:
        return ""  # Its trials are errors.


def _digest(what: object) -> str:
    return hashlib.sha256(repr(what).encode("utf-8", "replace")).hexdigest()
