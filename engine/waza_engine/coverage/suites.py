"""Which tasks of an eval test a skill, and what the agent is asked there."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from waza_engine.audit.intent import Intent, intent_of
from waza_engine.coverage.matching import ClauseState, Prompt, State, clause_states
from waza_engine.lib.files.vfs import Files
from waza_engine.lib.paths import real_path
from waza_engine.model.file_names import SKILL_FILE
from waza_engine.model.suite import Suite, Task, TriggerPrompt
from waza_engine.project.skills import Skill


@dataclass(frozen=True, slots=True)
class TestingEval:
    """An eval that tests a skill, with the ids of the tasks that do, and the prompts of these and of its trigger tests."""

    path: Path
    suite: Suite
    tasks: tuple[str, ...]
    prompts: tuple[Prompt, ...]
    has_triggers: bool = False
    """Whether its trigger tests are about the skill."""

    @property
    def prompts_of_triggers(self) -> tuple[TriggerPrompt, ...]:
        """The prompts of its trigger tests, if they are about the skill."""
        return self.suite.triggers.prompts if self.has_triggers and self.suite.triggers is not None else ()


@dataclass(frozen=True, slots=True)
class SkillCoverage:
    """A skill with the evals that test it, and the states of its clauses."""

    skill: Skill
    evals: tuple[TestingEval, ...]
    clauses: tuple[ClauseState, ...]

    @property
    def task_count(self) -> int:
        return sum(len(it.tasks) for it in self.evals)

    @property
    def parts(self) -> tuple[int, int]:
        """The number of covered parts and of all: its clauses, or the skill itself if it lists none.

        A clause counts as covered unless it is untested. Without a task or trigger prompt, nothing is covered.
        """
        has_prompts = any(it.prompts for it in self.evals)
        if not self.clauses:
            return int(has_prompts), 1
        covered = sum(it.state is not State.UNTESTED for it in self.clauses)
        return covered if has_prompts else 0, len(self.clauses)


def coverage_of(skill: Skill, suites: Iterable[Suite], files: Files) -> SkillCoverage:
    """Return how the suites cover a skill. Those that do not test it are left out."""
    evals = tuple(it for suite in suites if (it := _testing(skill, suite, files)) is not None)
    prompts = [prompt for it in evals for prompt in it.prompts]
    return SkillCoverage(skill, evals, clause_states(skill.description, prompts))


def _testing(skill: Skill, suite: Suite, files: Files) -> TestingEval | None:
    tasks = [it for it in suite.tasks if _tests(skill, suite, it, files)]
    has_triggers = suite.triggers is not None and suite.triggers.skill.strip() == skill.name
    # An eval of a skill counts even before it has its first task.
    if not tasks and not has_triggers and not _names(skill, suite, files):
        return None
    found = TestingEval(suite.path, suite, tuple(it.id for it in tasks), (), has_triggers)
    prompts = (
        *(Prompt(task_text(it), is_negative=intent_of(suite, it) is not Intent.WORK) for it in tasks),
        *(Prompt(it.prompt, it.should_trigger) for it in found.prompts_of_triggers),
    )
    return replace(found, prompts=prompts)


def task_text(task: Task) -> str:
    """Return what a task says about what it is about."""
    return "\n".join([task.id, task.name, task.description, *task.tags, task.prompt, *task.follow_ups])


def _names(skill: Skill, suite: Suite, files: Files) -> bool:
    """Whether an eval names the skill, and its directories do not hold another skill of this name."""
    if suite.skill.strip() != skill.name:
        return False
    folders = [suite.directory / it for it in suite.settings.skill_directories]
    if _holds(folders, skill.path):
        return True
    usual = (it / name / SKILL_FILE for it in folders for name in {skill.name, skill.path.parent.name})
    return not any(files.is_file(it) for it in usual)


def _tests(skill: Skill, suite: Suite, task: Task, files: Files) -> bool:
    """Whether a task tests a skill: it names it, or its skill directories lead to this skill only."""
    if suite.skill.strip():
        return _names(skill, suite, files)
    listed = suite.settings.skill_directories if task.skill_directories is None else task.skill_directories
    folders = [suite.directory / it for it in listed]
    if not folders:
        return _is_at_home(skill, suite)
    own = skill.path.parent
    if any(_same(it, own) or _same(it, skill.path) for it in folders):
        return True
    if not any(_same(it, own.parent) for it in folders):
        return False
    return _is_only_skill(own, files) or skill.name in set(_named_by_graders(suite, task))


def _holds(folders: Iterable[Path], path: Path) -> bool:
    return any(_same(it, path.parent) or _same(it, path.parent.parent) or _same(it, path) for it in folders)


def _same(one: Path, other: Path) -> bool:
    return one == other or real_path(one) == real_path(other)


def _is_at_home(skill: Skill, suite: Suite) -> bool:
    """Whether an eval that lists no skills is inside the skill's folder, or its own folder has the skill's name."""
    return suite.directory.is_relative_to(skill.path.parent) or suite.directory.name in {
        skill.name,
        skill.path.parent.name,
    }


def _is_only_skill(folder: Path, files: Files) -> bool:
    siblings = (folder.parent / it / SKILL_FILE for it in files.names(folder.parent) if it != folder.name)
    return not any(files.is_file(it) for it in siblings)


def _named_by_graders(suite: Suite, task: Task) -> Iterator[str]:
    """Yield the strings in the configs of the graders of a task, and its constraints: the names of skills are some of them."""
    for it in (*suite.graders, *task.graders):
        yield from _strings(it.config)
    for limit in task.constraints:
        yield from _strings(limit.value)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for it in value.values():
            yield from _strings(it)
    elif isinstance(value, list | tuple):
        for it in value:
            yield from _strings(it)
