"""A short stretch of the edit fuzzing; the long one is `python -m tests.fuzz.edits`."""

import itertools
import random

import pytest

from tests.fuzz.edits import cases, difference
from tests.slow import examples


@pytest.mark.parametrize("seed", range(examples(12)))
def test_edits_come_to_what_a_fresh_open_shows(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311  # not for secrets
    for case in itertools.islice(cases(chance, 12), 25):
        assert not difference(case), case
