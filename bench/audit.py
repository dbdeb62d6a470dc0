"""Measure the audit: `python bench/audit.py [--only suite,live,memory] [--check]`.

`suite` audits 1,000 tasks with eight null agents, without and with recordings, by the command. `live` edits a grader in an
editor, one edit at a time, and waits for the finding and for the lens that only the new text gives. `memory` audits
1,000 and 10,000 tasks. Processor times are those of user and system of the process and its children.
"""

import argparse
import asyncio
import gc
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from lsprotocol import types

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bench.editing.processes import ProcessTree  # noqa: E402  # the checkout is put on the path above
from tests.engine.audit.evals import recording  # noqa: E402
from tests.forked import FRESH  # noqa: E402
from tests.server.results_harness import Editor, editor  # noqa: E402
from waza_engine.audit.run import audit_suite  # noqa: E402
from waza_engine.project.load_suite import load_suite  # noqa: E402
from waza_engine.runs.planning.plan import Overrides, Plan, make_plan  # noqa: E402
from waza_engine.runs.recordings.find import Recording, recordings_of  # noqa: E402

PARTS = ("suite", "live", "memory")
SECONDS_A_SUITE = 20.0
MILLISECONDS_AN_EDIT = 300.0
BYTES_A_TASK = 4_096
BYTES_A_TASK_AND_ITS_SUITE = 8_192
_SPREAD = 2.0
"""With --check, a row fails if it takes this many times its limit: the machine may be busy."""
_RECORDINGS = 4
_LONGEST_SECONDS = 10.0
_FORBIDDEN = "no-edit"
_AGENTS = {"sorry": "refuses", "Done": 'says only "Done."'}
"""A word that a grader wants, and what the finding tells of the null agent that has it."""
_EVAL = """\
name: bench
skill: notes
config: {trials_per_task: 1, timeout_seconds: 60, executor: mock, model: gpt-4o}
graders:
  - {type: behavior, name: few_calls, config: {max_tool_calls: 50}}
tasks: ["tasks/*.yaml"]
"""
_TASK = """\
id: task-{number:05}
name: Write note {number}
inputs:
  prompt: Write the note {number} with the version
  files:
    - {{path: notes.md, content: "# Notes"}}
graders:
  - type: text
    name: says
    config:
      contains: [sorry]
      not_contains: [no-edit]
  - type: text
    name: polite
    config: {{not_contains: [damn], regex_not_match: ['(?i)cannot do task {number}$']}}
  - type: file
    name: keeps
    config: {{must_exist: [notes.md]}}
"""
_SKILL = "---\nname: notes\ndescription: Writes notes\n---\nWrite notes.\n"
_OUTPUT = "Done, sorry for the wait. The version is {number}.\n\nIt is in notes.md.\n\nBye."


class Row(NamedTuple):
    """A figure and its limit; 0 if it has none."""

    name: str
    value: float
    unit: str
    limit: float = 0.0


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--only", default=",".join(PARTS), help=f"Parts to measure: {', '.join(PARTS)}.")
    parser.add_argument(
        "--tasks",
        type=int,
        default=1_000,
        help="Tasks of a suite; the memory is also measured with ten times as many.",
    )
    parser.add_argument("--edits", type=int, default=40, help="Edits of each live row.")
    parser.add_argument("--json", type=Path, help="Write the figures to this file.")
    parser.add_argument(
        "--check", action="store_true", help=f"Fail if a row takes {_SPREAD:g} times its limit."
    )
    options = parser.parse_args()
    rows: list[Row] = []
    for part in options.only.split(","):
        for it in {"suite": _suite, "live": _live, "memory": _memory}[part](options):
            rows.append(it)
            limit = f"  limit {it.limit:,.0f}{' !' if it.value > it.limit else ''}" if it.limit else ""
            print(f"{it.name:58} {it.value:12,.1f} {it.unit}{limit}", flush=True)
    if options.json:
        options.json.write_text(json.dumps([it._asdict() for it in rows], indent=2), encoding="utf-8")
    slow = [it.name for it in rows if it.limit and it.value > it.limit * _SPREAD]
    if options.check and slow:
        sys.exit(f"Missed: {'; '.join(slow)}")


