"""Measure how much faster a run is on several Dask workers: `python bench/cluster.py`.

The agent waits as long as a model would and needs hardly any processor. Each worker runs one trial at a time, so that
twice the workers should take half the time. What is missing to that is our own work: workspaces, grading, the store.
"""

import argparse
import importlib
import json
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

_EVAL = """\
name: bench
skill: s
version: "1.0"
config: {{executor: command, model: m, trials_per_task: {trials}, timeout_seconds: 60}}
metrics: [{{name: task_completion, weight: 1, threshold: 0}}]
graders: [{{type: text, name: greets, config: {{contains: [hello]}}}}]
tasks: ["tasks/*.yaml"]
"""


def main() -> None:
    """Run the same eval on 1, 2 and 4 workers and print the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=16)
    parser.add_argument("--trials", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=2.0, help="time of the agent")
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2, 4])
    options = parser.parse_args()
    first = 0.0
    print(f"{options.tasks * options.trials} trials of {options.seconds:g} s")
    print("workers  seconds  speed-up  ideal")
    for count in options.workers:
        with tempfile.TemporaryDirectory() as folder:
            _write_suite(Path(folder), options.tasks, options.trials)
            seconds = _measure(Path(folder), count, options.seconds)
        first = first or seconds * count / options.workers[0]
        print(
            f"{count:7}  {seconds:7.1f}  {first / seconds:7.2f}x  {count / options.workers[0]:4.0f}x",
            flush=True,
        )


def _write_suite(folder: Path, tasks: int, trials: int) -> None:
    (folder / "tasks").mkdir()
    for it in range(tasks):
        (folder / "tasks" / f"{it}.yaml").write_text(f"{{id: t{it}, name: t{it}, inputs: {{prompt: go}}}}\n")
    (folder / "eval.yaml").write_text(_EVAL.format(trials=trials))


def _measure(folder: Path, workers: int, agent_seconds: float) -> float:
    """Return the seconds of the whole command, with a cluster that is up already."""
    file = folder / "scheduler.json"
    common = ["--scheduler-file", str(file), "--host", "127.0.0.1", "--no-dashboard"]
    programs = [
        ("dask_scheduler", ["--port", "0"]),
        *[("dask_worker", ["--nthreads", "1", "--no-nanny"])] * workers,
    ]
    started = []
    try:
        for name, own in programs:
            command = [sys.executable, "-m", f"distributed.cli.{name}", *common, *own]
            started.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            while not file.exists():
                time.sleep(0.05)
        _wait_for_workers(file, workers)
        agent = shlex.join(["sh", "-c", f"sleep {agent_seconds}; echo hello"])
        address = json.loads(file.read_text())["address"]
        command = [
            sys.executable,
            "-m",
            "waza_lsp",
            "run",
            str(folder / "eval.yaml"),
            "--dask",
            address,
            "--quiet",
        ]
        before = time.monotonic()
        subprocess.run([*command, "--agent-command", agent], check=True, stdout=subprocess.DEVNULL)
        return time.monotonic() - before
    finally:
        for it in reversed(started):
            it.kill()
            it.wait()


def _wait_for_workers(file: Path, count: int) -> None:
    client: Any = importlib.import_module("distributed").Client
    with client(scheduler_file=str(file)) as connected:
        connected.wait_for_workers(count, timeout=120)


if __name__ == "__main__":
    main()
