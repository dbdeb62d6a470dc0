"""What a grader program gets to read: the trial, the stimulus and its config.

See docs/reference/vally.md, sections 6 and 10.1.
"""

from collections.abc import Mapping
from typing import Any

from waza_engine.graders.base import GradeError, GradingContext
from waza_engine.vally import metrics
from waza_engine.vally.events import Event, events_of, spoken_events_of


def grader_input(context: GradingContext, config: Mapping[str, Any]) -> dict[str, Any]:
    """The input as plain data."""
    stimulus = {"name": context.task.get("name"), "prompt": context.prompt, "rubric": list(context.rubric)}
    trajectory = {
        "id": context.session_id,
        "stimulus": stimulus,
        "events": list(known_events(context)),
        "metrics": _measures(context),
        "output": context.output,
        "workDir": str(context.workspace_dir or ""),
        "metadata": {"sessionID": context.session_id},
        "workspaceStatus": context.workspace_status,
    }
    return {"trajectory": trajectory, "stimulus": stimulus, "config": dict(config)}


def known_events(context: GradingContext) -> list[Event]:
    """The events; without calls and skills when the executor of the recording does not know them."""
    try:
        return list(events_of(context))
    except GradeError:
        return list(spoken_events_of(context))


def _measures(context: GradingContext) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, measure in _MEASURES.items():
        try:
            found[name] = measure(context)
        except GradeError:
            continue
    spent = {"totalTokens": found.pop("tokens", None)}
    return {**found, "tokenUsage": spent, **(context.metrics or {})}


_MEASURES = {
    "wallTimeMs": metrics.wall_time_ms,
    "turnCount": metrics.turn_count,
    "toolCallCount": metrics.tool_call_count,
    "errorCount": metrics.error_count,
    "tokens": metrics.tokens,
}
