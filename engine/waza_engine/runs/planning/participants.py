"""Choose who takes part in a run: the judge, and the executor for an agent program.

A judge is created only if a grader or a simulated user needs one. The endpoint in the environment comes first; a run
with the Copilot CLI falls back to the CLI, as waza does.

`--agent-command` needs an executor that starts a program. If the eval's executor starts none, `command` is used;
otherwise the option would be silently ignored.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from waza_engine.executors.base import NO_AGENT, Executor, UnavailableError
from waza_engine.executors.registry import executor_names, starts_agent
from waza_engine.graders.registry import find_grader
from waza_engine.lib.process.environment import PASS_VARIABLE, withheld_secrets
from waza_engine.lib.process.sandbox_choice import Sandbox, sandbox_in
from waza_engine.model.judge import Judge, JudgeMissing
from waza_engine.model.suite import GraderEntry, Suite
from waza_engine.project.settings import Projects
from waza_engine.runs.planning.plan import Overrides, Plan, PlanError

_COPILOT = "copilot-sdk"


def judge_for(plan: Plan, environment: Mapping[str, str]) -> Judge | None:
    """Return the judge that the environment, the project and the eval configure, or None if none is needed or configured.

    Raises:
        UnavailableError: the endpoint of a judge cannot be used.

    """
    is_needed = any(needs_judge(it) for it in _grader_entries(plan)) or any(it.responder for it in plan.tasks)
    if not is_needed:
        return None
    # Imported here: most runs need no HTTP client.
    from waza_engine.judges.openai import OpenAIJudge
    from waza_engine.judges.providers import ProviderError, RoutedJudge, provider_judge

    model = plan.settings.model
    default: Judge | None
    try:
        default = OpenAIJudge.from_environment(environment, model)
    except JudgeMissing:
        default = _copilot_judge(plan, environment) if plan.settings.executor == _COPILOT else None
    try:
        routes = tuple(
            (pattern, provider_judge(data, where, environment, model))
            for pattern, where, data in _providers(plan.suite)
        )
    except ProviderError as error:
        raise UnavailableError(str(error)) from error
    return RoutedJudge(routes, default, model) if routes else default


def _providers(suite: Suite) -> Iterator[tuple[str, str, Any]]:
    """Yield the judges of the project, then the eval's own: the models, the setting's name, and its value."""
    for pattern, data in Projects().of(suite.directory).judges_of(suite.dialect).items():
        yield pattern, f"{suite.dialect}.judges.'{pattern}'", data
    if suite.judge_provider is not None:
        yield "*", "judge_provider", suite.judge_provider


def _copilot_judge(plan: Plan, environment: Mapping[str, str]) -> Judge:
    from waza_engine.executors.copilot_cli import cli_environment, cli_path, provider
    from waza_engine.judges.copilot import CopilotJudge

    model = plan.settings.model or environment.get("COPILOT_MODEL", "")
    return CopilotJudge(
        model, cli_path(environment), provider(environment) or None, cli_environment(environment, model)
    )


def protection_warning(plan: Plan) -> str:
    """Return what the kernel does not protect from code that graders evaluate; "" if nothing is missing."""
    kinds = (find_grader(it.type, it.dialect) for it in _grader_entries(plan))
    if not any(kind is not None and kind.evaluates_code for kind in kinds):
        return ""
    # Imported here: most runs evaluate no code.
    from waza_engine.assertions.wall import missing_parts

    missing = "; ".join(missing_parts())
    return f"assertions run with less protection on this system: {missing}" if missing else ""


def with_sandbox(plan: Plan, environment: Mapping[str, str]) -> Plan:
    """Return the plan with its sandbox: the one of the overrides, else of the environment, else of the project."""
    if plan.overrides.sandbox is not None:
        return plan
    own = sandbox_in(environment)
    project = Projects().of(plan.suite.directory).sandbox
    if own is not None and project is not None and not own.image:
        own = replace(own, image=project.image)
    return replace(plan, settings=replace(plan.settings, sandbox=own or project or Sandbox()))


def sandbox_problem(plan: Plan, executor: Executor) -> str:
    """Return why the run cannot be confined as it should be; "" if it can, or need not be."""
    sandbox = plan.settings.sandbox
    if not sandbox.confines or sandbox.unreadable:
        return sandbox.unreadable
    if not (getattr(executor, "ignores", frozenset()) >= NO_AGENT or getattr(executor, "confines", False)):
        return (
            f"The executor '{executor.name}' cannot start its agent in the sandbox '{sandbox.kind}'. Use the executor "
            "command or acp, or --sandbox none"
        )
    # Imported here: most runs have no sandbox.
    from waza_engine.lib.process.sandbox import problem_with

    return problem_with(sandbox)


def withheld_variables_note(plan: Plan, environment: Mapping[str, str]) -> str:
    """Return a note about the credentials that the programs of this run do not get; "" if it starts none."""
    kinds = (find_grader(it.type, it.dialect) for it in _grader_entries(plan))
    is_started = (
        starts_agent(plan.settings.executor)
        or any(plan.suite.hooks.values())
        or any(it.setup for it in plan.tasks)
        or any(kind is not None and kind.executes and not kind.evaluates_code for kind in kinds)
    )
    names = withheld_secrets(environment) if is_started else []
    if not names:
        return ""
    return (
        f"agents, hooks and graders' programs do not get {', '.join(names)}. Pass what they need with --pass-env NAME "
        f"or {PASS_VARIABLE}"
    )


def needs_judge(entry: GraderEntry) -> bool:
    """Return whether the grader needs a judge for its verdict."""
    kind = find_grader(entry.type, entry.dialect)
    return kind is not None and kind.asks_judge


def _grader_entries(plan: Plan) -> Iterable[GraderEntry]:
    yield from plan.suite.graders
    for task in plan.tasks:
        yield from task.graders
        for it in task.checkpoints:
            yield from it.graders


def with_agent(overrides: Overrides, suite: Suite) -> Overrides:
    """Return the overrides with the executor `command` if an agent is named and the suite's executor starts none.

    Raises:
        PlanError: the executor in the overrides starts no agent.
        UnavailableError: an executor cannot be loaded.

    """
    if problem := unused_agent_problem(overrides):
        raise PlanError(problem)
    if not overrides.agent_command or overrides.executor or starts_agent(suite.settings.executor):
        return overrides
    # Imported late: it brings asyncio, which grading recordings does not need.
    from waza_engine.executors.command import CommandExecutor

    return replace(overrides, executor=CommandExecutor.name)


def unused_agent_problem(overrides: Overrides) -> str:
    """Return why the agent command would be ignored, or "". Unknown executors are reported elsewhere.

    Raises:
        UnavailableError: the executor cannot be loaded.

    """
    name = overrides.executor
    if not overrides.agent_command or name not in executor_names() or starts_agent(name):
        return ""
    return (
        f"--agent-command works only with the executors command and acp; '{name}' starts no program. "
        "Drop --agent-command or --executor"
    )
