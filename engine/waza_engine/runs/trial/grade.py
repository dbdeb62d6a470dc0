"""Grade a trial: build the graders' context, find graders that cannot work, and locate each verdict's entry.

Two checks count beside the graders: how often mocked programs were called (`command_mocks[].expect_calls`), and
whether a custom agent used only the tools that its file allows (docs/reference/waza-formats.md, section 8).
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from waza_engine.analysis.pipeline import entry_errors
from waza_engine.executors.base import TOOL_CALLS, TOOL_NAMES, Executor
from waza_engine.executors.mock import MockExecutor
from waza_engine.executors.replay import ReplayExecutor
from waza_engine.executors.tool_names import is_same_tool
from waza_engine.graders.base import ConfigError, Demand, GraderResult, GradingContext
from waza_engine.graders.entry import Level
from waza_engine.graders.registry import find_grader
from waza_engine.graders.result import GraderFailure, RunVerdict
from waza_engine.grading.grade import GradeEntry, build, entry_message, grade_entry, grade_task
from waza_engine.lib.process.sandbox import using
from waza_engine.lib.queries.store import kept_fresh
from waza_engine.model.findings import Scope
from waza_engine.model.judge import NO_JUDGE, Judge
from waza_engine.model.results.records import GraderOutcome, TrialRecord
from waza_engine.model.results.scores import Status, mean, weighted_mean
from waza_engine.model.suite import CONSTRAINT, CustomAgent, GraderEntry, Task
from waza_engine.model.trajectory import Trajectory
from waza_engine.recognition.recognise import dialect_for
from waza_engine.runs.planning.participants import needs_judge
from waza_engine.runs.planning.plan import Plan
from waza_engine.runs.trial.unavailable import guard_context, unavailable_to_code
from waza_engine.runs.trial.workspace import CapturedFiles


@dataclass(frozen=True, slots=True)
class Bench:
    """What all trials of a run share: plan, executor, judge. `process_dir` is where the run was started."""

    plan: Plan
    executor: Executor
    process_dir: Path
    judge: Judge | None = None
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    memory: dict[Any, Any] = field(default_factory=dict)
    """Results about entries that are taken again."""
    grade: GradeEntry = grade_entry
    """How one entry is graded."""


def unusable_grader_record(bench: Bench, task: Task) -> TrialRecord | None:
    """Return the error record for the task's first grader that cannot be built, or None if all can."""
    suite = bench.plan.suite
    scope = Scope(suite.directory, bench.process_dir, bench.plan.settings.executor)
    checkpoints = tuple(entry for it in task.checkpoints for entry in it.graders)
    leveled: list[tuple[Level, tuple[GraderEntry, ...]]] = [("task", checkpoints)]
    if not bench.plan.skip_graders:
        leveled = [("eval", suite.graders), ("task", task.graders), *leveled]
    for level, entries in leveled:
        for it in entries:
            if problem := _known_problem(bench, it, level, scope):
                failure = GraderFailure(it.name, it.type, problem[0], problem[1])
                verdict = RunVerdict("error", error=failure)
                return _trial_record(
                    task, Trajectory(), verdict, (*suite.graders, *task.graders, *checkpoints)
                )
    return None


_Problem = tuple[Literal["config", "grade"], str]


def _known_problem(bench: Bench, entry: GraderEntry, level: Level, scope: Scope) -> _Problem | None:
    key = _known_problem, id(entry), level, scope, bench.executor.name, bench.judge is None
    # The entry is kept with the result, so that no other one gets its id.
    found = kept_fresh(bench.memory, key, lambda: (entry, _entry_problem(bench, entry, level, scope)))
    problem: _Problem | None = found.value[1]
    return problem


def _entry_problem(bench: Bench, entry: GraderEntry, level: Level, scope: Scope) -> _Problem | None:
    try:
        build(entry, entry.dialect, level, scope)
    except ConfigError as error:
        return "config", str(error)
    if found := entry_errors(entry.dialect, entry, scope, level):
        return "config", entry_message(found[0])
    if bench.judge is None and needs_judge(entry) and not _can_do_without_judge(bench, entry):
        return "config", NO_JUDGE
    executor = bench.executor
    if problem := unavailable_to_code(entry, executor.name, executor.unknown):
        return "grade", problem
    return None


