"""Graders that can be written from what was recorded of a task: asked of the worker, for code actions."""

import asyncio
from typing import TYPE_CHECKING, Any

from waza_lsp.schema.runnables import Runnable
from waza_lsp.server.questions import question
from waza_lsp.server.worker import WorkerError
from waza_lsp.snapshot import Snapshot

if TYPE_CHECKING:
    from waza_lsp.server.app import WazaServer

_PATIENCE_SECONDS = 2.0
"""How long the menu of actions may wait. A worker that is still starting is ready the next time."""
_asking: set[asyncio.Task[list[dict[str, Any]]]] = set()


async def drafts_for(server: "WazaServer", snapshot: Snapshot, task: Runnable) -> list[dict[str, Any]]:
    """The drafts for a task; none when nothing was recorded, or the answer does not come in time."""
    eval_path = server.results.eval_of(snapshot)
    if eval_path is None or not server.results.is_recorded(eval_path, task.id):
        return []
    asked = asyncio.create_task(_asked(server, snapshot, task))
    _asking.add(asked)
    asked.add_done_callback(_asking.discard)
    # Not cancelled: that would cost the worker its life.
    done, _ = await asyncio.wait({asked}, timeout=_PATIENCE_SECONDS)
    return asked.result() if done else []


async def _asked(server: "WazaServer", snapshot: Snapshot, task: Runnable) -> list[dict[str, Any]]:
    path = snapshot.path
    if path is None:
        return []
    try:
        answer = await server.live.worker.ask(question(server, snapshot, path, "draft", task.pointer))
    except WorkerError as error:
        server.log(f"No graders could be drafted for {path}: {error}")
        return []
    drafts: list[dict[str, Any]] = answer.get("drafts", [])
    return drafts
