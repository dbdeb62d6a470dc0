"""Stores that older versions have written: they are brought to the newest form, and nothing in them is lost."""

import json
import sqlite3
import zlib
from pathlib import Path

import pytest

from waza_engine.runs.run_header import RunFrame
from waza_engine.runs.store import schema
from waza_engine.runs.store.record import stored_record
from waza_engine.runs.store.store import FILE_NAME, RunStore, StoreError

NEWEST = len(schema._MIGRATIONS)
EVAL = Path("/project/eval.yaml")


def old_store(folder: Path, version: int) -> Path:
    """A store as `version` wrote it, with a finished run of one trial, and one that was killed."""
    path = folder / FILE_NAME
    connection = sqlite3.connect(path)
    for step in schema._MIGRATIONS[:version]:
        connection.executescript(step)
    connection.execute(f"PRAGMA user_version = {version}")
    columns = "run_id, eval_path, suite_name, executor, model, started_at, finished_at, status, score"
    runs = [
        ("r1", str(EVAL), "demo", "mock", "m", 1.0, 2.0, "passed", 1.0),
        ("r2", str(EVAL), "demo", "mock", "m", 3.0, None, None, None),
    ]
    connection.executemany(f"INSERT INTO runs ({columns}) VALUES (?,?,?,?,?,?,?,?,?)", runs)  # noqa: S608  # our own names
    trajectory = zlib.compress(json.dumps({"output": "hello", "duration_ms": 7}).encode())
    values = (1, "r1", "a", 0, 1, "passed", 1.0, 1.0, "", 1, 1.0, 2.0, trajectory)
    columns = (
        "id, run_id, task_id, task_index, trial, status, score, weighted_score, error, attempts, started_at,"
        " finished_at, trajectory"
    )
    connection.execute(f"INSERT INTO trials ({columns}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)", values)  # noqa: S608  # our own names
    columns = (
        "trial_id, position, name, type, status, score, weight, feedback, details, duration_ms, path, pointer"
    )
    row = (1, 0, "says", "text", "passed", 1.0, 2.0, "fine", '{"a": 1}', 3, str(EVAL), '["graders", 0]')
    connection.execute(f"INSERT INTO results ({columns}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)", row)  # noqa: S608  # our own names
    connection.commit()
    connection.close()
    return path


@pytest.mark.parametrize("version", range(1, NEWEST))
def test_an_older_store_is_migrated_and_keeps_what_it_has(tmp_path: Path, version: int) -> None:
    path = old_store(tmp_path, version)
    with RunStore(tmp_path) as store:
        assert [(it.run_id, it.status) for it in store.runs()] == [("r2", None), ("r1", "passed")]
        only = store.trials("r1")[0].record
        assert (only.task, only.trial, only.trajectory.output, only.checkpoints) == ("a", 1, "hello", ())
        [outcome] = only.graders
        assert (outcome.name, outcome.weight, outcome.details) == ("says", 2.0, {"a": 1})
        assert (outcome.path, outcome.pointer, outcome.parts) == (EVAL, ("graders", 0), ())
        assert store.runs()[1].frame == RunFrame()
        assert stored_record(store, store.runs()[1]).status == "passed"
        # The next trial of the old run is written in the new form.
        store.start_run("r3", EVAL, RunFrame("demo"), started_at=5.0)
        store.save_trial("r3", only)
        assert store.trials("r3")[0].record == only
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA user_version").fetchone() == (NEWEST,)
    connection.close()


@pytest.mark.parametrize("version", range(1, NEWEST))
def test_a_migrated_store_has_the_tables_of_a_new_one(tmp_path: Path, version: int) -> None:
    tables = []
    for folder in (tmp_path / "old", tmp_path / "new"):
        folder.mkdir()
        if folder.name == "old":
            old_store(folder, version)
        RunStore(folder).close()
        connection = sqlite3.connect(folder / FILE_NAME)
        names = [it[0] for it in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        tables.append({it: connection.execute(f"PRAGMA table_info({it})").fetchall() for it in names})
        connection.close()
    assert tables[0] == tables[1]


def test_a_step_that_fails_leaves_the_store_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = old_store(tmp_path, 1)
    broken = (
        *schema._MIGRATIONS,
        "ALTER TABLE runs ADD COLUMN fine TEXT; ALTER TABLE no_table ADD COLUMN x TEXT",
    )
    monkeypatch.setattr(schema, "_MIGRATIONS", broken)
    with pytest.raises(StoreError, match="no such table"):
        RunStore(tmp_path)
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA user_version").fetchone() == (1,)
    names = [it[1] for it in connection.execute("PRAGMA table_info(runs)")]
    connection.close()
    assert "frame" not in names
