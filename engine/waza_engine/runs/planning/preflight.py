"""Check a suite before the agent starts: grader entries, required skills, features that the executor ignores.

waza refuses entries that it cannot decode, even in tasks that are disabled or filtered out
(docs/reference/waza-formats.md, sections 11.1 and 20, rows 5 to 7). It detects unknown types and conflicting options
only after the agent has run. Those checks need only the entry, so we run them first.

A required skill is present only if one of the skill directories itself holds a SKILL.md with exactly that name in its
front matter (docs/reference/waza-formats.md, section 13.2). Parents of skill folders are not searched.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import ValidationError

from waza_engine.analysis.pipeline import entry_errors
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
from waza_engine.graders.base import ConfigError, Grader
from waza_engine.graders.entry import Level, read_entry
from waza_engine.graders.registry import find_grader, graders
from waza_engine.grading.grade import build, entry_message
from waza_engine.lib.files.safe_read import MAX_SOURCE_BYTES, regular_text
from waza_engine.lib.spelling import likely_names
from waza_engine.lib.yaml.reader import front_matter
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.fields import as_text
from waza_engine.model.file_names import SKILL_FILE
from waza_engine.model.findings import Scope
from waza_engine.model.suite import GraderEntry, LoadError, Suite, Task
from waza_engine.runs.planning.plan import Plan


def refuse_unreadable_graders(suite: Suite, process_dir: Path | None = None) -> None:
    """Check every grader entry of the suite. `process_dir` is the directory where the run starts.

    Raises:
        LoadError: an entry has an error that `waza-lsp check` reports: an unknown type or key, a value of the wrong
            type, a missing key, a pattern that does not compile ...

    """
    scope = Scope(suite.directory, process_dir, suite.settings.executor)
    for it in suite.graders:
        _refuse_unreadable(suite, it, "eval", scope)
    for task in suite.tasks:
        for it in _graders(task):
            _refuse_unreadable(suite, it, "task", scope)
    for task in suite.disabled:
        for it in _graders(task):
            _refuse_undecodable(suite, it)


def _graders(task: Task) -> Iterator[GraderEntry]:
    yield from task.graders
    for it in task.checkpoints:
        yield from it.graders


def _refuse_undecodable(suite: Suite, entry: GraderEntry) -> None:
    """Check only the shape of a disabled task's entry: unknown types and unknown enum values are allowed there."""
    try:
        read = read_entry(entry, entry.dialect, "task")
    except ConfigError as error:
        raise _load_error(suite, entry, error) from error
    kind = find_grader(read.type, entry.dialect, entry.config)
    try:
        if kind is not None:
            read.configure(kind)
    except ConfigError as error:
        cause = error.__cause__
        problems = cause.errors(include_url=False) if isinstance(cause, ValidationError) else []
        if not problems or any(it["type"] != "literal_error" for it in problems):
            raise _load_error(suite, entry, error) from error


def _refuse_unreadable(suite: Suite, entry: GraderEntry, level: Level, scope: Scope) -> None:
    try:
        read = read_entry(entry, entry.dialect, level)
    except ConfigError as error:
        raise _load_error(suite, entry, error) from error
    kind = find_grader(read.type, entry.dialect, entry.config)
    if kind is None:
        known = likely_names(read.type, list(graders(suite.dialect))) if read.type else []
        advice = f"did you mean '{known[0]}'?" if known else f"known: {', '.join(graders(suite.dialect))}"
        message = f"unknown grader type '{read.type}'; {advice}" if read.type else "the grader has no type"
        raise LoadError(entry.path or suite.path, f"{_label(entry)}: {message}", (*entry.pointer, "type"))
    try:
        build(entry, entry.dialect, level, scope)
    except ConfigError as error:
        raise _load_error(suite, entry, error) from error
    for it in entry_errors(entry.dialect, entry, scope, level):
        raise _load_error(suite, entry, ConfigError(entry_message(it), it.pointer))
    config = plain(kind.config_from_entry(read.data, level))
    for place, path in kind.run_files(config) if isinstance(config, dict) else ():
        if problem := _file_problem(kind, path, scope):
            raise _load_error(suite, entry, ConfigError(problem, ("config", *place)))


def _file_problem(kind: type[Grader], path: str, scope: Scope) -> str:
    """Return why a grader cannot use a file of the directory where the run starts, or "".

    A file beside the eval is no problem: other runs of the eval may start there.
    """
    if scope.process_dir is None or scope.eval_dir is None:
        return ""
    folders = (scope.process_dir, scope.eval_dir, scope.eval_dir / "fixtures", *scope.eval_dir.parents)
    found = next((it / path for it in folders if (it / path).exists()), None)
    if found is None:
        return kind.missing_file_message(path) if kind.requires_files else ""
    reader = kind.file_reader()
    if reader is None or not found.is_file():
        return ""
    try:
        problem = reader(regular_text(found, "utf-8-sig", MAX_SOURCE_BYTES))
    except (OSError, ValueError):
        return ""
    return f"{problem}: {kind.without_file}" if problem else ""


def _label(entry: GraderEntry) -> str:
    return f"grader '{entry.name or entry.type}'"


def _load_error(suite: Suite, entry: GraderEntry, error: ConfigError) -> LoadError:
    return LoadError(entry.path or suite.path, f"{_label(entry)}: {error}", (*entry.pointer, *error.pointer))


def missing_skills_problem(suite: Suite, skill_directories: Iterable[str]) -> str:
    """Return one sentence about required skills that are missing, or ""."""
    required = suite.settings.required_skills
    directories = [suite.directory / it for it in skill_directories]
    if not required:
        return ""
    if not directories:
        return "config.required_skills lists skills, but config.skill_directories names no directory to find them in"
    present = {_skill_name(it / SKILL_FILE) for it in directories}
    missing = [it for it in required if it not in present]
    if not missing:
        return ""
    searched = ", ".join(str(it) for it in directories)
    return (
        f"Required skills not found: {', '.join(missing)}. A skill directory must itself hold the SKILL.md "
        f"(searched: {searched})"
    )


def _skill_name(path: Path) -> str | None:
    try:
        name = as_text(front_matter(regular_text(path, "utf-8-sig", MAX_SOURCE_BYTES)).get("name"))
    except (OSError, ValueError):
        return None
    return name if isinstance(name, str) else None


def ignored_features(executor: Executor) -> frozenset[str]:
    """Return the features that the executor ignores. The attribute is optional; without it, none are ignored."""
    return getattr(executor, "ignores", frozenset())


def ignored_features_note(plan: Plan, executor: Executor) -> str:
    """Return one sentence about the plan's features that the executor ignores, or "". Replay has no such note."""
    if executor.name == ReplayExecutor.name:
        return ""
    unused = ignored_features(executor)
    names = [name for feature, name in _requested_features(plan) if feature in unused]
    if not names:
        return ""
    return f"The {executor.name} executor ignores {', '.join(dict.fromkeys(names))}"


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
    if suite.mcp_mocks or any(it.mcp_mocks for it in plan.tasks):
        yield MCP_SERVERS, "mcp_mocks"
    if any(it.command_mocks for it in plan.tasks):
        yield COMMAND_MOCKS, "command_mocks"
    if settings.reasoning_effort:
        yield REASONING_EFFORT, "reasoning_effort"
    if (agent := suite.agent) and agent.tools is not None:
        yield ALLOWED_TOOLS, f"the tools of {agent.path.name}"
