"""Load an eval with its tasks, trigger tests and custom agent into a `Suite`.

See docs/reference/waza-formats.md, sections 7, 10, 11.1 and 13; section 6 for trigger tests; section 8, v0.31 for
custom agents (`<name>.agent.md`, with the tools that the agent may use).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from waza_engine.dialects.waza.checks.sequences import SCENARIO_VERSION, SEQUENCE_NEEDS_SCENARIO
from waza_engine.dialects.waza.formats.eval import EvalFile
from waza_engine.dialects.waza.formats.hooks import Hooks
from waza_engine.dialects.waza.formats.loading.dataset import dataset_tasks
from waza_engine.dialects.waza.formats.loading.entries import entries
from waza_engine.dialects.waza.formats.loading.lenient import build_leniently
from waza_engine.dialects.waza.formats.loading.mock_files import (
    command_mocks,
    have_sequences,
    mcp_mocks,
    refuse_bad_sequences,
)
from waza_engine.dialects.waza.formats.loading.project_file import Project, find_project
from waza_engine.dialects.waza.formats.loading.refusals import EvalKeys, refusals
from waza_engine.dialects.waza.formats.loading.tasks import Surroundings, load_tasks
from waza_engine.dialects.waza.formats.settings import Settings
from waza_engine.dialects.waza.formats.triggers import Prompt, TriggersFile
from waza_engine.lib.files.safe_read import MAX_SOURCE_BYTES, regular_text
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.reader import YamlError, read_front, split_front_matter
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.file_names import AGENT_SUFFIX, SKILL_FILE, TRIGGER_TESTS, WAZA_PROJECT
from waza_engine.model.pydantic_messages import value_text
from waza_engine.model.suite import (
    GROUPINGS,
    HOOKS,
    CustomAgent,
    GraderEntry,
    Hook,
    LoadError,
    Metric,
    RunSettings,
    Suite,
    Task,
    TriggerPrompt,
    TriggerTests,
)
from waza_engine.project.reading import build, pointer_in_file, read_mapping

_LISTS = (("should_trigger_prompts", True), ("should_not_trigger_prompts", False))


def load_trigger_tests(eval_dir: Path) -> TriggerTests | None:
    """Return the trigger tests of the eval in `eval_dir`; None without a file.

    Raises:
        LoadError: the file cannot be used. waza reports that only after all tasks have run.

    """
    path = eval_dir / TRIGGER_TESTS
    if not path.exists():
        return None
    tests = build(TriggersFile, read_mapping(path), path)
    prompts = tuple(
        _prompt(entry, should_trigger, path, (key, index))
        for key, should_trigger in _LISTS
        for index, entry in enumerate(getattr(tests, key))
    )
    if not prompts:
        raise LoadError(path, "The file has no prompts; list some under 'should_trigger_prompts'")
    return TriggerTests(tests.skill, prompts, path)


def _prompt(entry: Prompt, should_trigger: bool, path: Path, pointer: Pointer) -> TriggerPrompt:
    confidence = entry.confidence or "high"
    if confidence not in {"high", "medium"}:
        message = f"'confidence' must be high or medium, not {value_text(confidence)}"
        raise LoadError(path, message, (*pointer, "confidence"))
    return TriggerPrompt(entry.prompt, should_trigger, confidence)


_AGENT_FOLDERS = ("agents", ".github/agents", ".")
_LEVELS = 10
_CONSTRAINT = "tool_constraint"
_IMPLICIT = "agent_tools_implicit"
"""The name of the grader that waza adds for the agent's tools (docs/reference/waza-graders.md, section 2.7)."""


def custom_agent(name: str, eval_dir: Path, skill_directories: Iterable[Path]) -> CustomAgent | None:
    """Return the custom agent with a name; None without its file, or with a SKILL.md next to it, which wins."""
    if not name or "/" in name or "\\" in name:
        return None
    for folder in _folders(eval_dir, skill_directories):
        path = folder / f"{name}{AGENT_SUFFIX}"
        if path.is_file():
            return None if (folder / SKILL_FILE).is_file() else _read(path, name)
    return None


