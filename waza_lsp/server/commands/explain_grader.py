"""The command `waza.explainGrader`: find the recorded trials that a grader, as it is in the editor, would fail.

It grades all runs in the store, without an agent and without a model. Clients get the data; the user gets a message,
and an annotation at the grader with the trials and reasons. An edit of the grader removes it.
"""

import asyncio
import time
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

from lsprotocol import types

from waza_lsp.runnables.commands import age
from waza_lsp.runnables.runnables import DocumentGrader, graders_in, task_of
from waza_lsp.server.helper.client import Helper, HelperError
from waza_lsp.server.helper.questions import Answer, Explain
from waza_lsp.server.params import params_of, pointer_in, text_in
from waza_lsp.server.results.annotations.annotation import RECORDED_RUNS, Annotation, short_span
from waza_lsp.server.results.reader import on_disk
from waza_lsp.server.runs.progress import Progress
from waza_lsp.server.session import Session
from waza_lsp.snapshot import Snapshot, path_of

_MOST_SHOWN = 8
"""How many trials the annotation names. The answer has them all."""


async def explain_grader(session: Session, *arguments: Any) -> Answer | None:
    """`waza.explainGrader {uri, pointer}`; `null`, after a message, if nothing can be graded."""
    params = params_of(arguments)
    uri, path = text_in(params, "uri"), path_of(text_in(params, "uri"))
    snapshot = session.documents.get(uri)
    if snapshot is None and path is not None:
        snapshot = on_disk(path, session.client.encoding)
    site = _site(snapshot, pointer_in(params)) if snapshot is not None else None
    if snapshot is None or path is None or site is None:
        session.client.warn("There is no grader at this place of the file.")
        return None
    answer = await _ask(session, snapshot, site)
    if answer is None:
        return None
    trials = answer.get("trials", [])
    if not trials:
        reason = answer.get("none") or "there is no recording yet; run it once"
        session.client.warn(f"'{site.label}' cannot be graded on recorded runs: {reason}.")
        return None
    failed = [it for it in trials if it["status"] != "passed"]
    session.client.show(_summary(site.label, len(failed), len(trials)), types.MessageType.Info)
    _annotate(session, snapshot, site, Path(answer["eval"]), failed, len(trials))
    return {
        "uri": uri,
        "pointer": list(site.pointer),
        "grader": site.label,
        "passed": len(trials) - len(failed),
        "failed": len(failed),
        "trials": trials,
    }


def _site(snapshot: Snapshot, pointer: tuple[str | int, ...] | None) -> DocumentGrader | None:
    return next((it for it in graders_in(snapshot) if it.pointer == pointer), None)


async def _ask(session: Session, snapshot: Snapshot, site: DocumentGrader) -> Answer | None:
    """Ask the helper. None if the user cancelled."""
    reason = await _why_nothing_executes(session, snapshot)
    about, task = session.questions.about(snapshot), task_of(snapshot, site.pointer)
    progress = Progress(session.client)
    progress.begin(f"Grading recorded runs: {site.label}")
    asking = asyncio.create_task(
        _trials(session.questions.helper, Explain(about, site.pointer, task, may_execute=not reason))
    )
    cancelled = asyncio.create_task(progress.cancel.wait())
    try:
        await asyncio.wait({asking, cancelled}, return_when=asyncio.FIRST_COMPLETED)
        if not asking.done():
            return None
        answer = await asking
        return {"none": f"{answer['none']}, and {reason}"} if answer.get("waits") else answer
    except HelperError as error:
        return {"none": str(error)}
    finally:
        asking.cancel()
        cancelled.cancel()
        progress.end("done")


async def _trials(helper: Helper, question: Explain) -> Answer:
    async with aclosing(helper.parts(question)) as parts:
        async for answer in parts:
            if "done" not in answer:
                return answer
    raise HelperError("it gave no answer")


async def _why_nothing_executes(session: Session, snapshot: Snapshot) -> str:
    """Return why graders must not execute programs; "" if they may, because the user has asked for it."""
    eval_path = session.ledger.eval_of(snapshot)
    path = snapshot.path or eval_path
    if path is None or not await session.trust.ask_to_run(path, eval_path):
        return "nothing is executed in a workspace that is not trusted"
    is_running = session.live.is_running(eval_path)
    return "its eval is being run now" if is_running else ""


def _summary(label: str, failed: int, count: int) -> str:
    trials = "the recorded trial" if count == 1 else f"all {count} recorded trials"
    if not failed:
        return f"'{label}' passes on {trials}."
    if failed == count:
        return f"'{label}' would have failed {trials}: see its line."
    return f"'{label}' would have failed {failed} of {count} recorded trials: see its line."


def _annotate(
    session: Session,
    snapshot: Snapshot,
    site: DocumentGrader,
    eval_path: Path,
    failed: Sequence[Answer],
    count: int,
) -> None:
    """Annotate the grader, in place of an earlier explanation."""
    span = short_span(snapshot, (*site.pointer, "type"), len(site.pointer))
    if span is None:
        return
    text = "\n".join([f"Would have failed {len(failed)} of {count} recorded trials:", *_lines(failed)])
    found = [Annotation(span, text, RECORDED_RUNS, eval_path, cover=site.span)] if failed else []
    session.annotations.replace(snapshot, site.span, found, RECORDED_RUNS)


def _lines(failed: Sequence[Answer]) -> list[str]:
    now = time.time()
    lines = [f"- {_trial(it, now)}: {it['message']}" for it in failed[:_MOST_SHOWN]]
    more = len(failed) - _MOST_SHOWN
    return [*lines, f"- and {more} more"] if more > 0 else lines


def _trial(trial: Answer, now: float) -> str:
    when = f"{age(now - trial['at'])}, run {trial['runId']}" if trial["runId"] else "recording"
    return f"{trial['task']}, trial {trial['trial']} ({when})"
