"""The ceilings of the benchmarks: the largest figures that a change may have. They are only ever lowered.

`ceilings.json` has them by benchmark, size and row. `tests/test_ceilings.py` compares the file with all its earlier
versions.

A figure that two servers have has two ceilings, and passes if it keeps either: one of the ratio, and one of ours alone, in
a section of its own ("lsp alone"). Where other programs slow the other server more than ours, the ratio is lower than on
an idle machine, and a ceiling from there fails here: then our own figure holds. Where they slow both, or where the
machine is slow, the ratio holds. A ceiling is 1.5 times a measurement, of memory 1.1 times. The first ones in ms, from
few quiet runs, are at most twice the best: a time that doubles on an idle machine exceeds it.
"""

import json
import math
from collections.abc import Mapping
from pathlib import Path

FILE = Path(__file__).with_suffix(".json")
Figures = Mapping[str, Mapping[str, float]]
"""Figures by size and row."""
_EXACT = {"processes"}
_ALONE = " alone"
"""Follows the name of a benchmark: the section for our own times (ms) and memory (MB)."""
_SPREAD = 1.5
"""What a measurement may exceed another by, on the same machine. Below 2, so that a figure that doubles is noticed."""
_SPREAD_OF_MEMORY = 1.1
_MEMORY = "memory"


def ceilings(benchmark: str) -> dict[str, dict[str, float]]:
    """Return the ceilings of a benchmark."""
    found: dict[str, dict[str, float]] = _read().get(benchmark, {})
    return found


def above(benchmark: str, figures: Figures, times: Figures | None = None) -> dict[str, list[str]]:
    """Say which figures are above their ceilings, by size. A figure passes if ours alone (ms, MB) keeps its ceiling."""
    found: dict[str, list[str]] = {}
    own = _with_ceilings(benchmark + _ALONE, times or {})
    for (size, row), (value, limit) in _with_ceilings(benchmark, figures).items():
        ms, most = own.get((size, row), (math.inf, None))
        if value > limit and (most is None or ms > most):
            unit = _unit(row)
            beside = f"; {ms:.3g}{unit}, at most {most:.3g}{unit}" if most is not None else ""
            found.setdefault(size, []).append(f"{row}: {value:.3g}, at most {limit:.3g}{beside}")
    return found


def _with_ceilings(section: str, figures: Figures) -> dict[tuple[str, str], tuple[float, float]]:
    """Return each figure that has a ceiling with it, by size and row."""
    limits = ceilings(section)
    return {
        (size, row): (value, limits[size][row])
        for size, rows in figures.items()
        for row, value in rows.items()
        if row in limits.get(size, {})
    }


def lower(benchmark: str, figures: Figures, times: Figures | None = None) -> list[str]:
    """Lower the ceilings to these figures, and our own times, and some room above. Return what was lowered or is new."""
    known, changed = _read(), list[str]()
    for section, sizes in {benchmark: figures, benchmark + _ALONE: times or {}}.items():
        for size, rows in sizes.items():
            limits = known.setdefault(section, {}).setdefault(size, {})
            for row, value in rows.items():
                new, before = value if row in _EXACT else _rounded(value * _spread(row)), limits.get(row)
                if before is None or new < before:
                    limits[row] = new
                    unit = _unit(row) if section.endswith(_ALONE) else ""
                    was = f", was {before:.3g}{unit}" if before is not None else ""
                    changed.append(f"{size}, {row}: {new:.3g}{unit}{was}")
    FILE.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
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


def _spread(row: str) -> float:
    return _SPREAD_OF_MEMORY if _MEMORY in row else _SPREAD


def _unit(row: str) -> str:
    return " MB" if _MEMORY in row else " ms"


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