def _can_do_without_judge(bench: Bench, entry: GraderEntry) -> bool:
    """Return whether to run without a judge: if the run is free, only the grader that needs it should fail."""
    is_free = bench.executor.name in {MockExecutor.name, ReplayExecutor.name}
    return is_free and dialect_for(entry.dialect).judge_is_optional


def grade_trial(
    bench: Bench, task: Task, trajectory: Trajectory, workspace: Path | None, captured: CapturedFiles
) -> TrialRecord:
    """Grade a trial. With `skip_graders` only the agent's error counts (docs/reference/waza-formats.md, section 13.10)."""
    plan = bench.plan
    trajectory = _with_tool_error(bench, trajectory)
    if plan.skip_graders:
        status: Status = "error" if trajectory.error else "skipped"
        return TrialRecord(
            task.id,
            0,
            1,
            status,
            0.0,
            0.0,
            trajectory,
            error=trajectory.error,
            infrastructure=trajectory.infrastructure,
        )
    context = grading_context(bench, task, trajectory, workspace, captured)
    with using(plan.settings.sandbox):
        verdict = grade_task(
            plan.suite.dialect, task, plan.suite.graders, plan.suite.scoring, context, bench.grade
        )
    if plan.compares_skills and plan.suite.scoring is None and verdict.status == "failed":
        verdict = _without_skill_graders(verdict, plan.suite.dialect)
    entries = (*plan.suite.graders, *task.graders, *_constraint_entries(task))
    record = _trial_record(task, trajectory, verdict, entries)
    return _with_call_counts(record, tuple(call_count_outcomes(task, trajectory)))


def _with_tool_error(bench: Bench, trajectory: Trajectory) -> Trajectory:
    if TOOL_NAMES in bench.executor.unknown or TOOL_CALLS in bench.executor.unknown:
        return trajectory
    error = denied_tool_error(bench.plan.suite.agent, trajectory)
    return trajectory.model_copy(update={"error": error}) if error and not trajectory.error else trajectory


def denied_tool_error(agent: CustomAgent | None, trajectory: Trajectory) -> str:
    """Return the error for the first tool call that the agent's file does not allow, or ""."""
    if agent is None or agent.tools is None:
        return ""
    for it in trajectory.tool_events:
        if not any(is_same_tool(known, it.tool_name) for known in agent.tools):
            return f"The custom agent '{agent.name}' called '{it.tool_name}', which its tools do not allow"
    return ""


def call_count_outcomes(task: Task, trajectory: Trajectory) -> Iterator[GraderOutcome]:
    """Yield a verdict for each mock with `expect_calls`."""
    for it in task.command_mocks:
        if it.expect_calls is None:
            continue
        count = sum(call.command == it.name for call in trajectory.command_invocations)
        is_right = count == it.expect_calls
        yield GraderOutcome(
            name=f"_expect_calls:{it.name}",
            type="",
            status="passed" if is_right else "failed",
            score=float(is_right),
            weight=1.0,
            feedback="" if is_right else f"{it.name} was called {count} times, expected {it.expect_calls}",
            details={"calls": count, "expected": it.expect_calls},
        )


def _with_call_counts(record: TrialRecord, calls: tuple[GraderOutcome, ...]) -> TrialRecord:
    """Return the record with the verdicts on mocked programs, which count like those of graders."""
    if not calls or record.status == "error":
        return record
    graders = (*record.graders, *calls)
    return replace(
        record,
        graders=graders,
        status="passed" if record.status == "passed" and all(it.passed for it in calls) else "failed",
        score=mean([it.score for it in graders]),
        weighted_score=weighted_mean([(it.score, it.weight) for it in graders]),
    )


def _without_skill_graders(verdict: RunVerdict, dialect: str) -> RunVerdict:
    """Return the verdict without graders that need skills: in a run with a baseline they do not count.

    See docs/reference/waza-formats.md, section 13.7.
    """
    counted = [it for it in verdict.results.values() if not _demands_skills(it.type, dialect)]
    open_ = [it.result.infrastructure for it in counted if not it.result.passed]
    return replace(verdict, status="failed" if open_ else "passed", infrastructure=any(open_) and all(open_))


def _demands_skills(grader_type: str, dialect: str) -> bool:
    kind = find_grader(grader_type, dialect)
    return kind is not None and Demand.SKILLS in kind.demands.values()