def _suite(options: argparse.Namespace) -> Iterator[Row]:
    """The whole command, as in CI."""
    for recordings in (0, _RECORDINGS):
        with tempfile.TemporaryDirectory() as folder:
            path = _write_suite(Path(folder), options.tasks, recordings)
            seconds, cpu, peak = _command(path, options.tasks)
            again = _command(path, options.tasks)
        name = f"audit, {options.tasks:,} tasks, {recordings} recordings each"
        limit = SECONDS_A_SUITE * options.tasks / 1_000 if not recordings else 0
        yield Row(name, seconds, "s", limit)
        yield Row(f"{name}: processor", cpu, "s")
        yield Row(f"{name}: peak memory", peak, "MB")
        yield Row(f"{name}: again, nothing changed", again[0], "s")
        yield Row(f"{name}: again, processor", again[1], "s")


def _command(path: Path, tasks: int) -> tuple[float, float, float]:
    """Return the seconds, the processor seconds and the peak memory (MB) of the command. It must audit so many tasks."""
    environment = {name: it for name, it in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["XDG_CACHE_HOME"] = str(path.parent / "cache")
    started = time.perf_counter()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "waza_lsp", "audit", "--format", "json", str(path)],
            env=environment,
            stdout=output,
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        printed = output.read()
    if process.returncode or json.loads(printed)["summary"]["tasks"] != tasks:
        sys.exit(f"audit {path} ended with {process.returncode}: {printed[-500:].decode()}")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def _live(options: argparse.Namespace) -> Iterator[Row]:
    """From an edit to what the editor shows of it, in a server of its own."""
    # Workers of tests are forked; those of users are processes of their own.
    os.environ[FRESH] = "1"
    for tasks in sorted({50, options.tasks}):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve()
            _write_suite(root, tasks, _RECORDINGS)
            found, lens, cpu = asyncio.run(_edited(root, options.edits))
        for name, times in (("finding", found), ("lens", lens)):
            row = f"edit of a grader -> {name}, {tasks:,} tasks"
            yield Row(f"{row}: p50", statistics.median(times), "ms")
            yield Row(f"{row}: p95", _p95(times), "ms", MILLISECONDS_AN_EDIT)
        yield Row(f"processor for an edit, {tasks:,} tasks", cpu * 1000 / options.edits, "ms")


async def _edited(root: Path, edits: int) -> tuple[list[float], list[float], float]:
    """Return the milliseconds to the findings and to the lenses, and the processor seconds of all processes."""
    async with editor(root, settings={"audit": {"enable": True}}) as it:
        it.open(root / "tasks" / "task-00000.yaml")
        await _shown(it, 0, _AGENTS["sorry"], 120.0)
        # The first edits meet a worker whose caches are cold.
        for number in range(2):
            await _edit(it, number)
        tree = ProcessTree(it.pid)
        before = tree.cpu()
        times = [await _edit(it, number + 2) for number in range(edits)]
        spent = tree.cpu() - before
        tree.stop()
    return [found for found, _ in times], [lens for _, lens in times], spent


async def _edit(it: Editor, number: int) -> tuple[float, float]:
    """Edit the grader so that another null agent passes. Return the milliseconds to the finding and to the lens."""
    old, new = list(_AGENTS)[:: 1 if number % 2 == 0 else -1]
    count = len(it.published)
    before = f"contains: [{old}]\n      not_contains: [{_FORBIDDEN}{f'-{number - 1}' if number else ''}]"
    # The number makes each text a new one.
    sent = it.replace(before, f"contains: [{new}]\n      not_contains: [{_FORBIDDEN}-{number}]")
    found = await _shown(it, count, _AGENTS[new])
    names = {"refuses": "refusal", 'says only "Done."': "done"}
    await it.lenses_with(f"passes for: {names[_AGENTS[new]]}")
    lens = time.perf_counter()
    await asyncio.sleep(0.1)
    return (found - sent) * 1000, (lens - sent) * 1000


