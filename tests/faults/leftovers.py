"""Find what an interrupted run left behind: processes, temporary files, rows in the store."""

import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from waza_engine.runs.store.store import FILE_NAME

PATIENCE_SECONDS = 60.0
"""Long enough for a machine that has much else to do; what is waited for comes within a fraction of a second."""


def until(condition: Callable[[], object], what: Callable[[], object] = str) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, what()
        time.sleep(0.005)


def pids_with(temporary: Path) -> dict[int, str]:
    """The processes, but for us, whose temporary folder this is, with their command lines."""
    word, found = f"TMPDIR={temporary}".encode(), {}
    for it in Path("/proc").iterdir():
        if it.name.isdigit() and int(it.name) != os.getpid():
            try:
                if word in (it / "environ").read_bytes().split(b"\0"):
                    line = (it / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                    found[int(it.name)] = line
            except OSError:
                continue
    return found


def processes_with(temporary: Path) -> list[str]:
    """Their command lines."""
    return list(pids_with(temporary).values())


def files_in(temporary: Path) -> list[str]:
    """Our own files and folders there."""
    there = temporary.iterdir() if temporary.is_dir() else ()
    return [it.name for it in there if it.name.startswith(("waza-lsp-", "."))]


def wait_for_nothing(temporary: Path) -> None:
    """See that no process goes on, and no file stays."""
    until(lambda: not processes_with(temporary), lambda: f"left running: {processes_with(temporary)}")
    until(lambda: not files_in(temporary), lambda: f"left lying: {files_in(temporary)}")


def finished(store: Path) -> list[list[tuple[int, int]]]:
    """The trials in the store by run, oldest run first, read without our own code."""
    return list(finished_by_run(store, "task_index").values())


def finished_by_run(store: Path, task: str = "task_id") -> dict[str, list[tuple[Any, int]]]:
    """The same by the name of the run, with the ids of tasks; `task` is another column that says which task it was."""
    path = store / FILE_NAME
    if not path.exists():
        return {}
    connection = sqlite3.connect(path, timeout=30)
    try:
        tables = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'trials'").fetchone()
        if not tables[0]:
            return {}
        runs = connection.execute("SELECT run_id FROM runs ORDER BY rowid").fetchall()
        ask = f"SELECT {task}, trial FROM trials WHERE run_id = ? ORDER BY task_index, trial"  # noqa: S608  # our own name
        return {name: connection.execute(ask, (name,)).fetchall() for (name,) in runs}
    finally:
        connection.close()


def problems_of(store: Path) -> list[str]:
    """What SQLite finds wrong with the store, and verdicts that belong to no trial."""
    connection = sqlite3.connect(store / FILE_NAME, timeout=30)
    try:
        found = [it for (it,) in connection.execute("PRAGMA integrity_check") if it != "ok"]
        return found + [str(it) for it in connection.execute("PRAGMA foreign_key_check")]
    finally:
        connection.close()
