"""Build the trace document of a run: its index, and the data of one trial at a time.

The document is plain JSON data (`editor-client/viewer/src/trace.ts` has its types). Whoever shows its texts must escape them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from waza_engine.model.results.evidence import FailedCheck
from waza_engine.model.results.records import GraderOutcome, RunRecord, TaskRecord, TrialRecord
from waza_engine.reports.evidence import Source, Sources
from waza_engine.reports.trace.steps import Step, steps_of
from waza_engine.reports.trace.targets import Target, Targets
from waza_engine.reports.trace.workspace import workspace_data, workspace_of
from waza_engine.runs.totals import trial_totals

VERSION = 1
_MOST_CHECKS = 500
"""A grader with more failed checks shows the first ones."""
Data = dict[str, Any]


def index_of(runs: Sequence[RunRecord], entries: Sequence[Data]) -> Data:
    """Return the index of a page. `entries` are those of `index_entry`, in the order of the trials."""
    data: Data = {"version": VERSION, "title": _title(runs), "trials": list(entries)}
    is_one = bool(runs) and all(it is runs[0].baseline for it in runs[1:])
    return data | ({"run": _run_data(runs[0])} if is_one and runs[0].run_id else {})


def _title(runs: Sequence[RunRecord]) -> str:
    names = list(dict.fromkeys(it.suite_name for it in runs if it.suite_name))
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "") or "Trace"


def _run_data(run: RunRecord) -> Data:
    return {
        "id": run.run_id,
        "suite": run.suite_name,
        "eval_path": run.eval_path,
        "executor": run.executor,
        "model": run.model,
        "started_at": run.started_at,
        "status": run.status,
    }


def index_entry(task: TaskRecord, trial: TrialRecord, origin: str = "") -> Data:
    """Return the entry of a trial in the index: what the first screen shows of it. `origin` names its file."""
    session = trial.trajectory.session
    usage = session.usage if session else None
    data: Data = {
        "task": trial.task,
        "name": task.name or trial.task,
        "trial": trial.trial,
        "status": trial.status,
        # Without a verdict, there is no score.
        "score": trial.score if trial.status != "skipped" else None,
        "duration_ms": trial.trajectory.duration_ms,
        "turns": usage.turns if usage else 0,
        "tool_calls": session.tool_call_count if session else 0,
        "tokens_in": usage.input_tokens if usage else 0,
        "tokens_out": usage.output_tokens if usage else 0,
    }
    used = trial_totals(trial).consumption
    more = {
        "cost": used.judge_cost,
        "premium_requests": used.premium_requests,
        "error": trial.error,
        "origin": origin,
    }
    return data | {key: it for key, it in more.items() if it}


@dataclass(frozen=True, slots=True)
class TrialDocuments:
    """Builds the data of trials. Use one object per page: it reads each eval file once."""

    sources: Sources = field(default_factory=Sources)

    def trial(self, trial: TrialRecord) -> Data:
        """Return the data of a trial."""
        trajectory = trial.trajectory
        steps = steps_of(trajectory)
        workspace = workspace_of(trajectory, steps, trial.workspace)
        targets = Targets.of(trajectory, steps, workspace)
        data: Data = {
            "prompt": trajectory.prompt,
            "output": trajectory.output,
            "error": trial.error or trajectory.error,
            "model": trajectory.model,
            "duration_ms": trajectory.duration_ms,
            "steps": [_step_data(it) for it in steps],
            "workspace": workspace_data(workspace),
            "graders": [*self._graders(trial, targets)],
        }
        usage = trajectory.session.usage if trajectory.session else None
        return data | ({"usage": usage.model_dump(mode="json")} if usage else {})

    def _graders(self, trial: TrialRecord, targets: Targets) -> Iterator[Data]:
        for point in trial.checkpoints:
            yield from (self._grader(it, targets, point.after_turn) for it in point.graders)
        yield from (self._grader(it, targets, 0) for it in trial.graders)

    def _grader(self, outcome: GraderOutcome, targets: Targets, after_turn: int) -> Data:
        source = self.sources.find(outcome, outcome.pointer)
        parts = outcome.parts[:_MOST_CHECKS]
        if not parts and not outcome.passed:
            parts = (FailedCheck((), outcome.feedback or "It did not pass"),)
        data: Data = {
            "name": outcome.name or outcome.type,
            "type": outcome.type,
            "status": outcome.status,
            "score": outcome.score,
            "weight": outcome.weight,
            "feedback": outcome.feedback,
            "after_turn": after_turn,
            "checks": [self._check(outcome, it, targets.of_check(it, after_turn)) for it in parts],
        }
        entry = "\n".join(line for _, line in self.sources.entry(outcome))
        return (
            data | ({"source": _source_data(source)} if source else {}) | ({"entry": entry} if entry else {})
        )

    def _check(self, outcome: GraderOutcome, check: FailedCheck, target: Target | None) -> Data:
        source = self.sources.find(outcome, outcome.pointer_of(check))
        data: Data = {
            "message": check.message,
            "wanted": check.wanted,
            "found": check.found,
            "actual": check.actual,
            "excerpt": check.excerpt,
            "pointer": list(check.pointer),
        }
        return (
            data
            | ({"source": _source_data(source)} if source else {})
            | ({"target": target} if target else {})
        )


def _source_data(source: Source) -> Mapping[str, Any]:
    return {"file": source.file, "line": source.line}


def _step_data(step: Step) -> Data:
    data: Data = {
        "n": step.n,
        "kind": step.kind,
        "turn": step.turn,
        "at_ms": step.at_ms,
        "duration_ms": step.duration_ms,
        "text": step.text,
    }
    if step.call is not None:
        call = step.call
        data["call"] = {
            "id": call.id,
            "name": call.name,
            "arguments": call.arguments,
            "result": call.result,
            "success": call.success,
        }
        if call.error:
            data["call"]["error"] = call.error
    tokens = {"tokens_in": step.tokens_in, "tokens_out": step.tokens_out}
    return data | {key: it for key, it in tokens.items() if it is not None}
