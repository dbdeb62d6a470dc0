"""What is written and printed when an experiment is over: its arms side by side."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from waza_engine.reports.experiment import Results, experiment_markdown, experiment_text, over_all_evals
from waza_engine.reports.html.comparison import experiment_page
from waza_engine.reports.results_jsonl import summary_line, trial_lines
from waza_engine.runs.records import RunRecord
from waza_engine.runs.store import RunStore, StoreError
from waza_engine.runs.stored_record import stored_record
from waza_lsp.cli.experiment_parts import ExperimentRun
from waza_lsp.cli.outputs import stop_printing
from waza_lsp.cli.printing import show
from waza_lsp.cli.run_asked import Shown
from waza_lsp.cli.run_reports import Reports, written

_TRIALS, _SUMMARY = "results.jsonl", "run-summary.jsonl"


@dataclass(frozen=True, slots=True)
class Done:
    """A run of an arm that is over; `record` is None for one of an earlier process."""

    arm: str
    run_id: str
    record: RunRecord | None = None


def concluded(
    run: ExperimentRun, done: Sequence[Done], files: Reports, how: Shown, directory: Path
) -> list[str]:
    """Write and print what came out of the whole experiment; what went wrong with that."""
    try:
        with contextlib.ExitStack() as stack:
            store = _store(directory, stack)
            records = {name: [_record(it, store) for it in done if it.arm == name] for name in run.arms}
            known = {name: [it for it in its if it is not None] for name, its in records.items()}
            return list(_reported(run, {name: its for name, its in known.items() if its}, files, how))
    except StoreError as error:
        return [str(error)]


def _store(directory: Path, stack: contextlib.ExitStack) -> RunStore | None:
    try:
        return stack.enter_context(RunStore(directory, for_reading=True))
    except StoreError:
        return None  # What was not stored is still in memory.


def _record(it: Done, store: RunStore | None) -> RunRecord | None:
    """The run as it is in the store: what its process knows of its trials may be read from there as well."""
    found = store.find_runs(it.run_id) if store is not None else []
    return stored_record(store, found[0]) if store is not None and found else it.record


def _reported(
    run: ExperimentRun, records: Mapping[str, list[RunRecord]], files: Reports, how: Shown
) -> Iterator[str]:
    of = run.experiment
    if not records:
        return
    results = Results(of.name, of.baseline, {name: over_all_evals(its) for name, its in records.items()})
    yield from _written(run, records, results, files)
    if how.events or how.printed == "json":
        return
    text = experiment_text(results) if how.printed == "text" else experiment_markdown(results)
    try:
        show("\n" + text.rstrip("\n"))
    except BrokenPipeError:
        stop_printing()


def _written(
    run: ExperimentRun, records: Mapping[str, list[RunRecord]], results: Results, files: Reports
) -> Iterator[str]:
    markdown = experiment_markdown(results)
    wanted: list[tuple[Path, Iterator[str]]] = []
    if files.html is not None:
        wanted.append((files.html, iter(experiment_page(results))))
    if files.github is not None:
        wanted.append((files.github, iter([markdown])))
    # A run that performed nothing leaves what an earlier one has written.
    if (
        files.results is not None
        and files.is_folder
        and any(it.tasks for its in records.values() for it in its)
    ):
        wanted.append((files.results / "report.md", iter([markdown])))
        for name in run.arms:
            its = records.get(name, [])
            folder = files.results / run.experiment.folder_name(name)
            if not its:
                yield from _deleted(folder)
                continue
            wanted.append((folder / _TRIALS, (line for it in its for line in trial_lines(it))))
            wanted.append((folder / _SUMMARY, (summary_line(it) for it in its)))
    for path, chunks in wanted:
        if problem := written(path, chunks):
            yield problem


def _deleted(folder: Path) -> Iterator[str]:
    """Remove what an earlier run has written about an arm that this one did not come to; what went wrong with that."""
    for it in (folder / _TRIALS, folder / _SUMMARY):
        try:
            it.unlink(missing_ok=True)
        except OSError as error:
            yield f"{it}: cannot be deleted, and is of an earlier run: {error.strerror or error}"
