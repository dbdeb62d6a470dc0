"""Report a run as Markdown for pull-request comments and job summaries.

See docs/reference/waza-formats.md, section 15.4.
"""

import re
from collections.abc import Iterator

from waza_engine.model.consumption import consumption_text
from waza_engine.model.records import RunRecord, TaskRecord
from waza_engine.reports.inert import one_line
from waza_engine.reports.reasons import reasons, tasks_passed
from waza_engine.reports.text import failed_lines

_WORDS = {"passed": "✅ passed", "failed": "❌ failed", "error": "⚠️ error", "cancelled": "⏹️ cancelled"}
_UNDECIDED = "⚠️ could not be judged"
_TASK_WORDS = {"passed": "✅", "failed": "❌", "error": "⚠️", "skipped": "⏭️"}
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~@&-])")
_MOST_DETAILS = 20


def github_markdown(record: RunRecord) -> str:
    """Return the Markdown. Text from agents and files is escaped: it cannot form links, images or mentions."""
    return "\n".join(_lines(record)) + "\n"


def _lines(record: RunRecord) -> Iterator[str]:
    totals = record.totals
    word = _UNDECIDED if record.infrastructure else _WORDS[record.status]
    yield f"## {escape_markdown(record.suite_name or 'Eval')}: {word}"
    yield ""
    facts = [it for it in (record.executor, record.model) if it]
    passed, left = tasks_passed(record)
    yield (
        f"**{passed}** tasks passed{f', {left}' if left else ''} · score **{totals.aggregate_score:.2f}** "
        f"(weighted {totals.weighted_score:.2f}) · {record.duration_ms / 1000:.1f} s"
        + "".join(f" · {escape_markdown(it)}" for it in facts)
    )
    if used := consumption_text(record.consumption):
        yield f"\n{escape_markdown(used)}"
    yield from (f"\n> {escape_markdown(it.message)}" for it in reasons(record))
    yield ""
    yield "| | Task | Score | Passed | 95 % interval |"
    yield "| --- | --- | --- | --- | --- |"
    for task in record.tasks:
        yield _row(task)
    yield from _flaky(record)
    yield from _details(record)


def _row(task: TaskRecord) -> str:
    stats = task.stats
    name = escape_markdown(task.name or task.task)
    if stats is None:
        return f"| {_TASK_WORDS[task.status]} | {name} | | not run | |"
    interval = f"{stats.interval.lower:.2f} to {stats.interval.upper:.2f}" if stats.interval else ""
    passed = f"{stats.passed_runs}/{stats.total_runs}"
    return f"| {_TASK_WORDS[task.status]} | {name} | {stats.avg_score:.2f} | {passed} | {interval} |"


def _flaky(record: RunRecord) -> Iterator[str]:
    flaky = [it for it in record.tasks if it.stats and it.stats.flaky]
    if flaky:
        yield ""
        names = ", ".join(
            f"{escape_markdown(task.task)} ({task.stats.passed_runs}/{task.stats.total_runs})"
            for task in flaky
            if task.stats
        )
        yield f"**Flaky:** {names}"


def _details(record: RunRecord) -> Iterator[str]:
    failed = [it for it in record.tasks if it.status in {"failed", "error"}]
    if not failed:
        return
    yield ""
    yield "<details><summary>Failures</summary>"
    yield ""
    for task in failed[:_MOST_DETAILS]:
        yield f"- **{escape_markdown(task.name or task.task)}**"
        messages = dict.fromkeys(line for trial in task.trials for line in failed_lines(trial))
        for line in [*([task.error] if task.error else []), *messages]:
            yield f"  - {escape_markdown(line)}"
    if len(failed) > _MOST_DETAILS:
        yield f"- and {len(failed) - _MOST_DETAILS} more"
    yield ""
    yield "</details>"


def escape_markdown(text: str) -> str:
    """Return `text` on one line, escaped so that it forms no links, images or mentions."""
    return _SPECIAL.sub(r"\\\1", one_line(text))
