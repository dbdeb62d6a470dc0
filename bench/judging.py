"""Judge the figures of a benchmark by their ceilings, as far as the machine allows it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bench.ceilings import Figures, above
from bench.machine import Watch

_SIZES = ("memory", "processes")
_PROCESSOR = "CPU"


@dataclass(slots=True)
class Conditions:
    """The sizes that were measured at least once while the machine was quiet, and while it was awake (`machine.py`)."""

    quiet: set[str] = field(default_factory=set)
    awake: set[str] = field(default_factory=set)

    def add(self, size: str, watch: Watch) -> None:
        """Note how the machine was during a measurement."""
        self.quiet |= {size} if watch.is_quiet else set()
        self.awake |= {size} if watch.is_awake else set()

    def judged(
        self, size: str, rows: Mapping[str, float], of_both: Mapping[str, float]
    ) -> Mapping[str, float]:
        """Return the rows that can be judged: all; or without times, but with ratios of processor times; or sizes only."""
        if size in self.quiet:
            return rows
        return {
            row: value
            for row, value in rows.items()
            if any(it in row for it in _SIZES)
            or (size in self.awake and _PROCESSOR in row and row in of_both)
        }


def failing(name: str, figures: Figures, times: Figures, conditions: Conditions) -> dict[str, list[str]]:
    """Return what is above its ceilings, by size, of what the conditions allow to judge."""
    judged = {size: conditions.judged(size, rows, times.get(size, {})) for size, rows in figures.items()}
    return above(name, judged, times)


def judgement(name: str, figures: Figures, times: Figures, conditions: Conditions) -> int:
    """Tell what is above its ceilings. The status is 1 if anything of that fails."""
    bad = told(failing(name, figures, times, conditions))
    if unclear := [it for it in told(above(name, figures, times)) if it not in bad]:
        print("\nToo long, but the machine was never quiet; not judged:", *unclear, sep="\n  ")
    print(
        *(
            ["\nAbove their ceilings:", *bad]
            if bad
            else ["\nNo figure that was judged is above its ceiling."]
        ),
        sep="\n",
    )
    return 1 if bad else 0


def told(bad: Mapping[str, list[str]]) -> list[str]:
    """Return a line for each figure."""
    return [f"{size}: {one}" for size, them in bad.items() for one in them]
