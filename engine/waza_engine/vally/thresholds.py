"""When a score of vally's reaches a threshold (docs/reference/vally.md, section 5)."""

_TOLERANCE = 1e-9


def reaches(score: float, threshold: float) -> bool:
    """Whether the score is the threshold or more; what a mean loses as a floating-point number is let pass."""
    return score >= threshold - _TOLERANCE