def with_tool_graders(
    tasks: Sequence[Task], agent: CustomAgent | None, eval_graders: Iterable[GraderEntry]
) -> list[Task]:
    """Add a grader for the agent's tools to the tasks, unless the eval or the task has a `tool_constraint` grader."""
    if agent is None or agent.tools is None or _is_constrained(eval_graders):
        return list(tasks)
    config = {"allow_only": [{"tool": it} for it in agent.tools]}
    implicit = GraderEntry(_CONSTRAINT, _IMPLICIT, config=config, path=agent.path)
    return [
        task if _is_constrained(task.graders) else replace(task, graders=(*task.graders, implicit))
        for task in tasks
    ]


def _is_constrained(entries: Iterable[GraderEntry]) -> bool:
    return any(it.type == _CONSTRAINT for it in entries)


def _folders(eval_dir: Path, skill_directories: Iterable[Path]) -> Iterator[Path]:
    for directory in skill_directories:
        yield directory
        yield from _subfolders(directory)
    for above in (eval_dir, *eval_dir.parents)[:_LEVELS]:
        yield from (above / it for it in _AGENT_FOLDERS)
        if (above / ".git").exists() or (above / WAZA_PROJECT).exists():
            return


def _subfolders(folder: Path) -> list[Path]:
    try:
        return sorted(it for it in folder.iterdir() if it.is_dir())
    except OSError:
        return []


def _read(path: Path, name: str) -> CustomAgent | None:
    try:
        parts = split_front_matter(regular_text(path, "utf-8-sig", MAX_SOURCE_BYTES))
        if parts is None:
            return None
        front = plain(read_front(parts.front))
    except (OSError, ValueError, YamlError):
        return None
    front = front if isinstance(front, dict) else {}
    return CustomAgent(path, str(front.get("name") or name), parts.body.strip(), _tools(front.get("tools")))


def _tools(value: Any) -> tuple[str, ...] | None:
    return tuple(str(it) for it in value) if isinstance(value, list) else None


def load_suite(path: Path, *, process_dir: Path, context_dir: Path | None = None) -> Suite:
    """Load the eval at `path`.

    `process_dir` is where the run starts: the search for `.waza.yaml` begins there, and some paths are relative to it.
    `context_dir` replaces the directory `fixtures` next to the eval.

    Raises:
        LoadError: the first error that would keep waza from running the suite.

    """
    data = read_mapping(path, strict_graders=True)
    spec, data, notes = build_leniently(EvalFile, "eval", data, path)
    for refusal in refusals(spec):
        raise LoadError(path, refusal.message, pointer_in_file(refusal.pointer, data))
    refuse_bad_sequences(data, path)
    project = find_project(process_dir)
    eval_dir = path.parent.absolute()
    commands = command_mocks(spec.command_mocks, path, ("command_mocks",), eval_dir)
    servers = mcp_mocks(spec.mcp_mocks, path, ("mcp_mocks",), eval_dir)
    if spec.schema_version != SCENARIO_VERSION:
        for key, has_some in (
            ("command_mocks", have_sequences(commands, ())),
            ("mcp_mocks", have_sequences((), servers)),
        ):
            if has_some:
                raise LoadError(path, SEQUENCE_NEEDS_SCENARIO, (key,))
    around = Surroundings(
        path,
        process_dir,
        context_dir or eval_dir / "fixtures",
        EvalKeys(spec.config.executor, spec.schema_version),
        data,
        tuple(spec.config.instruction_files),
        commands,
    )
    tasks, disabled, warnings = _tasks(spec, around)
    settings = _run_settings(spec, project, eval_dir)
    skill, graders = spec.skill or spec.agent, entries(spec.graders, path, ("graders",), data)
    agent = custom_agent(skill, eval_dir, [Path(it) for it in settings.skill_directories])
    return Suite(
        dialect="waza",
        path=path,
        directory=eval_dir,
        name=spec.name,
        skill=skill,
        settings=settings,
        graders=graders,
        tasks=tuple(with_tool_graders(tasks, agent, graders)),
        disabled=tuple(disabled),
        metrics=tuple(Metric(it.name, it.weight, it.threshold) for it in spec.metrics if it.enabled),
        hooks=_hooks(spec.hooks, path),
        triggers=load_trigger_tests(eval_dir),
        warnings=tuple(it for it in (*notes, *warnings, *_ignored_settings(spec), project.warning) if it),
        mcp_mocks=servers,
        agent=agent,
        fixtures=around.fixtures,
    )


