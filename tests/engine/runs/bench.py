"""Build suites, scripted executors and runs with collected events for tests."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from waza_engine.executors.base import Executor, ExecutorOptions, Progress, TrialRequest, TriggerRequest
from waza_engine.executors.mock import MockExecutor
from waza_engine.model.judge import Judge
from waza_engine.model.results.records import RunRecord
from waza_engine.model.suite import GraderEntry, RunSettings, Suite, Task
from waza_engine.model.trajectory import Session, Trajectory
from waza_engine.runs.events import Event
from waza_engine.runs.live import RunOutputs
from waza_engine.runs.planning.plan import Overrides, make_plan
from waza_engine.runs.run import run_suite
from waza_engine.runs.store.store import RunStore
from waza_engine.runs.trial.grade import Bench as RunBench


def contains(*texts: str, name: str = "says", weight: float = 1.0) -> GraderEntry:
    return GraderEntry("text", name, weight, {"contains": list(texts)}, pointer=("graders", 0))


def task(task_id: str, prompt: str = "hello", **more: Any) -> Task:
    return Task(task_id, more.pop("name", task_id.title()), prompt, **more)


class Scripted:
    """An executor that calls a function of the test."""

    name: ClassVar[str] = "scripted"
    unknown: frozenset[str] = frozenset()

    def __init__(self, options: ExecutorOptions) -> None:
        self.requests: list[TrialRequest] = []
        self.perform: Callable[[TrialRequest], Awaitable[Trajectory]] = self._says_hello
        self.running = 0
        self.most_running = 0
        self.closed = 0

    async def start(self) -> None: ...

    async def run(self, request: TrialRequest, progress: Progress) -> Trajectory:
        self.requests.append(request)
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            return await self.perform(request)
        finally:
            self.running -= 1

    async def triggered(self, request: TriggerRequest) -> bool:
        return request.should_trigger

    async def close(self) -> None:
        self.closed += 1

    async def _says_hello(self, request: TrialRequest) -> Trajectory:
        await asyncio.sleep(0.01)
        return said(f"hello from {request.task.id}")


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110  # what it waits for happens in another process
            await asyncio.sleep(0.01)


def said(output: str, error: str = "") -> Trajectory:
    return Trajectory(output=output, error=error, session=Session())


@dataclass
class Bench:
    """Runs suites in a folder of their own."""

    folder: Path
    events: list[Event] = field(default_factory=list)
    store: RunStore | None = None
    judge: Judge | None = None
    emit_nothing: bool = False
    run_id: str = "run-1"

    def suite(self, *tasks: Task, graders: tuple[GraderEntry, ...] = (), **more: Any) -> Suite:
        settings = RunSettings(**{"executor": "scripted", "timeout_seconds": 5, **more.pop("settings", {})})
        return Suite(
            "waza",
            self.folder / "eval.yaml",
            self.folder,
            "demo",
            "demo-skill",
            settings,
            graders,
            tasks,
            **more,
        )

    async def run(self, suite: Suite, executor: Executor | None = None, **overrides: Any) -> RunRecord:
        performer = executor or MockExecutor(ExecutorOptions(self.folder))
        return await run_suite(
            RunBench(
                make_plan(suite, Overrides(**overrides), processors=4), performer, self.folder, self.judge
            ),
            RunOutputs(
                (lambda _: None) if self.emit_nothing else self.events.append,
                self.folder / "logs",
                self.store,
            ),
            self.run_id,
        )

    def names(self) -> list[str]:
        return [type(it).__name__ for it in self.events]
