"""Report a run as text for a terminal: a line per task with its evidence below, and the verdict in the last line."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from waza_engine.lib.text_width import columns, padded
from waza_engine.model.results.consumption import consumption_text
from waza_engine.model.results.records import RunRecord, TaskRecord
from waza_engine.model.results.threshold import deciding_tasks
from waza_engine.reports.evidence import Evidence, Sources, task_evidence
from waza_engine.reports.evidence_lines import Layout, evidence_lines
from waza_engine.reports.inert import inert, one_line
from waza_engine.reports.reasons import interval_text, metric_line, quarantine_text, undecided_text, verdict
from waza_engine.reports.results.task import skill_impact
from waza_engine.runs.totals import composite_score
from waza_engine.statistics.passes import passes_of_tasks

STATUS_WORDS = {"passed": "PASS", "failed": "FAIL", "error": "ERROR", "skipped": "SKIP"}


@dataclass(frozen=True, slots=True)
class TextStyle:
    """How to print a report.

    With `problems_only`, only what is wrong is printed, and nothing if nothing is. `hides_passed` leaves out tasks that
    passed with full score, because the user has seen them. `more` is a command that shows more of the run, `reviews` one
    that lists the verdicts that wait for a person, if there are any. With `k`, it shows pass@k and pass^k.
    """

    layout: Layout = field(default_factory=Layout)
    problems_only: bool = False
    hides_passed: bool = False
    more: str = ""
    reviews: str = ""
    k: int = 0


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of the report. Its first `word` characters are a verdict; `status` says which, for a colour."""

    text: str
    status: str = ""
    word: int = 0


def text_report(record: RunRecord, style: TextStyle | None = None) -> str:
    """Return the report, without colours and without a final newline."""
    return "\n".join(it.text for it in text_lines(record, style or TextStyle()))


def text_lines(record: RunRecord, style: TextStyle) -> Iterator[TextLine]:
    """Yield the lines of the report. Text of files and agents in them is not yet safe to print (`reports/inert.py`)."""
    if style.problems_only and not _has_problems(record):
        return
    yield from _Tasks(style).lines(record)
    yield from map(TextLine, _triggers(record))
    if not style.problems_only:
        yield from map(TextLine, _figures(record))
        if style.k:
            yield TextLine(_passes(record, style.k))
        if style.reviews:
            yield TextLine(f"Waiting for a person: {style.reviews}")
        if style.more:
            yield TextLine(f"See more: {style.more}")
    word, reason = verdict(record)
    for number, line in enumerate(replace(style.layout, indent=0).lines(f"{word}: {reason}")):
        yield TextLine(line) if number else TextLine(line, record.status, len(word))


def _has_problems(record: RunRecord) -> bool:
    deciding = deciding_tasks(record.tasks)
    return record.status != "passed" or any(it.status in {"failed", "error"} for it in deciding)


@dataclass(frozen=True, slots=True)
class _Tasks:
    """Writes the tasks of one report."""

    style: TextStyle
    _sources: Sources = field(default_factory=Sources)
    _seen: dict[tuple[object, ...], str] = field(default_factory=dict)
    """The first task with each evidence: what is wrong with all tasks is printed once."""

    def lines(self, record: RunRecord) -> Iterator[TextLine]:
        starts = [inert(f"{STATUS_WORDS[it.status]:5} {one_line(it.task)}") for it in record.tasks]
        width = max(map(columns, starts), default=0)
        for start, task in zip(starts, record.tasks, strict=True):
            is_fine = task.status in {"passed", "skipped"}
            if is_fine and self.style.problems_only:
                continue
            below = list(self._evidence(task))
            if is_fine and self.style.hides_passed and not below:
                continue
            text = f"{padded(start, width)}  {_task(task, record)}"
            yield TextLine(text, task.status, len(STATUS_WORDS[task.status]))
            if quarantine := quarantine_text(task):
                yield from map(TextLine, self.style.layout.lines(one_line(quarantine)))
            yield from map(TextLine, below)

    def _evidence(self, task: TaskRecord) -> Iterator[str]:
        found: list[Evidence] = []
        repeated: list[str] = []
        for it in task_evidence(task, self._sources):
            key = (it.status, it.message, it.wanted, it.found, it.graders)
            earlier = self._seen.setdefault(key, task.task)
            if it.status == "points" and task.status != "passed":
                # What took points from a pass does not explain a failure.
                continue
            if earlier == task.task:
                found.append(it)
            else:
                repeated.append(f"{_owners(it)} as in {one_line(earlier)}")
        yield from evidence_lines(found, len(task.trials), self.style.layout)
        for line in dict.fromkeys(repeated):
            yield from self.style.layout.lines(line)
        if task.since_green is not None:
            yield from self.style.layout.lines(self._since_green(task, task.since_green.text))

    def _since_green(self, task: TaskRecord, text: str) -> str:
        earlier = self._seen.setdefault(("since green", text), task.task)
        return one_line(text if earlier == task.task else f"what changed: as in {earlier}")


