"""A run as Markdown for a pull-request comment or a job summary (docs/reference/waza-formats.md, section 15.4)."""

import re
from collections.abc import Iterator

from waza_engine.model.records import RunRecord, TaskRecord
from waza_engine.reports.reasons import reasons
from waza_engine.reports.text import failed_lines, one_line

_WORDS = {"passed": "✅ passed", "failed": "❌ failed", "error": "⚠️ error", "cancelled": "⏹️ cancelled"}
_TASK_WORDS = {"passed": "✅", "failed": "❌", "error": "⚠️", "skipped": "⏭️"}
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~@&-])")
_MOST_DETAILS = 20


def github_markdown(record: RunRecord) -> str:
    """The Markdown text. What agents and files say is escaped: it cannot form links, images or mentions."""
    return "\n".join(_lines(record)) + "\n"


def _lines(record: RunRecord) -> Iterator[str]:
    totals = record.totals
    yield f"## {escaped(record.suite_name or 'Eval')}: {_WORDS[record.status]}"
    yield ""
    facts = [it for it in (record.executor, record.model) if it]
    yield (
        f"**{totals.succeeded} of {totals.total}** tasks passed · score **{totals.aggregate_score:.2f}** "
        f"(weighted {totals.weighted_score:.2f}) · {record.duration_ms / 1000:.1f} s"
        + "".join(f" · {escaped(it)}" for it in facts)
    )
    yield from (f"\n> {escaped(it.told)}" for it in reasons(record))
    yield ""
    yield "| | Task | Score | Passed | 95 % interval |"
    yield "| --- | --- | --- | --- | --- |"
    for it in record.tasks:
        yield _row(it)
    yield from _flaky(record)
    yield from _details(record)


def _row(task: TaskRecord) -> str:
    stats = task.stats
    name = escaped(task.name or task.task)
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
            f"{escaped(it.task)} ({it.stats.passed_runs}/{it.stats.total_runs})" for it in flaky if it.stats
        )
        yield f"**Flaky:** {names}"


def _details(record: RunRecord) -> Iterator[str]:
    failed = [it for it in record.tasks if it.status == "failed"]
    if not failed:
        return
    yield ""
    yield "<details><summary>What failed</summary>"
    yield ""
    for task in failed[:_MOST_DETAILS]:
        yield f"- **{escaped(task.name or task.task)}**"
        told = dict.fromkeys(line for trial in task.trials for line in failed_lines(trial))
        for line in [*([task.error] if task.error else []), *told]:
            yield f"  - {escaped(line)}"
    if len(failed) > _MOST_DETAILS:
        yield f"- and {len(failed) - _MOST_DETAILS} more"
    yield ""
    yield "</details>"


def escaped(text: str) -> str:
    """A text that forms no links, images or mentions, on one line."""
    return _SPECIAL.sub(r"\\\1", one_line(text))
