"""Fingerprint tasks: a string that changes with everything that can change a verdict.

It covers the task, its graders, everything both refer to (files that graders read, documents that their schemas
reference, programs that they start, skills, repositories) and the suite's settings for running and judging it. Each
grader type declares its files (`run_files`, `more_files`, `program_options`). Files that programs and assertions open
by themselves are unknown and not covered.

The agent is not part of the fingerprint. The run records it (`RunFrame.agent`), because a resumed run may use another
one.

Beside the fingerprint, each part of it has a digest of its own (`TaskParts`), so that two runs can tell which part has
changed. Parts ignore where files are and where an entry is in its file: a task that moved has not changed.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from waza_engine.graders.base import ConfigError, Grader
from waza_engine.graders.entry import Level, read_entry
from waza_engine.graders.registry import find_grader
from waza_engine.lib.files.digests import FileDigests, command_files, digest, file_digest
from waza_engine.lib.paths import is_directory
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.file_names import SKILL_FILE
from waza_engine.model.results.records import TaskParts
from waza_engine.model.suite import GraderEntry, RunSettings, Task
from waza_engine.runs.planning.plan import Plan
from waza_engine.runs.trial.repositories import commit_of
from waza_engine.runs.trial.workspace import WorkspaceError, small_files

_MAX_FILES = 1000


class DigestCache:
    """Cache of file and folder digests: many tasks use the same large program or skill folder."""

    def __init__(self) -> None:
        self.of_file: Callable[[Path], str] = cache(file_digest)
        self.of_folder: Callable[[Path], FileDigests] = cache(folder_digests)


def grader_files(
    entries: Iterable[GraderEntry], level: Level, process_dir: Path, digests: DigestCache
) -> FileDigests:
    """Return the digests of the graders' existing files. `process_dir` is the directory the run starts in."""
    start = process_dir.absolute()
    return tuple(pair for it in entries for pair in _entry_files(it, level, start, digests))


def folder_digests(folder: Path) -> FileDigests:
    """Return the digests of the files below a folder. Large files, and files past the first 1,000, are left out."""
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
            if checksum := digests.of_file(path):
                yield _portable_name(path, process_dir), checksum
        yield from _program_digests(kind, config, process_dir, digests)


def _portable_name(path: Path, process_dir: Path) -> str:
    """Return a name that stays the same when the whole folder is moved."""
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


class TaskPrint(NamedTuple):
    """The fingerprint of a task, and the digests of its parts."""

    whole: str
    parts: TaskParts


def task_prints(plan: Plan, process_dir: Path, root: Path | None = None) -> Iterator[TaskPrint]:
    """Yield the fingerprint of each task of the plan, in order. `process_dir` is where the run starts.

    With `root`, paths below it count from there: the parts of equal tasks are equal in two copies of a folder.
    """
    digests = _PlanDigests(root)
    inputs = _shared_inputs(plan, process_dir, digests)
    shared, parts = digests.of(inputs), _shared_parts(plan, inputs, digests)
    for it in plan.tasks:
        own = _task_inputs(it, plan, process_dir, digests)
        yield TaskPrint(digests.of((it, own, shared))[:16], _task_parts(it, own, parts, digests))


def value_digest(value: object, root: Path | None = None) -> str:
    """Return the digest of a value's `repr`, in which paths below `root` count from there."""
    text = repr(value)
    if root is not None:
        text = text.replace(repr(str(root))[1:-1], "")
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


class _PlanDigests(DigestCache):
    """Digests of one plan, with the commits of its repositories."""

    def __init__(self, root: Path | None) -> None:
        super().__init__()
        self.commit_of: Callable[[Path, str], str] = cache(_commit)
        self._root = root

    def of(self, value: object) -> str:
        """Return the digest of a value."""
        return value_digest(value, self._root)

    def short(self, value: object) -> str:
        """Return the digest of a part."""
        return self.of(value)[:12]


