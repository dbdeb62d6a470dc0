"""How the things of a document that can be run stand: what is known of them beside their text."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Verdict:
    """The last result of something that was run, or graded again. `at` is in seconds since 1970.

    `tokens` is None when nobody counted them. `scores` are those of the last runs, the newest last. `stale` says that
    the text has changed since. `passed` and `total` count tasks where the thing has several.
    """

    run_id: str
    status: str
    score: float
    at: float
    tokens: int | None = None
    scores: tuple[float, ...] = ()
    stale: bool = False
    passed: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known of a runnable: its last verdict, the run that is at it now, what can be done again."""

    verdict: Verdict | None = None
    running: str = ""
    """The id of the run that is going on, "" without one."""
    is_recorded: bool = False
    failed: int = 0
    """How many of its tasks did not pass."""


UNKNOWN = Standing()
