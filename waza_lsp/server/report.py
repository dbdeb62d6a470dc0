"""The report of a stored run as a file, for the editor to show. Runs in a thread."""

from collections.abc import Iterable
from pathlib import Path


class ReportError(Exception):
    """There is no report; the text says why."""


def write_report(run_id: str, files: Iterable[Path], folders: Iterable[Path]) -> Path:
    """Write the report of a run into its store, below `reports/`.

    The stores that are looked into are those of the evals that the `files` belong to, and of the `folders`.

    Raises:
        ReportError: no store has the run, or the file cannot be written.

    """
    # Imported here: they bring pydantic and SQLite, and this runs in a thread.
    from waza_engine.formats.owner import eval_of
    from waza_engine.reports.html.comparison import arms_report
    from waza_engine.reports.html.report import html_report
    from waza_engine.runs.store import FILE_NAME, RunStore, StoreError, default_store_dir
    from waza_engine.runs.stored_record import stored_record
    from waza_engine.whole_files import write_whole

    if not run_id:
        raise ReportError("There is no stored run to report on: this was graded against recordings in files.")
    evals = [it / "x" if it.is_dir() else eval_of(it) or it for it in (*files, *folders)]
    for directory in dict.fromkeys(map(default_store_dir, evals)):
        if not (directory / FILE_NAME).is_file():
            continue
        try:
            with RunStore(directory, for_reading=True) as store:
                near = store.find_runs(run_id)
                found = [it for it in near if it.run_id == run_id]
                arms = [it for it in near if it.frame.arm is not None and it.frame.arm.run_id == run_id]
                if not (found or arms):
                    continue
                pieces = (
                    [html_report(stored_record(store, found[0]), store.history(run_id))]
                    if found
                    else arms_report([stored_record(store, it) for it in arms])
                )
            target = directory / "reports" / f"{run_id}.html"
            write_whole(target, pieces)
        except (StoreError, OSError) as error:
            raise ReportError(f"The report cannot be written: {error}") from error
        return target
    raise ReportError(f"Run {run_id} is not in the run store any more.")
