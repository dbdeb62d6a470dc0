"""`waza-lsp review`: what waits for a person's verdict, and giving one."""

import getpass
from pathlib import Path

import click

from waza_engine.reports.inert import harmless
from waza_engine.reviews import Review, submit
from waza_engine.runs.reviewed import Pending, pending, read_reviews, review_file, with_reviews
from waza_engine.runs.store import RunStore, StoreError
from waza_engine.runs.store_rows import StoredRun
from waza_lsp.cli.console import show
from waza_lsp.cli.stored_runs import LAST, STORE, find_run, give_up, open_store

_RUN = click.option("--run", "run_name", default=LAST, show_default=True, metavar="RUN", help="The run's id.")


@click.group(short_help="Verdicts of people for 'human' graders.")
def review() -> None:
    """List what waits for a person's verdict, and give one.

    \b
    Examples:
      waza-lsp review list
      waza-lsp review submit explain-retry is-friendly --passed --comment "Warm and clear"
      waza-lsp review submit explain-retry is-friendly --failed --score 0.25 --trial 2
    """


@review.command("list")
@_RUN
@STORE
def list_(run_name: str, store_dir: Path | None) -> None:
    """The verdicts of a run that still wait."""
    with open_store(store_dir) as store:
        run = find_run(store, run_name)
        waiting = _waiting(store, run)
    if not waiting:
        show(f"Nothing waits for a person in run {run.run_id}")
    for it in waiting:
        details = it.outcome.details or {}
        show(harmless(f"{it.task}  trial {it.trial}  {it.outcome.name}: {details.get('instructions', '')}"))
        for criterion in details.get("criteria") or ():
            show(harmless(f"    - {criterion}"))
        if preview := details.get("output_preview"):
            show(f"    output: {' '.join(str(preview).split())[:200]}")


@review.command("submit")
@click.argument("task")
@click.argument("grader")
@click.option("--passed/--failed", "passed", required=True, help="The verdict.")
@click.option("--score", type=click.FloatRange(0, 1), help="0 to 1; without it 1 for passed, 0 for failed.")
@click.option("--comment", default="", help="Why.")
@click.option("--reviewer", help="Who; without it the name you are signed in with.")
@click.option("--trial", type=click.IntRange(min=1), default=1, show_default=True)
@_RUN
@STORE
def submit_(  # noqa: PLR0913, PLR0917  # click hands over one argument per option
    task: str,
    grader: str,
    passed: bool,  # given by name only
    score: float | None,
    comment: str,
    reviewer: str | None,
    trial: int,
    run_name: str,
    store_dir: Path | None,
) -> None:
    """Give the verdict on GRADER of TASK. Giving it again replaces it."""
    with open_store(store_dir) as store:
        run = find_run(store, run_name)
        try:
            known = [it.record for it in store.trials(run.run_id)]
        except StoreError as error:
            give_up(str(error))
        if not any((it.task, it.trial, it.outcome.name) == (task, trial, grader) for it in pending(known)):
            waiting = ", ".join(f"{it.task} {it.outcome.name}" for it in pending(known)) or "nothing"
            give_up(
                f"No verdict of '{grader}' on trial {trial} of '{task}' waits in this run; there is: {waiting}"
            )
        given = Review(
            run=run.run_id,
            task=task,
            grader=grader,
            trial=trial,
            passed=passed,
            score=float(passed) if score is None else score,
            reviewer=reviewer or _who_runs_this(),
            comments=comment,
        )
        try:
            submit(review_file(store.directory), given)
        except OSError as error:
            give_up(f"The review cannot be kept: {error.strerror or error}")
        left = len(_waiting(store, run))
    show(f"{task}: {grader} {'passed' if passed else 'failed'} ({given.score:.2f}); {left} more to review")


def _who_runs_this() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # Python 3.13 raises the latter.
        give_up("The system has no name for who runs this. Say who you are with --reviewer NAME")


def _waiting(store: RunStore, run: StoredRun) -> list[Pending]:
    try:
        known = [it.record for it in store.trials(run.run_id)]
        said = read_reviews(store.directory)
    except StoreError as error:
        give_up(str(error))
    return pending([with_reviews(run.run_id, it, said) for it in known])
