"""A run as an HTML page."""

import gc
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, overload

import pytest

from tests.engine.reports.html.pages import NASTY, dead_links, edited, well_formed
from tests.engine.runs.bench import Bench, Scripted, contains, said, task
from waza_engine.executors.base import TrialRequest
from waza_engine.model.results.records import (
    CheckpointOutcome,
    MetricResult,
    RunRecord,
    TrialRecord,
    TriggerMetrics,
    TriggerResult,
)
from waza_engine.model.trajectory import CommandInvocation, ResponderOutcome, Session, Trajectory, Usage
from waza_engine.reports.html.diff import files_in
from waza_engine.reports.html.report import html_chunks, html_report


async def test_a_run_shows_what_changed_and_when(bench: Bench, scripted: Scripted) -> None:
    record = await edited(bench, scripted)
    trajectory = record.tasks[0].trials[0].trajectory
    assert trajectory.patch is not None
    assert files_in(trajectory.patch) == ["gone.txt", "in.txt", "more.md"]
    page = well_formed(html_report(record))
    assert '<div class="head">gone.txt (deleted)</div>' in page
    assert '<div class="head">more.md (new)</div>' in page
    assert '<div class="del">-old line</div><div class="add">+new &lt;line&gt;</div>' in page
    assert "same.txt" not in page
    assert '<div class="lane"' in page
    assert page.count('class="dot') == 6
    assert 'class="range"' in page


async def test_a_recording_without_a_patch_shows_its_files(bench: Bench, scripted: Scripted) -> None:
    record = await edited(bench, scripted)
    trial = record.tasks[0].trials[0]
    old = trial.trajectory.model_copy(update={"patch": None, "removed": [NASTY]})
    page = well_formed(
        html_report(
            replace(record, tasks=(replace(record.tasks[0], trials=(replace(trial, trajectory=old),)),))
        )
    )
    assert "Files after the run: 3" in page


async def test_a_large_run_shows_only_what_needs_a_look(
    bench: Bench, scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("waza_engine.reports.html.report._MOST_TRIALS", 5)

    async def sometimes(request: TrialRequest) -> Trajectory:
        return said("hello" if request.trial % 2 else "nope")

    scripted.perform = sometimes
    record = await bench.run(bench.suite(task("a"), graders=(contains("hello"),)), scripted, trials=8)
    page = well_formed(html_report(record))
    assert page.count('<details class="trial"') == 4


class ReadOneByOne(Sequence[TrialRecord]):
    """Trials as a stored run has them: made anew at each read. `alive` refers to those that were read."""

    def __init__(self, trials: Sequence[TrialRecord]) -> None:
        self.trials = trials
        self.reads = 0
        self.most_alive = 0
        self.alive: list[weakref.ref[Trajectory]] = []

    def __len__(self) -> int:
        return len(self.trials)

    @overload
    def __getitem__(self, index: int) -> TrialRecord: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[TrialRecord]: ...
    def __getitem__(self, index: int | slice) -> Any:
        raise NotImplementedError

    def __iter__(self) -> Iterator[TrialRecord]:
        for it in self.trials:
            self.reads += 1
            record = replace(it, trajectory=it.trajectory.model_copy())
            self.alive = [ref for ref in self.alive if ref() is not None]
            self.alive.append(weakref.ref(record.trajectory))
            self.most_alive = max(self.most_alive, len(self.alive))
            yield record
            del record


async def test_a_trial_is_read_when_the_one_before_is_written(bench: Bench, scripted: Scripted) -> None:
    record = await edited(bench, scripted)
    trials = ReadOneByOne(record.tasks[0].trials)
    chunks = html_chunks(replace(record, tasks=(replace(record.tasks[0], trials=trials),)))
    text = ""
    written_before: dict[int, str] = {}
    for chunk in chunks:
        written_before.setdefault(trials.reads, text)
        text += chunk
    # The charts and the first screen have read all three before.
    assert [written_before[it].count("<b>Trial ") for it in (7, 8, 9)] == [0, 1, 2]


async def test_a_report_keeps_no_trial_in_memory(bench: Bench, scripted: Scripted) -> None:
    record = await edited(bench, scripted)
    trials = ReadOneByOne([*record.tasks[0].trials] * 10)
    gc.collect()
    # Cycles would live until the next collection, which may be far away.
    gc.disable()
    try:
        html_report(replace(record, tasks=(replace(record.tasks[0], trials=trials),)))
    finally:
        gc.enable()
    # The next one is read while the loop still holds the one before.
    assert trials.most_alive == 2


async def full(bench: Bench, scripted: Scripted) -> RunRecord:
    """A run with every part that a report can show, named by somebody who means harm."""
    record = await edited(bench, scripted)
    first, second = record.tasks
    trial = first.trials[0]
    trajectory = trial.trajectory.model_copy(
        update={
            "responder": ResponderOutcome(outcome="error", followups=2, reason=NASTY),
            "uncaptured": [NASTY],
            "command_invocations": [CommandInvocation(command=NASTY, args=["a", NASTY], response_index=-1)],
            "session": Session(usage=Usage(turns=3, input_tokens=1000, output_tokens=234)),
            "transcript": [{"type": "skill.invoked"}] * 600,
        }
    )
    graders = tuple(replace(it, name=NASTY, type=NASTY, feedback=NASTY) for it in trial.graders)
    checkpoint = CheckpointOutcome(1, "failed", graders)
    changed = replace(trial, trajectory=trajectory, checkpoints=(checkpoint,), attempts=2, error=NASTY)
    stopped = replace(second, trials=(), stats=None, error=NASTY)
    tasks = (replace(first, trials=(changed, *first.trials[1:])), second, stopped)
    metric = MetricResult(NASTY, 0.5, 0.75, passed=False, weight=1.0)
    return replace(
        record,
        suite_name=NASTY,
        tasks=tasks,
        triggers=(TriggerResult(NASTY, "high", should_trigger=True, did_trigger=False, error=NASTY),),
        trigger_metrics=TriggerMetrics(1, 2, 3, 4, 5, 0.25, 0.5, 0.75, 1.0),
        metrics=(metric,),
        measures=(metric, metric),
        baseline=replace(record, tasks=(replace(first, stats=None), second)),
    )


async def test_every_part_of_a_report_is_shown_and_escaped(bench: Bench, scripted: Scripted) -> None:
    page = well_formed(html_report(await full(bench, scripted)))
    assert "alert(1)" in page
    assert dead_links(page) == []
    for shown in (
        "1 of 1 trigger prompts wrong",
        "With and without skills",
        "precision 0.25, recall 0.50, F1 0.75",
        "is below its threshold 0.75",
        "composite score",
        "not run",
        "After turn 1:",
        ", 2 attempts",
        "error after 2 replies. &lt;/pre&gt;",
        "1,234 tokens in 3 turns",
        "587 steps folded: 587 \u00d7 skill loaded",
        "Calls to mocked programs: 1",
    ):
        assert shown in page
