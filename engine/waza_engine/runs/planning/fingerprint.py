"""What tells a task from what it was: a text that changes with everything about it that can change a verdict.

That is the task, its graders, what both name (files that graders read, with the documents that their schemas refer to,
programs that they start, skills, repositories), and how the suite has it performed and judged. The agent that performs it
is told apart by the run (`RunFrame.agent`): whoever goes on with a run may name another one. What programs and assertions
read of their own accord nobody can know.

The files that verdicts depend on beside the agent's work: what graders read, and the programs that they start.

Each grader type declares which these are (`run_files`, `more_files`, `program_options`). What such a program reads of
its own accord nobody can know.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from waza_engine.graders.base import ConfigError, Grader
from waza_engine.graders.entry import Level, read_entry
from waza_engine.graders.registry import find_grader
from waza_engine.lib.files.digests import FileDigests, command_files, digest, file_digest
from waza_engine.lib.paths import is_directory
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.file_names import SKILL_FILE
from waza_engine.model.suite import GraderEntry, RunSettings, Task
from waza_engine.runs.planning.plan import Plan
from waza_engine.runs.trial.repositories import commit_of
from waza_engine.runs.trial.workspace import WorkspaceError, small_files

_MAX_FILES = 1000


class DigestCache:
    """Digests that are taken once: many tasks name the same big program, or the same folder of skills."""

    def __init__(self) -> None:
        self.of_file: Callable[[Path], str] = cache(file_digest)
        self.of_folder: Callable[[Path], FileDigests] = cache(folder_digests)


def grader_files(
    entries: Iterable[GraderEntry], level: Level, process_dir: Path, digests: DigestCache
) -> FileDigests:
    """The files of graders, as far as they are there. `process_dir` is the directory that the run is started in."""
    start = process_dir.absolute()
    return tuple(found for it in entries for found in _entry_files(it, level, start, digests))


def folder_digests(folder: Path) -> FileDigests:
    """The files below a folder, as far as they are of a usual size and number."""
    return tuple((it.target, digest(it.content)) for it in islice(small_files(folder), _MAX_FILES))


def _entry_files(
    entry: GraderEntry, level: Level, process_dir: Path, digests: DigestCache
) -> Iterator[tuple[str, str]]:
    kind = find_grader(entry.type, entry.dialect)
    if kind is None:
        return
    try:
        config = plain(kind.config_from_entry(read_entry(entry, entry.dialect, level).data, level))
    except ConfigError:
        return
    if isinstance(config, Mapping):
        for _, name in kind.run_files(config):
            path = process_dir / name
            yield name, digests.of_file(path)
            yield from digests.of_folder(path) if is_directory(path) else ()
        for path in sorted(kind.more_files(config, process_dir)):
            if found := digests.of_file(path):
                yield _portable_name(path, process_dir), found
        yield from _program_digests(kind, config, process_dir, digests)


def _portable_name(path: Path, process_dir: Path) -> str:
    """The same for the same file of a folder that has been moved."""
    return (path.relative_to(process_dir) if path.is_relative_to(process_dir) else path).as_posix()


def _program_digests(
    kind: type[Grader], config: Mapping[str, Any], process_dir: Path, digests: DigestCache
) -> FileDigests:
    if kind.program_options is None:
        return ()
    command, arguments = (config.get(it) for it in kind.program_options)
    if not isinstance(command, str):
        return ()
    listed = arguments if isinstance(arguments, list) else ()
    words = tuple(str(it) for it in listed)
    return command_files(command, words, process_dir, digest_of=digests.of_file)


def fingerprints(plan: Plan, process_dir: Path) -> Iterator[str]:
    """Those of the tasks of a plan that is run from this directory, in their order."""
    seen = _PlanDigests()
    around = _digest(_shared_inputs(plan, process_dir, seen))
    for it in plan.tasks:
        yield _digest((it, _task_inputs(it, plan, process_dir, seen), around))[:16]


class _PlanDigests(DigestCache):
    """What tasks have in common, looked at once for all of them."""

    def __init__(self) -> None:
        super().__init__()
        self.commit_of: Callable[[Path, str], str] = cache(_commit)


def _shared_inputs(plan: Plan, process_dir: Path, seen: _PlanDigests) -> tuple[Any, ...]:
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
        _relevant_settings(settings),
        skills,
        _process_dir_skills(process_dir) if settings.skills_of_process else (),
    )


def _relevant_settings(settings: RunSettings) -> RunSettings:
    """The settings without those that only say how often and how fast."""
    settings = replace(settings, trials=1, parallel=False, workers=0, fail_fast=False, use_cache=False)
    return replace(settings, baseline=False, own_judge_model="")


def _task_inputs(task: Task, plan: Plan, process_dir: Path, seen: _PlanDigests) -> tuple[Any, ...]:
    graders = (*task.graders, *(entry for it in task.checkpoints for entry in it.graders))
    files = () if plan.update_snapshots else grader_files(graders, "task", process_dir, seen)
    skills = [seen.of_folder(plan.suite.directory / it) for it in task.skill_directories or ()]
    return files, skills, [seen.commit_of(it.source, it.commit) for it in task.repos]


def _process_dir_skills(process_dir: Path) -> FileDigests:
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
