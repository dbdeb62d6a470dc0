"""Export a run as OpenTelemetry spans, by the conventions for generative AI (extra `otel`).

One span for the run, one `invoke_agent` per trial, one `execute_tool` per tool call with recorded times. Verdicts are
`gen_ai.evaluation.result` events of the trial's span. Messages of agents and users are not sent.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from waza_engine.model.results.records import GraderOutcome, RunRecord, TrialRecord

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

_SUITE_STATUS = {"passed": "success", "failed": "failure", "error": "failure", "cancelled": "aborted"}
_CASE_STATUS = {"passed": "pass", "failed": "fail", "error": "fail"}
_LONGEST_EXPLANATION = 1000


def trace_run(record: RunRecord, tracer: "Tracer") -> None:
    """Create the spans of a finished run, with the times of the run."""
    from opentelemetry import trace

    start = _nanoseconds(record.started_at * 1000)
    attributes: dict[str, str | float] = {
        "test.suite.name": record.suite_name,
        "test.suite.run.status": _SUITE_STATUS[record.status],
        "waza.run.id": record.run_id,
        "waza.executor": record.executor,
        "waza.score": record.totals.aggregate_score,
    }
    run = tracer.start_span(f"run {record.suite_name}", attributes=attributes, start_time=start)
    _mark_error(run, record.error)
    context = trace.set_span_in_context(run)
    for task in record.tasks:
        for trial in task.trials:
            _trace_trial(record, trial, tracer, context)
    run.end(start + _nanoseconds(record.duration_ms))


def _trace_trial(record: RunRecord, trial: TrialRecord, tracer: "Tracer", context: Any) -> None:
    from opentelemetry import trace

    start = _nanoseconds(trial.started_at * 1000)
    span = tracer.start_span(
        f"invoke_agent {record.executor}",
        context=context,
        kind=trace.SpanKind.CLIENT,
        attributes=dict(_trial_attributes(record, trial)),
        start_time=start,
    )
    _mark_error(span, trial.error)
    inside = trace.set_span_in_context(span)
    for name, call, begin, end, is_good in _tool_calls(trial):
        tool = tracer.start_span(
            f"execute_tool {name}",
            context=inside,
            attributes={
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": name,
                "gen_ai.tool.call.id": call,
            },
            start_time=start + _nanoseconds(begin),
        )
        _mark_error(tool, "" if is_good else "the tool failed")
        tool.end(start + _nanoseconds(end))
    end = start + _nanoseconds(trial.trajectory.duration_ms)
    for outcome in trial.graders:
        span.add_event("gen_ai.evaluation.result", dict(_evaluation(outcome)), end)
    span.end(end)


def _trial_attributes(record: RunRecord, trial: TrialRecord) -> Iterator[tuple[str, str | int | float]]:
    trajectory = trial.trajectory
    yield "gen_ai.operation.name", "invoke_agent"
    yield "gen_ai.agent.name", record.executor
    yield "test.case.name", trial.task
    yield "waza.trial", trial.trial
    yield "waza.attempts", trial.attempts
    yield "waza.score", trial.score
    if status := _CASE_STATUS.get(trial.status):
        yield "test.case.result.status", status
    if model := trajectory.model or record.model:
        yield "gen_ai.request.model", model
    if trajectory.session_id:
        yield "gen_ai.conversation.id", trajectory.session_id
    if trajectory.session and trajectory.session.usage:
        yield "gen_ai.usage.input_tokens", trajectory.session.usage.input_tokens
        yield "gen_ai.usage.output_tokens", trajectory.session.usage.output_tokens


def _evaluation(outcome: GraderOutcome) -> Iterator[tuple[str, str | float]]:
    yield "gen_ai.evaluation.name", outcome.name or outcome.type
    yield "gen_ai.evaluation.score.value", outcome.score
    yield "gen_ai.evaluation.score.label", outcome.status
    if outcome.feedback:
        yield "gen_ai.evaluation.explanation", outcome.feedback[:_LONGEST_EXPLANATION]


def _tool_calls(trial: TrialRecord) -> Iterator[tuple[str, str, int, int, bool]]:
    """Yield name, id, start and end (milliseconds into the trial) and success of each call with recorded times."""
    ends = {
        event.get("tool_call_id"): event
        for event in trial.trajectory.transcript
        if event.get("type") == "tool.execution_complete" and isinstance(event.get("at_ms"), int)
    }
    for event in trial.trajectory.transcript:
        if event.get("type") != "tool.execution_start" or not isinstance(event.get("at_ms"), int):
            continue
        end: Mapping[str, Any] = ends.get(event.get("tool_call_id"), {})
        begin = int(event["at_ms"])
        name, call = str(event.get("tool_name") or "tool"), str(event.get("tool_call_id") or "")
        stop = int(end.get("at_ms", max(trial.trajectory.duration_ms, begin)))
        yield name, call, begin, stop, end.get("success") is True


def _mark_error(span: "Span", message: str) -> None:
    from opentelemetry.trace import Status, StatusCode

    if message:
        span.set_status(Status(StatusCode.ERROR, message[:_LONGEST_EXPLANATION]))
        span.set_attribute("error.type", "_OTHER")


def _nanoseconds(milliseconds: float) -> int:
    return int(milliseconds * 1_000_000)
