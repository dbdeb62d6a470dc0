"""Compare our server with yaml-language-server: same file, same schema, same run, whole process trees.

The two take turns, so a busy machine affects both. Rows of both servers count as ratios, ours to theirs; rows that only
ours has count as they are. `--check` compares them with `ceilings.json`, which is only ever lowered. Where the ratio of
two times is too high, our own time may be short enough (`ceilings.py` says why). Where times are too long in each round,
and the machine was quiet in none (`machine.py`), that is told and no failure. If yaml-language-server is missing, npm
installs it into a cache folder.

    python bench/lsp.py                                # all sizes, about twelve minutes
    python bench/lsp.py --runs 1 --edits 6 --check     # short, as CI does it
    python bench/lsp.py --lower                        # lower the ceilings to the figures of this run
"""

import argparse
import functools
import json
import os
import platform
import statistics
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bench.ceilings import lower  # noqa: E402  # the checkout is put on the path above
from bench.editing.client import Server  # noqa: E402
from bench.editing.documents import eval_file  # noqa: E402
from bench.editing.recorded import measured_recorded, written_suite  # noqa: E402
from bench.editing.rows import Rows, measured  # noqa: E402
from bench.editing.stored import measured_stored, stored_suite  # noqa: E402
from bench.judging import Conditions, failing, judgement, told  # noqa: E402
from bench.machine import Watch, watched  # noqa: E402
from tests.editors.yaml_server import yaml_server  # noqa: E402

NAME = "lsp"
_Measure = Callable[[Server, Path], Rows]
_TASKS, _RECORDINGS = 50, 4
_VERDICTS = (4, 200, 2000)
"""The numbers of tasks for which the time to a verdict is measured."""
_ROUNDS = 4
"""The number of rounds before `--check` reports a bad figure. The best round counts."""
_LEAST_MS = 1.0
"""Our times up to this (ms) pass: nobody notices them, and a busy machine multiplies them."""


@dataclass(frozen=True, slots=True)
class _Round:
    """What was measured once for a size."""

    found: list[Rows]
    """Our rows, and those of the other server if it was measured."""
    watch: Watch

    def figures(self) -> Rows:
        """Return the ratios of rows that both servers have, and the others as they are, without times that are nothing."""
        ours, theirs = self._both()
        return {
            row: value / max(theirs[row], _LEAST_MS) if row in theirs else value
            for row, value in ours.items()
            if value > _LEAST_MS or row == "processes"
        }

    def times(self) -> Rows:
        """Return our times (ms) and memory (MB) in rows that both servers have."""
        ours, theirs = self._both()
        return {
            row: value
            for row, value in ours.items()
            if row in theirs and value > _LEAST_MS and row != "processes"
        }

    def _both(self) -> tuple[Rows, Rows]:
        return self.found[0], self.found[1] if len(self.found) > 1 else {}


def main() -> int:
    """Print the figures. The exit status is 1 if one is above its ceiling, and 2 without yaml-language-server."""
    options = _options()
    ours = Server("waza-lsp", [sys.executable, "-P", "-m", "waza_lsp", "serve"], has_rules=True)
    program, problem = yaml_server()
    if problem:
        print(f"yaml-language-server cannot be used: {problem}", file=sys.stderr)
        return 2
    theirs = Server("yaml-language-server", ["node", str(program), "--stdio"], {"yaml": _settings()})
    for it in (ours, theirs):
        _once(it, functools.partial(_edited, 50, 2))  # Writes caches.
    servers, parts = (ours, theirs), _parts(options)
    found = {size: _measured(servers, size, part, options.runs) for size, part in parts.items()}
    figures = {size: it.figures() for size, it in found.items()}
    times = {size: it.times() for size, it in found.items()}
    conditions = Conditions()
    for size, measured_once in found.items():
        conditions.add(size, measured_once.watch)
    for _ in range(_ROUNDS - 1):
        bad = failing(NAME, figures, times, conditions) if options.check else {}
        if not bad:
            break
        print(
            "\nBad, but the machine may have been busy with something else; once more:",
            *told(bad),
            sep="\n  ",
        )
        for size in bad:
            # Both times of a ratio come from one round: the best time of each server, from rounds of their own, would not.
            again = _measured(servers, size, parts[size], options.runs)
            figures[size], times[size] = (
                _best(figures[size], again.figures()),
                _best(times[size], again.times()),
            )
            conditions.add(size, again.watch)
    if options.json:
        machine = {"python": platform.python_version(), "cpus": os.cpu_count(), "load": os.getloadavg()}
        names = (ours.name, theirs.name)
        named = {size: dict(zip(names, it.found, strict=False)) for size, it in found.items()}
        text = json.dumps({"machine": machine, "figures": figures, "measured": named}, indent=1)
        options.json.write_text(text + "\n", encoding="utf-8")
    if options.lower:
        print("\nLowered:", *lower(NAME, figures, times), sep="\n  ")
    return judgement(NAME, figures, times, conditions) if options.check else 0