def _owners(evidence: Evidence) -> str:
    if evidence.status == "error" or not evidence.graders:
        return "the same error"
    names = one_line(", ".join(evidence.graders))
    return f"{names} {evidence.score:.2f}" if len(evidence.graders) == 1 else names


def _task(task: TaskRecord, record: RunRecord) -> str:
    if task.stats is None:
        return "not run"
    stats = task.stats
    cancelled = record.trials - stats.total_runs if record.status == "cancelled" else 0
    left = f", {cancelled} cancelled" if cancelled > 0 else ""
    if not stats.decided_runs:
        return undecided_text(stats.infrastructure_runs)
    if undecided := undecided_text(stats.infrastructure_runs):
        left = f", {undecided}{left}"
    trials = (
        f"  {stats.passed_runs}/{stats.decided_runs} trials{left}" if stats.total_runs > 1 or left else ""
    )
    flaky = f"  flaky {stats.flakiness_percent:.0f} %" if stats.flaky else ""
    return f"score {stats.avg_score:.2f}{interval_text(stats.range)}{trials}{flaky}"


def _triggers(record: RunRecord) -> Iterator[str]:
    for trigger in record.triggers:
        if trigger.error or trigger.did_trigger != trigger.should_trigger:
            expected = "should trigger" if trigger.should_trigger else "should not trigger"
            expected = "could not be judged" if trigger.infrastructure else expected
            yield f"  trigger: {expected}: {one_line(trigger.prompt)}{f' ({one_line(trigger.error)})' if trigger.error else ''}"


def _passes(record: RunRecord, k: int) -> str:
    """Return pass@k and pass^k over the tasks with enough trials."""
    stats = [it.stats for it in record.tasks if it.stats]
    found = passes_of_tasks(((it.decided_runs, it.passed_runs) for it in stats), k)
    if found is None:
        return f"pass@{k}: no task has {k} trials"
    return (
        f"pass@{k} {found.at_k:.2f}{interval_text(found.at_k_interval)} (one of {k} trials passes), "
        f"pass^{k} {found.power_k:.2f}{interval_text(found.power_k_interval)} (all do), {found.tasks} of {len(stats)} tasks"
    )


def _figures(record: RunRecord) -> Iterator[str]:
    """Yield the figures of the run that are not in its verdict."""
    if record.trigger_metrics:
        count = sum(not it.infrastructure for it in record.triggers)
        yield f"trigger accuracy {record.trigger_metrics.accuracy:.2f} over {count} prompts"
    for metric in record.metrics:
        yield one_line(metric_line(metric))
    for measure in record.measures:
        reached = "reaches" if measure.passed else "is below"
        yield f"metric {one_line(measure.name)} {measure.value:.2f} {reached} {measure.threshold:.2f}, for information only"
    if len(record.measures) > 1:
        yield f"composite score {composite_score(record.measures):.2f}, for information only"
    yield from _baseline(record)
    yield from _consumption(record)
    for task in record.tasks:
        yield from (f"workspace kept: {one_line(it.workspace)}" for it in task.trials if it.workspace)


def _baseline(record: RunRecord) -> Iterator[str]:
    if record.baseline is None:
        return
    before = {it.task: it for it in record.baseline.tasks}
    for task in record.tasks:
        if (impact := skill_impact(task, before.get(task.task))) and impact["delta"]:
            yield f"  {one_line(task.task)}: pass rate {impact['pass_rate_baseline']:.2f} -> {impact['pass_rate_with_skills']:.2f}"
    # Imported late: few runs have a baseline.
    from waza_engine.reports.comparison import baseline_evidence

    if shown := baseline_evidence(record):
        yield from ("With skills compared to without:", *(f"  {it}" for it in shown))


def _consumption(record: RunRecord) -> Iterator[str]:
    for name, it in (("", record), ("baseline: ", record.baseline)):
        if it is not None and (used := consumption_text(it.consumption)):
            yield f"{name}{used}"