def _shared_inputs(plan: Plan, process_dir: Path, digests: _PlanDigests) -> tuple[Any, ...]:
    """Return what all tasks share and what can change the agent's work or its verdict."""
    suite, settings = plan.suite, plan.settings
    agent_inputs = (suite.dialect, suite.skill, suite.agent, suite.mcp_mocks, suite.hooks, suite.fixtures)
    grading = (suite.graders, suite.scoring, plan.skip_graders, plan.update_snapshots, plan.compares_skills)
    # With update_snapshots the run writes these files itself, so a change in them means nothing.
    files = () if plan.update_snapshots else grader_files(suite.graders, "eval", process_dir, digests)
    skills = [digests.of_folder(suite.directory / it) for it in settings.skill_directories]
    return (
        agent_inputs,
        grading,
        files,
        _relevant_settings(settings),
        skills,
        _process_dir_skills(process_dir) if settings.skills_of_process else (),
    )


def _relevant_settings(settings: RunSettings) -> RunSettings:
    """Return the settings without those that only control how often and how fast tasks run."""
    settings = replace(settings, trials=1, parallel=False, workers=0, fail_fast=False, use_cache=False)
    return replace(settings, baseline=False, own_judge_model="")


def _task_inputs(task: Task, plan: Plan, process_dir: Path, digests: _PlanDigests) -> tuple[Any, ...]:
    graders = (*task.graders, *(entry for it in task.checkpoints for entry in it.graders))
    files = () if plan.update_snapshots else grader_files(graders, "task", process_dir, digests)
    skills = [digests.of_folder(plan.suite.directory / it) for it in task.skill_directories or ()]
    return files, skills, [digests.commit_of(it.source, it.commit) for it in task.repos]


def _shared_parts(plan: Plan, inputs: tuple[Any, ...], digests: _PlanDigests) -> TaskParts:
    """Return the parts that all tasks share. `inputs` are those of `_shared_inputs`."""
    suite = plan.suite
    _, (_, *grading), files, settings, skills, process_skills = inputs
    agent = suite.agent and (suite.agent.name, suite.agent.body, suite.agent.tools)
    # Which agent ran is compared by name, not by digest.
    settings = replace(settings, executor="", model="", judge_model="", skill_directories=())
    return TaskParts(
        settings=digests.of((suite.dialect, suite.mcp_mocks, suite.hooks, settings)),
        graders=digests.of((_placeless(suite.graders), grading, files)),
        skill=digests.of((suite.skill, agent, skills, process_skills)),
    )


def _task_parts(task: Task, own: tuple[Any, ...], shared: TaskParts, digests: _PlanDigests) -> TaskParts:
    files, skills, commits = own
    points = [(it.after_turn, it.stops, _placeless(it.graders)) for it in task.checkpoints]
    limits = [(it.key, it.value) for it in task.constraints]
    grading = (_placeless(task.graders), points, task.expected, limits, task.rubric, files)
    inputs = [(it.target, digest(it.content), it.is_executable) for it in task.files]
    repos = [(it.dest, it.is_workspace) for it in task.repos]
    text = replace(task, **_OTHER_PARTS)
    return TaskParts(
        task=digests.short(text),
        settings=digests.short(shared.settings),
        graders=digests.short((grading, shared.graders)),
        skill=digests.short((task.skill_directories is None, skills, shared.skill)),
        fixtures=digests.short((inputs, task.workdir, repos, commits)),
    )


_OTHER_PARTS: Mapping[str, Any] = {
    **dict.fromkeys(
        ("graders", "checkpoints", "constraints", "rubric", "files", "repos", "warnings", "pointer"), ()
    ),
    "expected": {},
    "workdir": "",
    "skill_directories": None,
    "path": None,
}
"""What a task has beside its own text: other parts, and where it is."""


def _placeless(entries: Iterable[GraderEntry]) -> list[GraderEntry]:
    return [replace(it, path=None, pointer=()) for it in entries]


def _process_dir_skills(process_dir: Path) -> FileDigests:
    """Return the digests of the SKILL.md files only: the working directory may hold much else."""
    paths = sorted(process_dir.glob(f"*/{SKILL_FILE}"))
    own = file_digest(process_dir / SKILL_FILE)
    return ("", own), *((it.parent.name, file_digest(it)) for it in paths)


def _commit(source: Path, commit: str) -> str:
    try:
        return commit_of(source, commit)
    except WorkspaceError:
        return ""  # The task's trials will end with this error.
