"""Report an experiment: all arms, then each arm against the baseline (docs/reference/vally.md, sections 9 and 10.2)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from waza_engine.model.results.records import RunRecord
from waza_engine.reports.comparison import comparison_data, comparison_text
from waza_engine.reports.github import escape_markdown
from waza_engine.reports.inert import inert, one_line
from waza_engine.runs.totals import seeded_random, task_totals, worst_status
from waza_engine.statistics.compare_runs import RunComparison, compare_runs
from waza_engine.statistics.totals import suite_totals


@dataclass(frozen=True, slots=True)
class ExperimentResults:
    """The record of each arm over all evals, by the arm's name. The baseline, if it was run, comes first."""

    name: str
    baseline: str
    arms: Mapping[str, RunRecord]

    @property
    def treatments(self) -> list[str]:
        """The arms that can be compared with the baseline."""
        return [it for it in self.arms if it != self.baseline] if self.baseline in self.arms else []


def combine_runs(records: Sequence[RunRecord]) -> RunRecord:
    """Combine the runs of one arm. With several runs, each task's name starts with its eval's name."""
    first = records[0]
    if len(records) == 1:
        return first
    labels = _labels(records)
    tasks = [
        replace(task, task=f"{label}: {task.task}", name=f"{label}: {task.name}")
        for label, record in zip(labels, records, strict=True)
        for task in record.tasks
    ]
    # A failure decides before what could not be judged.
    statuses = [it.status for it in records if not it.infrastructure] or [first.status]
    if all(it == "passed" for it in statuses):
        statuses = [it.status for it in records]
    return replace(
        first,
        status=worst_status(statuses),
        infrastructure=all(it.infrastructure or it.status == "passed" for it in records)
        and any(it.infrastructure for it in records),
        error="; ".join(it.error for it in records if it.error),
        tasks=tuple(tasks),
        totals=suite_totals([task_totals(it) for it in tasks], first.trials, seeded_random(first.run_id)),
        duration_ms=sum(it.duration_ms for it in records),
    )


def _labels(records: Sequence[RunRecord]) -> list[str]:
    """A unique name for each eval."""
    names = [it.suite_name for it in records]
    paths = [Path(it.eval_path) for it in records]
    if len(set(names)) == len(names):
        return names
    return [f"{path.parent.name}/{path.name}" for path in paths]


def experiment_text(results: ExperimentResults) -> str:
    """Return the text for a terminal: the arms, then the tasks of each treatment."""
    return "\n".join(_lines(results))


def _lines(results: ExperimentResults) -> Iterator[str]:
    names = {it: inert(f"  {one_line(it)}") for it in results.arms}
    width = max(map(len, names.values())) + len(" (baseline)")
    yield f"Experiment {one_line(results.name)}"
    for name, record in results.arms.items():
        shown = f"{names[name]}{' (baseline)' if name == results.baseline else ''}"
        totals = record.totals
        yield (
            f"{shown:{width}}  {totals.succeeded} of {totals.total} passed{_open_tasks(record)}"
            f"  score {totals.aggregate_score:.2f}{_delta(results, record)}"
        )
    for name, evidence in _evidence(results).items():
        yield ""
        pair = [results.baseline, name]
        yield comparison_text([one_line(it) for it in pair], [results.arms[it] for it in pair], [evidence])


def _evidence(results: ExperimentResults) -> dict[str, RunComparison]:
    """Return what the comparison of each treatment with the baseline shows, corrected for all of them together."""
    names = results.treatments
    if not names:
        return {}
    found = compare_runs([results.arms[it] for it in (results.baseline, *names)])
    return dict(zip(names, found, strict=True))


def _delta(results: ExperimentResults, record: RunRecord) -> str:
    baseline = results.arms.get(results.baseline)
    if baseline is None or baseline is record:
        return ""
    return f"  {comparison_data(['', ''], [baseline, record])['aggregate_score_delta']:+.2f}"


def _open_tasks(record: RunRecord) -> str:
    """Return how many tasks could not be judged, for behind the number of those that passed; "" for none."""
    errors = record.totals.errors
    return f", {errors} could not be judged" if errors else ""


def experiment_markdown(results: ExperimentResults) -> str:
    """Return Markdown for `report.md` or a comment. Text from files is escaped."""
    return "\n".join(_markdown(results)) + "\n"


def _markdown(results: ExperimentResults) -> Iterator[str]:
    yield f"# {escape_markdown(results.name)}"
    yield ""
    yield "| Arm | Passed | Score | Difference from the baseline | Shown | Seconds |"
    yield "| --- | --- | --- | --- | --- | --- |"
    evidence = _evidence(results)
    for name, record in results.arms.items():
        totals = record.totals
        shown = (
            f"**{escape_markdown(name)}** (baseline)" if name == results.baseline else escape_markdown(name)
        )
        change, word = _delta(results, record).strip(), ""
        if found := evidence.get(name):
            interval = found.score.difference.interval
            change += f" ({interval.lower:+.2f} to {interval.upper:+.2f})"
            word = found.score.word
        yield (
            f"| {shown} | {totals.succeeded} of {totals.total}{_open_tasks(record)} | {totals.aggregate_score:.2f} | {change} "
            f"| {word} | {record.duration_ms / 1000:.1f} |"
        )
    if evidence:
        yield "\n" + _markdown_note(evidence)
    for name in results.treatments:
        yield from _treatment_section(name, results.arms[results.baseline], results.arms[name])


def _markdown_note(evidence: Mapping[str, RunComparison]) -> str:
    """Explain the numbers in parentheses and the word."""
    count = next(iter(evidence.values())).corrected_for
    corrected = f", corrected for {count} comparisons at once (Holm)" if count > 1 else ""
    return (
        f"In parentheses the 95 % interval; the word is that of an exact paired test over tasks{corrected}."
    )


def _treatment_section(name: str, baseline: RunRecord, treatment: RunRecord) -> Iterator[str]:
    yield f"\n## {escape_markdown(name)}\n"
    yield "| Stimulus | Baseline | This arm | Difference | |"
    yield "| --- | --- | --- | --- | --- |"
    data = comparison_data(["baseline", name], [baseline, treatment])
    for task in sorted(data["task_deltas"], key=lambda row: row["score_delta"]):
        before, after = task["statuses"]
        changed = "" if before == after else f"{before} → {after}"
        first, second = (
            "-" if status == "n/a" else f"{score:.2f}"
            for score, status in zip(task["scores"], task["statuses"], strict=True)
        )
        yield f"| {escape_markdown(task['task_id'])} | {first} | {second} | {task['score_delta']:+.2f} | {changed} |"