def _trial_record(
    task: Task, trajectory: Trajectory, verdict: RunVerdict, entries: tuple[GraderEntry, ...]
) -> TrialRecord:
    outcomes = tuple(_with_expected_pointer(task, it) for it in grader_outcomes(verdict, entries))
    # An agent whose endpoint was down has shown nothing, whatever the graders found.
    is_open = trajectory.infrastructure or (verdict.infrastructure and not trajectory.error)
    return TrialRecord(
        task=task.id,
        task_index=0,
        trial=1,
        status="error" if is_open else verdict.status,
        score=verdict.score,
        weighted_score=verdict.weighted_score,
        trajectory=trajectory,
        graders=outcomes,
        error=trajectory.error or _error_of(verdict, outcomes),
        infrastructure=is_open,
    )


def _error_of(verdict: RunVerdict, outcomes: Sequence[GraderOutcome]) -> str:
    if verdict.error or not verdict.infrastructure:
        return str(verdict.error or "")
    return next(f"grader '{it.name or it.type}': {it.feedback}" for it in outcomes if it.infrastructure)


def _constraint_entries(task: Task) -> tuple[GraderEntry, ...]:
    """Return the task's constraints as grader entries, so that verdicts can be traced to their place."""
    return tuple(
        GraderEntry(CONSTRAINT, it.verdict_name, 0.0, path=task.path, pointer=it.pointer)
        for it in task.constraints
    )


def _with_expected_pointer(task: Task, outcome: GraderOutcome) -> GraderOutcome:
    """Return the outcome; one of the task's output expectations gets the place of its list."""
    option = outcome.name.removeprefix("_")
    if outcome.path or outcome.type or task.path is None or option not in task.expected:
        return outcome
    return replace(outcome, path=task.path, pointer=(*task.pointer, "expected", option))


def grader_outcomes(verdict: RunVerdict, entries: tuple[GraderEntry, ...]) -> Iterator[GraderOutcome]:
    """Yield the verdicts with the place of their entry. Of several entries with one name, the last one wins."""
    if failure := verdict.error:
        entry = next((it for it in entries if (it.name, it.type) == (failure.name, failure.type)), None)
        path, pointer = (entry.path, entry.pointer) if entry else (None, ())
        yield GraderOutcome(
            failure.name,
            failure.type,
            "error",
            0.0,
            1.0,
            failure.message,
            path=path,
            pointer=pointer,
            infrastructure=failure.infrastructure,
        )
        return
    by_name = {it.name: it for it in entries}
    for name, grade in verdict.results.items():
        entry = None if name.startswith("_output_") and not grade.type else by_name.get(name)
        yield GraderOutcome(
            name=name,
            type=grade.type,
            status=_result_status(grade.result),
            score=grade.result.score,
            weight=grade.weight,
            feedback=grade.result.feedback,
            details=grade.result.details,
            duration_ms=grade.duration_ms,
            path=entry.path if entry else None,
            pointer=entry.pointer if entry else (),
            parts=grade.result.parts,
            infrastructure=grade.result.infrastructure,
        )


def _result_status(result: GraderResult) -> Literal["passed", "failed", "error"]:
    return "error" if result.infrastructure else result.status or ("passed" if result.passed else "failed")


def grading_context(
    bench: Bench, task: Task, trajectory: Trajectory, workspace: Path | None, captured: CapturedFiles
) -> GradingContext:
    """Return what the graders see (docs/reference/waza-graders.md, section 3)."""
    context = GradingContext(
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
        update_snapshots=bench.plan.update_snapshots,
        error=trajectory.error,
        rubric=task.rubric,
        diff=trajectory.patch,
        baseline_files={it.target: it.content for it in task.files},
    )
    context = guard_context(context, bench.executor.name, bench.executor.unknown)
    is_last = dialect_for(bench.plan.suite.dialect).output_is_last_message
    return _with_last_message(context) if is_last else context


def _with_last_message(context: GradingContext) -> GradingContext:
    """Use the agent's last non-empty message as the output (docs/reference/vally.md, section 7.1)."""
    messages = [it.get("content") for it in context.transcript if it.get("type") == "assistant.message"]
    last = next((it for it in reversed(messages) if isinstance(it, str) and it.strip()), context.output)
    return replace(context, output=last)


def _task_data(task: Task) -> Mapping[str, Any]:
    inputs = {"prompt": task.prompt, "context": dict(task.context)}
    return {"id": task.id, "name": task.name, "description": task.description, "inputs": inputs}
