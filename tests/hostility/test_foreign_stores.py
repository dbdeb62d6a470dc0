"""A `.waza-lsp` folder that came with a repository: reading changes nothing, and nothing in it is believed."""

import hashlib
import os
import shutil
import sqlite3
import sys
import zlib
from contextlib import closing
from pathlib import Path

import pytest

from tests.hostility.bait import Victim
from tests.hostility.test_foreign_files import TRAPS, bounded
from tests.slow import first_quick
from waza_engine.project.store_location import FILE_NAME, FOLDER

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs links, owners and modes of Unix")
READING = [
    "runs list",
    "runs show",
    "runs history",
    "report",
    "report --format github",
    "compare last last",
    "grade --run last",
    "review last",
    "check",
]
OTHER_USER = 65534


@pytest.fixture
def store(victim: Victim) -> Path:
    """The store of a run."""
    assert victim.call("run", "eval.yaml").returncode in {0, 1}
    path = victim.workspace / FOLDER / FILE_NAME
    _change(path, "PRAGMA wal_checkpoint(TRUNCATE)")
    return path


def _change(path: Path, *statements: str, **values: object) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as sql:
        for it in statements:
            sql.execute(it, values)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _refused(victim: Victim, *commands: tuple[str, ...]) -> None:
    for it in commands:
        done = bounded(victim, *it)
        assert done.returncode == 2, (it, done.stdout)
        assert "store" in done.stderr


def test_a_new_store_is_private(store: Path) -> None:
    """Class: prompts, outputs and keys in a file that every user of the machine can read."""
    assert store.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("command", first_quick(READING, 2))
def test_reading_changes_no_store(command: str, store: Path, victim: Victim) -> None:
    """Class: reads that migrate, switch the journal mode or write otherwise."""
    _change(store, "PRAGMA journal_mode = DELETE")
    before = _digest(store)
    bounded(victim, *command.split())
    assert _digest(store) == before


@pytest.mark.parametrize("command", first_quick(READING, 2))
def test_reading_upgrades_no_older_store(command: str, store: Path, victim: Victim) -> None:
    """Class: reads that migrate. Older stores are still read."""
    _change(
        store,
        "PRAGMA journal_mode = DELETE",
        "DROP INDEX trials_by_work",
        "ALTER TABLE trials DROP COLUMN work",
        "ALTER TABLE results DROP COLUMN parts",
        "PRAGMA user_version = 2",
    )
    before = _digest(store)
    done = bounded(victim, *command.split())
    assert done.returncode in {0, 1} or command.startswith(("grade", "review")), done.stderr
    assert _digest(store) == before


@pytest.mark.parametrize("command", first_quick([*READING, "run eval.yaml"], 2))
@pytest.mark.parametrize("link", ["file", "folder"])
def test_a_link_to_another_database_leaves_it_as_it_is(link: str, command: str, victim: Victim) -> None:
    """Class: links out of the workspace in the place of a store."""
    folder = victim.workspace.parent / "private"
    folder.mkdir()
    private = folder / FILE_NAME
    _change(private, "CREATE TABLE passwords (it TEXT)", "INSERT INTO passwords VALUES ('x')")
    before = _digest(private)
    if link == "folder":
        (victim.workspace / FOLDER).symlink_to(folder)
    else:
        (victim.workspace / FOLDER).mkdir()
        (victim.workspace / FOLDER / FILE_NAME).symlink_to(private)
    bounded(victim, *command.split())
    assert _digest(private) == before
    assert [it.name for it in folder.iterdir()] == [FILE_NAME]


@pytest.mark.parametrize("ending", ["-wal", "-shm", "-journal"])
def test_a_file_beside_the_database_is_no_link(ending: str, store: Path, victim: Victim) -> None:
    """Class: links out of the workspace beside a store, which SQLite would write through."""
    side = store.with_name(store.name + ending)
    side.unlink(missing_ok=True)
    side.symlink_to(victim.outside)
    _refused(victim, ("runs", "list"))
    bounded(victim, "run", "eval.yaml")
    assert victim.is_unharmed()


@pytest.mark.parametrize("trap", first_quick([it for it in TRAPS if "link" not in it], 1))
def test_a_trap_beside_the_database_is_refused(trap: str, store: Path, victim: Victim) -> None:
    """Class: reads that wait. SQLite opens its side files itself."""
    side = store.with_name(f"{store.name}-wal")
    side.unlink(missing_ok=True)
    TRAPS[trap](side)
    bounded(victim, "runs", "list")


FORGED = {
    "a view": "CREATE VIEW more AS SELECT 1",
    "a view in the place of a table": "CREATE VIEW results AS SELECT 1",
    "a trigger": "CREATE TRIGGER t AFTER INSERT ON trials BEGIN DELETE FROM runs; END",
    "a table": "CREATE TABLE more (it)",
    "a virtual table": "CREATE VIRTUAL TABLE more USING fts5(it)",
    "a computed column": "ALTER TABLE runs ADD COLUMN more AS (hex(zeroblob(100000)))",
}