def _tasks(spec: EvalFile, around: Surroundings) -> tuple[list[Task], list[Task], list[str]]:
    if spec.tasks_from:
        tasks, warnings = dataset_tasks(spec, around.eval_path)
        if spec.tasks:
            warnings.append("'tasks' is ignored because 'tasks_from' is set")
        return tasks, [], warnings
    if not spec.tasks:
        message = "The eval has no tasks; list task files under 'tasks'"
        raise LoadError(around.eval_path, message, ("tasks",) if "tasks" in around.data else ())
    return load_tasks(spec.tasks, around)


def _run_settings(spec: EvalFile, project: Project, eval_dir: Path) -> RunSettings:
    config, defaults = spec.config, project.settings.defaults
    return RunSettings(
        trials=config.trials_per_task,
        timeout_seconds=config.timeout_seconds,
        parallel=config.parallel or defaults.parallel,
        workers=_workers(config, defaults.workers),
        fail_fast=config.fail_fast,
        max_attempts=max(config.max_attempts, 1),
        executor=config.executor,
        model=config.model,
        judge_model=defaults.judge_model or config.judge_model,
        own_judge_model=config.judge_model,
        reasoning_effort=config.reasoning_effort,
        judge_reasoning_effort=config.judge_reasoning_effort,
        group_by=config.group_by,
        skill_directories=_skill_directories(config, project, eval_dir),
        required_skills=() if _skills_off(config) else tuple(config.required_skills),
        baseline=spec.baseline,
        program_timeout=project.settings.graders.program_timeout or 30,
        first_event_timeout_seconds=config.first_event_timeout_seconds,
        inject_skill_body=config.inject_skill_body,
        use_cache=project.settings.cache.enabled,
        skills_of_process=not _skills_off(config),
        mcp_servers={
            name: plain({key: value for key, value in server if key in server.model_fields_set})
            for name, server in config.mcp_servers.items()
        },
    )


def _workers(config: Settings, project_workers: int) -> int:
    """Return the eval's number of workers, or the project's. `max_workers` is the old name."""
    return max(config.workers or config.max_workers or project_workers, 0)


def _skills_off(config: Settings) -> bool:
    return "none" in config.skill_directories or "*" in config.disabled_skills


def _skill_directories(config: Settings, project: Project, eval_dir: Path) -> tuple[str, ...]:
    """Return absolute directories; the project's skills if the eval lists none."""
    if _skills_off(config):
        return ()
    disabled = set(config.disabled_skills)
    enabled = [it for it in config.skill_directories if it not in disabled and Path(it).name not in disabled]
    if config.skill_directories:
        return tuple(str(eval_dir / it) for it in enabled)
    return tuple(it for it in project.skill_directories() if Path(it).name not in disabled)


def _hooks(hooks: Hooks, path: Path) -> dict[str, tuple[Hook, ...]]:
    result: dict[str, tuple[Hook, ...]] = {}
    for key in HOOKS:
        for index, entry in enumerate(getattr(hooks, key)):
            if not entry.command.strip():
                raise LoadError(
                    path, f"'hooks.{key}[{index}].command' is blank", ("hooks", key, index, "command")
                )
            codes = tuple(entry.exit_codes) or (0,)
            hook = Hook(entry.command, entry.working_directory, codes, entry.error_on_fail)
            result[key] = (*result.get(key, ()), hook)
    return result


def _ignored_settings(spec: EvalFile) -> list[str]:
    """Return warnings about settings that no executor supports."""
    warnings = []
    if spec.config.group_by not in {"", *GROUPINGS}:
        known = " and ".join(f"'{it}'" for it in GROUPINGS)
        warnings.append(f"'config.group_by' {spec.config.group_by!r} is ignored; only {known} work")
    if spec.adversarial:
        warnings.append("'adversarial' has no effect on this run; only 'waza adversarial' runs attacks")
    if spec.config.trigger_skill_routing:
        warnings.append(
            "'config.trigger_skill_routing' has no effect: unless the skill's text is injected, the agent always "
            "chooses among its skills itself"
        )
    return warnings
