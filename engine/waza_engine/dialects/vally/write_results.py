"""Write a run as lines of vally's `results.jsonl` (docs/reference/vally.md, section 10.2)."""

from collections.abc import Iterator
from typing import Any

from waza_engine.dialects.vally.trajectory.write import vally_trajectory
from waza_engine.model.results.records import GraderOutcome, RunRecord, TaskRecord, TrialRecord
from waza_engine.model.results.threshold import eval_verdict, stimulus_score
from waza_engine.model.suite import CONSTRAINT, ExperimentArm, Scoring
from waza_engine.statistics.passes import multi_trial_metrics


def results(record: RunRecord) -> tuple[Iterator[dict[str, Any]], dict[str, Any]]:
    """Return one line per trial, and the summary line of the run."""
    trials = (_trial_result(record, trial) for task in record.tasks for trial in task.trials)
    return trials, _run_summary(record)


def _trial_result(record: RunRecord, trial: TrialRecord) -> dict[str, Any]:
    line: dict[str, Any] = {
        "type": "trial-result",
        "runId": record.run_id,
        "itemId": f"{trial.task}#{trial.trial - 1}",
        "trialIndex": trial.trial - 1,
        "status": "error" if trial.status == "error" else "success",
        "evalName": record.suite_name,
        "evalFilePath": record.eval_path,
        "stimulus": trial.task,
        "trajectory": vally_trajectory(trial, record.executor),
    }
    if trial.status in {"passed", "failed"}:
        line["gradeResult"] = _grade_result(trial)
    if trial.error:
        line["error"] = trial.error
    if trial.infrastructure:
        line["infrastructure"] = True
    if record.arm is not None:
        line["experiment"] = _experiment(record.arm)
    return line


def _experiment(arm: ExperimentArm) -> dict[str, Any]:
    return {
        "runId": arm.run_id,
        "name": arm.name,
        "variant": arm.variant,
        "baseline": arm.baseline,
        "evalFile": arm.eval_path,
        "evalHash": arm.eval_hash,
        "configHash": arm.config_hash,
    }


def _grade_result(trial: TrialRecord) -> dict[str, Any]:
    scored = [it for it in trial.graders if it.type != CONSTRAINT]
    passed = sum(it.passed for it in scored)
    return {
        "name": "aggregate",
        "kind": "code",
        "passed": trial.status == "passed",
        "score": trial.score,
        "evidence": f"{passed}/{len(scored)} graders passed",
        "details": [_grader_result(it) for it in trial.graders],
        "stimulusName": trial.task,
    }


def _grader_result(outcome: GraderOutcome) -> dict[str, Any]:
    members: dict[str, Any] = {
        "name": outcome.name,
        "kind": "code",
        "passed": outcome.passed,
        "score": outcome.score,
        "evidence": outcome.feedback,
    }
    if outcome.type and outcome.type != CONSTRAINT:
        members["graderType"] = outcome.type
    details = dict(outcome.details or {})
    # Details of vally's graders are already in its format; details of other graders are arbitrary.
    return {**members, **details} if "kind" in details else {**members, "metadata": details}


def _run_summary(record: RunRecord) -> dict[str, Any]:
    verdict = eval_verdict(record.scoring or Scoring(), record.tasks)
    # An unfinished run never passes, whatever its trials so far.
    passed = verdict.passed and record.status not in {"error", "cancelled"}
    summary = {
        "name": record.suite_name,
        "passed": passed,
        "scoringApplied": verdict.threshold is not None,
        "overallScore": verdict.overall_score,
        "threshold": verdict.threshold,
        "stimuliRun": verdict.stimuli_run,
        "stimuliTotal": max(record.planned, verdict.stimuli_total),
        "stimuli": [_stimulus(it) for it in record.tasks],
    }
    return {
        "type": "run-summary",
        "runId": record.run_id,
        "passed": passed,
        "hadExecutionErrors": verdict.had_execution_errors or record.status == "error",
        "evals": [summary],
    }


def _stimulus(task: TaskRecord) -> dict[str, Any]:
    """Return the metrics over all trials of a stimulus, in addition to vally's own members."""
    metrics = multi_trial_metrics([it.status == "passed" for it in task.trials if it.status != "error"])
    return {
        "name": task.task,
        "score": stimulus_score(task.stats) if task.stats else 0.0,
        "perTrialPassRate": metrics.per_trial_pass_rate,
        "passAtK": metrics.pass_at_k,
        "passToTheK": metrics.pass_to_the_k,
        "k": metrics.k,
        "isFlaky": metrics.is_flaky,
    }
