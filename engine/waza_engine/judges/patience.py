"""Asking a judge again after a passing fault (docs/reference/vally.md, section 7.9): twice, with pauses that grow."""

import random
import time
from collections.abc import Callable
from typing import TypeVar

from waza_engine.model.judge import JudgeError

_ATTEMPTS = 3
_FIRST_PAUSE_SECONDS = 5.0
_LONGEST_SECONDS = 600.0

_Answer = TypeVar("_Answer")


def patiently(
    ask: Callable[[], _Answer],
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
    jitter: Callable[[], float] = random.random,
) -> _Answer:
    """What `ask` answers, asked up to three times as long as its faults are transient and ten minutes are not over.

    Raises:
        JudgeError: the fault is no passing one, or all attempts failed.

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
            sleep(wait)
            pause *= 2
    raise AssertionError("the last attempt answers or raises")
