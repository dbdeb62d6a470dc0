"""Retry a judge after transient errors, twice, with growing pauses (docs/reference/vally.md, section 7.9).

Apart from its two callers, `submit_grade` and `submit_pairwise`.
"""

import random
import time
from collections.abc import Callable
from typing import TypeVar

from waza_engine.model.judge import JudgeError

_ATTEMPTS = 3
_FIRST_PAUSE_SECONDS = 5.0
_LONGEST_SECONDS = 600.0

_Answer = TypeVar("_Answer")


def with_retries(
    ask: Callable[[], _Answer],
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
    jitter: Callable[[], float] = random.random,
) -> _Answer:
    """Return the answer of `ask`. Transient errors are retried, up to three attempts and ten minutes.

    Raises:
        JudgeError: the error is not transient, or all attempts failed.

    """
    started, pause = clock(), _FIRST_PAUSE_SECONDS
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            return ask()
        except JudgeError as error:
            wait = pause + jitter()
            too_late = clock() - started + wait > _LONGEST_SECONDS
            if not error.transient or attempt == _ATTEMPTS or too_late:
                raise
            sleep(max(0.0, wait))
            pause *= 2
    raise AssertionError("the last attempt answers or raises")
