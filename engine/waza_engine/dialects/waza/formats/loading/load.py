"""Loading an eval with everything it names into a `Suite`.

See docs/reference/waza-formats.md, sections 7, 10, 11.1 and 13.

Loading the trigger tests beside an eval (docs/reference/waza-formats.md, section 6).

The custom agent under test: its `<name>.agent.md`, and the tools that it may use.

See docs/reference/waza-formats.md, section 8, v0.31.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from waza_engine.dialects.waza.formats.eval import EvalFile
from waza_engine.dialects.waza.formats.hooks import Hooks
from waza_engine.dialects.waza.formats.loading.dataset import dataset_tasks
from waza_engine.dialects.waza.formats.loading.mock_files import command_mocks, mcp_mocks
from waza_engine.dialects.waza.formats.loading.project_file import Project, find_project
from waza_engine.dialects.waza.formats.loading.refusals import EvalKeys, refusals
from waza_engine.dialects.waza.formats.loading.tasks import Surroundings, entries, load_tasks
from waza_engine.dialects.waza.formats.settings import Settings
from waza_engine.dialects.waza.formats.triggers import Prompt, TriggersFile
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.reader import YamlError, read_yaml, split_front_matter
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.file_names import AGENT_SUFFIX, SKILL_FILE, TRIGGER_TESTS, WAZA_PROJECT
from waza_engine.model.pydantic_messages import value_text
from waza_engine.model.suite import (
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
    """The trigger tests of the eval in `eval_dir`, None when there are none.

    Raises:
        LoadError: the file is there and cannot be used. waza says so only after all tasks have run.

    """
    path = eval_dir / TRIGGER_TESTS
    if not path.exists():
        return None
    tests = build(TriggersFile, read_mapping(path), path)
    prompts = tuple(
        _prompt(it, wanted, path, (key, index))
        for key, wanted in _LISTS
        for index, it in enumerate(getattr(tests, key))
    )
    if not prompts:
        raise LoadError(path, "There are no prompts; list some under 'should_trigger_prompts'")
    return TriggerTests(tests.skill, prompts, path)


def _prompt(entry: Prompt, wanted: bool, path: Path, pointer: Pointer) -> TriggerPrompt:
    confidence = entry.confidence or "high"
    if confidence not in {"high", "medium"}:
        message = f"'confidence' must be high or medium, not {value_text(confidence)}"
        raise LoadError(path, message, (*pointer, "confidence"))
    return TriggerPrompt(entry.prompt, wanted, confidence)


_USUAL = ("agents", ".github/agents", ".")
_LEVELS = 10
_CONSTRAINT = "tool_constraint"
_IMPLICIT = "agent_tools_implicit"
"""The name of the grader that waza adds (docs/reference/waza-graders.md, section 2.7)."""


def custom_agent(name: str, eval_dir: Path, skill_directories: Iterable[Path]) -> CustomAgent | None:
    """The custom agent of that name; None when there is none, or a SKILL.md stands beside its file, which wins."""
    if not name or "/" in name or "\\" in name:
        return None
    for folder in _folders(eval_dir, skill_directories):
        path = folder / f"{name}{AGENT_SUFFIX}"
        if path.is_file():
            return None if (folder / SKILL_FILE).is_file() else _read(path, name)
    return None


def held_to_its_tools(
    tasks: Sequence[Task], agent: CustomAgent | None, eval_graders: Iterable[GraderEntry]
) -> list[Task]:
    """The tasks, with a grader for the agent's tools, unless a grader of the eval or the task speaks of tools itself."""
    if agent is None or agent.tools is None or _is_constrained(eval_graders):
        return list(tasks)
    config = {"allow_only": [{"tool": it} for it in agent.tools]}
    implicit = GraderEntry(_CONSTRAINT, _IMPLICIT, config=config, path=agent.path)
    return [
        it if _is_constrained(it.graders) else replace(it, graders=(*it.graders, implicit)) for it in tasks
    ]


def _is_constrained(entries: Iterable[GraderEntry]) -> bool:
    return any(it.type == _CONSTRAINT for it in entries)


def _folders(eval_dir: Path, skill_directories: Iterable[Path]) -> Iterator[Path]:
    for it in skill_directories:
        yield it
        yield from _below(it)
    for above in (eval_dir, *eval_dir.parents)[:_LEVELS]:
        yield from (above / it for it in _USUAL)
        if (above / ".git").exists() or (above / WAZA_PROJECT).exists():
            return


