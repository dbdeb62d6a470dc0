"""How well two judges agree, or a judge and people: the confusion table and Cohen's kappa."""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from waza_engine.model.results.scores import ConfidenceInterval
from waza_engine.statistics.rates import Z, wilson

Label = TypeVar("Label", bound=Hashable)
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of two judges: 1 is perfect, 0 what chance gives. Unknown if both always gave one same label."""

    items: int
    agreed: float
    agreed_interval: ConfidenceInterval
    kappa: float | None
    kappa_interval: ConfidenceInterval | None


def confusion(pairs: Iterable[tuple[Label, Label]], labels: Sequence[Label]) -> list[list[int]]:
    """Return how often the first judge gave the label of the row and the second that of the column."""
    counts: Mapping[tuple[Label, Label], int] = Counter(pairs)
    return [[counts.get((row, column), 0) for column in labels] for row in labels]


def agreement(table: Sequence[Sequence[int]]) -> Agreement:
    """Return agreement and Cohen's kappa of a confusion table, with 95 % intervals.

    The interval of kappa is the usual one for many items (Fleiss, Cohen and Everitt 1969), as in statsmodels; with fewer
    than 20, read it as a rough one.
    """
    total = sum(map(sum, table))
    same = sum(row[it] for it, row in enumerate(table))
    agreed = same / total if total else 0.0
    kappa, error = _kappa(table, total) if total else (None, 0.0)
    return Agreement(
        items=total,
        agreed=agreed,
        agreed_interval=wilson(same, total),
        kappa=kappa,
        kappa_interval=None if kappa is None else _interval(kappa, error, agreed, wilson(same, total)),
    )


def _interval(kappa: float, error: float, agreed: float, of_agreed: ConfidenceInterval) -> ConfidenceInterval:
    """Return kappa's interval. Where the formula gives one point, the interval of the agreement decides."""
    if agreed >= 1:
        # Perfect agreement says only how many items there were. Chance agrees on half of them, as with two labels.
        return ConfidenceInterval(2 * of_agreed.lower - 1, 1.0)
    if error < _ROUNDING:
        # One judge always gave the same label, or they never agreed.
        chance = (agreed - kappa) / (1 - kappa)
        lower, upper = ((it - chance) / (1 - chance) for it in (of_agreed.lower, of_agreed.upper))
        return ConfidenceInterval(max(-1.0, lower), min(1.0, upper))
    return ConfidenceInterval(max(-1.0, kappa - Z * error), min(1.0, kappa + Z * error))


def _kappa(table: Sequence[Sequence[int]], total: int) -> tuple[float | None, float]:
    """Return kappa and its standard error."""
    shares = [[count / total for count in row] for row in table]
    rows, columns = [sum(it) for it in shares], [sum(it) for it in zip(*shares, strict=True)]
    seen = sum(shares[it][it] for it in range(len(table)))
    chance = sum(one * other for one, other in zip(rows, columns, strict=True))
    if 1 - chance < _ROUNDING:
        return None, 0.0
    kappa = (seen - chance) / (1 - chance)
    on = sum(shares[it][it] * (1 - (rows[it] + columns[it]) * (1 - kappa)) ** 2 for it in range(len(table)))
    off = (1 - kappa) ** 2 * sum(
        share * (columns[i] + rows[j]) ** 2
        for i, row in enumerate(shares)
        for j, share in enumerate(row)
        if i != j
    )
    spread = on + off - (kappa - chance * (1 - kappa)) ** 2
    return kappa, math.sqrt((spread if spread > _ROUNDING else 0.0) / total) / (1 - chance)
