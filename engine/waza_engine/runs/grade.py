"""Grading inside a run: what the graders see, which of them cannot work, and where each verdict belongs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from waza_engine.executors.base import Executor
from waza_engine.graders.base import ConfigError, GradingContext
from waza_engine.graders.entry import Level
from waza_engine.graders.registry import newest_generation
from waza_engine.grading import GraderFailure, RunVerdict, build
from waza_engine.judges.base import Judge
from waza_engine.runs.judging import NO_JUDGE, needs_judge
from waza_engine.runs.plan import Plan
from waza_engine.runs.records import GraderOutcome
from waza_engine.runs.workspace import Captured
from waza_engine.scope import Scope
from waza_engine.suite import GraderEntry, Task
from waza_engine.trajectory import Trajectory


@dataclass(frozen=True, slots=True)
class Bench:
    """What all trials of a run share. `process_dir` is the directory that the run was started in."""

    plan: Plan
    executor: Executor
    process_dir: Path
    judge: Judge | None = None


def unusable_grader(bench: Bench, task: Task) -> RunVerdict | None:
    """The first grader that cannot be built, as the verdict it will lead to."""
    suite = bench.plan.suite
    scope = Scope(suite.directory, bench.process_dir, bench.plan.settings.executor)
    leveled: list[tuple[Level, tuple[GraderEntry, ...]]] = [("eval", suite.graders), ("task", task.graders)]
    for level, entries in leveled:
        for it in entries:
            try:
                build(it, newest_generation(it.type), level, scope)
            except ConfigError as error:
                return RunVerdict("error", error=GraderFailure(it.name, it.type, "config", str(error)))
            if bench.judge is None and needs_judge(it):
                return RunVerdict("error", error=GraderFailure(it.name, it.type, "config", NO_JUDGE))
    return None


def grading_context(
    bench: Bench, task: Task, trajectory: Trajectory, workspace: Path, captured: Captured
) -> GradingContext:
    """What the graders see (waza-graders.md, section 3)."""
    return GradingContext(
        output=trajectory.output,
        transcript=trajectory.transcript,
        session=trajectory.session,
        tool_events=trajectory.tool_events,
        skills=trajectory.skills,
        prompt=task.prompt,
        task=_task_data(task),
        duration_ms=trajectory.duration_ms,
        workspace_dir=workspace,
        captured_files=captured.contents,
        process_dir=bench.process_dir,
        session_id=trajectory.session_id,
        judge=bench.judge,
        judge_model=bench.plan.settings.judge_model,
        judge_reasoning_effort=bench.plan.settings.judge_reasoning_effort,
    )


def _task_data(task: Task) -> Mapping[str, Any]:
    inputs = {"prompt": task.prompt, "context": dict(task.context)}
    return {"id": task.id, "name": task.name, "description": task.description, "inputs": inputs}


def outcomes(verdict: RunVerdict, entries: tuple[GraderEntry, ...]) -> Iterator[GraderOutcome]:
    """The verdicts with the place of the entry that gave them: of several with one name, the last."""
    if failure := verdict.error:
        entry = next((it for it in entries if (it.name, it.type) == (failure.name, failure.type)), None)
        path, pointer = (entry.path, entry.pointer) if entry else (None, ())
        yield GraderOutcome(
            failure.name, failure.type, "error", 0.0, 1.0, failure.message, path=path, pointer=pointer
        )
        return
    places = {it.name: it for it in entries}
    for name, it in verdict.results.items():
        entry = None if name.startswith("_output_") and not it.type else places.get(name)
        yield GraderOutcome(
            name=name,
            type=it.type,
            status="passed" if it.result.passed else "failed",
            score=it.result.score,
            weight=it.weight,
            feedback=it.result.feedback,
            details=it.result.details,
            duration_ms=it.duration_ms,
            path=entry.path if entry else None,
            pointer=entry.pointer if entry else (),
        )
