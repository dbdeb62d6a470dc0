"""Comparisons: an experiment with several arms over the same evals, and two runs compared trial by trial.

Each dialect that has them makes its own.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from waza_engine.lib.pointer import Pointer
from waza_engine.model.results.records import TrialRecord
from waza_engine.model.suite import Suite


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm: `over` has what it lays over the settings of an eval.

    `pointer` says where it stands in the file; arms of a matrix have none of their own, but `labels` by axis.
    """

    name: str
    over: Mapping[str, Any]
    pointer: Pointer = ()
    labels: Mapping[str, str] = field(default_factory=dict)


class Experiment(Protocol):
    """An experiment whose file was read. `notes` are what its run passes over."""

    @property
    def path(self) -> Path: ...
    @property
    def name(self) -> str: ...
    @property
    def arms(self) -> tuple[Arm, ...]: ...
    @property
    def baseline(self) -> str: ...
    @property
    def evals(self) -> tuple[Path, ...]: ...
    @property
    def workers(self) -> int | None: ...
    @property
    def notes(self) -> tuple[str, ...]: ...

    def folder_name(self, arm: str) -> str:
        """A name for files about an arm, different for each."""
        ...

    def varied_setting(self, option: str) -> str:
        """The setting that an option of the command line (a field of `Overrides`) stands for, if arms differ in it.

        Otherwise "".
        """
        ...

    def suite(
        self,
        arm: Arm,
        eval_path: Path,
        *,
        run_id: str = "",
        chosen: Sequence[str] = (),
        context_dir: Path | None = None,
    ) -> Suite:
        """The suite of an eval in an arm of the run `run_id`, in which the `chosen` arms are run.

        Raises:
            LoadError: the eval cannot be used in this arm.

        """
        ...


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