def _below(folder: Path) -> list[Path]:
    try:
        return sorted(it for it in folder.iterdir() if it.is_dir())
    except OSError:
        return []


def _read(path: Path, name: str) -> CustomAgent | None:
    try:
        parts = split_front_matter(path.read_text(encoding="utf-8-sig"))
        if parts is None:
            return None
        front = plain(read_yaml(parts.front)) if parts.front else {}
    except (OSError, UnicodeDecodeError, YamlError):
        return None
    front = front if isinstance(front, dict) else {}
    return CustomAgent(path, str(front.get("name") or name), parts.body.strip(), _tools(front.get("tools")))


def _tools(value: Any) -> tuple[str, ...] | None:
    return tuple(str(it) for it in value) if isinstance(value, list) else None


def load_suite(path: Path, *, process_dir: Path, context_dir: Path | None = None) -> Suite:
    """Load the eval at `path`.

    `process_dir` is where the run is started: `.waza.yaml` is looked for from there, and some paths begin there.
    `context_dir` replaces the directory `fixtures` beside the eval.

    Raises:
        LoadError: something that would keep waza from running the suite; the first thing found.

    """
    data = read_mapping(path, strict_graders=True)
    spec = build(EvalFile, data, path)
    for refusal in refusals(spec):
        raise LoadError(path, refusal.message, pointer_in_file(refusal.pointer, data))
    project = find_project(process_dir)
    eval_dir = path.parent.absolute()
    around = Surroundings(
        path,
        process_dir,
        context_dir or eval_dir / "fixtures",
        EvalKeys(spec.config.executor, spec.schema_version),
        data,
        tuple(spec.config.instruction_files),
        command_mocks(spec.command_mocks, path, ("command_mocks",), eval_dir),
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
        tasks=tuple(held_to_its_tools(tasks, agent, graders)),
        disabled=tuple(disabled),
        metrics=tuple(Metric(it.name, it.weight, it.threshold) for it in spec.metrics if it.enabled),
        hooks=_hooks(spec.hooks, path),
        triggers=load_trigger_tests(eval_dir),
        warnings=tuple(it for it in (*warnings, *_ignored(spec), project.warning) if it),
        mcp_mocks=mcp_mocks(spec.mcp_mocks, path),
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
        message = "There are no tasks; list task files under 'tasks'"
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
            name: plain({key: value for key, value in it if key in it.model_fields_set})
            for name, it in config.mcp_servers.items()
        },
    )


def _workers(config: Settings, of_project: int) -> int:
    """The eval's own number, then the project's; `max_workers` is the old name."""
    return max(config.workers or config.max_workers or of_project, 0)


def _skills_off(config: Settings) -> bool:
    return "none" in config.skill_directories or "*" in config.disabled_skills


def _skill_directories(config: Settings, project: Project, eval_dir: Path) -> tuple[str, ...]:
    """Absolute directories. Without any in the eval, the skills of the project are used."""
    if _skills_off(config):
        return ()
    disabled = set(config.disabled_skills)
    listed = [it for it in config.skill_directories if it not in disabled and Path(it).name not in disabled]
    if config.skill_directories:
        return tuple(str(eval_dir / it) for it in listed)
    return tuple(it for it in project.skill_directories() if Path(it).name not in disabled)


def _hooks(hooks: Hooks, path: Path) -> dict[str, tuple[Hook, ...]]:
    found: dict[str, tuple[Hook, ...]] = {}
    for key in HOOKS:
        for index, it in enumerate(getattr(hooks, key)):
            if not it.command.strip():
                raise LoadError(
                    path, f"'hooks.{key}[{index}].command' is blank", ("hooks", key, index, "command")
                )
            codes = tuple(it.exit_codes) or (0,)
            hook = Hook(it.command, it.working_directory, codes, it.error_on_fail)
            found[key] = (*found.get(key, ()), hook)
    return found


def _ignored(spec: EvalFile) -> list[str]:
    """What the eval says, and no executor could do anything about."""
    found = []
    if spec.config.group_by not in {"", "model"}:
        found.append(f"'config.group_by' {spec.config.group_by!r} is ignored; only 'model' works")
    if spec.adversarial:
        found.append("'adversarial' has no effect on this run; only 'waza adversarial' tries attacks")
    if spec.config.trigger_skill_routing:
        found.append(
            "'config.trigger_skill_routing' has no effect here: unless the skill's text is injected, the agent chooses "
            "among its skills by itself anyway"
        )
    return found
