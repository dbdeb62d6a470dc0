"""Measure the language server in a workspace of thousands of evals: the test view, symbols, findings, a branch switch.

Meanwhile the author hovers and completes in one file. `--check` compares the figures with `ceilings.json`, which is only
ever lowered; on a machine that is never quiet (`machine.py`), times are told and not judged.

    python bench/workspace.py                # 3,000 evals with 5 tasks each, about a minute
    python bench/workspace.py --check        # as CI does it
    python bench/workspace.py --lower        # lower the ceilings to the figures of this run
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bench.ceilings import lower  # noqa: E402  # the checkout is put on the path above
from bench.editing.client import Editor, Server  # noqa: E402
from bench.editing.rows import Rows, p95  # noqa: E402
from bench.judging import Conditions, failing, judgement  # noqa: E402
from bench.machine import Watch, watched  # noqa: E402

NAME = "workspace"
_PER_FOLDER = 100
_TASKS = 5
_MOST = 200
"""How many evals an editor asks for at once."""
_SWITCHED = 300
_PAUSE_SECONDS = 0.03
_SETTLED = 0.6
_WATCHED_SECONDS = 2.0
_ATTEMPTS = 4
"""How often is measured before a figure counts as above its ceiling."""
_HEAD = """\
name: eval-{number}
description: Say things
skill: s
version: '1.0'
config:
  trials_per_task: 3
  timeout_seconds: 300
  executor: mock
  model: m
tasks:
"""
_TASK = """\
  - id: task-{task}
    name: Task {task}
    inputs:
      prompt: Say thing {task}
    graders:
      - type: text
        name: says-{task}
        config:
          contains:
            - nowhere-{task}-{number}
"""


def main() -> int:
    """Print the figures. The exit status is 1 if one is above its ceiling."""
    options = _options()
    size, figures, conditions, watch = f"{options.evals} evals", dict[str, Rows](), Conditions(), Watch()
    for _ in range(_ATTEMPTS if options.check else 1):
        with tempfile.TemporaryDirectory(prefix="waza-bench-") as folder:
            root = Path(folder).resolve()
            with watched() as watch:
                rows, known = _measured(root, _written(root, options.evals)), figures.get(size, {})
        # A busy machine makes something slower now and then.
        figures[size] = {row: min(value, known.get(row, value)) for row, value in rows.items()}
        conditions.add(size, watch)
        if not failing(NAME, figures, {}, conditions):
            break
    for size, rows in figures.items():
        print(f"{size} ({watch})")
        for row, value in rows.items():
            print(f"  {row:40} {value:8.1f}")
    if options.lower:
        print("\nLowered:", *lower(NAME, figures), sep="\n  ")
    return judgement(NAME, figures, {}, conditions) if options.check else 0


def _written(root: Path, evals: int) -> list[Path]:
    found = []
    for number in range(evals):
        path = root / f"g{number // _PER_FOLDER:03}" / f"e{number:05}" / "eval.yaml"
        path.parent.mkdir(parents=True)
        tasks = (_TASK.format(task=task, number=number) for task in range(_TASKS))
        path.write_text(_HEAD.format(number=number) + "".join(tasks))
        found.append(path)
    return found


def _measured(root: Path, files: list[Path]) -> Rows:
    command = [sys.executable, "-P", "-m", "waza_lsp", "serve"]
    name = files[0].relative_to(root).as_posix()
    with Editor(Server("waza-lsp", command, has_rules=True), root, name) as editor:
        editor.open(files[0].read_text().splitlines())
        editor.quiet(_SETTLED)
        author = _Author(editor)
        rows = _tree(author, files)
        rows |= {"symbols": author.while_working("workspace/symbol", {"query": "task-3"})}
        rows |= {"symbols, known": author.while_working("workspace/symbol", {"query": "says-4"})}
        cpu = editor.cpu()
        author.while_working("workspace/diagnostic", {"previousResultIds": []})
        rows |= {"findings, CPU for each file": (editor.cpu() - cpu) * 1000 / len(files)}
        editor.quiet(_SETTLED)
        rows |= _switched(author, files[1 : _SWITCHED + 1])
        rows |= _reported(author, files)
        rows |= {
            "hover meanwhile, p95": p95(author.hovers),
            "completion meanwhile, p95": p95(author.completions),
            "memory, peak MB": editor.tree.peak,
        }
    return rows


class _Author:
    """Hovers and completes in the open file while the server works on something else."""

    def __init__(self, editor: Editor) -> None:
        self.editor = editor
        self.hovers: list[float] = []
        self.completions: list[float] = []
        self._version = 0
        self._more = True

    def look(self) -> None:
        """Ask for one hover and one completion."""
        self.hovers.append(self.editor.seconds("textDocument/hover", self.editor.at(4, 3)) * 1000)
        self.completions.append(self.editor.seconds("textDocument/completion", self.editor.at(5, 3)) * 1000)

    def part_of_tree(self) -> float:
        """Ask for a part of the test view's tree, and return how long it took (ms)."""
        request, sent = self.editor.ask("waza/tests", {"since": self._version, "most": _MOST})
        at, answer = self.editor.result(request)
        self._version, self._more = answer["version"], answer["more"]
        return (at - sent) * 1000

    def rest_of_tree(self) -> None:
        """Ask for all other parts, and look around in between."""
        while self._more:
            self.part_of_tree()
            self.look()

    def while_working(self, method: str, params: Any) -> float:
        """Ask, look around until the answer is there, and return how long it took (ms)."""
        request, sent = self.editor.ask(method, params)
        while not self.editor.has_answer(request):
            self.look()
            time.sleep(_PAUSE_SECONDS)
        return (self.editor.result(request)[0] - sent) * 1000


