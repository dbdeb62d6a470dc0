"""How many tasks and trials a file chooses, and where in it. Plain data."""

from dataclasses import dataclass

from waza_engine.lib.pointer import Pointer


@dataclass(frozen=True, slots=True)
class RateThreshold:
    """A threshold for a rate or a mean, and on how many observations (`noun`) the result will be based.

    `guessed` is the rate that mere guessing reaches; None if that has no meaning.
    """

    pointer: Pointer
    value: float
    count: int
    noun: str
    guessed: float | None = None


@dataclass(frozen=True, slots=True)
class Sample:
    """Tasks, trials of each, and where the file chooses them; 0 tasks: the number is unknown.

    The pointers of `trial_places` and `task_places` are present in the file. `comparison` is where the file compares runs
    of these tasks, () if it does not.
    """

    tasks: int
    trials: int
    trial_places: tuple[Pointer, ...] = ()
    task_places: tuple[Pointer, ...] = ()
    comparison: Pointer = ()
    thresholds: tuple[RateThreshold, ...] = ()
