"""`waza-lsp grade --run`: a recorded run with the graders as they are now. No agent, no tokens."""

import os
import sys
from pathlib import Path
from typing import NoReturn

from waza_engine.project.load_suite import load_suite, suite_of_arm
from waza_engine.reports.results_json import results_json
from waza_engine.reports.text import text_report
from waza_engine.runs.plan import PlanError
from waza_engine.runs.records import RunRecord
from waza_engine.runs.regrade import regrade
from waza_engine.runs.store import StoredRun, StoreError
from waza_engine.suite import LoadError, Suite
from waza_lsp.cli.printing import show
from waza_lsp.cli.run_error import give_up_loading
from waza_lsp.cli.run_source import find_run, give_up, open_store

_EXIT_STATUS = {"passed": 0, "failed": 1}
_ERRORED = 3


def grade_recorded(name: str, tasks: tuple[str, ...], store_dir: Path | None, output_format: str) -> NoReturn:
    """Grade the run called `name` again, print the verdicts and end the program with their exit status."""
    record = _graded(name, tasks, store_dir)
    show(results_json(record) if output_format == "json" else text_report(record))
    errored = any(trial.status == "error" for task in record.tasks for trial in task.trials)
    sys.exit(_ERRORED if errored else _EXIT_STATUS.get(record.status, _ERRORED))


def _graded(name: str, tasks: tuple[str, ...], store_dir: Path | None) -> RunRecord:
    with open_store(store_dir) as store:
        run = find_run(store, name, is_performed=True)
        try:
            suite = _suite(run)
            return regrade(store, run, suite, tasks=tasks, process_dir=Path.cwd(), environment=os.environ)
        except LoadError as error:
            give_up_loading(error)
        except (PlanError, StoreError) as error:
            give_up(str(error))


def _suite(run: StoredRun) -> Suite:
    """The suite of a run as it is now; that of an arm as its experiment makes it."""
    if run.frame.arm is None:
        return load_suite(run.eval_path, process_dir=Path.cwd())
    return suite_of_arm(run.frame.arm)