@pytest.mark.parametrize("forged", first_quick(FORGED, 2))
def test_a_store_with_a_foreign_schema_is_refused(forged: str, store: Path, victim: Victim) -> None:
    """Class: schemas that act on their own when rows are read or written."""
    first = ("DROP TABLE results",) if "place" in forged else ()
    _change(store, *first, FORGED[forged])
    _refused(victim, ("runs", "list"), ("report",))
    assert bounded(victim, "run", "eval.yaml").returncode in {0, 1, 2}


@pytest.mark.parametrize(
    "run_id", first_quick(["../../x", "/etc/x", "..", "a/b", "a\\b", "x\x1b[2J", "x" * 500], 1)
)
def test_an_id_of_a_store_becomes_no_path(run_id: str, store: Path, victim: Victim) -> None:
    """Class: ids that become names of files."""
    _change(
        store,
        "PRAGMA foreign_keys = OFF",
        "UPDATE runs SET run_id = :id",
        "UPDATE trials SET run_id = :id",
        id=run_id,
    )
    _refused(victim, ("runs", "list"), ("report",))
    assert victim.is_unharmed()


BAD_VALUES: dict[str, tuple[str, str, object]] = {
    "a bomb": ("trials", "trajectory", lambda: zlib.compress(b"x" * 500_000_000, 1)),
    "a small bomb": (
        "trials",
        "trajectory",
        lambda: zlib.compress(b'{"output": "' + b"x" * 200_000_000 + b'"}', 1),
    ),
    "no zlib": ("trials", "trajectory", b"x"),
    "a text for bytes": ("trials", "trajectory", "x"),
    "deep JSON": ("trials", "trajectory", lambda: zlib.compress(b"[" * 500_000)),
    "bytes for a name": ("runs", "suite_name", b"\xff"),
    "bytes for JSON": ("runs", "frame", b"\xff"),
    "deep JSON in a run": ("runs", "frame", "[" * 100_000),
    "a text for a number": ("runs", "score", "x"),
    "a text for a time": ("runs", "started_at", "x"),
    "bytes for a status": ("trials", "status", b"\xff"),
    "a device as a path": ("results", "path", "/dev/zero"),
    "an eval elsewhere": ("runs", "eval_path", "/dev/zero"),
    "deep JSON in a pointer": ("results", "pointer", "[" * 100_000),
    "no list as a pointer": ("results", "pointer", "1"),
}
"""Tables, columns and values. Bombs are functions: every worker imports this file, and compressing them takes 3 s."""


@pytest.mark.parametrize("value", first_quick(BAD_VALUES, 2))
def test_a_bad_value_in_a_store_is_an_error_line(value: str, victim: Victim) -> None:
    """Class: records that grow when they are unpacked, or are not what their column says."""
    victim.write_suite(graders="- {type: text, name: t, config: {contains: [never]}}\n")
    assert victim.call("run", "eval.yaml").returncode == 1
    table, column, bad = BAD_VALUES[value]
    value_to_store = bad() if callable(bad) else bad
    _change(victim.workspace / FOLDER / FILE_NAME, f"UPDATE {table} SET {column} = :it", it=value_to_store)  # noqa: S608
    for command in READING:
        bounded(victim, *command.split())


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("name", ["", "-wal"])
def test_a_store_of_another_user_is_refused(name: str, store: Path, victim: Victim) -> None:
    """Class: files of others, as for git's `safe.directory`."""
    side = store.with_name(store.name + name)
    side.touch()
    os.chown(side, OTHER_USER, OTHER_USER)
    _refused(victim, ("runs", "list"))
    copied = victim.workspace / "copied"
    shutil.copytree(store.parent, copied)
    assert bounded(victim, "runs", "list", "--store", "copied").returncode == 0


@pytest.mark.parametrize(
    ("column", "bad"),
    first_quick(
        [
            ("trials.status", "null"),
            ("trials.status", "\x1b[2J"),
            ("results.status", "fine"),
            ("runs.started_at", 1e30),
            ("runs.started_at", float("inf")),
            ("trials.started_at", -1e12),
            ("runs.status", "::error::x"),
            ("runs.eval_path", "/a/\x1b[2J\n::error::x"),
        ],
        1,
    ),
)
def test_a_status_time_or_path_that_no_run_has_is_an_error_line(
    column: str, bad: object, store: Path, victim: Victim
) -> None:
    """Class: texts of a store that code looks up, or shows."""
    table, _, name = column.partition(".")
    _change(store, f"UPDATE {table} SET {name} = :it", it=bad)  # noqa: S608
    for command in (*READING, "runs history", "report --format json"):
        done = bounded(victim, *command.split())
        assert "\x1b" not in done.stdout + done.stderr
        assert "\n::error" not in done.stdout + done.stderr
