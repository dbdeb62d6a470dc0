"""How long to wait for a judge: one backoff policy, Retry-After, and a circuit breaker for each endpoint.

A transient error is repeated after a growing pause, or after the time that the endpoint asks for (Retry-After). If an
endpoint keeps failing, its breaker opens: the rest of the run does not wait for it every time. After a while one request
is let through; if it succeeds, all are.

Waits are reported to the listeners of `waits_reported`, at most once for the same stretch of time.
"""

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from waza_engine.model.judge import JudgeError

_LEAST_REPORTED_SECONDS = 1.0
_LEAST_FAILURES = 3
_LEAST_OUTAGE_SECONDS = 15.0
_FIRST_COOL_DOWN_SECONDS = 30.0
_LONGEST_COOL_DOWN_SECONDS = 300.0

_Answer = TypeVar("_Answer")
_listeners: list[Callable[[str], None]] = []
_reported_until: dict[str, float] = {}
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Backoff:
    """How often to try, and how long to pause in between. Each pause is twice the last one, up to `longest_pause`."""

    attempts: int
    first_pause: float
    longest_pause: float
    seconds: float
    """The time for everything. A pause that does not fit is not made."""
    has_jitter: bool = False


VALLY_BACKOFF = Backoff(3, 5.0, 600.0, 600.0, has_jitter=True)
"""Three attempts within ten minutes (docs/reference/vally.md, section 7.9)."""


def with_retries(
    ask: Callable[[], _Answer],
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
    jitter: Callable[[], float] = random.random,
    backoff: Backoff | None = None,
    about: str = "the judge",
) -> _Answer:
    """Return the answer of `ask`, which is repeated after transient errors. `about` names the endpoint in reports.

    Raises:
        JudgeError: the error is not transient, or all attempts failed.

    """
    backoff = backoff or VALLY_BACKOFF
    started, pause = clock(), backoff.first_pause
    for attempt in range(1, backoff.attempts + 1):
        try:
            return ask()
        except JudgeError as error:
            own_wait = pause + (jitter() if backoff.has_jitter else 0.0)
            wait = own_wait if error.retry_after is None else error.retry_after
            too_late = clock() - started + wait >= backoff.seconds
            if not error.transient or attempt == backoff.attempts or too_late:
                error.attempts = max(error.attempts, attempt)
                raise
            _report_wait(about, f"{error}", wait, clock(), f"attempt {attempt + 1} of {backoff.attempts}")
            sleep(wait)
            pause = min(pause * 2, backoff.longest_pause)
    raise JudgeError("no attempt was allowed")


@contextmanager
def waits_reported(listener: Callable[[str], None]) -> Iterator[None]:
    """Report waits to `listener`, from any thread."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def _report_wait(about: str, why: str, seconds: float, now: float, which: str) -> None:
    with _lock:
        if seconds < _LEAST_REPORTED_SECONDS or now < _reported_until.get(about, 0.0):
            return  # Another request waits for the same endpoint already.
        _reported_until[about] = now + seconds
    _report(f"Waiting {seconds:.0f} s for {about} ({which}): {why}")


def _report(message: str) -> None:
    for it in tuple(_listeners):
        it(message)


@dataclass(slots=True)
class Breaker:
    """Counts the failures of one endpoint in a row. Thread-safe; times are those of the caller's clock."""

    about: str
    _failures: int = 0
    _failing_since: float = 0.0
    _open_until: float = 0.0
    _cool_down: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def check(self, now: float) -> None:
        """Let a request through, or refuse it because the endpoint is down.

        Raises:
            JudgeError: the endpoint is not asked now.

        """
        with self._lock:
            if not self._cool_down:
                return
            if now >= self._open_until:
                # This request tries the endpoint. The others go on without it.
                self._open_until = now + self._cool_down
                return
            raise JudgeError(
                f"{self.about} failed {self._failures} times in a row; next request in "
                f"{self._open_until - now:.0f} s"
            )

    def failed(self, now: float) -> None:
        """Count a failure; enough of them open the breaker."""
        with self._lock:
            self._failing_since = self._failing_since if self._failures else now
            self._failures += 1
            is_down = self._failures >= _LEAST_FAILURES and now - self._failing_since >= _LEAST_OUTAGE_SECONDS
            if not is_down:
                return
            is_new = not self._cool_down
            longer = self._cool_down * 2 or _FIRST_COOL_DOWN_SECONDS
            self._cool_down = min(longer, _LONGEST_COOL_DOWN_SECONDS)
            self._open_until = now + self._cool_down
        if is_new:
            _report(
                f"{self.about} failed {self._failures} times in a row. Trials that need it are not judged until it "
                "answers again; it is tried from time to time"
            )

    def succeeded(self) -> None:
        """Close the breaker."""
        with self._lock:
            was_open, self._failures, self._cool_down = bool(self._cool_down), 0, 0.0
        if was_open:
            _report(f"{self.about} answers again")


_breakers: dict[str, Breaker] = {}


def breaker_of(about: str) -> Breaker:
    """Return the breaker of an endpoint, which all judges of this process share."""
    with _lock:
        return _breakers.setdefault(about, Breaker(about))
