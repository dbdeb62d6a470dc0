"""How a test does less in the quick suite than in `.ci/run`."""

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import settings


def first_quick(values: Iterable[Any], quick: int = 1) -> list[Any]:
    """Mark all values of a parameter but the first `quick` as slow. A plain tuple sets several parameters."""
    found = list(values)
    marked = (
        pytest.param(*(it if type(it) is tuple else (it,)), marks=pytest.mark.slow) for it in found[quick:]
    )
    return [*found[:quick], *marked]


def some_pairs(ones: Iterable[Any], others: Iterable[Any], every: int) -> list[tuple[Any, Any]]:
    """Return one in `every` of all pairs, so that each value meets about as many of the other side."""
    sides = list(others)
    return [
        (one, other)
        for row, one in enumerate(ones)
        for column, other in enumerate(sides)
        if (row + column) % every == 0
    ]


def examples(most: int) -> int:
    """Return the number of examples of a property test: `most` under the profile `thorough`, fewer under `quick`."""
    return max(1, most * settings().max_examples // 100)
