"""How a test does less in the quick suite than in `.ci/run`."""

from collections.abc import Iterable
from typing import Any

import pytest
from _pytest.mark import ParameterSet
from hypothesis import settings


def first_quick(values: Iterable[Any], quick: int = 1) -> list[Any]:
    """Mark all values of a parameter but the first `quick` as slow.

    A plain tuple sets several parameters, and a value with an id (`pytest.param`) keeps it.
    """
    found = list(values)
    return [*found[:quick], *map(_slow, found[quick:])]


def _slow(value: Any) -> ParameterSet:
    if isinstance(value, ParameterSet):
        return pytest.param(*value.values, marks=[*value.marks, pytest.mark.slow], id=value.id)
    return pytest.param(*(value if type(value) is tuple else (value,)), marks=pytest.mark.slow)


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
    """Return the number of examples, seeds or kills of a test: `most` under the profile `thorough`, else a part."""
    return max(1, most * settings().max_examples // 100)
