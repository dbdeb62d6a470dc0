"""Schedulers and workers of a Dask cluster that are killed: the run ends or goes on, and nothing is lost or misjudged."""

import importlib.util
import os
import random
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

import pytest

from tests.slow import examples

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("distributed") is None,
        reason="Dask is not installed; install the extra: pip install 'waza-lsp[dask]'",
    ),
]
TASKS, TRIALS = 7, 4
EVAL = f"""\
name: outage
skill: s
version: "1.0"
config: {{executor: command, model: m, trials_per_task: {TRIALS}, timeout_seconds: 60}}
metrics: [{{name: task_completion, weight: 1, threshold: 0}}]
graders: [{{type: text, name: greets, config: {{contains: [hello]}}}}]
tasks: ["tasks/*.yaml"]
"""
AGENT = """
import os, sys, time
name = os.environ["WAZA_LSP_TASK"] + "." + os.environ["WAZA_LSP_TRIAL"]
with open(sys.argv[1], "a") as log: log.write(f"{os.getpid()} {name}\\n")
time.sleep(0.4)
print("hello")
"""
_PATIENCE_SECONDS = 60.0


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "tasks").mkdir()
    for it in range(TASKS):
        (tmp_path / "tasks" / f"{it}.yaml").write_text(
            f"{{id: t{it}, name: t{it}, inputs: {{prompt: go}}}}\n"
        )
    (tmp_path / "eval.yaml").write_text(EVAL)
    (tmp_path / "agent.py").write_text(AGENT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Cluster:
    """A scheduler and workers, each a process of its own."""

    def __init__(self, stack: ExitStack, workers: int = 2) -> None:
        self._stack = stack
        self._file = Path("scheduler.json").absolute()
        self._file.unlink(missing_ok=True)
        self.scheduler = self._start("dask_scheduler", "--port", "0")
        until(self._file.exists)
        self.workers = [self.add_worker() for _ in range(workers)]

    def add_worker(self) -> "subprocess.Popen[bytes]":
        return self._start("dask_worker", "--nthreads", "2", "--no-nanny")

    def _start(self, program: str, *arguments: str) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", f"distributed.cli.{program}", "--scheduler-file", str(self._file)]
        command += ["--no-dashboard", "--host", "127.0.0.1", *arguments]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        return process

    @property
    def address(self) -> str:
        import json

        return str(json.loads(self._file.read_text())["address"])


@contextmanager
def cluster(workers: int = 2) -> Iterator[Cluster]:
    with ExitStack() as stack:
        yield Cluster(stack, workers)


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def start_run(address: str, *arguments: str) -> "subprocess.Popen[str]":
    agent = shlex.join([sys.executable, "-S", str(Path("agent.py").absolute()), str(Path("log").absolute())])
    command = [
        sys.executable,
        "-m",
        "waza_lsp",
        "run",
        "eval.yaml",
        "--dask",
        address,
        "--agent-command",
        agent,
    ]
    return subprocess.Popen(
        [*command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def finished() -> list[tuple[str, int, str]]:
    """Return the trials in the store with their status."""
    store = "file:.waza-lsp/runs.sqlite3?mode=ro"
    with suppress(sqlite3.Error), closing(sqlite3.connect(store, uri=True)) as sql:
        return sql.execute("SELECT task_id, trial, status FROM trials ORDER BY 1, 2").fetchall()
    return []


def agents() -> list[int]:
    """Return the agents that still run."""
    lines = Path("log").read_text().splitlines() if Path("log").exists() else []
    return [pid for it in lines if is_running(pid := int(it.split()[0]))]


def is_running(pid: int) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):  # it can end while we read
        return False


ALL = [(f"t{task}", trial, "passed") for task in range(TASKS) for trial in range(1, TRIALS + 1)]


@pytest.mark.parametrize("seed", range(1, 1 + examples(4)))
def test_a_lost_scheduler_ends_the_run_soon_and_resuming_completes_it(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311  # a test
    with cluster() as first:
        run = start_run(first.address)
        count = chance.randint(1, 12)
        until(lambda: len(finished()) >= count)
        time.sleep(chance.random() / 2)
        first.scheduler.send_signal(signal.SIGKILL)
        output, _ = run.communicate(timeout=30)
        until(lambda: not agents())
    assert run.returncode == 2, output
    assert "The connection to the Dask scheduler" in output
    assert "continue with --resume" in output
    assert "Traceback" not in output
    kept = finished()
    assert count <= len(kept) < len(ALL)
    assert set(kept) <= set(ALL)
    with cluster() as second:
        again = start_run(second.address, "--resume")
        output, _ = again.communicate(timeout=90)
    assert again.returncode == 0, output
    assert finished() == ALL
    # Finished trials did not run again.
    starts = Counter(it.split()[1] for it in Path("log").read_text().splitlines())
    assert all(starts[f"{task}.{trial}"] == 1 for task, trial, _ in kept)


@pytest.mark.parametrize("seed", [1])
def test_lost_workers_make_no_trial_an_error(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311  # a test
    with cluster() as here:
        run = start_run(here.address)
        for kill in range(3):
            until(lambda wanted=kill * 3 + 1: len(finished()) >= wanted or run.poll() is not None)  # type: ignore[misc]  # a count
            time.sleep(chance.random() / 2)
            victim = here.workers.pop(0)
            here.workers.append(here.add_worker())
            os.kill(victim.pid, signal.SIGKILL)
        output, _ = run.communicate(timeout=90)
    assert run.returncode == 0, output
    assert finished() == ALL


def test_a_worker_with_another_version_is_refused() -> None:
    with cluster(workers=1) as here:
        code = (
            "import sys, waza_engine.version as v; v.__version__ = '0.9.0'; sys.argv[0] = 'waza-lsp';"
            "from waza_lsp.__main__ import main; main()"
        )
        command = [sys.executable, "-c", code, "run", "eval.yaml", "--dask", here.address]
        done = subprocess.run(
            [*command, "--agent-command", "true"], capture_output=True, text=True, timeout=60, check=False
        )
    assert done.returncode == 2, done.stdout + done.stderr
    assert "and this process waza-lsp 0.9.0. Install the same version" in done.stderr
    assert not finished()
