"""Say in a word what comparisons have shown, corrected for their number (Holm)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from waza_engine.statistics.paired import ALPHA

Word = Literal["better", "worse", "no difference shown", "cannot be shown with this many"]


class Difference(Protocol):
    """What decides: the effect, its p-value, and the least p-value that as many tasks or trials could have."""

    @property
    def effect(self) -> float: ...
    @property
    def p_value(self) -> float: ...
    @property
    def smallest_p(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a comparison has shown, with its p-value after the correction."""

    word: Word
    p_value: float


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values corrected for their number, so that one error in all of them stays below 5 %."""
    order = sorted(range(len(p_values)), key=lambda it: p_values[it])
    corrected, highest = [1.0] * len(p_values), 0.0
    for rank, index in enumerate(order):
        highest = max(highest, min(1.0, p_values[index] * (len(p_values) - rank)))
        corrected[index] = highest
    return corrected


def verdicts(differences: Sequence[Difference], alpha: float = ALPHA) -> list[Verdict]:
    """Return the verdict of each of several comparisons that are read together."""
    corrected = holm([it.p_value for it in differences])
    # Nothing could be shown even if every comparison had the clearest record that is possible.
    best = holm([it.smallest_p for it in differences])
    return [
        Verdict(_word(it.effect, p_value, possible, alpha), p_value)
        for it, p_value, possible in zip(differences, corrected, best, strict=True)
    ]


def _word(effect: float, p_value: float, possible: float, alpha: float) -> Word:
    if possible > alpha:
        return "cannot be shown with this many"
    if p_value > alpha or not effect:
        return "no difference shown"
    return "better" if effect > 0 else "worse"
