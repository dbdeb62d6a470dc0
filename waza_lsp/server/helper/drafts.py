"""Drafts of checks: asked for by a menu, which does not wait for them for long."""

import asyncio
from typing import Any

from waza_lsp.server.helper.client import Helper, HelperError
from waza_lsp.server.helper.questions import Question
from waza_lsp.server.transport.client import Client

_SECONDS = 2.0
"""How long the menu of code actions may wait. A helper that is still starting is ready the next time."""


class Drafts:
    """Asks the helper for drafts."""

    def __init__(self, helper: Helper, client: Client) -> None:
        self._helper = helper
        self._client = client
        self._asking: set[asyncio.Task[list[dict[str, Any]]]] = set()

    async def asked(self, question: Question) -> list[dict[str, Any]]:
        """Return the drafts. There are none if the helper has no answer or takes too long."""
        asking = asyncio.create_task(self._ask(question))
        self._asking.add(asking)
        asking.add_done_callback(self._asking.discard)
        # Not cancelled after the time: that would kill the helper.
        done, _ = await asyncio.wait({asking}, timeout=_SECONDS)
        return asking.result() if done else []

    async def _ask(self, question: Question) -> list[dict[str, Any]]:
        try:
            answer = await self._helper.ask(question)
        except HelperError as error:
            self._client.log(f"No checks could be drafted for {question.about.path}: {error}")
            return []
        drafts: list[dict[str, Any]] = answer.get("drafts", [])
        return drafts