def _tree(author: _Author, files: list[Path]) -> Rows:
    editor = author.editor
    began, rows = time.perf_counter(), {"tree, first part": author.part_of_tree()}
    author.rest_of_tree()
    rows["tree, all parts"] = (time.perf_counter() - began) * 1000
    editor.quiet(_SETTLED)
    rows["tree, nothing changed"] = _best(author.part_of_tree)
    changed = files[len(files) // 2]
    text = changed.read_text()

    def change_one() -> float:
        changed.write_text(text.replace("name: Task 1\n", f"name: Task one {time.monotonic_ns()}\n"))
        _tell(editor, [changed])
        editor.quiet(_SETTLED)
        return author.part_of_tree()

    rows["tree, one file changed"] = _best(change_one)
    return rows


def _best(measure: Callable[[], float]) -> float:
    """Return the shortest of three times: the first one also pays for what is new after a pause."""
    return min(measure() for _ in range(3))


def _switched(author: _Author, files: list[Path]) -> Rows:
    for it in files:
        it.write_text(it.read_text().replace("Say thing", "Say another thing"))
    editor, cpu = author.editor, author.editor.cpu()
    _tell(editor, files)
    author.look()
    author.part_of_tree()
    author.rest_of_tree()
    editor.quiet(_SETTLED)
    return {f"branch switch of {len(files)} files, CPU": (editor.cpu() - cpu) * 1000}


def _reported(author: _Author, files: list[Path]) -> Rows:
    """Report that all files have changed, and hover at once: the longest messages of an editor, after a branch switch."""
    author.editor.quiet(_SETTLED)
    before, until = len(author.hovers), time.perf_counter() + _WATCHED_SECONDS
    _tell(author.editor, files)
    while time.perf_counter() < until:
        author.look()
        time.sleep(_PAUSE_SECONDS)
    return {"hover while all files are reported, p95": p95(author.hovers[before:])}


def _tell(editor: Editor, files: list[Path]) -> None:
    changes = [{"uri": it.as_uri(), "type": 2} for it in files]
    editor.notify("workspace/didChangeWatchedFiles", {"changes": changes})


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0],
        epilog=__doc__.partition("\n\n")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--evals", type=int, default=3000, help="how many evals the workspace has")
    parser.add_argument("--check", action="store_true", help="fail when a figure is above its ceiling")
    parser.add_argument("--lower", action="store_true", help="lower ceilings that are too high")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
