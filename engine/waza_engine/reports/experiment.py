"""What came out of an experiment: its arms side by side, and each against the baseline.

See docs/reference/vally.md, sections 9 and 10.2.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from waza_engine.model.records import RunRecord
from waza_engine.model.scores import suite_totals
from waza_engine.reports.comparison import comparison_data, comparison_text
from waza_engine.reports.github import escaped
from waza_engine.reports.inert import inert
from waza_engine.reports.text import one_line
from waza_engine.runs.totals import seeded_random, task_totals, worst_status


@dataclass(frozen=True, slots=True)
class Results:
    """What came out: the record of each arm, over all evals, by the arm's name; the baseline first if it was run."""

    name: str
    baseline: str
    arms: Mapping[str, RunRecord]

    @property
    def treatments(self) -> list[str]:
        """The arms that can be compared with the baseline."""
        return [it for it in self.arms if it != self.baseline] if self.baseline in self.arms else []


def over_all_evals(records: Sequence[RunRecord]) -> RunRecord:
    """The runs of one arm as one. Where they are several, tasks are called by their evals, too."""
    first = records[0]
    if len(records) == 1:
        return first
    labels = _labels(records)
    tasks = [
        replace(task, task=f"{label}: {task.task}", name=f"{label}: {task.name}")
        for label, record in zip(labels, records, strict=True)
        for task in record.tasks
    ]
    return replace(
        first,
        status=worst_status(it.status for it in records),
        error="; ".join(it.error for it in records if it.error),
        tasks=tuple(tasks),
        totals=suite_totals([task_totals(it) for it in tasks], first.trials, seeded_random(first.run_id)),
        duration_ms=sum(it.duration_ms for it in records),
    )


def _labels(records: Sequence[RunRecord]) -> list[str]:
    """A name for each eval that no other one has."""
    names = [it.suite_name for it in records]
    paths = [Path(it.eval_path) for it in records]
    if len(set(names)) == len(names):
        return names
    return [f"{path.parent.name}/{path.name}" for path in paths]


def experiment_text(results: Results) -> str:
    """For a terminal: the arms, then what became of each task."""
    return "\n".join(_lines(results))


def _lines(results: Results) -> Iterator[str]:
    names = {it: inert(f"  {one_line(it)}") for it in results.arms}
    width = max(map(len, names.values())) + len(" (baseline)")
    yield f"Experiment {one_line(results.name)}"
    for name, record in results.arms.items():
        shown = f"{names[name]}{' (baseline)' if name == results.baseline else ''}"
        totals = record.totals
        yield (
            f"{shown:{width}}  {totals.succeeded} of {totals.total} passed"
            f"  score {totals.aggregate_score:.2f}{_delta(results, record)}"
        )
    for name in results.treatments:
        yield ""
        pair = [results.baseline, name]
        yield comparison_text([one_line(it) for it in pair], [results.arms[it] for it in pair])


def _delta(results: Results, record: RunRecord) -> str:
    baseline = results.arms.get(results.baseline)
    if baseline is None or baseline is record:
        return ""
    return f"  {record.totals.aggregate_score - baseline.totals.aggregate_score:+.2f}"


def experiment_markdown(results: Results) -> str:
    """As Markdown, for `report.md` or a comment. What files say is escaped."""
    return "\n".join(_markdown(results)) + "\n"


def _markdown(results: Results) -> Iterator[str]:
    yield f"# {escaped(results.name)}"
    yield ""
    yield "| Arm | Passed | Score | Against the baseline | Seconds |"
    yield "| --- | --- | --- | --- | --- |"
    for name, record in results.arms.items():
        totals = record.totals
        shown = f"**{escaped(name)}** (baseline)" if name == results.baseline else escaped(name)
        change = _delta(results, record).strip()
        yield (
            f"| {shown} | {totals.succeeded} of {totals.total} | {totals.aggregate_score:.2f} | {change} "
            f"| {record.duration_ms / 1000:.1f} |"
        )
    for name in results.treatments:
        yield from _treatment(name, results.arms[results.baseline], results.arms[name])


def _treatment(name: str, baseline: RunRecord, treatment: RunRecord) -> Iterator[str]:
    yield f"\n## {escaped(name)}\n"
    yield "| Stimulus | Baseline | Here | Difference | |"
    yield "| --- | --- | --- | --- | --- |"
    data = comparison_data(["baseline", name], [baseline, treatment])
    for it in sorted(data["task_deltas"], key=lambda row: row["score_delta"]):
        before, after = it["statuses"]
        changed = "" if before == after else f"{before} → {after}"
        first, second = (
            "-" if status == "n/a" else f"{score:.2f}"
            for score, status in zip(it["scores"], it["statuses"], strict=True)
        )
        yield f"| {escaped(it['task_id'])} | {first} | {second} | {it['score_delta']:+.2f} | {changed} |"
