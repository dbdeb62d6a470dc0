"""What several trials of one task say together: pass@k and pass^k (docs/reference/vally.md, section 5)."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb


@dataclass(frozen=True, slots=True)
class MultiTrialMetrics:
    """The rates over `k` trials, each from 0 to 1."""

    per_trial_pass_rate: float
    pass_at_k: float
    pass_to_the_k: float
    k: int

    @property
    def is_flaky(self) -> bool:
        """Whether some trials passed and others did not."""
        return 0 < self.per_trial_pass_rate < 1


def pass_at_k(n: int, c: int, k: int) -> float:
    """How likely one of `k` trials passes, when `c` of `n` did: the unbiased estimator.

    Raises:
        ValueError: no such numbers of trials.

    """
    if not (0 <= c <= n and 1 <= k <= n):
        raise ValueError(f"expected 0 <= c <= n and 1 <= k <= n, not n={n}, c={c}, k={k}")
    return 1.0 - comb(n - c, k) / comb(n, k)


def pass_to_the_k(p: float, k: int) -> float:
    """How likely all of `k` trials pass."""
    return float(p**k)


def multi_trial_metrics(passed: Sequence[bool]) -> MultiTrialMetrics:
    """The metrics of a task's trials; all 0 without any."""
    k = len(passed)
    if not k:
        return MultiTrialMetrics(0.0, 0.0, 0.0, 0)
    rate = sum(passed) / k
    return MultiTrialMetrics(rate, pass_at_k(k, sum(passed), k), pass_to_the_k(rate, k), k)
