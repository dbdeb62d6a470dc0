"""Compare our server with yaml-language-server: same file, same schema, same run.

The two take turns, so a busy machine affects both. Only the ratios count. `--check` compares them with those in
`reference.json` and fails if one is more than twice as bad, or worse than a fixed limit. If yaml-language-server is missing, npm installs it into a
cache folder.

    python bench/lsp.py                                   # all sizes, about eight minutes
    python bench/lsp.py --lines 500 --runs 1 --check      # short, as CI does it
    python bench/lsp.py --write-reference                 # take the ratios of this run as the new reference
"""

import argparse
import json
import math
import os
import platform
import statistics
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bench.editing.client import Server  # noqa: E402  # the checkout is put on the path above
from bench.editing.documents import eval_file  # noqa: E402
from bench.editing.rows import Rows, measured  # noqa: E402
from tests.editors.yaml_server import yaml_server  # noqa: E402

REFERENCE = Path(__file__).with_name("reference.json")
_WORSE = 2.0
_AT_MOST = {"start -> complete findings": 0.5}
"""The largest ratio of a row, whatever the reference is."""
_ROUNDS = 4
"""The number of rounds before `--check` reports a bad ratio. The best round counts."""
_NOISE = 0.03
"""Smaller ratios count as this value, because twice a tiny ratio is still tiny."""
_NOISE_MS = 3.0
"""Shorter times (ms) count as this value: nobody notices them, and a busy machine multiplies them."""


def main() -> int:
    options = _options()
    ours = Server("waza-lsp", [sys.executable, "-P", "-m", "waza_lsp", "serve"], has_rules=True)
    program, problem = yaml_server()
    if problem:
        print(f"yaml-language-server cannot be used: {problem}", file=sys.stderr)
        return 2
    schemas = {(ROOT / "schemas" / "eval.schema.json").as_uri(): ["*eval.yaml"]}
    settings = {
        "validate": True,
        "hover": True,
        "completion": True,
        "schemas": schemas,
        "schemaStore": {"enable": False},
    }
    theirs = Server("yaml-language-server", ["node", str(program), "--stdio"], {"yaml": settings})
    for it in (ours, theirs):
        _start_once(it)
    figures = {count: _figures((ours, theirs), count, options) for count in options.lines}
    ratios = _ratios(figures)
    for _ in range(_ROUNDS - 1):
        if not (options.check and (worse := _worse(ratios))):
            break
        print("\nBad, but the machine may have been busy with something else; once more:", *worse, sep="\n  ")
        figures = {count: _figures((ours, theirs), count, options) for count in options.lines}
        # Both times of a ratio come from one round: the best time of each server, from rounds of their own, would not.
        ratios = {count: _best(rows, ratios[count]) for count, rows in _ratios(figures).items()}
    if options.json:
        machine = {"python": platform.python_version(), "cpus": os.cpu_count(), "load": os.getloadavg()}
        named = {str(count): {ours.name: it[0], theirs.name: it[1]} for count, it in figures.items()}
        text = json.dumps({"machine": machine, "ratios": ratios, "milliseconds": named}, indent=1)
        options.json.write_text(text + "\n", encoding="utf-8")
    if options.write_reference:
        rounded = {count: {row: round(it, 3) for row, it in rows.items()} for count, rows in ratios.items()}
        known = json.loads(REFERENCE.read_text(encoding="utf-8")) if REFERENCE.is_file() else {}
        REFERENCE.write_text(json.dumps({**known, **rounded}, indent=1) + "\n", encoding="utf-8")
    if not options.check:
        return 0
    worse = _worse(ratios)
    print("\n".join(["\nWorse than allowed:", *worse] if worse else ["\nNo ratio is worse than allowed."]))
    return 1 if worse else 0


def _start_once(server: Server) -> None:
    """Let a server write its caches for the next start."""
    with tempfile.TemporaryDirectory(prefix="waza-bench-") as folder:
        measured(server, eval_file(50), Path(folder).resolve(), edits=2)


def _figures(servers: tuple[Server, Server], count: int, options: argparse.Namespace) -> list[Rows]:
    """Return the medians of both servers, which take turns."""
    samples: tuple[list[Rows], list[Rows]] = ([], [])
    for run in range(options.runs):
        for which in (0, 1) if run % 2 == 0 else (1, 0):
            with tempfile.TemporaryDirectory(prefix="waza-bench-") as folder:
                found = measured(
                    servers[which], eval_file(count), Path(folder).resolve(), edits=options.edits
                )
                samples[which].append(found)
    ours, theirs = ({row: statistics.median(it[row] for it in them) for row in them[0]} for them in samples)
    print(f"\n{count} lines {'':25} waza-lsp   yaml-ls    ratio")
    for row, value in ours.items():
        print(
            f"  {row:30} {value:10.1f} {theirs[row]:9.1f} {value / max(theirs[row], 0.01):8.3f}", flush=True
        )
    return [ours, theirs]


def _best(one: Rows, other: Rows) -> Rows:
    return {row: min(value, other[row]) for row, value in one.items()}


def _ratios(figures: dict[int, list[Rows]]) -> dict[str, Rows]:
    return {
        str(count): {row: max(value, _NOISE_MS) / max(theirs[row], _NOISE_MS) for row, value in ours.items()}
        for count, (ours, theirs) in figures.items()
    }


def _worse(ratios: dict[str, Rows]) -> list[str]:
    reference = json.loads(REFERENCE.read_text(encoding="utf-8"))
    return [
        f"{count} lines, {row}: {value:.3f}, was {reference[count][row]:.3f}"
        for count, rows in ratios.items()
        for row, value in rows.items()
        if row in reference.get(count, {}) and value > _limit(row, reference[count][row])
    ]


def _limit(row: str, known: float) -> float:
    return min(_WORSE * max(known, _NOISE), _AT_MOST.get(row, math.inf))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--lines", type=lambda it: [int(part) for part in it.split(",")], default=[50, 300, 500, 5000, 20000]
    )
    parser.add_argument("--runs", type=int, default=3, help="starts of each server for each size")
    parser.add_argument("--edits", type=int, default=10)
    parser.add_argument("--json", type=Path, help="write all figures here")
    parser.add_argument(
        "--check", action="store_true", help="fail when a ratio is twice that of the reference"
    )
    parser.add_argument("--write-reference", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
