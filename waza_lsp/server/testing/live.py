"""`waza/liveVerdicts`: the verdicts of the test view after an edit, from the recordings of the last run."""

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from waza_lsp.runnables.commands import LiveStatus
from waza_lsp.runnables.runnables import eval_key, grader_key, graders_in, runnables_in, task_key
from waza_lsp.server.documents import Documents
from waza_lsp.server.events import Bus, LiveVerdictsChanged
from waza_lsp.server.results.annotations.annotation import Annotation
from waza_lsp.server.results.annotations.annotations import Annotations
from waza_lsp.server.transport.client import Client

METHOD = "waza/liveVerdicts"
_PAUSE_SECONDS = 0.4
"""Each key of a word may change the message of a failed check. The last one counts."""


class LiveVerdictEvents:
    """Sends the live verdicts of tasks to clients that follow runs. `docs/protocol.md` fixes the shape."""

    def __init__(self, client: Client, documents: Documents, annotations: Annotations, bus: Bus) -> None:
        self._client = client
        self._documents = documents
        self._annotations = annotations
        self._timers: dict[Path, asyncio.TimerHandle] = {}
        self._sent: dict[Path, list[tuple[float, dict[str, Any]]]] = {}
        bus.listen(LiveVerdictsChanged, self._graded)

    def _graded(self, event: LiveVerdictsChanged) -> None:
        """Send the live status of an eval's tasks at the next pause, if it differs from what the client has."""
        if not self._client.follows_runs:
            return
        eval_path = event.eval_path
        if before := self._timers.pop(eval_path, None):
            before.cancel()
        loop = asyncio.get_running_loop()
        self._timers[eval_path] = loop.call_later(_PAUSE_SECONDS, self._send, eval_path, event.statuses)

    def _send(self, eval_path: Path, statuses: Mapping[str, LiveStatus]) -> None:
        self._timers.pop(eval_path, None)
        graders = dict(self._graders(eval_path))
        verdicts = [
            {
                "key": task_key(eval_path, task),
                "status": "passed" if it.is_passed else "failed",
                "messages": [] if it.is_passed else [*self._messages(eval_path, task, graders)],
                "graders": [
                    {"key": key, "status": "failed" if task in about.failed else "passed"}
                    for key, about in graders.items()
                    if task in about.graded
                ],
            }
            for task, it in statuses.items()
        ]
        # The client may have shown other verdicts since, those of a run.
        dated = [(statuses[task].since, it) for task, it in zip(statuses, verdicts, strict=True)]
        before, self._sent[eval_path] = self._sent.get(eval_path, []), dated
        news = [it for it in dated if it not in before]
        if news:
            self._client.notify(METHOD, {"uri": eval_path.as_uri(), "verdicts": [it for _, it in news]})

    def _graders(self, eval_path: Path) -> Iterator[tuple[str, Annotation]]:
        """The live verdicts on graders with the keys of their items, which are below a task or below the eval."""
        for path, it in self._annotations.live_graders(eval_path):
            text = self._documents.of_path(path)
            site = next((one for one in graders_in(text) if one.span == it.cover), None) if text else None
            if text is None or site is None:
                continue
            tasks = [
                one
                for one in runnables_in(text)
                if one.kind == "task" and one.range.contains(site.span.start)
            ]
            if tasks:
                own = site.pointer[len(tasks[0].pointer) :]
                yield grader_key(task_key(eval_path, tasks[0].id), own), it
            else:
                yield grader_key(eval_key(eval_path), site.pointer), it

    def _messages(
        self, eval_path: Path, task: str, graders: Mapping[str, Annotation]
    ) -> Iterator[dict[str, Any]]:
        for path, check in self._annotations.failed_checks(eval_path, task):
            text = self._documents.of_path(path)
            place = text.range(check.span) if text is not None else None
            owner = (
                key for key, it in graders.items() if check.cover is not None and it.cover == check.cover
            )
            key = next(owner, task_key(eval_path, task))
            yield {"message": check.message, "uri": path.as_uri(), "range": place, "key": key}
