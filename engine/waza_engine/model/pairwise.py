"""Two runs compared trial by trial by a judge: what every dialect that can do so has to say."""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from waza_engine.model.records import TrialRecord


class Pair(Protocol):
    """Two trials of one task, compared. `error` says why the judge has not decided."""

    @property
    def treatment(self) -> TrialRecord: ...
    @property
    def error(self) -> str: ...
    @property
    def winner(self) -> str: ...


class Pairwise(Protocol):
    """The comparison of two runs."""

    def pairs(self) -> Iterator[Pair]:
        """The pairs of trials that both runs have, in the order of the treatment, each judged when it is asked for."""
        ...

    def record(self, names: tuple[str, str], pairs: Sequence[Any]) -> dict[str, Any]:
        """The comparison as JSON data. `names` are those of the two runs, `pairs` what `pairs()` gave."""
        ...
