"""Loading an eval with everything it names into a `Suite`.

See docs/reference/waza-formats.md, sections 7, 10, 11.1 and 13.
"""

from pathlib import Path

from waza_engine.formats.reading import as_written, build, read_mapping
from waza_engine.formats.waza.custom_agent import custom_agent, held_to_its_tools
from waza_engine.formats.waza.dataset import dataset_tasks
from waza_engine.formats.waza.eval import EvalFile
from waza_engine.formats.waza.hooks import Hooks
from waza_engine.formats.waza.loader_rules import EvalKeys, refusals
from waza_engine.formats.waza.mock_files import command_mocks, mcp_mocks
from waza_engine.formats.waza.project_file import Project, find_project
from waza_engine.formats.waza.settings import Settings
from waza_engine.formats.waza.tasks import Surroundings, entries, load_tasks
from waza_engine.formats.waza.trigger_tests import load_trigger_tests
from waza_engine.scalars import plain
from waza_engine.suite import HOOKS, Hook, LoadError, Metric, RunSettings, Suite, Task


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
        raise LoadError(path, refusal.message, as_written(refusal.pointer, data))
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
