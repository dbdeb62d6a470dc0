"""Write and print the reports of a whole experiment: its arms side by side."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

from waza_engine.model.experiment import Experiment
from waza_engine.model.results.records import RunRecord
from waza_engine.reports.experiment import (
    ExperimentResults,
    combine_runs,
    experiment_markdown,
    experiment_text,
)
from waza_engine.reports.html.comparison import experiment_page
from waza_engine.reports.results.write_jsonl import summary_line, trial_lines
from waza_engine.runs.run import EXIT_STATUS, exit_status, worse_exit
from waza_engine.runs.store.record import stored_record
from waza_engine.runs.store.store import RunStore, StoreError
from waza_lsp.cli.console import show, stop_printing
from waza_lsp.cli.run.reports import Display, Reports, write_report
from waza_lsp.cli.text_report import show_conclusion

_TRIALS, _SUMMARY = "results.jsonl", "run-summary.jsonl"


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A finished run of an arm. `record` is None if an earlier process performed it."""

    arm: str
    run_id: str
    record: RunRecord | None = None


def report_experiment(
    experiment: Experiment,
    arms: Sequence[str],
    finished: Sequence[FinishedRun],
    files: Reports,
    display: Display,
    directory: Path,
) -> list[str]:
    """Write and print the results of the whole experiment and return the errors."""
    try:
        with contextlib.ExitStack() as stack:
            store = _open_store(directory, stack)
            records: dict[str, list[RunRecord]] = {name: [] for name in arms}
            for run in finished:
                if (record := _load_record(run, store)) is not None:
                    records[run.arm].append(record)
            return list(_report(experiment, records, files, display))
    except StoreError as error:
        return [str(error)]


def _open_store(directory: Path, stack: contextlib.ExitStack) -> RunStore | None:
    try:
        return stack.enter_context(RunStore(directory, for_reading=True))
    except StoreError:
        return None  # The records of this process are still in memory.


def _load_record(run: FinishedRun, store: RunStore | None) -> RunRecord | None:
    """Return the stored record, else the one in memory, whose trials may have to be read from the store."""
    found = store.find_runs(run.run_id) if store is not None else []
    return stored_record(store, found[0]) if store is not None and found else run.record


def _report(
    experiment: Experiment, records: Mapping[str, list[RunRecord]], files: Reports, display: Display
) -> Iterator[str]:
    performed = {name: combine_runs(runs) for name, runs in records.items() if runs}
    if not performed:
        return
    results = ExperimentResults(experiment.name, experiment.baseline, performed)
    yield from _write_reports(experiment, records, results, files)
    if display.events or display.printed == "json":
        return
    not_passed = [name for name, it in performed.items() if it.status != "passed"]
    if display.quiet and display.printed == "text" and not not_passed:
        return
    text = experiment_text(results) if display.printed == "text" else experiment_markdown(results)
    try:
        show("\n" + text.rstrip("\n"))
        if display.printed == "text":
            every = (exit_status(it) for runs in records.values() for it in runs)
            status = reduce(worse_exit, every, EXIT_STATUS["passed"])
            show_conclusion("arms", len(performed), not_passed, status)
    except BrokenPipeError:
        stop_printing()


def _write_reports(
    experiment: Experiment, records: Mapping[str, list[RunRecord]], results: ExperimentResults, files: Reports
) -> Iterator[str]:
    markdown = experiment_markdown(results)
    reports: list[tuple[Path, Iterator[str]]] = []
    if files.html is not None:
        reports.append((files.html, iter(experiment_page(results))))
    if files.github is not None:
        reports.append((files.github, iter([markdown])))
    # A run that performed nothing keeps the files of an earlier one.
    has_tasks = any(it.tasks for runs in records.values() for it in runs)
    if files.results is not None and files.is_folder and has_tasks:
        reports.append((files.results / "report.md", iter([markdown])))
        for name, runs in records.items():
            folder = files.results / experiment.folder_name(name)
            if not runs:
                yield from _delete_results(folder)
                continue
            reports.append((folder / _TRIALS, (line for it in runs for line in trial_lines(it))))
            reports.append((folder / _SUMMARY, (summary_line(it) for it in runs)))
    for path, chunks in reports:
        if problem := write_report(path, chunks):
            yield problem


def _delete_results(folder: Path) -> Iterator[str]:
    """Delete an earlier run's results of an arm that this run did not perform; yield the errors."""
    for path in (folder / _TRIALS, folder / _SUMMARY):
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            yield f"{path}: is of an earlier run and cannot be deleted: {error.strerror or error}"
