"""A simulated author, for hours: edits, completions, hovers, runs, live grading. Memory, handles, processes and latency must not grow.

Run it from the project's folder: `python -m bench.soak --minutes 480`. It prints a line every so many edits, and ends with status 1 when
the last quarter of the run needed clearly more than the second one.
"""

import argparse
import itertools
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.behaviour.wire import FULL, Editor

EXAMPLES = Path(__file__).parents[1] / "examples"
WORDS = ["a", "x ", "contains", ": ", "- ", "\n", "type: text", "#", '"', "[", "]", "max"]


class Sample(NamedTuple):
    """What the server needed at one time: MB, open files, processes below it, and the median answer in ms."""

    edits: int
    memory: float
    handles: int
    children: int
    answer: float


def main() -> int:
    """Simulate, print, judge."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=10, help="how long (default 10)")
    parser.add_argument("--every", type=int, default=500, help="edits between two lines (default 500)")
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for name in ("code-explainer", "release-notes"):
            shutil.copytree(EXAMPLES / name, root / name)
        with Editor(root, FULL) as editor:
            samples = list(
                _simulated(editor, root, wanted.minutes * 60, wanted.every, random.Random(wanted.seed))
            )
    return _judged(samples)


def _simulated(
    editor: Editor, root: Path, seconds: float, every: int, chance: random.Random
) -> Iterator[Sample]:
    names = ["code-explainer/eval.yaml", "code-explainer/tasks/explain-retry.yaml", "release-notes/eval.yaml"]
    texts = {name: (root / name).read_text(encoding="utf-8") for name in names}
    began, answers = time.monotonic(), []
    for edits in itertools.count(1):
        if edits % 40 == 1:
            name = chance.choice(names)
            lines = texts[name].split("\n")
            uri = editor.open(name, texts[name])
        line = chance.randrange(len(lines))
        column = chance.randrange(len(lines[line]) + 1)
        editor.type(uri, line, column, chance.choice(WORDS))
        asked = time.perf_counter()
        editor.at("completion", uri, line, column)
        editor.at("hover", uri, line, 0)
        answers.append(1000 * (time.perf_counter() - asked))
        if edits % 10 == 0:
            editor.of("codeLens", uri)
            editor.of("documentSymbol", uri)
        if edits % 40 == 0:
            editor.close(uri)
        if edits % (4 * every) == 0:
            eval_uri = (root / "code-explainer" / "eval.yaml").as_uri()
            command = {"command": "waza.runEval", "arguments": [{"uri": eval_uri}]}
            editor.ask("workspace/executeCommand", command)
            editor.notes.clear()
        if edits % every == 0:
            sample = Sample(edits, *_needs(editor.process_id), statistics.median(answers))
            answers.clear()
            print(
                f"{sample.edits:8d} edits  {sample.memory:6.0f} MB  {sample.handles:4d} handles  "
                f"{sample.children:2d} processes  {sample.answer:6.1f} ms",
                flush=True,
            )
            yield sample
            if time.monotonic() - began > seconds:
                return


def _needs(pid: int) -> tuple[float, int, int]:
    """Memory in MB, open files and direct children of a process (Linux)."""
    proc = Path("/proc") / str(pid)
    pages = int((proc / "statm").read_text(encoding="ascii").split()[1])
    children = sum(
        len((it / "children").read_text(encoding="ascii").split()) for it in (proc / "task").iterdir()
    )
    return pages * 4096 / 1e6, len(list((proc / "fd").iterdir())), children


def _judged(samples: list[Sample]) -> int:
    quarter = len(samples) // 4
    if not quarter:
        print("too short to judge")
        return 0
    early, late = samples[quarter : 2 * quarter], samples[-quarter:]
    grown = [
        name
        for name, most in (("memory", 1.15), ("handles", 1.1), ("children", 1.5), ("answer", 1.5))
        if statistics.median(getattr(it, name) for it in late)
        > most * statistics.median(getattr(it, name) for it in early) + 1
    ]
    print(f"grew: {', '.join(grown)}" if grown else "nothing grew")
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main())
