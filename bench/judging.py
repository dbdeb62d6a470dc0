"""Judge the figures of a benchmark by their ceilings, as far as the machine allows it."""

from collections.abc import Collection, Mapping

from bench.ceilings import Figures, above

_SIZES = ("memory", "processes")
_PROCESSOR = "CPU"


def failing(name: str, figures: Figures, times: Figures, quiet: Collection[str]) -> dict[str, list[str]]:
    """Return what fails, by size: anything above its ceilings if the size is one that was measured on a `quiet` machine.

    Else only memory, processes, and the ratios of processor times: what slows one server slows the other one.
    """
    return above(
        name,
        {size: it if size in quiet else _steady(it, times.get(size, {})) for size, it in figures.items()},
        times,
    )


def judged(name: str, figures: Figures, times: Figures, quiet: Collection[str]) -> int:
    """Tell what is above its ceilings. The status is 1 if anything of that fails."""
    bad = told(failing(name, figures, times, quiet))
    if unclear := [it for it in told(above(name, figures, times)) if it not in bad]:
        print("\nToo long, but the machine was never quiet; not judged:", *unclear, sep="\n  ")
    print(
        *(["\nAbove their ceilings:", *bad] if bad else ["\nNo other figure is above its ceiling."]), sep="\n"
    )
    return 1 if bad else 0


def told(bad: Mapping[str, list[str]]) -> list[str]:
    """Return a line for each figure."""
    return [f"{size}: {one}" for size, them in bad.items() for one in them]


def _steady(rows: Mapping[str, float], of_both: Mapping[str, float]) -> dict[str, float]:
    return {
        row: value
        for row, value in rows.items()
        if any(it in row for it in _SIZES) or (_PROCESSOR in row and row in of_both)
    }
