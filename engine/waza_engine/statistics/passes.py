"""pass@k and pass^k: how likely one of `k` trials passes, and how likely all of them do."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb


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
