"""At rest nothing is refreshed: whatever the store looks like, reading it is no news."""

import asyncio
import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest
from lsprotocol import types

from tests.server.conftest import EXAMPLES
from tests.server.results.test_lenses import run_outside, store_below
from tests.server.results_harness import Editor, editor
from waza_lsp.server.results.reader import read_last_results

_REST_SECONDS = 1.5


def _no_store(store: Path) -> None:
    shutil.rmtree(store.parent)


def _checkpointed(store: Path) -> None:
    with closing(sqlite3.connect(store)) as sql:
        sql.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _empty_log(store: Path) -> None:
    _checkpointed(store)
    store.with_name(f"{store.name}-wal").touch()


def _old_journal(store: Path) -> None:
    _checkpointed(store)
    for ending in ("-wal", "-shm"):
        store.with_name(store.name + ending).unlink()
    copy = store.with_name("copy.sqlite3")
    shutil.copy(store, copy)
    copy.replace(store)
    with closing(sqlite3.connect(store)) as sql:
        sql.execute("PRAGMA journal_mode = DELETE")


def _older(store: Path) -> None:
    with closing(sqlite3.connect(store)) as sql:
        sql.execute("PRAGMA user_version = 1")


def _newer(store: Path) -> None:
    with closing(sqlite3.connect(store)) as sql:
        sql.execute("PRAGMA user_version = 99")


def _garbage(store: Path) -> None:
    store.write_bytes(b"no database at all" * 100)


def _link(store: Path) -> None:
    store.rename(store.with_name("other.sqlite3"))
    store.symlink_to("other.sqlite3")


def _cannot_be_written(store: Path) -> None:
    store.chmod(0o400)
    store.parent.chmod(0o500)


def _recordings_only(store: Path) -> None:
    _no_store(store)
    (store.parent.parent / "recordings").mkdir(exist_ok=True)


def _reviewed(store: Path) -> None:
    with closing(sqlite3.connect(store)) as sql:
        run, task, trial = sql.execute("SELECT run_id, task_id, trial FROM trials").fetchone()
    review = {"run": run, "task": task, "trial": trial, "grader": "x", "passed": True}
    (store.parent / "reviews.jsonl").write_text(json.dumps(review) + "\n", encoding="utf-8")


STORES: dict[str, Callable[[Path], object]] = {
    "log in use": lambda _: None,
    "checkpointed": _checkpointed,
    "empty log": _empty_log,
    "old journal": _old_journal,
    "older": _older,
    "newer": _newer,
    "garbage": _garbage,
    "link": _link,
    "cannot be written": _cannot_be_written,
    "no store": _no_store,
    "recordings only": _recordings_only,
    "reviewed": _reviewed,
}


@contextmanager
def _recorded(root: Path) -> Iterator[tuple[Path, Path]]:
    """An eval with a stored run that another connection has open, so that its log stays."""
    suite = shutil.copytree(EXAMPLES / "code-explainer", root / "examples" / "code-explainer")
    run_outside(root, suite / "eval.yaml")
    store = store_below(root)
    with closing(sqlite3.connect(store)) as sql:
        sql.execute("UPDATE runs SET started_at = 1, finished_at = 1")
        sql.commit()
        yield suite / "eval.yaml", store
    store.parent.chmod(0o700) if store.parent.exists() else None


@pytest.fixture
def recorded(tmp_path: Path) -> Iterator[tuple[Path, Path]]:
    with _recorded(tmp_path) as found:
        yield found


async def _refreshes_at_rest(it: Editor, stores: Mapping[Path, Path]) -> int:
    """Count the refreshes of a few seconds at rest, which begin after as long without one, or after a minute.

    `stores` are those of the open evals.
    """
    await _all_lenses(it, stores)
    for _ in range(round(60 / _REST_SECONDS)):
        if not await _refreshes_of_a_moment(it, stores):
            break
    return await _refreshes_of_a_moment(it, stores)


async def _refreshes_of_a_moment(it: Editor, stores: Mapping[Path, Path]) -> int:
    """Count refreshes while the editor answers each with new requests, and root's SQLite owns the logs anew."""
    before = seen = it.refreshes
    trees = len(it.trees_changed)
    ends = asyncio.get_running_loop().time() + _REST_SECONDS
    while asyncio.get_running_loop().time() < ends:
        for file in [file for store in stores.values() for file in (store, _log_of(store))]:
            if file.exists() and not file.is_symlink():
                # Changes the time of the status only, as a new owner does.
                file.chmod(file.stat().st_mode & 0o777)
        if it.refreshes != seen:
            seen = it.refreshes
            await _all_lenses(it, stores)
        if len(it.trees_changed) != trees:
            trees += 1
            before -= 1  # A client with a test view requests the tree again, which counts as a refresh.
            await it.client.protocol.send_request_async("waza/tests", {"since": trees})  # type: ignore[no-untyped-call]  # the library gives it no types
        await asyncio.sleep(0.05)
    return it.refreshes - before


async def _all_lenses(it: Editor, evals: Iterable[Path]) -> None:
    for path in evals:
        it.uri = path.as_uri()
        await it.lenses()


def _log_of(store: Path) -> Path:
    return store.with_name(f"{store.name}-wal")


@pytest.mark.parametrize("kinds", [["log in use", "no store"], [*STORES]], ids=len)
async def test_nothing_is_refreshed_at_rest(kinds: list[str], tmp_path: Path) -> None:
    with ExitStack() as stack:
        stores: dict[Path, Path] = {}
        for kind in kinds:
            eval_path, store = stack.enter_context(_recorded(tmp_path / kind))
            stores[eval_path] = store
            STORES[kind](store)
            _assert_read_alike(kind, eval_path)
        async with editor(tmp_path, profile="visual_studio_code") as it:
            for eval_path in stores:
                it.open(eval_path)
            assert await _refreshes_at_rest(it, stores) == 0


def _assert_read_alike(kind: str, eval_path: Path) -> None:
    """Reading leaves the state as it was. CI runs this as root and as an ordinary user."""
    encoding = types.PositionEncodingKind.Utf16
    first = read_last_results(eval_path, None, (), encoding)
    assert first is not None, kind
    again = read_last_results(eval_path, first.stamps or None, (), encoding)
    # A store that cannot be read is tried again; its results are the same.
    assert again is None or (again == first and not first.stamps), kind


@pytest.mark.slow
async def test_another_run_is_news(recorded: tuple[Path, Path], tmp_path: Path) -> None:
    eval_path, store = recorded
    async with editor(tmp_path, profile="visual_studio_code") as it:
        it.open(eval_path)
        await it.lenses_with("passed")
        await _refreshes_at_rest(it, {eval_path: store})
        before = it.refreshes
        await asyncio.to_thread(run_outside, tmp_path, eval_path)
        async with asyncio.timeout(20):
            while it.refreshes == before:  # noqa: ASYNC110  # the client offers no event
                await asyncio.sleep(0.05)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such links")
async def test_a_task_that_its_eval_lists_no_longer_has_no_results(
    recorded: tuple[Path, Path], tmp_path: Path
) -> None:
    eval_path, _ = recorded
    async with editor(tmp_path) as it:
        it.open(eval_path.parent / "tasks" / "explain-retry.yaml")
        await it.lenses_with("✓")
        eval_path.write_text(
            eval_path.read_text(encoding="utf-8").replace("tasks/", "others/"), encoding="utf-8"
        )
        async with asyncio.timeout(20):
            while await it.lenses() != ["▶ Run task"]:  # noqa: ASYNC110  # the client offers no event
                await asyncio.sleep(0.05)
