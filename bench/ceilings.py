"""The ceilings of the benchmarks: the largest figures that a change may have. They are only ever lowered.

`ceilings.json` has them by benchmark, size and row. `tests/test_ceilings.py` compares the file with all its earlier
versions.
"""

import json
import math
from collections.abc import Mapping
from pathlib import Path

FILE = Path(__file__).with_suffix(".json")
Figures = Mapping[str, Mapping[str, float]]
"""Figures by size and row."""
_EXACT = {"processes"}
_SPREAD = 1.5
"""What a measurement may exceed another by, on the same machine."""


def ceilings(benchmark: str) -> dict[str, dict[str, float]]:
    """Return the ceilings of a benchmark."""
    found: dict[str, dict[str, float]] = _read().get(benchmark, {})
    return found


def above(benchmark: str, figures: Figures) -> dict[str, list[str]]:
    """Say which figures are above their ceilings, by size."""
    limits = ceilings(benchmark)
    found = {
        size: [
            f"{row}: {value:.3g}, at most {limits[size][row]:.3g}"
            for row, value in rows.items()
            if value > limits.get(size, {}).get(row, math.inf)
        ]
        for size, rows in figures.items()
    }
    return {size: them for size, them in found.items() if them}


def lower(benchmark: str, figures: Figures) -> list[str]:
    """Lower the ceilings to these figures and some room above them. Return what was lowered or is new."""
    known, limits = _read(), ceilings(benchmark)
    changed = []
    for size, rows in figures.items():
        for row, value in rows.items():
            new = value if row in _EXACT else _rounded(value * _SPREAD)
            before = limits.setdefault(size, {}).get(row)
            if before is None or new < before:
                limits[size][row] = new
                changed.append(
                    f"{size}, {row}: {new:.3g}" + (f", was {before:.3g}" if before is not None else "")
                )
    FILE.write_text(json.dumps({**known, benchmark: limits}, indent=1) + "\n", encoding="utf-8")
    return changed


def raised(before: Mapping[str, Figures], after: Mapping[str, Figures]) -> list[str]:
    """Say which ceilings of an earlier version are higher now, or gone."""
    return [
        f"{benchmark}, {size}, {row}: {value:.3g}, now {now if now is not None else 'gone'}"
        for benchmark, sizes in before.items()
        for size, rows in sizes.items()
        for row, value in rows.items()
        if (now := after.get(benchmark, {}).get(size, {}).get(row)) is None or now > value
    ]


def _read() -> dict[str, dict[str, dict[str, float]]]:
    if not FILE.is_file():
        return {}
    found: dict[str, dict[str, dict[str, float]]] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def _rounded(value: float) -> float:
    """Two digits, rounded up."""
    if value <= 0:
        return 0.0
    digits = 1 - math.floor(math.log10(value))
    return round(math.ceil(value * 10**digits) / 10**digits, max(0, digits))