def _settings() -> dict[str, object]:
    schemas = {(ROOT / "schemas" / "eval.schema.json").as_uri(): ["*eval.yaml"]}
    return {
        "validate": True,
        "hover": True,
        "completion": True,
        "schemas": schemas,
        "schemaStore": {"enable": False},
    }


def _parts(options: argparse.Namespace) -> dict[str, tuple[_Measure, bool]]:
    """Return what is measured, by size, and whether yaml-language-server is measured too."""
    found: dict[str, tuple[_Measure, bool]] = {}
    for count in options.lines:
        found[f"{count} lines"] = functools.partial(_edited, count, options.edits), True
    for count in options.recorded:
        found[f"{count} lines, recorded"] = functools.partial(_graded, _TASKS, count, options), True
    for tasks in options.tasks:
        found[f"{tasks} tasks, recorded"] = functools.partial(_graded, tasks, 12 * tasks + 8, options), False
    for tasks in options.stored:
        found[f"{tasks} tasks, stored"] = functools.partial(_stored, tasks, options), False
    return found


def _edited(count: int, edits: int, server: Server, root: Path) -> Rows:
    return measured(server, eval_file(count), root, edits=edits)


def _graded(tasks: int, lines: int, options: argparse.Namespace, server: Server, root: Path) -> Rows:
    suite = written_suite(root, tasks, lines, _RECORDINGS)
    return measured_recorded(server, suite, root, edits=options.edits, idle=options.idle)


def _stored(tasks: int, options: argparse.Namespace, server: Server, root: Path) -> Rows:
    return measured_stored(server, stored_suite(root, tasks), root, edits=options.edits, idle=options.idle)


def _once(server: Server, measure: _Measure) -> Rows:
    with tempfile.TemporaryDirectory(prefix="waza-bench-") as folder:
        return measure(server, Path(folder).resolve())


def _measured(servers: tuple[Server, Server], size: str, part: tuple[_Measure, bool], runs: int) -> _Round:
    """Return the medians of our server, and of the other one, with which it takes turns."""
    measure, is_compared = part
    samples: tuple[list[Rows], list[Rows]] = ([], [])
    with watched() as watch:
        for run in range(runs):
            for which in ((0, 1) if run % 2 == 0 else (1, 0)) if is_compared else (0,):
                samples[which].append(_once(servers[which], measure))
    found = [{row: statistics.median(it[row] for it in them) for row in them[0]} for them in samples if them]
    print(f"\n{size:32} waza-lsp   yaml-ls    ratio    ({watch})")
    for row, value in found[0].items():
        other = found[1].get(row) if is_compared else None
        beside = f"{other:9.1f} {value / max(other, 0.01):8.3f}" if other is not None else ""
        print(f"  {row:30} {value:8.1f} {beside}", flush=True)
    return _Round(found, watch)


def _best(rows: Rows, again: Rows) -> Rows:
    """Return the lower figure of each row. One that was too short to count in either round is left out."""
    return {row: min(value, again[row]) for row, value in rows.items() if row in again}


def _numbers(text: str) -> list[int]:
    return [int(it) for it in text.split(",") if it]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0],
        epilog=__doc__.partition("\n\n")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--lines", type=_numbers, default=[50, 5000, 20000], help="sizes of the file")
    parser.add_argument(
        "--recorded", type=_numbers, default=[5000, 20000], help=f"sizes of a file of {_TASKS} recorded tasks"
    )
    parser.add_argument(
        "--tasks",
        type=_numbers,
        default=[*_VERDICTS],
        help="numbers of recorded tasks, for the time to a verdict",
    )
    parser.add_argument(
        "--stored", type=_numbers, default=[1000], help="numbers of tasks with stored runs, for lenses"
    )
    parser.add_argument("--runs", type=int, default=3, help="starts of each server for each size")
    parser.add_argument("--edits", type=int, default=10)
    parser.add_argument("--idle", type=float, default=60.0, help="seconds without an edit; 0: not measured")
    parser.add_argument("--json", type=Path, help="write all figures here")
    parser.add_argument("--check", action="store_true", help="fail when a figure is above its ceiling")
    parser.add_argument("--lower", action="store_true", help="lower ceilings that are too high")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
