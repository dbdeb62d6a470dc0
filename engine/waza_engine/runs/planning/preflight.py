"""Grader entries that no run could use: found before the agent starts.

See docs/reference/waza-formats.md, sections 11.1 and 20, rows 5 to 7.

waza refuses entries that it cannot read, in tasks that are disabled or left out by a filter too. It finds unknown types and options that
do not fit together when the agent has already run; the checks that find them need nothing but the entry, so we say so first.

Whether the skills are there that the suite cannot do without (docs/reference/waza-formats.md, section 13.2).

A required skill counts as present only if one of the skill directories itself holds a SKILL.md with exactly that name
in its front matter; parents of skill folders are not searched.

What a run asks for and its executor makes no use of: said once, before the run, instead of silently doing nothing.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import ValidationError

from waza_engine.executors.base import (
    ALLOWED_TOOLS,
    COMMAND_MOCKS,
    MCP_SERVERS,
    REASONING_EFFORT,
    RESPONDER,
    SKILLS,
    SYSTEM_MESSAGE,
    Executor,
)
from waza_engine.executors.replay import ReplayExecutor
from waza_engine.graders.base import ConfigError
from waza_engine.graders.entry import Level, read_entry
from waza_engine.graders.registry import find_grader, graders
from waza_engine.lib.files.safe_read import regular_text
from waza_engine.lib.spelling import nearest
from waza_engine.lib.yaml.reader import front_matter
from waza_engine.model.fields import as_text
from waza_engine.model.file_names import SKILL_FILE
from waza_engine.model.findings import Scope
from waza_engine.model.suite import GraderEntry, LoadError, Suite, Task
from waza_engine.runs.planning.plan import Plan


def refuse_unreadable_graders(suite: Suite) -> None:
    """Read every grader entry of the suite.

    Raises:
        LoadError: one has an unknown type or key, a wrong type of value, or lacks what its type needs.

    """
    for it in suite.graders:
        _refuse_unreadable(suite, it, "eval")
    for task in suite.tasks:
        for it in _graders(task):
            _refuse_unreadable(suite, it, "task")
    for task in suite.disabled:
        for it in _graders(task):
            _refuse_undecodable(suite, it)


def _graders(task: Task) -> Iterator[GraderEntry]:
    yield from task.graders
    for it in task.checkpoints:
        yield from it.graders


def _refuse_undecodable(suite: Suite, entry: GraderEntry) -> None:
    """What is never made need not have a known type, or a word that the type knows: only its shape is looked at."""
    try:
        read = read_entry(entry, entry.dialect, "task")
    except ConfigError as error:
        raise _load_error(suite, entry, error) from error
    kind = find_grader(read.type, entry.dialect)
    try:
        if kind is not None:
            read.configure(kind)
    except ConfigError as error:
        cause = error.__cause__
        problems = cause.errors(include_url=False) if isinstance(cause, ValidationError) else []
        if not problems or any(it["type"] != "literal_error" for it in problems):
            raise _load_error(suite, entry, error) from error


def _refuse_unreadable(suite: Suite, entry: GraderEntry, level: Level) -> None:
    try:
        read = read_entry(entry, entry.dialect, level)
    except ConfigError as error:
        raise _load_error(suite, entry, error) from error
    kind = find_grader(read.type, entry.dialect)
    if kind is None:
        known = nearest(read.type, list(graders(suite.dialect))) if read.type else []
        advice = f"did you mean '{known[0]}'?" if known else f"known: {', '.join(graders(suite.dialect))}"
        message = f"unknown grader type '{read.type}'; {advice}" if read.type else "the grader has no type"
        raise LoadError(entry.path or suite.path, f"{_label(entry)}: {message}", (*entry.pointer, "type"))
    try:
        grader = read.configure(kind)
    except ConfigError as error:
        raise _load_error(suite, entry, error) from error
    if refusal := next(grader.refusals(Scope(executor=suite.settings.executor)), None):
        place = (*entry.pointer, "config", *refusal.pointer)
        raise LoadError(entry.path or suite.path, f"{_label(entry)}: {refusal.message}", place)


def _label(entry: GraderEntry) -> str:
    return f"grader '{entry.name or entry.type}'"


def _load_error(suite: Suite, entry: GraderEntry, error: ConfigError) -> LoadError:
    return LoadError(entry.path or suite.path, f"{_label(entry)}: {error}", (*entry.pointer, *error.pointer))


def missing_skills_problem(suite: Suite, skill_directories: Iterable[str]) -> str:
    """What is wrong with the required skills, in one sentence, or "" when all are there."""
    required = suite.settings.required_skills
    directories = [suite.directory / it for it in skill_directories]
    if not required:
        return ""
    if not directories:
        return (
            "config.required_skills lists skills, but there are no config.skill_directories to find them in"
        )
    present = {_skill_name(it / SKILL_FILE) for it in directories}
    missing = [it for it in required if it not in present]
    if not missing:
        return ""
    looked = ", ".join(str(it) for it in directories)
    return (
        f"Required skills not found: {', '.join(missing)}. A skill directory must itself hold the SKILL.md "
        f"(looked in {looked})"
    )


def _skill_name(path: Path) -> str | None:
    try:
        name = as_text(front_matter(regular_text(path, "utf-8-sig")).get("name"))
    except (OSError, ValueError):
        return None
    return name if isinstance(name, str) else None


def ignored_features(executor: Executor) -> frozenset[str]:
    """What the executor makes no use of; one that does not say makes use of everything."""
    return getattr(executor, "ignores", frozenset())


def ignored_features_note(plan: Plan, executor: Executor) -> str:
    """A sentence about it, or "" when there is nothing to say. A recorded agent had what it had."""
    if executor.name == ReplayExecutor.name:
        return ""
    unused = ignored_features(executor)
    names = [name for word, name in _requested_features(plan) if word in unused]
    if not names:
        return ""
    return f"The executor '{executor.name}' makes no use of: {', '.join(dict.fromkeys(names))}"


def _requested_features(plan: Plan) -> Iterator[tuple[str, str]]:
    settings, suite = plan.settings, plan.suite
    if any(it.responder for it in plan.tasks):
        yield RESPONDER, "inputs.responder"
    if any(it.instructions for it in plan.tasks):
        yield SYSTEM_MESSAGE, "instruction_files in the system message"
    if settings.inject_skill_body and suite.skill and settings.skill_directories:
        yield SYSTEM_MESSAGE, "the text of the skill in the system message"
    if settings.skill_directories:
        yield SKILLS, "skill_directories"
    if settings.mcp_servers:
        yield MCP_SERVERS, "mcp_servers"
    if suite.mcp_mocks:
        yield MCP_SERVERS, "mcp_mocks"
    if any(it.command_mocks for it in plan.tasks):
        yield COMMAND_MOCKS, "command_mocks"
    if settings.reasoning_effort:
        yield REASONING_EFFORT, "reasoning_effort"
    if (agent := suite.agent) and agent.tools is not None:
        yield ALLOWED_TOOLS, f"the tools of {agent.path.name}"
