"""Simulate eight hours of an author without pauses: memory, handles, threads, processes and latency must not grow.

    python bench/soak.py                    # 30,000 edits, 2,000 live verdicts, 200 runs: 8 minutes to an hour
    python bench/soak.py --hours 1          # one eighth of it

An hour of an author is 3,750 edits (one each second), 188 completions and hovers, 250 verdicts on edited graders, 25
runs. Each quarter of an hour prints a line. The exit status is 1 if something grew after the first hour, which is the
warm-up (see `soaking/judged.py`), or if a run failed that was not cancelled. It is 2 if the host of a virtual machine
took away so much processor time that the times are meaningless.
"""

import argparse
import dataclasses
import json
import random
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bench.editing.client import Editor, Server  # noqa: E402  # the checkout is put on the path above
from bench.soaking.author import FILES, Author, settings  # noqa: E402
from bench.soaking.judged import Limit, growth, has_grown  # noqa: E402
from bench.soaking.machine import stolen, ticks  # noqa: E402
from bench.soaking.needs import Needs, needs  # noqa: E402

_HOUR = 3750
_EVERY = {"lookup": 20, "verdict": 15, "run": 150}
_QUARTERS = 4
_WARM = 4
"""The warm-up, in quarters of an hour."""
_LIMITS = {
    "memory": Limit(0.03, 1),
    "worker": Limit(0.03, 1),
    "handles": Limit(0, 1),
    "threads": Limit(0, 1),
    "processes": Limit(0, 0.5),
    "cpu": Limit(0.2, 0.2),
    "edit": Limit(0.3, 1),
    "completion": Limit(0.3, 1),
    "hover": Limit(0.3, 1),
    "verdict/work": Limit(0.3, 0.05),
    "run/work": Limit(0.3, 1),
}
"""Memory in MB, everything below in milliseconds; `cpu` is that of the server for an edit and what goes with it.

What is done by several processes takes longer when somebody else needs the processors. So it is measured in pieces of
work of the same minutes.
"""
_TIMES = frozenset(["cpu", "edit", "completion", "hover", "verdict/work", "run/work"])
_MOST_STOLEN = 10
"""Percent of the processor time. If the host steals more in a quarter, its times do not count."""
_SHOWN = (*_LIMITS, "verdict", "run", "work", "stolen")

Sample = dict[str, float]


def main() -> int:
    """Simulate, print, judge."""
    options = _options()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for name in sorted({it.partition("/")[0] for it in FILES}):
            shutil.copytree(ROOT / "examples" / name, root / name)
        (root / ".git").mkdir()
        samples, bad_runs = _simulated(root, options)
    if options.json:
        options.json.write_text(json.dumps(samples, indent=1) + "\n", encoding="utf-8")
    for it in bad_runs:
        print(it)
    return _judged(samples) or int(bool(bad_runs))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hours", type=float, default=8, help="of the author's time (default 8)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every figure into a file")
    return parser.parse_args()


def _simulated(root: Path, options: argparse.Namespace) -> tuple[list[Sample], list[str]]:
    """Return the figures of each quarter of an hour, and details of runs with an unexpected end."""
    server = Server("waza-lsp", [sys.executable, "-P", "-m", "waza_lsp", "serve"], settings())
    samples: list[Sample] = []
    with Editor(server, root, FILES[0]) as editor:
        author = Author(editor, random.Random(options.seed), _EVERY)
        author.arrive()
        before, began = needs(editor.process.pid), ticks()
        for number in range(1, round(options.hours * _QUARTERS) + 1):
            edits = author.counts["edits"]
            author.work(_HOUR // _QUARTERS)
            now, ended = needs(editor.process.pid), ticks()
            sample = _sample(author, before, now, author.counts["edits"] - edits) | {
                "hours": number / _QUARTERS,
                "stolen": stolen(began, ended),
            }
            before, began = now, ended
            author.times.clear()
            samples.append(sample)
            _print(sample, is_first=number == 1)
    print("  ".join(f"{count:,} {name}" for name, count in author.counts.items()))
    return samples, author.bad_runs


def _sample(author: Author, before: Needs, now: Needs, edits: int) -> Sample:
    needed = dataclasses.asdict(now) | {"cpu": 1000 * (now.cpu - before.cpu) / edits}
    waits = {name: statistics.median(it) for name, it in author.times.items()}
    late = {f"{name} p95": _p95(it) for name, it in author.times.items()}
    by_work = {
        f"{it}/work": waits[it] / waits["work"] for it in ("verdict", "run") if {it, "work"} <= waits.keys()
    }
    return needed | waits | late | by_work


def _p95(times: list[float]) -> float:
    return sorted(times)[max(0, round(len(times) * 0.95) - 1)]


def _print(sample: Sample, *, is_first: bool) -> None:
    names = [it for it in _SHOWN if it in sample]
    if is_first:
        print("hours " + "".join(f"{it:>13}" for it in names))
    print(f"{sample['hours']:5.2f} " + "".join(f"{sample[it]:13.2f}" for it in names), flush=True)


def _judged(samples: list[Sample]) -> int:
    """Report what grew after the first hour."""
    warm = samples[_WARM:]
    if len(warm) < _QUARTERS:
        print("too short to judge")
        return 0
    quiet = [it for it in warm if it["stolen"] <= _MOST_STOLEN]
    is_quiet = len(quiet) >= len(warm) / 2
    if not is_quiet:
        print(
            f"The host took processors away in {len(warm) - len(quiet)} of {len(warm)} quarters: no time is judged"
        )
    grown = 0
    for name, limit in _LIMITS.items():
        if name in _TIMES and not is_quiet:
            continue
        judged = quiet if name in _TIMES else warm
        judged = [it for it in judged if name in it]
        if len(judged) < _QUARTERS:
            continue
        times, values = [it["hours"] for it in judged], [it[name] for it in judged]
        much = growth(times, values)
        is_bad = has_grown(times, values, limit)
        grown += is_bad
        print(f"{name:12} {statistics.median(values):8.2f} {much:+8.2f}{'   GREW' if is_bad else ''}")
    return 1 if grown else 0 if is_quiet else 2


if __name__ == "__main__":
    sys.exit(main())
