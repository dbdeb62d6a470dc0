"""The bootstrap interval that results of waza and vally contain.

For decisions use `clustered`: with two trials, this interval contains the true mean in a fifth of all cases.
"""

import math
import random
from collections.abc import Callable, Sequence

from waza_engine.model.results.scores import CONFIDENCE, RESAMPLES, Interval, mean


def bootstrap(scores: Sequence[float], rng: random.Random, resamples: int = RESAMPLES) -> Interval:
    """Return the 95 % percentile interval of the mean: the resampled means at floor(0.025 n) and floor(0.975 n)."""
    if len(set(scores)) == 1:
        return Interval(scores[0], scores[0], scores[0], CONFIDENCE, resamples)
    pick: Callable[..., list[float]] = rng.choices
    means = sorted(mean(pick(scores, k=len(scores))) for _ in range(resamples))
    tail = (1 - CONFIDENCE) / 2
    lower, upper = math.floor(tail * resamples), math.floor((1 - tail) * resamples)
    return Interval(means[lower], means[min(upper, resamples - 1)], mean(scores), CONFIDENCE, resamples)


def resample(scores: Sequence[float], rng: random.Random) -> Interval:
    """Return the bootstrap interval, the same at every call: the state of `rng` stays."""
    own = random.Random()  # noqa: S311  # statistics, no secret
    own.setstate(rng.getstate())
    return bootstrap(scores, own)
