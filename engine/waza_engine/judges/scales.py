"""The scales on which a judge gives points, and what the points are worth as a score of 0 to 1.

See docs/reference/vally.md, section 7.9.
"""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Scale:
    """Points from `low` to `high`; with `whole_only` nothing between them."""

    low: float
    high: float
    words: str
    whole_only: bool = False

    def has(self, points: float) -> bool:
        """Whether the scale has such points."""
        return points in {self.low, self.high} if self.whole_only else self.low <= points <= self.high


SCALES = {
    "binary": Scale(0, 1, "1 when it is met, 0 when it is not", whole_only=True),
    "scale_1_5": Scale(1, 5, "1 (worst) to 5 (best)"),
    "scale_1_10": Scale(1, 10, "1 (worst) to 10 (best)"),
}
"""By the name that the option `scoring` has for it."""


def normalised(points: float, scale: Scale, method: Literal["min-max", "share"] = "min-max") -> float:
    """Points as a score of 0 to 1.

    vally's page has two formulas. `min-max` makes the worst points 0, and is ours; `share` is points out of the most.
    """
    if method == "share":
        return points / scale.high
    return (points - scale.low) / (scale.high - scale.low)
