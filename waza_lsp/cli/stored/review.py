"""`waza-lsp review`: list and record human verdicts.

The store is imported late: `--help` does without.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from waza_engine.lib.system.users import login_name
from waza_engine.reports.inert import harmless
from waza_lsp.cli.completion import values
from waza_lsp.cli.console import give_up, show
from waza_lsp.cli.options import LAST, STORE

if TYPE_CHECKING:
    from waza_engine.runs.reviews import PendingVerdict
    from waza_engine.runs.store.store import RunStore, StoredRun

_RUN = click.option(
    "--run",
    "run_name",
    default=LAST,
    show_default=True,
    metavar="RUN",
    shell_complete=values.runs,
    help="The id of the run.",
)


@click.group()
def review() -> None:
    """Record verdicts of people: those that a run waits for, and those that judges are measured by.

    \b
    Examples:
      waza-lsp review start
      waza-lsp review list
      waza-lsp review submit explain-retry is-friendly --passed --comment "Warm and clear"
      waza-lsp review submit explain-retry is-friendly --failed --score 0.25 --trial 2
    """


@review.command("start")
@click.option("--grader", default="", metavar="NAME", help="Only this grader.")
@click.option("--reviewer", default="", metavar="NAME", help="Your name. Default: your login name.")
@_RUN
@STORE
def start_(grader: str, reviewer: str, run_name: str, store_dir: Path | None) -> None:
    """Decide one trial after the other, with one key each: p pass, f fail, n note, s skip, q quit.

    First come the verdicts that the run waits for, then those of its judges, which are shown after yours. Each verdict is
    kept at once.
    """
    from waza_engine.runs.reviews import review_file
    from waza_engine.runs.store.errors import StoreError
    from waza_lsp.cli.stored.find import find_run, open_store
    from waza_lsp.cli.stored.review_start import cases_of, review_cases, tell

    with open_store(store_dir) as store:
        run = find_run(store, run_name)
        try:
            cases = cases_of(store, run, grader)
            if not cases:
                show(f"Nothing to decide in run {run.run_id}")
                return
            done = review_cases(cases, run.run_id, review_file(store.directory), reviewer or _login())
        except StoreError as error:
            give_up(str(error))
        except OSError as error:
            give_up(f"The review cannot be saved: {error.strerror or error}")
    tell(done, len(cases))


@review.command("list")
@_RUN
@STORE
def list_(run_name: str, store_dir: Path | None) -> None:
    """List the pending verdicts of a run."""
    from waza_lsp.cli.stored.find import find_run, open_store

    with open_store(store_dir) as store:
        run = find_run(store, run_name)
        waiting = _pending_reviews(store, run)
    if not waiting:
        show(f"No pending reviews in run {run.run_id}")
    for item in waiting:
        details = item.outcome.details or {}
        instructions = details.get("instructions", "")
        show(harmless(f"{item.task}  trial {item.trial}  {item.outcome.name}: {instructions}"))
        for criterion in details.get("criteria") or ():
            show(harmless(f"    - {criterion}"))
        if preview := details.get("output_preview"):
            show(f"    output: {' '.join(str(preview).split())[:200]}")


@review.command("submit")
@click.argument("task")
@click.argument("grader")
@click.option("--passed/--failed", "passed", required=True, help="The verdict.")
@click.option("--score", type=click.FloatRange(0, 1), help="0 to 1. Default: 1 for passed, 0 for failed.")
@click.option("--comment", default="", help="The reason for the verdict.")
@click.option("--reviewer", help="Your name. Default: your login name.")
@click.option("--trial", type=click.IntRange(min=1), default=1, show_default=True)
@_RUN
@STORE
def submit_(  # noqa: PLR0913, PLR0917  # click passes one argument per option
    task: str,
    grader: str,
    passed: bool,  # passed by name only
    score: float | None,
    comment: str,
    reviewer: str | None,
    trial: int,
    run_name: str,
    store_dir: Path | None,
) -> None:
    """Record the verdict on GRADER of TASK. A second verdict replaces the first."""
    from waza_engine.runs.reviews import (
        Review,
        add_review,
        awaits_review,
        judged_verdicts,
        pending_verdicts,
        review_file,
    )
    from waza_engine.runs.store.errors import StoreError
    from waza_lsp.cli.stored.find import find_run, open_store

    with open_store(store_dir) as store:
        run = find_run(store, run_name)
        try:
            records = [it.record for it in store.trials(run.run_id)]
        except StoreError as error:
            give_up(str(error))
        open_reviews = pending_verdicts(records)
        judged = judged_verdicts(run.run_id, records, (), grader)
        if not awaits_review([*open_reviews, *judged], task, trial, grader):
            waiting = ", ".join(f"{it.task} {it.outcome.name}" for it in open_reviews) or "none"
            give_up(
                f"No pending review of '{grader}' on trial {trial} of '{task}' in this run. Pending: {waiting}"
            )
        verdict = Review(
            run=run.run_id,
            task=task,
            grader=grader,
            trial=trial,
            passed=passed,
            score=float(passed) if score is None else score,
            reviewer=reviewer or _login(),
            comments=comment,
        )
        try:
            add_review(review_file(store.directory), verdict)
        except OSError as error:
            give_up(f"The review cannot be saved: {error.strerror or error}")
        left = len(_pending_reviews(store, run))
    show(f"{task}: {grader} {'passed' if passed else 'failed'} ({verdict.score:.2f}); {left} more to review")


def _login() -> str:
    return login_name() or give_up("The system does not know your login name. Give it with --reviewer NAME")


def _pending_reviews(store: "RunStore", run: "StoredRun") -> "list[PendingVerdict]":
    from waza_engine.runs.store.errors import StoreError
    from waza_engine.runs.store.record import pending_reviews

    try:
        return pending_reviews(store, run.run_id)
    except StoreError as error:
        give_up(str(error))
