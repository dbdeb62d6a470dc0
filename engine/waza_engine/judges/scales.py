"""The scales of a judge's points, and their conversion to scores of 0 to 1 (docs/reference/vally.md, section 7.9).

Apart from `submit_grade`, because vally's graders need the scales without its imports.
"""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Scale:
    """Points from `low` to `high`; with `whole_only` only these two."""

    low: float
    high: float
    words: str
    whole_only: bool = False

    def has(self, points: float) -> bool:
        """Whether these points are on the scale."""
        return points in {self.low, self.high} if self.whole_only else self.low <= points <= self.high


SCALES = {
    "binary": Scale(0, 1, "1 when it is met, 0 when it is not", whole_only=True),
    "scale_1_5": Scale(1, 5, "1 (worst) to 5 (best)"),
    "scale_1_10": Scale(1, 10, "1 (worst) to 10 (best)"),
}
"""The scales by their names in the option `scoring`."""


def score_of_points(points: float, scale: Scale, method: Literal["min-max", "share"] = "min-max") -> float:
    """Convert points to a score of 0 to 1.

    vally's documentation has two formulas. With `min-max`, which we use, the lowest points are 0; `share` divides by
    the highest points.
    """
    if method == "share":
        return points / scale.high
    return (points - scale.low) / (scale.high - scale.low)
