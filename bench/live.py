"""Measure live grading from an editor: from the edit to the verdict on the screen.

The benchmark edits every grader of the shipped examples over the protocol, one at a time, and waits for its verdict.
The target applies to deterministic graders. Graders that execute programs or call a model are listed separately.
"""

import argparse
import asyncio
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsprotocol import types

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.server.results_harness import Editor, editor, plain  # noqa: E402  # the checkout is put on the path above
from waza_engine.graders.base import Grader  # noqa: E402
from waza_engine.graders.registry import find_grader  # noqa: E402

EXAMPLES = sorted(it.parent.name for it in (ROOT / "examples").glob("*/eval.yaml"))
VERDICTS = {"failed-check", "live-verdict"}
LONGEST_SECONDS = 5.0


@dataclass(frozen=True)
class Row:
    """The times of one grader, in milliseconds."""

    where: str
    type: str
    deterministic: bool
    times: list[float]


def main() -> int:
    """Print the figures. The exit status is 0 if the target is met."""
    options = _options()
    rows = asyncio.run(_measured(options.example or EXAMPLES, options.edits, options.profile))
    print(f"{'edit to verdict, ms':72} {'type':16} {'p50':>7} {'p95':>7} {'worst':>7}")
    for it in rows:
        mark = "" if it.deterministic else "  (executes)"
        print(f"{it.where:72} {it.type:16} {_figures(it.times)}{mark}")
    times = [one for it in rows if it.deterministic for one in it.times]
    if not times:
        print("nothing was measured")
        return 1
    print(f"{'all deterministic graders':72} {len(times):>11} edits {_figures(times)}")
    met = _p95(times) <= options.target
    print(f"target: p95 within {options.target:g} ms: {'met' if met else 'missed'}")
    return 0 if met else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument(
        "--edits", type=int, default=10, metavar="N", help="edits of each grader (default 10)"
    )
    parser.add_argument(
        "--example", action="append", choices=EXAMPLES, help="only this example; may be given several times"
    )
    parser.add_argument(
        "--profile",
        default="neovim",
        choices=["neovim", "visual_studio_code", "emacs"],
        help="the abilities of which editor the client has (default neovim)",
    )
    parser.add_argument(
        "--target", type=float, default=150.0, metavar="MS", help="what p95 is held to (default 150)"
    )
    return parser.parse_args()


async def _measured(examples: Sequence[str], edits: int, profile: str) -> list[Row]:
    rows: list[Row] = []
    for example in examples:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            suite = root / "examples" / example
            shutil.copytree(ROOT / "examples" / example, suite)
            async with editor(root, profile=profile) as it:
                # Graders that execute something are graded live only once their eval was run.
                await it.execute("waza.runEval", uri=(suite / "eval.yaml").as_uri())
                for path in (suite / "eval.yaml", *sorted((suite / "tasks").glob("*.yaml"))):
                    rows += await _of_file(it, path, f"{example}/{path.relative_to(suite)}", edits)
    return rows


async def _of_file(it: Editor, path: Path, name: str, edits: int) -> list[Row]:
    it.open(path)
    # What the run said of its text would be taken for an answer to an edit.
    await it.execute("waza.clearResults", uri=it.uri)
    await it.lenses_with("Grade again")
    protocol: Any = it.client.protocol
    tree = [plain(one) for one in await protocol.send_request_async("waza/tests", {"uri": it.uri})]
    dialect = plain(await protocol.send_request_async("waza/document", {"uri": it.uri}))["dialect"]
    rows: list[Row] = []
    for grader in _graders(tree, it.uri):
        lines = range(grader["range"]["start"]["line"], grader["range"]["end"]["line"] + 1)
        kind = _class_of(_type_line(it, lines)[1], dialect)
        if kind is None or kind.asks_judge:
            continue
        # The first edit may meet a worker that is still starting.
        times = [await _edit(it, lines, number) for number in range(edits + 1)][1:]
        rows.append(Row(f"{name}: {grader['label']}", kind.type_name, kind.deterministic, times))
    it.close()
    return rows


def _class_of(kind: str, dialect: str) -> type[Grader] | None:
    return find_grader(kind, dialect)


def _graders(items: Sequence[dict[str, Any]], uri: str) -> list[dict[str, Any]]:
    """Return the graders of the tree that are in a file."""
    below = [found for it in items for found in _graders(it["children"], uri)]
    return [*(it for it in items if it["kind"] == "grader" and it["uri"] == uri), *below]


def _type_line(it: Editor, lines: range) -> tuple[int, str]:
    """Return the line with a grader's type, and the type, which is empty if the line has another form."""
    for line in lines:
        text = it.text.split("\n")[line].lstrip(" -")
        if text.startswith("type: "):
            return line, text.removeprefix("type: ").partition(" ")[0]
    return lines.start, ""


async def _edit(it: Editor, lines: range, number: int) -> float:
    """Change the comment after a grader's type. Return the milliseconds until the verdict on the new text."""
    line, kind = _type_line(it, lines)
    before = it.text.split("\n")[line]
    start = before.index(kind) + len(kind)
    count = len(it.published)
    span = types.Range(types.Position(line, start), types.Position(line, len(before)))
    sent = it.change(span, f" # edit {number}")
    while True:
        for at, params in it.published[count:]:
            if params.uri == it.uri and any(
                found.code in VERDICTS and found.range.start.line in lines for found in params.diagnostics
            ):
                await asyncio.sleep(0.05)
                return (at - sent) * 1000
        if time.perf_counter() - sent > LONGEST_SECONDS:
            raise SystemExit(f"no verdict after an edit of {kind!r} in {it.uri}")
        await asyncio.sleep(0.001)


def _figures(times: Sequence[float]) -> str:
    return f"{statistics.median(times):7.1f} {_p95(times):7.1f} {max(times):7.1f}"


def _p95(times: Sequence[float]) -> float:
    return sorted(times)[max(0, round(len(times) * 0.95) - 1)]


if __name__ == "__main__":
    sys.exit(main())
