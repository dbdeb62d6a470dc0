"""Run trigger tests: prompts that must, or must not, make the agent load the skill.

See docs/reference/waza-formats.md, section 6. All prompts run in parallel, limited by the number of workers. A prompt
that ends with an error counts as a wrong prediction. One that could not be run for reasons of infrastructure does not
count.
"""

import asyncio
from pathlib import Path

from waza_engine.executors.base import Executor, ExecutorError, TriggerRequest
from waza_engine.lib.process.shortage import ShortageError
from waza_engine.model.results.records import TriggerResult
from waza_engine.model.suite import TriggerPrompt, TriggerTests
from waza_engine.runs.planning.plan import Plan
from waza_engine.runs.trial.retries import Retries
from waza_engine.runs.trial.workspace import small_files

_WORKERS = 4
"""Default number of parallel prompts, even in a sequential run."""


async def run_triggers(
    plan: Plan, tests: TriggerTests, executor: Executor, process_dir: Path
) -> tuple[TriggerResult, ...]:
    """Run every prompt in a workspace of its own. Results are in the order of the file.

    Raises:
        UnavailableError: the executor cannot run trigger tests.

    """
    settings = plan.settings
    fixtures = plan.suite.fixtures
    files = await asyncio.to_thread(lambda: tuple(small_files(fixtures) if fixtures else ()))
    directories = (
        *((process_dir,) if settings.skills_of_process else ()),
        *(plan.suite.directory / it for it in settings.skill_directories),
    )
    gate = asyncio.Semaphore(settings.workers if settings.workers > 0 else _WORKERS)

    async def ask(it: TriggerPrompt) -> TriggerResult:
        request = TriggerRequest(
            prompt=it.prompt,
            skill=tests.skill,
            should_trigger=it.should_trigger,
            model=settings.model,
            timeout_seconds=settings.timeout_seconds,
            skill_directories=directories,
            files=files,
        )
        retries = Retries(plan.overrides.retry_infrastructure, lambda _: None)
        async with gate:
            triggered, error, is_outage = await _triggered(executor, request)
            while is_outage and await retries.wait(error):
                triggered, error, is_outage = await _triggered(executor, request)
        return TriggerResult(
            it.prompt, it.confidence or "high", it.should_trigger, triggered, error, is_outage
        )

    return tuple(await asyncio.gather(*(ask(it) for it in tests.prompts)))


async def _triggered(executor: Executor, request: TriggerRequest) -> tuple[bool, str, bool]:
    """Return whether the skill was loaded, or an error and whether it is one of infrastructure."""
    try:
        return await executor.triggered(request), "", False
    except ExecutorError as problem:
        return False, str(problem), problem.infrastructure
    except (OSError, ShortageError) as problem:
        # The machine's state: no space for a workspace, for example.
        return False, f"The prompt could not be run: {problem}", True
