"""Run stores and recordings with anything at any place."""

import random
import sys
from pathlib import Path

import pytest

from tests.fuzz.stored import FUZZERS, make
from tests.slow import examples, first_quick

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks")


@pytest.mark.parametrize("name", FUZZERS)
@pytest.mark.parametrize("seed", first_quick(range(examples(24)), 0))
def test_stored_data_ends_in_an_error_line_at_worst(name: str, seed: int, tmp_path: Path) -> None:
    """Class: stored data that is not what its reader expects."""
    change, read = FUZZERS[name]
    victim = make(tmp_path)
    assert change(random.Random(seed), victim)  # noqa: S311  # not for secrets
    read(victim)
