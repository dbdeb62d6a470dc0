"""What is written, printed and said when a run is over, or when it was cancelled."""

import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path

from waza_engine.runs.records import RunRecord
from waza_engine.runs.run import EXIT_STATUS
from waza_engine.runs.store import RunStore, StoreError, default_store_dir
from waza_lsp.cli.outputs import CANNOT, stop_printing
from waza_lsp.cli.printing import tell, tell_if_heard
from waza_lsp.cli.run_asked import Shown
from waza_lsp.cli.run_prepare import Prepared
from waza_lsp.cli.run_printed import Printed
from waza_lsp.cli.run_reports import Reports
from waza_lsp.cli.run_source import store_option
from waza_lsp.cli.run_traces import send_traces


def reported(
    record: RunRecord,
    run: Prepared,
    reports: Reports,
    shown: Shown,
    printed: Printed,
    store: RunStore | None,
) -> Iterator[str]:
    """Write and print the reports; what went wrong with that."""
    triggers = run.plan.suite.triggers
    yield from reports.write(record, triggers.skill if triggers else "", store)
    if shown.traces and (problem := send_traces(record)):
        # What the run found out stands, whoever listens.
        tell(f"warning: {problem}")
    try:
        printed.add(record)
    except StoreError as error:
        yield str(error)
    except BrokenPipeError:
        stop_printing()
    except OSError as error:
        stop_printing()
        yield f"The output cannot be written: {error.strerror}"


def concluded(record: RunRecord, problems: Iterable[str], store: RunStore | None) -> int:
    """Say what went wrong when the run was reported; the exit status."""
    told = list(problems)
    for it in told:
        tell_if_heard(f"error: {it}")
    if told and store is not None and not store.file.is_lost:
        tell_if_heard(
            f"The run is in the store; report it again with: {report_again(record, store.directory)}"
        )
    return CANNOT if told and record.status != "cancelled" else EXIT_STATUS[record.status]


def report_again(record: RunRecord, directory: Path) -> str:
    """The command that reports a stored run."""
    try:
        beside = store_option(directory)
    except FileNotFoundError:  # The directory in which we were started is gone.
        beside = ["--store", str(directory)]
    return shlex.join(["waza-lsp", "report", record.run_id, *beside])


def what_is_kept(record: RunRecord, eval_file: Path, directory: Path, store: RunStore | None) -> str:
    """What there is of a cancelled run, and how to go on with it."""
    try:
        count = len(store.finished(record.run_id)) if store is not None and not store.file.is_lost else 0
    except StoreError:
        count = 0
    if not count:
        return "Cancelled; no finished trial is in the run store."
    again = [str(eval_file), "--resume"]
    if not _is_usual(directory, eval_file):
        again += ["--store", str(directory)]
    kept = f"{count} finished trial{'' if count == 1 else 's'} kept"
    return f"Cancelled: {kept}. Go on with: waza-lsp run {shlex.join(again)}"


def _is_usual(directory: Path, eval_file: Path) -> bool:
    try:
        return directory == default_store_dir(eval_file.absolute()).absolute()
    except FileNotFoundError:
        return False  # The directory in which we were started is gone.
