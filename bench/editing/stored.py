"""An eval of many tasks with stored runs, in an editor that shows lenses: what lenses and edits cost."""

import statistics
import time
from pathlib import Path

from bench.editing.client import Editor, Server
from bench.editing.recorded import PAUSE_SECONDS, Suite
from bench.editing.rows import Rows
from waza_engine.runs.planning.plan import Overrides
from waza_engine.runs.run_eval import run_eval
from waza_engine.runs.store.store import RunStore, default_store_dir

_RUNS, _TRIALS = 2, 3
_FAILS_EVERY = 2
"""One task in this many fails in the stored runs."""
_LENSES = 10
"""How often lenses are requested while nothing changes."""
_GRADERS = """\
      - type: text
        name: says
        config:
          contains: [Task {word}]
          not_contains: [sorry]
      - type: text
        name: begins
        config:
          regex_match: ['Task: Task \\d+']
      - type: behavior
        name: calls
        config:
          max_tool_calls: 50
      - type: text
        name: polite
        config:
          contains_cs: ["Mock response"]
"""


def stored_suite(root: Path, tasks: int) -> Suite:
    """Write an eval of so many tasks with four graders each, and run it twice with three trials."""
    (root / ".git").mkdir()
    found = [
        "name: bench",
        "skill: bench",
        "config:",
        f"  trials_per_task: {_TRIALS}",
        "  timeout_seconds: 60",
    ]
    found += ["  executor: mock", "  model: gpt-4o", "tasks:"]
    words: list[int] = []
    for number in range(tasks):
        found += [f"  - id: t{number}", f"    name: Task {number}", "    inputs:", "      prompt: |"]
        found += ["        Say the answer.", "        Then say why.", "    graders:"]
        words.append(len(found) + 3)
        found += _GRADERS.format(word="none" if number % _FAILS_EVERY == 1 else number).splitlines()
    path = root / "eval.yaml"
    path.write_text("\n".join(found) + "\n", encoding="utf-8")
    with RunStore(default_store_dir(path)) as store:
        for _ in range(_RUNS):
            run_eval(path, Overrides(workers=1), store=store, process_dir=root)
    return Suite(found, words)


def measured_stored(server: Server, suite: Suite, root: Path, *, edits: int, idle: float = 0.0) -> Rows:
    """Measure lenses while nothing changes, and after edits in a grader in the middle."""
    with Editor(server, root, shows_lenses=True) as editor:
        editor.open(suite.lines)
        editor.until(lambda _: True, 0)
        editor.quiet(PAUSE_SECONDS)
        rows = {"start until idle, CPU": editor.cpu() * 1000}
        document = {"textDocument": {"uri": editor.uri}}
        same = [editor.seconds("textDocument/codeLens", document) * 1000 for _ in range(_LENSES)]
        editor.quiet(PAUSE_SECONDS)
        middle = suite.words[len(suite.words) // 2]
        for number in range(2):  # The first edits meet caches that are cold.
            _edit(editor, middle, wrong=number == 0)
        before, times = editor.cpu(), list[tuple[float, float]]()
        for number in range(edits):
            times.append(_edit(editor, middle, wrong=number % 2 == 0))
        spent = editor.cpu() - before
        lenses, both = zip(*times, strict=True)
        rows |= {
            "codeLens, nothing changed": statistics.median(same),
            "codeLens after an edit": statistics.median(lenses),
            "edit -> findings and lenses": statistics.median(both),
            "edit in a grader, CPU": spent * 1000 / edits,
            "memory, peak MB": editor.tree.peak,
            "processes": float(editor.tree.most),
        }
        if idle:
            before = editor.cpu()
            time.sleep(idle)
            rows["idle minute, CPU"] = (editor.cpu() - before) * 1000 * 60 / idle
        return rows


def _edit(editor: Editor, line: int, *, wrong: bool) -> tuple[float, float]:
    """Make a grader fail, or pass again. Return the milliseconds until its lenses, and until its findings, too."""
    end = len(editor.lines[line]) - 1
    since, sent = len(editor.told), time.perf_counter()
    version = editor.edit(line, end, end, "x") if wrong else editor.edit(line, end - 1, end, "")
    told = editor.until(lambda it: it.version >= version, since)
    lenses = editor.until_lenses(version)
    editor.quiet(PAUSE_SECONDS)
    return (lenses - sent) * 1000, (max(told.at, lenses) - sent) * 1000
