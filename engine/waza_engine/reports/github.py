"""Report a run as Markdown for pull-request comments and job summaries.

The words are those of the terminal. See docs/reference/waza-formats.md, section 15.4.
"""

import re
from collections.abc import Iterable, Iterator

from waza_engine.model.results.consumption import consumption_text
from waza_engine.model.results.records import RunRecord, TaskRecord
from waza_engine.model.results.threshold import deciding_tasks
from waza_engine.reports.evidence import Sources, task_evidence
from waza_engine.reports.evidence_lines import Layout, evidence_lines
from waza_engine.reports.inert import one_line, visible
from waza_engine.reports.reasons import quarantine_text, undecided_text, verdict

_WORDS = {"passed": "✅ passed", "failed": "❌ failed", "error": "⚠️ error", "cancelled": "⏹️ cancelled"}
_UNDECIDED = "⚠️ could not be judged"
_OPEN = "⚠️ not decided"
_TASK_WORDS = {"passed": "✅", "failed": "❌", "error": "⚠️", "skipped": "⏭️"}
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~@&-])")
_REFERENCE = re.compile(r"@|#(?=\d)|(?<=:)(?=//)|\bwww(?=\.)|\bGH(?=-\d)", re.IGNORECASE)
"""What GitHub makes links and mentions of after Markdown has removed backslashes."""
_NOTHING = "<!-- -->"
_BACKTICKS = re.compile("`+")
_MOST_DETAILS = 20


def github_markdown(record: RunRecord) -> str:
    """Return the Markdown. Text from agents and files is escaped: it cannot form links, images or mentions."""
    return "\n".join(_lines(record)) + "\n"


def _lines(record: RunRecord) -> Iterator[str]:
    word = _UNDECIDED if record.infrastructure else _OPEN if record.is_left_open else _WORDS[record.status]
    yield f"## {escape_markdown(record.suite_name or 'Eval')}: {word}"
    yield ""
    facts = [it for it in (record.executor, record.model) if it]
    _, reason = verdict(record)
    yield f"**{escape_markdown(reason)}**" + "".join(f" · {escape_markdown(it)}" for it in facts)
    if used := consumption_text(record.consumption):
        yield f"\n{escape_markdown(used)}"
    # The sentence above has all others.
    if record.error not in reason:
        yield f"\n> {escape_markdown(record.error)}"
    yield from _baseline(record)
    yield from _details(record)
    yield from _flaky(record)
    yield from _quarantined(record)
    yield from _table(record)


def _table(record: RunRecord) -> Iterator[str]:
    """Yield the table of all tasks, folded if it is long."""
    is_long = len(record.tasks) > _MOST_DETAILS
    yield ""
    if is_long:
        yield from (f"<details><summary>All {len(record.tasks)} tasks</summary>", "")
    yield "| | Task | Score | Passed | 95 % interval |"
    yield "| --- | --- | --- | --- | --- |"
    for task in record.tasks:
        yield _row(task)
    if is_long:
        yield from ("", "</details>")


def _row(task: TaskRecord) -> str:
    stats = task.stats
    name = escape_markdown(task.name or task.task)
    if stats is None:
        return f"| {_TASK_WORDS[task.status]} | {name} | | not run | |"
    interval = f"{stats.range.lower:.2f} to {stats.range.upper:.2f}" if stats.range else ""
    undecided = undecided_text(stats.infrastructure_runs)
    if not stats.decided_runs:
        return f"| {_TASK_WORDS[task.status]} | {name} | | {undecided} | |"
    passed = f"{stats.passed_runs}/{stats.decided_runs}{f', {undecided}' if undecided else ''}"
    return f"| {_TASK_WORDS[task.status]} | {name} | {stats.avg_score:.2f} | {passed} | {interval} |"


def _baseline(record: RunRecord) -> Iterator[str]:
    if record.baseline is not None:
        # Imported late: few runs have a baseline.
        from waza_engine.reports.comparison import baseline_evidence

        if shown := baseline_evidence(record):
            yield "\nWith skills compared to without:\n"
            yield from (f"- {escape_markdown(it)}" for it in shown)


def _flaky(record: RunRecord) -> Iterator[str]:
    flaky = [it for it in record.tasks if it.stats and it.stats.flaky]
    if flaky:
        yield ""
        names = ", ".join(
            f"{escape_markdown(task.task)} ({task.stats.passed_runs}/{task.stats.decided_runs})"
            for task in flaky
            if task.stats
        )
        yield f"**Flaky:** {names}"


def _quarantined(record: RunRecord) -> Iterator[str]:
    for task in record.tasks:
        if quarantine := quarantine_text(task):
            yield from ("", f"**{escape_markdown(task.task)}** {escape_markdown(quarantine)}")


def _details(record: RunRecord) -> Iterator[str]:
    failed = [it for it in deciding_tasks(record.tasks) if it.status in {"failed", "error"}]
    if not failed:
        return
    yield ""
    yield f"<details open><summary>Failures: {len(failed)} of {len(record.tasks)} tasks</summary>"
    sources = Sources()
    for task in failed[:_MOST_DETAILS]:
        yield ""
        yield f"**{escape_markdown(task.name or task.task)}**"
        yield ""
        causes = [it for it in task_evidence(task, sources) if it.status != "points"]
        yield from _fenced(evidence_lines(causes, len(task.trials), Layout(indent=0)))
        if task.since_green is not None:
            yield from ("", escape_markdown(task.since_green.text))
    if len(failed) > _MOST_DETAILS:
        yield ""
        yield f"and {len(failed) - _MOST_DETAILS} more"
    yield ""
    yield "</details>"


def _fenced(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines as a block of code, whose fence is longer than any in the text."""
    text = visible("\n".join(lines))
    fence = "`" * max(3, 1 + max(map(len, _BACKTICKS.findall(text)), default=0))
    yield from (f"{fence}text", text, fence)


def escape_markdown(text: str) -> str:
    """Return `text` on one line, escaped so that it forms no links, images or mentions."""
    parts = _REFERENCE.sub(lambda it: f"{it[0]}\0", one_line(text)).split("\0")
    return _NOTHING.join(_SPECIAL.sub(r"\\\1", it) for it in parts)
