"""How long live grading takes, measured by an editor: from the edit to the verdict on the screen.

Run it in the repository root: `python bench/live.py [EDITS]`. It edits graders of the shipped examples through the
protocol, one edit after the other, and waits for each verdict.
"""

import asyncio
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.lsp.server.results_harness import Editor, editor  # noqa: E402  # the checkout is put on the path above

TARGET_MS = 150
SITUATIONS = [
    ("text grader of a task", "code-explainer", "tasks/explain-retry.yaml", "[jitter"),
    ("text grader of the eval, 4 recordings", "code-explainer", "eval.yaml", "access"),
    ("file grader, workspace", "file-editor", "tasks/list-todos.yaml", "stop accepting"),
    ("json_schema grader", "file-editor", "tasks/clean-csv.yaml", "const: 2"),
    ("diff grader, 2 recordings", "file-editor", "tasks/rename-function.yaml", "import load_settings"),
]


async def main(edits: int) -> int:
    """Print the figures; the exit status says whether the target is met."""
    everything: list[float] = []
    print(f"{'live grading, edit to verdict':42} {'median':>8} {'p95':>8} {'worst':>8}   ms")
    for what, example, name, word in SITUATIONS:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            shutil.copytree(ROOT / "examples" / example, root / "examples" / example)
            async with editor(root) as it:
                it.open(root / "examples" / example / name)
                await it.lenses_with("Grade again")
                times = [await _edit(it, word, number) for number in range(edits + 1)]
        # The first one meets a worker that may still be starting.
        everything += times[1:]
        print(f"{what:42} {_row(times[1:])}   first {times[0]:.0f}")
    print(f"{'all':42} {_row(everything)}")
    met = _p95(everything) <= TARGET_MS
    print(f"target: p95 within {TARGET_MS} ms: {'met' if met else 'missed'}")
    return 0 if met else 1


async def _edit(it: Editor, word: str, number: int) -> float:
    """One edit that changes the verdict's text; the milliseconds until the verdict about it is there."""
    end = "\n" if word.endswith("\n") else ""
    known = word.removesuffix("\n")
    extra = "x" * (number % 3 + 1)
    before = "x" * ((number - 1) % 3 + 1) if number else ""
    count = len(it.published)
    sent = it.replace(f"{known}{before}{end}", f"{known}{extra}{end}")
    while True:
        for at, params in it.published[count:]:
            if any(item.code in {"failed-check", "live-verdict"} for item in params.diagnostics):
                await asyncio.sleep(0.05)
                return (at - sent) * 1000
        if time.perf_counter() - sent > 5:
            raise SystemExit(f"no verdict after an edit of {word!r}")
        await asyncio.sleep(0.001)


def _row(times: list[float]) -> str:
    return f"{statistics.median(times):8.1f} {_p95(times):8.1f} {max(times):8.1f}"


def _p95(times: list[float]) -> float:
    return sorted(times)[max(0, round(len(times) * 0.95) - 1)]


if __name__ == "__main__":
    sys.exit(asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 40)))
