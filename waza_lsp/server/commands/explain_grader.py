"""The command `waza.explainGrader`: which recorded trials a grader, as it stands in the editor, would have failed.

All runs in the store are looked at, without an agent and without a model. The answer is for clients; for people it is a
sentence, and a finding at the grader that says which trials and why. It goes when the grader is touched.
"""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types

from waza_lsp.schema.grader_sites import GraderSite
from waza_lsp.schema.run_offers import age
from waza_lsp.server.live.client import Worker, WorkerError, question
from waza_lsp.server.params import given, pointer_in, text_in
from waza_lsp.server.results.annotations import RECORDED_RUNS, Said, short_span, tell
from waza_lsp.server.results.reader import on_disk
from waza_lsp.server.runs.progress import RunProgress
from waza_lsp.server.session import WazaServer
from waza_lsp.snapshot import Snapshot, path_of
from waza_lsp.suite.in_document import graders_in

_LIMIT_SECONDS = 60.0
_SHOWN = 8
"""How many trials are named in the text; the answer has them all."""

Answer = dict[str, Any]


async def explain_grader(server: WazaServer, *arguments: Any) -> Answer | None:
    """`waza.explainGrader {uri, pointer}`; `null`, after a message, when there is nothing to say."""
    asked = given(arguments)
    uri, path = text_in(asked, "uri"), path_of(text_in(asked, "uri"))
    snapshot = server.documents.get(uri) or (on_disk(path, server.encoding) if path is not None else None)
    site = _site(snapshot, pointer_in(asked)) if snapshot is not None else None
    if snapshot is None or path is None or site is None:
        server.warn("There is no grader at this place of the file.")
        return None
    answer = await _asked(server, snapshot, path, site)
    if answer is None:
        return None
    trials = answer.get("trials", [])
    if not trials:
        reason = answer.get("none") or "nothing was recorded yet; run it once"
        server.warn(f"'{site.label}' cannot be graded on recorded runs: {reason}.")
        return None
    failed = [it for it in trials if it["status"] != "passed"]
    _say(server, site.label, failed, len(trials))
    _show(server, snapshot, site, Path(answer["eval"]), failed, len(trials))
    return {
        "uri": uri,
        "pointer": list(site.pointer),
        "grader": site.label,
        "passed": len(trials) - len(failed),
        "failed": len(failed),
        "trials": trials,
    }


def _site(snapshot: Snapshot, pointer: tuple[str | int, ...] | None) -> GraderSite | None:
    return next((it for it in graders_in(snapshot) if it.pointer == pointer), None)


async def _asked(server: WazaServer, snapshot: Snapshot, path: Path, site: GraderSite) -> Answer | None:
    """The answer of a worker of its own: the warm one goes on with live grading. None when it was cancelled."""
    reason = _why_nothing_executes(server, snapshot)
    asked = question(server, snapshot, path, "explain", site.pointer, may_execute=not reason)
    worker, progress = Worker("waza_lsp.server.live.worker", _LIMIT_SECONDS), RunProgress(server)
    progress.begin(f"Grading recorded runs: {site.label}")
    asking = asyncio.create_task(worker.ask_cold(asked))
    cancelled = asyncio.create_task(progress.cancel.wait())
    try:
        await asyncio.wait({asking, cancelled}, return_when=asyncio.FIRST_COMPLETED)
        if not asking.done():
            return None
        answer = await asking
        return {"none": f"{answer['none']}, and {reason}"} if answer.get("waits") else answer
    except WorkerError as error:
        return {"none": str(error)}
    finally:
        worker.end()
        asking.cancel()
        cancelled.cancel()
        progress.end("done")


def _why_nothing_executes(server: WazaServer, snapshot: Snapshot) -> str:
    """Empty when something may: it is what the user has asked for, but not beside a run."""
    if not server.trusted:
        return "nothing is executed in a workspace that is not trusted"
    is_run = server.live.is_run(server.results.eval_of(snapshot))
    return "its eval is being run now" if is_run else ""


def _say(server: WazaServer, label: str, failed: Sequence[Answer], count: int) -> None:
    what = "the recorded trial" if count == 1 else f"all {count} recorded trials"
    if not failed:
        sentence = f"'{label}' passes on {what}."
    elif len(failed) == count:
        sentence = f"'{label}' would have failed {what}: see its line."
    else:
        sentence = f"'{label}' would have failed {len(failed)} of {count} recorded trials: see its line."
    server.say(sentence, types.MessageType.Info)


def _show(
    server: WazaServer,
    snapshot: Snapshot,
    site: GraderSite,
    eval_path: Path,
    failed: Sequence[Answer],
    count: int,
) -> None:
    """Put it at the grader; what an earlier question said there goes."""
    path, inline = snapshot.path, server.results.inline
    span = short_span(snapshot, (*site.pointer, "type"), len(site.pointer))
    if path is None or span is None:
        return
    inline.follow(path, (server.documents.get(snapshot.uri) or snapshot).text.lines)
    inline.drop_in(path, snapshot.text.lines, site.span, RECORDED_RUNS)
    if failed:
        text = "\n".join([f"Would have failed {len(failed)} of {count} recorded trials:", *_lines(failed)])
        said = Said(span, text, RECORDED_RUNS, eval_path, cover=site.span)
        inline.add(path, snapshot.text.lines, [said])
    tell(server, {path})


def _lines(failed: Sequence[Answer]) -> list[str]:
    now = time.time()
    lines = [f"- {_trial(it, now)}: {it['message']}" for it in failed[:_SHOWN]]
    return [*lines, f"- and {len(failed) - _SHOWN} more"] if len(failed) > _SHOWN else lines


def _trial(it: Answer, now: float) -> str:
    when = f"{age(now - it['at'])}, run {it['runId']}" if it["runId"] else "recording"
    return f"{it['task']}, trial {it['trial']} ({when})"
