"""pass@k and pass^k: how likely one of `k` trials passes, and how likely all of them do."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb

from waza_engine.model.results.scores import ConfidenceInterval
from waza_engine.statistics.clustered import mean_interval


def pass_at_k(n: int, c: int, k: int) -> float:
    """Return the probability that at least one of `k` trials passes, if `c` of `n` did: the unbiased estimator.

    Raises:
        ValueError: the numbers are impossible.

    """
    _check(n, c, k)
    return 1.0 - comb(n - c, k) / comb(n, k)


def pass_power_k(n: int, c: int, k: int) -> float:
    """Return the probability that all of `k` trials pass (pass^k), if `c` of `n` did: the unbiased estimator.

    Raises:
        ValueError: the numbers are impossible.

    """
    _check(n, c, k)
    return comb(c, k) / comb(n, k)


@dataclass(frozen=True, slots=True)
class PassesOfTasks:
    """pass@k and pass^k, on average over tasks with at least `k` trials, with 95 % intervals; `tasks` counts them."""

    k: int
    tasks: int
    at_k: float
    at_k_interval: ConfidenceInterval
    power_k: float
    power_k_interval: ConfidenceInterval


def passes_of_tasks(counts: Iterable[tuple[int, int]], k: int) -> PassesOfTasks | None:
    """Return the rates of tasks, each given by its trials and those that passed; None if none has `k` trials."""
    enough = [(n, c) for n, c in counts if n >= k]
    if not enough:
        return None
    at_k, power_k = [pass_at_k(n, c, k) for n, c in enough], [pass_power_k(n, c, k) for n, c in enough]
    return PassesOfTasks(
        k,
        len(enough),
        sum(at_k) / len(enough),
        mean_interval(at_k),
        sum(power_k) / len(enough),
        mean_interval(power_k),
    )


def _check(n: int, c: int, k: int) -> None:
    if not (0 <= c <= n and 1 <= k <= n):
        raise ValueError(f"expected 0 <= c <= n and 1 <= k <= n, not n={n}, c={c}, k={k}")


def pass_to_the_k(p: float, k: int) -> float:
    """Return the k-th power of a pass rate: vally's `passToTheK`, too high for few trials. See `pass_power_k`."""
    return float(p**k)


@dataclass(frozen=True, slots=True)
class MultiTrialMetrics:
    """The rates over `k` trials of a task in vally's results, each from 0 to 1 (docs/reference/vally.md, section 5)."""

    per_trial_pass_rate: float
    pass_at_k: float
    pass_to_the_k: float
    k: int

    @property
    def is_flaky(self) -> bool:
        """Whether some trials passed and others did not."""
        return 0 < self.per_trial_pass_rate < 1


def multi_trial_metrics(passed: Sequence[bool]) -> MultiTrialMetrics:
    """Return the metrics of a task's trials; all are 0 without trials."""
    k = len(passed)
    if not k:
        return MultiTrialMetrics(0.0, 0.0, 0.0, 0)
    rate = sum(passed) / k
    return MultiTrialMetrics(rate, pass_at_k(k, sum(passed), k), pass_to_the_k(rate, k), k)
