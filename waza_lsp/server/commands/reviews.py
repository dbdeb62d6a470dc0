"""Commands for people who decide `human` graders: list what waits for a verdict, and record one."""

import asyncio
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waza_engine.lib.system.users import login_name
from waza_lsp.server.params import Params, params_of, text_in
from waza_lsp.server.results.stores import find_run, newest_run, open_stores
from waza_lsp.server.session import Session
from waza_lsp.snapshot import path_of

if TYPE_CHECKING:
    from waza_engine.runs.reviews import PendingVerdict
    from waza_engine.runs.store.store import RunStore, StoredRun

Answer = dict[str, Any]
_SHOWN_CHARACTERS = 4_000


class ReviewError(Exception):
    """There is nothing to review, or the verdict is incomplete. The message says why."""


async def pending_reviews(session: Session, *arguments: Any) -> Answer | None:
    """`waza.pendingReviews {uri, runId?, grader?}`: what waits for a person in a run; by default, in the eval's newest run.

    With a grader that asks a judge: its verdicts that no person has judged.
    """
    params = params_of(arguments)
    path = path_of(text_in(params, "uri"))
    if path is None:
        return None
    return await _answer(session, path, _pending, params)


async def review(session: Session, *arguments: Any) -> Answer | None:
    """`waza.review {uri, runId, task, grader, trial?, passed, score?, comment?}`: record a verdict. Answers what is left."""
    params = params_of(arguments)
    path = path_of(text_in(params, "uri"))
    if path is None or not await session.trust.ask(path):
        return None
    answer = await _answer(session, path, _submit, params)
    for document in session.documents:
        session.ledger.read_again(document)
    return answer


async def _answer(session: Session, path: Path, work: Any, about: Any) -> Answer | None:
    # Imported late: it brings pydantic and SQLite.
    from waza_engine.runs.store.store import StoreError

    try:
        answer: Answer | None = await asyncio.to_thread(work, path, about)
    except (StoreError, OSError, ReviewError) as error:
        session.client.show(str(error))
        return None
    return answer


def _pending(path: Path, params: Params) -> Answer:
    with ExitStack() as stack:
        store, run = _run(stack, path, text_in(params, "runId"))
        grader = text_in(params, "grader")
        return _data(run, [it for it in _waiting(store, run, grader) if grader in {"", it.outcome.name}])


def _submit(path: Path, params: Params) -> Answer:
    from waza_engine.runs.reviews import Review, add_review, awaits_review, review_file

    passed, trial, score = params.get("passed"), params.get("trial"), params.get("score")
    if not isinstance(passed, bool):
        raise ReviewError("A review needs a verdict: `passed` is true or false.")
    if isinstance(score, int | float) and not 0 <= score <= 1:
        raise ReviewError("The score of a review is from 0 to 1.")
    task, grader, number = (
        text_in(params, "task"),
        text_in(params, "grader"),
        trial if isinstance(trial, int) else 1,
    )
    with ExitStack() as stack:
        store, run = _run(stack, path, text_in(params, "runId"))
        if not awaits_review(_waiting(store, run, grader), task, number, grader):
            raise ReviewError(
                f"No review of {grader!r} on trial {number} of {task!r} is pending in run {run.run_id}."
            )
        verdict = Review(
            run=run.run_id,
            task=task,
            grader=grader,
            trial=number,
            passed=passed,
            score=float(score if isinstance(score, int | float) else passed),
            reviewer=login_name(),
            comments=text_in(params, "comment"),
        )
        add_review(review_file(store.directory), verdict)
        return _data(run, _waiting(store, run, grader))


def _run(stack: ExitStack, path: Path, run_id: str) -> "tuple[RunStore, StoredRun]":
    from waza_engine.project.suite_files import eval_of

    eval_path = eval_of(path) or path
    stores = list(open_stores(stack, [eval_path]))
    found = find_run(stores, run_id) if run_id else newest_run(stores, eval_path)
    if found is None:
        name = f"run {run_id}" if run_id else f"run of {eval_path.parent.name}"
        raise ReviewError(f"No {name} is in the run store.")
    return found


def _waiting(store: "RunStore", run: "StoredRun", grader: str) -> "list[PendingVerdict]":
    """Return what waits in a run, and if `grader` asks a judge, its verdicts that no person has judged."""
    from waza_engine.runs.reviews import judged_verdicts, read_reviews
    from waza_engine.runs.store.record import pending_reviews as pending

    waiting = pending(store, run.run_id)
    if not grader:
        return waiting
    trials = [it.record for it in store.trials(run.run_id)]
    return [*waiting, *judged_verdicts(run.run_id, trials, read_reviews(store.directory), grader)]


def _data(run: "StoredRun", waiting: "Iterable[PendingVerdict]") -> Answer:
    return {"runId": run.run_id, "pending": [_item(it) for it in waiting]}


def _item(it: "PendingVerdict") -> Answer:
    details = it.outcome.details or {}
    criteria = details.get("criteria")
    return {
        "task": it.task,
        "trial": it.trial,
        "grader": it.outcome.name,
        "instructions": str(details.get("instructions") or details.get("prompt") or "")[:_SHOWN_CHARACTERS],
        "criteria": [str(one) for one in criteria] if isinstance(criteria, list | tuple) else [],
        "output": (str(details.get("output_preview") or "") or it.output)[:_SHOWN_CHARACTERS],
    }
