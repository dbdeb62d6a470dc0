"""Whether the machine was quiet while something was measured.

Other programs take processors. And some virtual machines are slow to touch memory again after a pause: their host looks
for pages that it can take away. Times of ten milliseconds become fifty then, in processor time, too.
"""

import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bench.editing.processes import seconds_of_others

_MOST_OTHERS = 0.1
_MOST_WAKING = 1.5
_OBJECTS = 200_000
_PAUSE_SECONDS = 0.5
_PAUSES = 3


@dataclass(slots=True)
class Watch:
    """What else happened on the machine."""

    others: float = 0.0
    """The processors that other programs used."""
    waking: float = 1.0
    """How many times longer it takes to touch memory after a pause than without one."""

    @property
    def is_awake(self) -> bool:
        """Whether processor times from then can be compared with those from another day."""
        return self.waking <= _MOST_WAKING

    @property
    def is_quiet(self) -> bool:
        """Whether other times can be compared, too."""
        return self.is_awake and self.others <= _MOST_OTHERS

    def __str__(self) -> str:
        return f"other programs: {self.others:.2f} processors; memory after a pause: {self.waking:.1f} times"


@contextmanager
def watched() -> Iterator[Watch]:
    """Watch the machine for the duration of the block. The result is complete after it."""
    watch, begun, used = Watch(), time.perf_counter(), seconds_of_others()
    yield watch
    watch.others = (seconds_of_others() - used) / (time.perf_counter() - begun)
    watch.waking = _waking()


def _waking() -> float:
    objects = [[number] for number in range(_OBJECTS)]

    def touch() -> float:
        begun = time.perf_counter()
        sum(it[0] for it in objects)
        return time.perf_counter() - begun

    after = []
    for _ in range(_PAUSES):
        time.sleep(_PAUSE_SECONDS)
        after.append(touch())
    return statistics.median(after) / min(touch() for _ in range(_PAUSES))
