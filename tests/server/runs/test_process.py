"""Child processes are cancelled or killed at any moment of their start. Nothing hangs, nothing is left."""

import asyncio
import gc
import os
import sys
from asyncio.base_subprocess import BaseSubprocessTransport as _Transport
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.faults.leftovers import PATIENCE_SECONDS
from tests.server.results.test_annotations import children
from tests.server.results_harness import until
from waza_lsp.server.live.client import Worker, WorkerError
from waza_lsp.server.runs.follower import follow_run
from waza_lsp.server.runs.process import RunProcesses

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="looks for children with ps")

WORKER = "tests.server.noting_worker"
TURNS = (*range(10), 50)


@dataclass(frozen=True, slots=True)
class Sleep:
    """A child that is silent and runs forever."""

    directory: Path

    def command(self) -> list[str]:
        return ["sleep", "3600"]

    def stdin(self) -> bytes:
        return b""


async def later(turns: int, then: Callable[[], Any]) -> None:
    for _ in range(turns):
        await asyncio.sleep(0)
    then()


async def ended(task: "asyncio.Task[Any]") -> None:
    done, _ = await asyncio.wait([task], timeout=PATIENCE_SECONDS)
    assert done


async def no_child(of: str) -> None:
    """Check that the child is gone and that the event loop has noticed."""
    await until(lambda: not children(os.getpid(), of))
    # Nobody else holds on to what was killed.
    await until(lambda: not [it for it in gc.get_objects() if isinstance(it, _Transport) and it._proc])


@pytest.mark.parametrize("turns", TURNS)
async def test_a_run_is_cancelled_while_it_is_started(tmp_path: Path, turns: int) -> None:
    cancel = asyncio.Event()
    running = asyncio.create_task(follow_run(RunProcesses(), Sleep(tmp_path), lambda _: None, cancel))
    await later(turns, cancel.set)
    await ended(running)
    assert running.result().status == "cancelled"
    await no_child("sleep 3600")


@pytest.mark.parametrize("turns", TURNS)
async def test_who_runs_is_cancelled_while_the_run_is_started(tmp_path: Path, turns: int) -> None:
    running = asyncio.create_task(
        follow_run(RunProcesses(), Sleep(tmp_path), lambda _: None, asyncio.Event())
    )
    await later(turns, running.cancel)
    await ended(running)
    assert running.cancelled()
    await no_child("sleep 3600")


@pytest.mark.parametrize("turns", TURNS)
async def test_a_question_is_cancelled_while_the_worker_is_started(tmp_path: Path, turns: int) -> None:
    worker, notes = Worker(WORKER, 30), tmp_path / "notes"
    asking = asyncio.create_task(worker.ask({"notes": str(notes), "hangs": True}))
    await later(turns, asking.cancel)
    await ended(asking)
    assert asking.cancelled()
    await no_child(WORKER)
    assert await worker.ask({"notes": str(notes)}) == {}
    worker.end()
    await no_child(WORKER)


@pytest.mark.parametrize("turns", TURNS)
async def test_a_worker_that_is_ended_while_it_is_started_is_asked_nothing(
    tmp_path: Path, turns: int
) -> None:
    worker, notes = Worker(WORKER, 30), tmp_path / "notes"
    asking = asyncio.create_task(worker.ask({"notes": str(notes), "mayExecute": True}))
    await later(turns, worker.end)
    # On a busy machine the child may have answered before so many turns.
    if turns and not asking.done():
        with pytest.raises(WorkerError, match="it was ended"):
            await asking
        await no_child(WORKER)
        assert not notes.exists() or "True" not in notes.read_text()
    # It can be asked again.
    await asyncio.wait([asking])
    assert await worker.ask({"notes": str(notes), "mayExecute": True}) == {}
    worker.end()
    await no_child(WORKER)


async def test_a_worker_that_is_ended_while_it_warms_up_is_not_asked_what_executes(tmp_path: Path) -> None:
    worker, notes = Worker(WORKER, 30), tmp_path / "notes"
    asking = asyncio.create_task(worker.ask({"notes": str(notes), "hangs": True, "mayExecute": True}))
    await until(notes.exists)
    worker.end()
    with pytest.raises(WorkerError, match="it was ended"):
        await asking
    assert notes.read_text() == "False\n"
    await no_child(WORKER)


async def test_children_get_the_variables_of_the_settings(tmp_path: Path) -> None:
    class Printing(Sleep):
        def command(self) -> list[str]:
            return ["printenv", "WAZA_LSP_SANDBOX", "PATH"]

    lines: list[bytes] = []
    processes = RunProcesses(lambda: {"WAZA_LSP_SANDBOX": "bwrap"})
    await processes.run(Printing(tmp_path), lines.append, asyncio.Event())
    assert lines == [b"bwrap\n", f"{os.environ['PATH']}\n".encode()]
