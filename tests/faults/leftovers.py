"""What is left of a run that was broken off: its processes, its temporary files, what the store has of it."""

import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

from waza_engine.runs.store import FILE_NAME

PATIENCE_SECONDS = 60.0
"""Long enough for a machine that has much else to do; what is waited for comes within a fraction of a second."""


def until(condition: Callable[[], object], what: Callable[[], object] = str) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, what()
        time.sleep(0.005)


def processes_with(temporary: Path) -> list[str]:
    """The processes, but for us, whose temporary folder this is."""
    word, found = f"TMPDIR={temporary}".encode(), []
    for it in Path("/proc").iterdir():
        if it.name.isdigit() and int(it.name) != os.getpid():
            try:
                if word in (it / "environ").read_bytes().split(b"\0"):
                    found.append((it / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
            except OSError:
                continue
    return found


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
    path = store / FILE_NAME
    if not path.exists():
        return []
    connection = sqlite3.connect(path, timeout=30)
    try:
        tables = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'trials'").fetchone()
        if not tables[0]:
            return []
        runs = connection.execute("SELECT run_id FROM runs ORDER BY rowid").fetchall()
        ask = "SELECT task_index, trial FROM trials WHERE run_id = ? ORDER BY task_index, trial"
        return [connection.execute(ask, it).fetchall() for it in runs]
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
