"""One trial in the HTML report: verdicts, then what the agent said and did in order, then what became of the files."""

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from waza_engine.reports.html_parts import bar, status
from waza_engine.runs.records import GraderOutcome, TrialRecord
from waza_engine.trajectory import Trajectory

_LONGEST = 20_000
_MOST_EVENTS = 500
_SAID = {
    "user.message": "user",
    "assistant.message": "agent",
    "assistant.reasoning": "reasoning",
    "session.error": "error",
}


def trial_html(trial: TrialRecord, *, alone: bool) -> Iterator[str]:
    """The trial; with a heading unless it is the task's only one."""
    if not alone:
        yield f"<p><b>Trial {trial.trial}</b> {status(trial.status)} {bar(trial.score)}</p>"
    if trial.error:
        yield f'<p class="error">{escape(trial.error)}</p>'
    if trial.graders:
        yield _table(trial.graders)
    for it in trial.checkpoints:
        yield f"<p>After turn {it.after_turn}: {status(it.status)}</p>{_table(it.graders)}"
    yield f"<details><summary>prompt and output</summary>{_text(trial.trajectory.prompt)}"
    yield f"{_text(trial.trajectory.output)}</details>"
    yield from _timeline(trial.trajectory)
    yield from _files(trial.trajectory)


def _table(graders: tuple[GraderOutcome, ...]) -> str:
    rows = "".join(_row(it) for it in graders)
    return f"<table><tr><th>grader<th>type<th>verdict<th>score<th>weight<th>feedback</tr>{rows}</table>"


def _row(it: GraderOutcome) -> str:
    cells = [
        escape(it.name),
        escape(it.type),
        status(it.status),
        f"{it.score:.2f}",
        f"{it.weight:g}",
        escape(it.feedback),
    ]
    return f"<tr>{''.join(f'<td>{cell}' for cell in cells)}</tr>"


def _timeline(trajectory: Trajectory) -> Iterator[str]:
    items = [it for it in (_event(event) for event in trajectory.transcript[:_MOST_EVENTS]) if it]
    if not items:
        return
    usage = trajectory.session.usage if trajectory.session else None
    tokens = f", {usage.tokens:,} tokens in {usage.turns} turns" if usage else ""
    seconds = f"{trajectory.duration_ms / 1000:.1f} s"
    yield f"<details><summary>what the agent did ({len(items)} steps, {seconds}{tokens})</summary>"
    yield f'<ol class="timeline">{"".join(f"<li>{it}" for it in items)}</ol>'
    left = len(trajectory.transcript) - _MOST_EVENTS
    yield f'<p class="quiet">and {left} more events</p></details>' if left > 0 else "</details>"


def _event(event: Mapping[str, Any]) -> str:
    kind = str(event.get("type") or "")
    if kind in _SAID:
        told = str(event.get("content") or event.get("message") or "")
        return f'<span class="kind">{_SAID[kind]}</span>{_text(told)}' if told else ""
    match kind:
        case "tool.execution_start":
            name = escape(str(event.get("tool_name") or "tool"))
            return f'<span class="kind">tool {name}</span>{_text(_json(event.get("arguments")))}'
        case "tool.execution_complete":
            success = event.get("success") is True
            word = status("passed" if success else "failed")
            return f"result {word}{_text(_result(event.get('tool_result')))}"
        case "skill.invoked":
            return '<span class="kind">skill loaded</span>'
        case _:
            return ""


def _result(result: Any) -> str:
    content = result.get("content") if isinstance(result, Mapping) else result
    return content if isinstance(content, str) else _json(content)


def _files(trajectory: Trajectory) -> Iterator[str]:
    """What stood in the workspace at the end; recordings do not keep what was there before."""
    if not (trajectory.files or trajectory.removed or trajectory.uncaptured):
        return
    yield "<details><summary>files after the run</summary>"
    for name, text in trajectory.files.items():
        yield f"<details><summary>{escape(name)}</summary>{_text(text)}</details>"
    for name in trajectory.removed:
        yield f'<p class="del">deleted: {escape(name)}</p>'
    for name in trajectory.uncaptured:
        yield f'<p class="quiet">not kept (large, or no text): {escape(name)}</p>'
    yield "</details>"


def _json(value: Any) -> str:
    return "" if value is None else json.dumps(value, indent=2, ensure_ascii=False, default=str)


def _text(text: str) -> str:
    if not text:
        return ""
    cut = (
        text[:_LONGEST] + f"\n... ({len(text) - _LONGEST} more characters)" if len(text) > _LONGEST else text
    )
    return f"<pre>{escape(cut)}</pre>"