async def _shown(it: Editor, count: int, words: str, seconds: float = _LONGEST_SECONDS) -> float:
    """Return when the finding was there, among those published after the first `count`."""
    started = time.perf_counter()
    while time.perf_counter() - started < seconds:
        for at, params in it.published[count:]:
            if params.uri == it.uri and any(_tells(one, words) for one in params.diagnostics):
                return at
        await asyncio.sleep(0.001)
    sys.exit(f"no finding with {words!r} within {seconds:g} s")


def _tells(finding: types.Diagnostic, words: str) -> bool:
    return finding.code == "passes-without-work" and words in finding.message


def _memory(options: argparse.Namespace) -> Iterator[Row]:
    """The command, whose results are in a file, and the iterator, which keeps nothing. Both have the suite in memory."""
    few, many = options.tasks, options.tasks * 10
    peaks = []
    # The commands come first: the peak of a child counts what this process had when the child began.
    for tasks in (few // 10, few, many):
        with tempfile.TemporaryDirectory() as folder:
            _, _, peak = _command(_write_suite(Path(folder), tasks, 1), tasks)
            peaks.append(peak)
            yield Row(f"audit, {tasks:,} tasks with a recording: peak memory", peak, "MB")
    grown = (peaks[-1] - peaks[-2]) * 1024 * 1024 / (many - few)
    yield Row("audit, growth of the peak", grown, "bytes a task", BYTES_A_TASK_AND_ITS_SUITE)
    with tempfile.TemporaryDirectory() as folder:
        growth = _iterated(_write_suite(Path(folder), many, 0), few)
    yield Row(f"iterator, growth from {few:,} to {many:,} tasks", growth, "bytes a task", BYTES_A_TASK)


def _iterated(path: Path, few: int) -> float:
    plan = make_plan(load_suite(path, process_dir=path.parent), Overrides())
    first, last = 0.0, 0.0
    for number, _ in enumerate(audit_suite(plan, _recorded(plan), path.parent), 1):
        if number == few:
            gc.collect()
            first = _resident()
    gc.collect()
    last = _resident()
    return (last - first) / (len(plan.tasks) - few)


def _resident() -> float:
    """In bytes."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize()


def _p95(times: Sequence[float]) -> float:
    return sorted(times)[max(0, round(len(times) * 0.95) - 1)]


def _recorded(plan: Plan) -> dict[str, list[Recording]]:
    path = plan.suite.path
    return {it.id: recordings_of(path, it.id, path.parent / ".none", _RECORDINGS) for it in plan.tasks}


def _write_suite(folder: Path, tasks: int, recordings: int) -> Path:
    """Write an eval with a skill, and return its path."""
    for name in ("tasks", "recordings", "skills/notes"):
        (folder / name).mkdir(parents=True)
    (folder / "skills" / "notes" / "SKILL.md").write_text(_SKILL, encoding="utf-8")
    (folder / "eval.yaml").write_text(_EVAL, encoding="utf-8")
    calls = [("view", {"path": "notes.md"}), ("create", {"path": "notes.md", "file_text": "The version"})]
    for number in range(tasks):
        id_ = f"task-{number:05}"
        (folder / "tasks" / f"{id_}.yaml").write_text(_TASK.format(number=number), encoding="utf-8")
        for trial in range(recordings):
            output = _OUTPUT.format(number=f"{number}.{trial}")
            made = recording(id_, output, calls, files={"notes.md": f"# Notes\n\n{output}\n"})
            name = f"{id_}.json" if not trial else f"{id_}.{trial + 1}.json"
            (folder / "recordings" / name).write_text(json.dumps(made), encoding="utf-8")
    return folder / "eval.yaml"


if __name__ == "__main__":
    main()
