"""Garbage of runs is collected soon, not after hours."""

import asyncio
import gc
import weakref
from types import SimpleNamespace
from typing import Any

from waza_lsp.server.events import Bus, StoreRead
from waza_lsp.server.memory import IdleCollector


class _Circle:
    def __init__(self) -> None:
        self.itself = self


async def test_old_circles_are_taken_away_in_the_next_pause() -> None:
    circle = _Circle()
    seen = weakref.ref(circle)
    for _ in range(2):
        gc.collect()  # From now on it is old, and Python looks at it seldom.
    del circle
    now = asyncio.get_running_loop().time()
    client: Any = SimpleNamespace(protocol=SimpleNamespace(last_message_at=now))
    bus = Bus()
    IdleCollector(client, bus)
    bus.publish(StoreRead())
    await asyncio.sleep(0)
    assert seen() is not None, "somebody is asking"
    await asyncio.sleep(0.2)
    assert seen() is None
