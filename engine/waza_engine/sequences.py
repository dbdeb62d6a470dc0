"""Comparing what was expected with what happened, as lists of names.

See docs/reference/waza-graders.md, sections 5.8 and 5.9.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Overlap:
    """How well two lists agree as multisets; each figure is 0..1."""

    precision: float
    recall: float
    f1: float


PERFECT = Overlap(1.0, 1.0, 1.0)


def overlap(expected: Sequence[str], actual: Sequence[str]) -> Overlap:
    """Precision, recall and their harmonic mean; 0 where there is nothing to divide by."""
    hits = (Counter(expected) & Counter(actual)).total()
    precision = hits / len(actual) if actual else 0.0
    recall = hits / len(expected) if expected else 0.0
    both = precision + recall
    return Overlap(precision, recall, 2 * precision * recall / both if both else 0.0)


def in_order(expected: Iterable[str], actual: Iterable[str]) -> bool:
    """Whether `expected` is a subsequence of `actual`."""
    rest = iter(actual)
    return all(it in rest for it in expected)


def any_order(expected: Sequence[str], actual: Sequence[str]) -> bool:
    """Whether every expected name occurs at least as often as it is listed."""
    return not Counter(expected) - Counter(actual)
