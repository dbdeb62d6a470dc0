"""Repeat a trial or a trigger prompt after an error of infrastructure: a judge timeout, a rate limit, an executor that is gone."""

import asyncio
from dataclasses import dataclass, field

from waza_engine.executors.base import Progress

_FIRST_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 5.0, 60.0
"""An endpoint that is down is asked again after 30 seconds (`judges/patience.py`), which three pauses cover."""


@dataclass(slots=True)
class Retries:
    """How often a trial may be repeated. `progress` tells the user about each time."""

    most: int
    progress: Progress
    used: int = 0
    pause: float = field(default_factory=lambda: _FIRST_PAUSE_SECONDS)

    async def wait(self, reason: str) -> bool:
        """Wait for the next try, longer each time. Return False if none is left."""
        if self.used >= self.most:
            return False
        self.used += 1
        self.progress(f"infrastructure failed, try {self.used} of {self.most} in {self.pause:g} s: {reason}")
        await asyncio.sleep(self.pause)
        self.pause = min(2 * self.pause, _LONGEST_PAUSE_SECONDS)
        return True
