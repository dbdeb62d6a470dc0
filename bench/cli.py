"""Measure the processor time of the commands: `python bench/cli.py [--program waza-lsp] [--check]`.

Processor time is that of user and system, the median of several runs, with warm bytecode. Install the wheel into a
virtual environment of its own: an editable install searches more folders at every start.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

HELP_SECONDS = 0.12
SECONDS = {"schema list": 0.25, "runs list": 0.25, "report": 0.25, "check FILE": 0.3, "run FILE": 0.6}
SECONDS_A_FILE = 0.0018
_SPREAD = 2.0
"""With --check, a row fails if it takes this many times its limit: machines differ, and are busy."""
_TASKS = 9
_EVAL = """\
name: suite-{number}
description: Bench of the command line.
skill: bench
version: "1.0"
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: mock
  model: gpt-4o
graders:
  - type: text
    name: answers
    config:
      contains: ["mock response"]
  - type: behavior
    name: few_calls
    config:
      max_tool_calls: 3
tasks:
  - "tasks/*.yaml"
"""
_TASK = """\
id: task-{number}
name: Explain module {number} of suite {suite}
description: The agent explains a module and names its files.
tags: [explain, module-{number}]
inputs:
  prompt: |
    Explain what module {number} of suite {suite} does.
    Name every file that it consists of, and why.
  files:
    - path: notes.txt
      content: A line of notes.
expected:
  output_contains:
    - module
graders:
  - name: names_module_{number}_of_{suite}
    type: text
    config:
      contains: ["module {number}", "suite {suite}"]
      not_contains: ["cannot"]
"""


class Row(NamedTuple):
    """A measured command, in seconds of processor time."""

    name: str
    seconds: float
    limit: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--program", default=shutil.which("waza-lsp") or "waza-lsp", help="The program to measure."
    )
    parser.add_argument("--runs", type=int, default=7, help="Runs of each command.")
    parser.add_argument("--files", type=int, default=3000, help="Files of the large check; 0 leaves it out.")
    parser.add_argument("--only", default="", help="Only rows whose name contains this text.")
    parser.add_argument("--json", type=Path, help="Write the figures to this file.")
    parser.add_argument(
        "--check", action="store_true", help=f"Fail if a row takes {_SPREAD} times its limit."
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = _Bench(options.program, Path(folder), options.runs)
        rows = [_show(it) for it in bench.rows(options.files, options.only)]
    if options.json:
        options.json.write_text(json.dumps([it._asdict() for it in rows], indent=2), encoding="utf-8")
    slow = [it.name for it in rows if it.limit and it.seconds > it.limit * _SPREAD]
    if options.check and slow:
        sys.exit(f"Too slow: {', '.join(slow)}")


def _show(row: Row) -> Row:
    limit = f"{row.limit:7.4f}" if row.limit else ""
    mark = " !" if row.limit and row.seconds > row.limit else ""
    print(f"{row.name:32} {row.seconds:7.4f} {limit}{mark}", flush=True)
    return row


class _Bench:
    """Runs the commands of one program in a folder, with a home of its own."""

    def __init__(self, program: str, folder: Path, runs: int) -> None:
        self._program = program
        self._folder = folder
        self._runs = runs
        left_out = {"PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "XDG_CACHE_HOME"}
        home = folder / "home"
        home.mkdir()
        (folder / ".git").mkdir()  # The root of the project: its run store is here.
        self._environment: Mapping[str, str] = {
            **{name: value for name, value in os.environ.items() if name not in left_out},
            "HOME": str(home),
            "LOCALAPPDATA": str(home),
        }

    def rows(self, files: int, only: str) -> Iterator[Row]:
        """Yield the rows in the order of the limits: helps, listings, one file, many files."""
        write_suites(self._folder / "one", 1)
        evals = str(self._folder / "one" / "suite-0" / "eval.yaml")
        self._seconds("run", evals, runs=1)
        commands = {
            "check FILE": ["check", evals],
            "run FILE": ["run", evals, "--task", "task-1"],
            "schema list": ["schema", "list"],
            "runs list": ["runs", "list"],
            "report": ["report"],
        }
        if not only or only in "python":
            yield Row("python -c pass", self._python(), 0.0)
        for names in self._helps():
            if only in (name := " ".join([*names, "--help"])):
                yield Row(name, self._seconds(*names, "--help"), HELP_SECONDS)
        for name, command in commands.items():
            if only in name:
                yield Row(name, self._seconds(*command), SECONDS[name])
        if files and only in (name := "check, each of many files"):
            many = self._folder / "many"
            write_suites(many, files // (_TASKS + 1))
            count = sum(1 for _ in many.rglob("*.yaml"))
            yield Row(name, self._seconds("check", "-q", str(many), runs=1) / count, SECONDS_A_FILE)

    def _helps(self) -> Iterator[list[str]]:
        """Yield every command and subcommand, as their helps list them."""
        yield []
        for name in self._listed():
            yield [name]
            yield from ([name, it] for it in self._listed(name))

    def _listed(self, *names: str) -> list[str]:
        text = subprocess.run(
            [self._program, *names, "--help"],
            env=self._environment,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout
        lines = text.partition("\nCommands:\n")[2].splitlines()
        return [it.split()[0] for it in lines if it.startswith("  ") and it[2] != " "]

    def _python(self) -> float:
        """Return what the interpreter of the program takes alone."""
        line = Path(self._program).read_text(encoding="utf-8").partition("\n")[0]
        return self._median([line.removeprefix("#!").strip(), "-c", "pass"], self._runs)

    def _seconds(self, *arguments: str, runs: int = 0) -> float:
        return self._median([self._program, *arguments], runs or self._runs)

    def _median(self, command: Sequence[str], runs: int) -> float:
        # The first run writes bytecode and caches.
        return statistics.median([self._once(command) for _ in range(runs + (runs > 1))][runs > 1 :])

    def _once(self, command: Sequence[str]) -> float:
        process = subprocess.Popen(
            command,
            cwd=self._folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in {0, 1}:
            sys.exit(f"{' '.join(command)} ended with {process.returncode}")
        return usage.ru_utime + usage.ru_stime


def write_suites(folder: Path, count: int) -> None:
    """Write `count` suites of one eval and nine tasks."""
    for number in range(count):
        tasks = folder / f"suite-{number}" / "tasks"
        tasks.mkdir(parents=True)
        (tasks.parent / "eval.yaml").write_text(_EVAL.format(number=number), encoding="utf-8")
        for task in range(_TASKS):
            text = _TASK.format(suite=number, number=task)
            (tasks / f"task-{task}.yaml").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
